import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Calls that take conditions on other objects, and what is refused.
enum PathCallCases {
  private static func call(
    _ name: String, _ clauses: [String], _ summary: String, line: Int = #line,
    _ body: @escaping @Sendable (Store, PathGraph) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase("REL.paths-\(name)", clauses, summary, line: line) { kit in
      var random = kit.random(44_000)
      let graph = PathGraph(&random)
      let store = try kit.store(Poem.self)
      try graph.write(to: store)
      try body(store, graph)
    }
  }

  private static let first = Poem.where { $0.poet.name != "p1" }
  /// Of several poets, and of none whose poet is nil.
  private static let several = Poem.where { $0.poet.name > "p0" }

  private static func several(_ graph: PathGraph) -> [Poem] {
    graph.poems.filter { poem in graph.poet(poem.poet).map { $0.name > "p0" } ?? false }
  }

  static let all: [ConformanceCase] = calls + refused + large

  private static let calls: [ConformanceCase] = [
    call("reads", ["REL-21"], "Every read chooses by what references lead to.") { store, graph in
      let due = graph.poems.filter { graph.poet($0.poet)?.name != "p1" }
      try expectEqual(try store.keys(first), due.map(\.id))
      try expectEqual(try store.first(first), due.first)
      try expectEqual(try store.exists(first), !due.isEmpty)
      try expectEqual(try store.exists(Poem.where { $0.poet.name == "nobody" }), false)
      try expectEqual(try store.fetch(first.offset(2).limit(3)), Array(due.dropFirst(2).prefix(3)))
      try expectEqual(try store.frozen(first).map { $0.id }, due.map(\.id))
      try expectEqual(try store.fetch(first, with: \.poet).map { $0.0 }, due)
    },
    call("pages", ["REL-21", "PAGE-1"], "Pages of such a condition go on where they ended.") { store, graph in
      let first = (Self.first, graph.poems.filter { graph.poet($0.poet)?.name != "p1" })
      for (query, objects) in [first, (several, several(graph))] {
        let due = objects.sorted { ($0.title, $0.id) < ($1.title, $1.id) }
        var seen: [Poem] = []
        var position: PagePosition?
        repeat {
          let page = try store.page(query.sorted(by: \.title).after(position), size: 4)
          seen += page.elements
          position = page.next
        } while position != nil && seen.count < 100
        try expectEqual(seen, due)
      }
    },
    call("aggregates", ["REL-21"], "Aggregates are of the objects that are chosen so.") { store, graph in
      let due = graph.poems.filter { graph.poet($0.poet)?.name != "p1" }
      try expectEqual(try store.max(first, of: \.id), due.map(\.id).max())
      let some = several(graph).map(\.id)
      try store.read { tx in
        try expectEqual(try tx.sum(several, of: \.id), some.reduce(0, +))
        try expectEqual(try tx.min(several, of: \.id), some.min())
        try expectEqual(try tx.max(several, of: \.id), some.max())
      }
    },
    call("assign", ["REL-21"], "An update changes what is chosen so.") { store, graph in
      let due = graph.poems.filter { graph.poet($0.poet)?.name != "p1" }.map(\.id)
      try expectEqual(try store.write { try $0.assign(first) { $0.title = "x" } }, due.count)
      try expectEqual(try store.keys(Poem.where { $0.title == "x" }), due)
    },
    call("update", ["REL-21"], "An update by a closure changes what is chosen so.") { store, graph in
      let due = graph.poems.filter { graph.poet($0.poet)?.name != "p1" }.map(\.id)
      try expectEqual(try store.write { try $0.update(first) { $0.title = "y" } }, due.count)
      try expectEqual(try store.keys(Poem.where { $0.title == "y" }), due)
    },
    call("delete", ["REL-21"], "A delete removes what is chosen so.") { store, graph in
      let rest = graph.poems.filter { graph.poet($0.poet)?.name == "p1" }.map(\.id)
      try expectEqual(try store.write { try $0.delete(first) }, graph.poems.count - rest.count)
      try expectEqual(try store.keys(Poem.all), rest)
    },
    call("written", ["REL-21", "TXN-2"], "A condition looks at what its own transaction has written.") { store, _ in
      try store.write { tx in
        try tx.insert(Poet(50, "new"))
        try tx.insert(Poem(60, poet: 50))
        try expectEqual(try tx.keys(Poem.where { $0.poet.name == "new" }), [60])
        try tx.assign(Poet.self, 50) { $0.name = "newer" }
        try expectEqual(try tx.keys(Poem.where { $0.poet.name == "new" }), [])
        try expectEqual(try tx.keys(Poet.where { $0.poems.any { $0.id == 60 } }), [50])
        try tx.delete(Poem.self, 60)
        try expectEqual(try tx.keys(Poet.where { $0.id == 50 && $0.poems.isEmpty }), [50])
      }
    },
    call("explained", ["REL-23"], "A plan says what is read first, or what the engine looks at.") { store, graph in
      let plan = try store.explain(Poem.where { $0.poet.name == "p1" })
      let count = graph.poets.filter { $0.name == "p1" }.count
      let shown = plan.first + plan.pushed
      try expectEqual(shown.filter { $0.contains("Poet") && $0.contains("p1") }.count, 1, "\(shown)")
      if let first = plan.first.first { try expect(first.contains("\(count) keys"), first) }
      try expectEqual(try store.explain(Poem.where { $0.title == "t1" }).first, [])
      let both = try store.explain(Poem.where { $0.poet.name == "p1" && $0.title == "t1" && $0.poet.id > 2 })
      let together = (both.first + both.pushed).filter { $0.contains("Poet") }
      try expectEqual(together.count, 1, "conditions on one path are one query: \(together)")
    },
  ]

