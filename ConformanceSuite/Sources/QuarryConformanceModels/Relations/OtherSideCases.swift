import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Conditions on the objects that refer to one.
enum OtherSideCases {
  static let all: [ConformanceCase] = quantified + counted + through

  private static func poets(
    _ name: String, _ text: String, clauses: [String] = ["REL-19"], line: Int = #line,
    _ typed: @escaping @Sendable (Poet.Columns) -> Condition, _ holds: @escaping @Sendable (Poet, PathGraph) -> Bool
  ) -> ConformanceCase {
    ConformanceCase("REL.others-\(name)", clauses, "What fulfils \(text).", line: line) { kit in
      for number in 0..<3 {
        var random = kit.random(42_000 + number)
        let graph = PathGraph(&random)
        let store = try kit.store(Poem.self)
        try graph.write(to: store)
        try PathCondition<Poet>(typed: typed, text: text, holds: holds).check(store, graph.poets, graph)
      }
    }
  }

  private static let quantified: [ConformanceCase] = [
    poets("any", "ANY poems.title == 't1'", { $0.poems.any { $0.title == "t1" } }) {
      $1.poems(of: $0).contains { $0.title == "t1" }
    },
    poets("any-not", "ANY poems.title != 't1'", { $0.poems.any { $0.title != "t1" } }) {
      $1.poems(of: $0).contains { $0.title != "t1" }
    },
    poets("all", "ALL poems.title >= 't2'", { $0.poems.all { $0.title >= "t2" } }) {
      $1.poems(of: $0).allSatisfy { $0.title >= "t2" }
    },
    poets("none", "NONE poems.title == 't3'", { !$0.poems.any { $0.title == "t3" } }) {
      !$1.poems(of: $0).contains { $0.title == "t3" }
    },
    poets("all-of-none", "ALL pupils.name == 'nobody'", { $0.pupils.all { $0.name == "nobody" } }) {
      $1.pupils(of: $0).isEmpty
    },
    poets(
      "any-two", "ANY poems (SELF.title == 't1' AND SELF.editor == nil)",
      { $0.poems.any { $0.title == "t1" && $0.editor == nil } }
    ) { $1.poems(of: $0).contains { $0.title == "t1" && $0.editor == nil } },
    poets(
      "any-apart", "ANY poems.title == 't1' AND ANY poems.title == 't2'",
      { $0.poems.any { $0.title == "t1" } && $0.poems.any { $0.title == "t2" } }
    ) { poet, graph in
      ["t1", "t2"].allSatisfy { title in graph.poems(of: poet).contains { $0.title == title } }
    },
    poets(
      "any-self", "ANY pupils.name == 'p1'",
      { $0.pupils.any { $0.name == "p1" } }
    ) { $1.pupils(of: $0).contains { $0.name == "p1" } },
    poets(
      "any-with-own", "name == 'p1' OR ANY edited.title == 't1'",
      { $0.name == "p1" || $0.edited.any { $0.title == "t1" } }
    ) {
      $0.name == "p1" || $1.edited(by: $0).contains { $0.title == "t1" }
    },
    poets(
      "any-in-any", "ANY pupils (ANY SELF.poems.title == 't1')", { $0.pupils.any { $0.poems.any { $0.title == "t1" } } }
    ) {
      poet, graph in
      graph.pupils(of: poet).contains { graph.poems(of: $0).contains { $0.title == "t1" } }
    },
    poets(
      "all-in-any", "ANY pupils (ALL SELF.poems.title > 't0')", { $0.pupils.any { $0.poems.all { $0.title > "t0" } } }
    ) {
      poet, graph in
      graph.pupils(of: poet).contains { graph.poems(of: $0).allSatisfy { $0.title > "t0" } }
    },
    poets("any-key", "ANY poems.id < 5", { $0.poems.any { $0.id < 5 } }) { $1.poems(of: $0).contains { $0.id < 5 } },
  ]

  private static let counted: [ConformanceCase] = [
    poets("count-equal", "poems.@count == 2", { $0.poems.count == 2 }) { $1.poems(of: $0).count == 2 },
    poets("count-not-equal", "poems.@count != 2", { $0.poems.count != 2 }) { $1.poems(of: $0).count != 2 },
    poets("count-greater", "poems.@count > 2", { $0.poems.count > 2 }) { $1.poems(of: $0).count > 2 },
    poets("count-at-least", "poems.@count >= 3", { $0.poems.count >= 3 }) { $1.poems(of: $0).count >= 3 },
    poets("count-less", "poems.@count < 3", { $0.poems.count < 3 }) { $1.poems(of: $0).count < 3 },
    poets("count-at-most", "poems.@count <= 3", { $0.poems.count <= 3 }) { $1.poems(of: $0).count <= 3 },
    poets("count-none", "pupils.@count == 0", { $0.pupils.isEmpty }) { $1.pupils(of: $0).isEmpty },
    poets("count-some", "pupils.@count > 0", { !$0.pupils.isEmpty }) { !$1.pupils(of: $0).isEmpty },
    poets("count-calculated", "poems.@count * 2 > 5", { $0.poems.count * 2 > 5 }) { $1.poems(of: $0).count * 2 > 5 },
    poets("count-and-own", "poems.@count > id", { $0.poems.count > $0.id }) { $1.poems(of: $0).count > $0.id },
    poets("count-below-own", "poems.@count < id", { $0.poems.count < $0.id }) { $1.poems(of: $0).count < $0.id },
    poets("count-is-own", "pupils.@count + 3 == id", { $0.pupils.count + 3 == $0.id }) {
      $1.pupils(of: $0).count + 3 == $0.id
    },
    poets("count-in", "poems.@count IN {0, 3}", { $0.poems.count == 0 || $0.poems.count == 3 }) {
      [0, 3].contains($1.poems(of: $0).count)
    },
  ]

  private static let through: [ConformanceCase] = [
    poets(
      "back-again", "ANY poems.editor.name == 'p0'", clauses: ["REL-18", "REL-19"],
      { $0.poems.any { $0.editor.name == "p0" } }
    ) {
      poet, graph in graph.poems(of: poet).contains { graph.poet($0.editor)?.name == "p0" }
    },
    poets(
      "teachers-poems", "ANY teacher.poems.title == 't1'", clauses: ["REL-18", "REL-19"],
      { $0.teacher.poems.any { $0.title == "t1" } }
    ) {
      $1.poet($0.teacher).map(\.id).map { Poet($0) }.map($1.poems(of:))?.contains { $0.title == "t1" } ?? false
    },
    poets(
      "teachers-all", "ALL teacher.poems.title > 't1'", clauses: ["REL-18", "REL-19"],
      { $0.teacher.poems.all { $0.title > "t1" } }
    ) {
      $1.poet($0.teacher).map($1.poems(of:))?.allSatisfy { $0.title > "t1" } ?? true
    },
    poets(
      "teachers-count", "teacher.pupils.@count > 1", clauses: ["REL-18", "REL-19"], { $0.teacher.pupils.count > 1 }
    ) {
      ($1.poet($0.teacher).map($1.pupils(of:))?.count ?? 0) > 1
    },
    poets("teachers-none", "teacher.poems.@count == 0", clauses: ["REL-18", "REL-19"], { $0.teacher.poems.isEmpty }) {
      $1.poet($0.teacher).map($1.poems(of:))?.isEmpty ?? false
    },
  ]
}
