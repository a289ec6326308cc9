import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Orders by what references lead to.
enum PathOrderCases {
  private static func order(
    _ name: String, _ summary: String, clauses: [String] = ["REL-20"], line: Int = #line,
    _ body: @escaping @Sendable (Store, PathGraph) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase("REL.order-\(name)", clauses, summary, line: line) { kit in
      for number in 0..<3 {
        var random = kit.random(43_000 + number)
        let graph = PathGraph(&random)
        let store = try kit.store(Poem.self)
        try graph.write(to: store)
        try body(store, graph)
      }
    }
  }

  /// Ordered as the store orders: nil first, ties by the key.
  private static func sorted<T: Comparable>(_ poems: [Poem], _ value: (Poem) -> T?) -> [Poem] {
    poems.sorted { a, b in
      let (x, y) = (value(a), value(b))
      if x == y { return a.id < b.id }
      guard let x else { return true }
      guard let y else { return false }
      return x < y
    }
  }

  static let all: [ConformanceCase] = [
    order("forward", "Objects come in the order of what their reference leads to, those without first, ties by key.") {
      store, graph in
      let due = sorted(graph.poems) { graph.poet($0.poet)?.name }
      try expectEqual(try store.fetch(Poem.all.sorted(by: \.poet.name)), due)
      try expectEqual(try store.fetch(Poem.all.sorted("poet.name")), due)
      try expectEqual(
        try store.records.fetch(QueryTree(model: "Poem", order: [.init(PropertyPath("poet", members: ["name"]))]))
          .compactMap { $0["id"]?.intValue }, due.map(\.id))
    },
    order("backward", "The opposite order is that, ties and all.") { store, graph in
      let due = Array(sorted(graph.poems) { graph.poet($0.poet)?.name }.reversed())
      try expectEqual(try store.fetch(Poem.all.sorted(by: \.poet.name, order: .reverse)), due)
      try expectEqual(try store.fetch(Poem.all.sorted("-poet.name")), due)
    },
    order("deep", "An order leads through several references.") { store, graph in
      let due = sorted(graph.poems) { graph.poet(graph.poet($0.poet)?.teacher)?.name }
      try expectEqual(try store.fetch(Poem.all.sorted(by: \.poet.teacher.name)), due)
      let answered = sorted(graph.poems) { graph.poem(graph.poem($0.answers)?.answers)?.id }
      try expectEqual(try store.fetch(Poem.all.sorted("answers.answers.id")), answered)
    },
    order("mixed", "Own properties stand in the same order.") { store, graph in
      let due = graph.poems.sorted { a, b in
        let (x, y) = (graph.poet(a.poet)?.name ?? "", graph.poet(b.poet)?.name ?? "")
        return (x, b.title, b.id) < (y, a.title, a.id)
      }
      try expectEqual(
        try store.fetch(Poem.all.sorted(by: \.poet.name).sorted(by: \.title, order: .reverse)), due)
      let titled = graph.poems.sorted { a, b in
        let (x, y) = (graph.poet(a.poet)?.name ?? "", graph.poet(b.poet)?.name ?? "")
        return (a.title, x, a.id) < (b.title, y, b.id)
      }
      try expectEqual(try store.fetch(Poem.all.sorted("title,poet.name")), titled)
    },
    order("part", "Conditions, limits and offsets choose in that order.", clauses: ["REL-20", "PAGE-1"]) {
      store, graph in
      let due = sorted(graph.poems.filter { $0.title > "t0" }) { graph.poet($0.poet)?.name }
      let query = Poem.where { $0.title > "t0" }.sorted(by: \.poet.name)
      for (offset, limit) in [(0, 3), (2, 5), (5, 0), (due.count - 1, 9), (99, 9)] {
        let part = Array(due.dropFirst(offset).prefix(limit))
        try expectEqual(try store.fetch(query.offset(offset).limit(limit)), part, "\(offset), \(limit)")
        try expectEqual(try store.count(query.offset(offset).limit(limit)), part.count, "\(offset), \(limit)")
        try expectEqual(try store.keys(query.offset(offset).limit(limit)), part.map(\.id), "\(offset), \(limit)")
      }
      try expectEqual(try store.first(query), due.first)
      try expectEqual(try store.fetch(query.offset(4)), Array(due.dropFirst(4)))
      try expectError(.invalidQuery) { try store.fetch(query.limit(-1)) }
    },
    order(
      "rest", "An offset without a limit chooses in that order, whatever the call.", clauses: ["REL-20", "REL-21"]
    ) { store, graph in
      let due = sorted(graph.poems) { graph.poet($0.poet)?.name }.map(\.id)
      let query = Poem.all.sorted(by: \.poet.name)
      for offset in [1, 7, due.count, due.count + 1] {
        let rest = Array(due.dropFirst(offset))
        try expectEqual(try store.count(query.offset(offset)), rest.count, "\(offset)")
        try expectEqual(try store.exists(query.offset(offset)), !rest.isEmpty, "\(offset)")
        try expectEqual(try store.keys(query.offset(offset)), rest, "\(offset)")
        try expectEqual(try store.max(query.offset(offset), of: \.id), rest.max(), "\(offset)")
      }
      try expectEqual(try store.write { try $0.assign(query.offset(20)) { $0.title = "rest" } }, due.count - 20)
      try expectEqual(try store.keys(Poem.where { $0.title == "rest" }), due.dropFirst(20).sorted())
    },
    order("cursor", "Cursors, frozen objects and columns come in that order.") { store, graph in
      let due = sorted(graph.poems) { graph.poet($0.poet)?.name }
      let query = Poem.all.sorted(by: \.poet.name)
      var seen: [Int] = []
      try store.forEach(query) { seen.append($0.id) }
      try expectEqual(seen, due.map(\.id))
      try expectEqual(try store.frozen(query).map { $0.id }, due.map(\.id))
      let columns = try store.select(query, \.id, \.title)
      try expectEqual(columns.map { $0.0 }, due.map(\.id))
      try expectEqual(columns.map { $0.1 }, due.map(\.title))
    },
    order("chosen", "The first of that order are changed and removed.", clauses: ["REL-20", "REL-21"]) { store, graph in
      let due = sorted(graph.poems) { graph.poet($0.poet)?.name }.map(\.id)
      let query = Poem.all.sorted(by: \.poet.name, order: .reverse).limit(4)
      try expectEqual(try store.write { try $0.assign(query) { $0.title = "last" } }, 4)
      try expectEqual(try store.keys(Poem.where { $0.title == "last" }), due.suffix(4).sorted())
    },
    order("pages", "What is sorted by other objects has no pages, and says so.") { store, _ in
      try expectError(.unsupported) { try store.page(Poem.all.sorted(by: \.poet.name), size: 5) }
    },
    order("unknown", "An order by what is not there is refused.", clauses: ["REL-20", "REL-22"]) { store, _ in
      try expectError(.invalidQuery) { try store.fetch(Poem.all.sorted("poet.nme")) }
      try expectError(.invalidQuery) { try store.fetch(Poem.all.sorted("title.name")) }
      let nine = Array(repeating: "answers", count: 9).joined(separator: ".")
      try expectError(.invalidQuery) { try store.fetch(Poem.all.sorted("\(nine).title")) }
    },
  ]
}