  private static let refused: [ConformanceCase] = [
    call("unknown", ["REL-22"], "What is not there is refused, with the model that lacks it.") { store, _ in
      let error = try expectError(.invalidQuery) { try store.fetch(Poem.where("poet.nme == 'x'")) }
      try expect(error.message.contains("Poet has no property nme"), "\(error)")
      try expectError(.invalidQuery) { try store.fetch(Poem.where("poet.teacher.nme == 'x'")) }
      try expectError(.invalidQuery) { try store.fetch(Poet.where("ANY poms.title == 'x'")) }
      try expectError(.invalidQuery) { try store.fetch(Poet.where("ANY poems.ttle == 'x'")) }
      try expectError(.invalidQuery) { try store.fetch(Poet.where("poems.title == 'x'")) }
      try expectError(.invalidQuery) { try store.fetch(Poem.where("title.name == 'x'")) }
      try expectError(.invalidQuery) { try store.fetch(Poem.where("ANY poet == 3")) }
    },
    call("types", ["REL-22"], "What cannot be compared is refused as on the object itself.") { store, _ in
      try expectError(.invalidQuery) { try store.fetch(Poem.where("poet.name == 3")) }
      try expectError(.invalidQuery) { try store.fetch(Poem.where("poet.id BEGINSWITH 'x'")) }
      try expectError(.invalidQuery) { try store.fetch(Poem.where("poet.name == title")) }
      try expectError(.invalidQuery) { try store.fetch(Poem.where("poet.name == editor.name")) }
    },
    call("depth", ["REL-22"], "A path leads through eight references and not through nine.") { store, _ in
      let eight = Array(repeating: "answers", count: 8).joined(separator: ".")
      _ = try store.count(Poem.where("\(eight).title == 't1'"))
      try expectError(.invalidQuery) { try store.count(Poem.where("\(eight).answers.title == 't1'")) }
    },
  ]

  private static let large: [ConformanceCase] = [
    ConformanceCase(
      "REL.paths-thousands", ["REL-18", "REL-19", "REL-20"], "3,000 keys between two models are all looked at.",
      within: .seconds(60)
    ) { kit in
      let store = try kit.store(Poem.self)
      try store.insert(contentsOf: (0..<3_000).map { Poet($0, $0 % 3 == 0 ? "third" : "other") })
      try store.insert(contentsOf: (0..<3_000).map { Poem($0, poet: $0 % 5 == 0 ? nil : 2_999 - $0) })
      let thirds = (0..<3_000).filter { $0 % 5 != 0 && (2_999 - $0) % 3 == 0 }
      try expectEqual(try store.keys(Poem.where { $0.poet.name == "third" }), thirds)
      try expectEqual(try store.count(Poem.where { $0.poet.name != "third" }), 3_000 - thirds.count)
      try expectEqual(try store.count(Poet.where { $0.poems.isEmpty }), 600)
      try expectEqual(try store.count(Poet.where { $0.poems.any { $0.id >= 1_000 } }), 1_600)
      try expectEqual(
        try store.keys(Poem.where { $0.poet != nil }.sorted(by: \.poet.id)),
        (0..<3_000).reversed().filter { $0 % 5 != 0 })
    }
  ]
}
