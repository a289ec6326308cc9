import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Conditions on what references lead to.
enum ReferencePathCases {
  static let all: [ConformanceCase] = simple + kinds + deep + mixed

  private static func path(
    _ name: String, _ text: String, clauses: [String] = ["REL-18"], line: Int = #line,
    _ typed: @escaping @Sendable (Poem.Columns) -> Condition, _ holds: @escaping @Sendable (Poem, PathGraph) -> Bool
  ) -> ConformanceCase {
    ConformanceCase("REL.path-\(name)", clauses, "What fulfils \(text).", line: line) { kit in
      for number in 0..<3 {
        var random = kit.random(41_000 + number)
        let graph = PathGraph(&random)
        let store = try kit.store(Poem.self)
        try graph.write(to: store)
        try PathCondition<Poem>(typed: typed, text: text, holds: holds).check(store, graph.poems, graph)
      }
    }
  }

  // MARK: One step

  private static let simple: [ConformanceCase] = [
    path("equal", "poet.name == 'p1'", { $0.poet.name == "p1" }) { $1.poet($0.poet)?.name == "p1" },
    path("not-equal", "poet.name != 'p1'", { $0.poet.name != "p1" }) { $1.poet($0.poet)?.name != "p1" },
    path("less", "poet.name < 'p2'", { $0.poet.name < "p2" }) { $1.poet($0.poet).map { $0.name < "p2" } ?? false },
    path("less-or-equal", "poet.name <= 'p1'", { $0.poet.name <= "p1" }) {
      $1.poet($0.poet).map { $0.name <= "p1" } ?? false
    },
    path("greater", "poet.name > 'p0'", { $0.poet.name > "p0" }) { $1.poet($0.poet).map { $0.name > "p0" } ?? false },
    path("greater-or-equal", "poet.name >= 'p2'", { $0.poet.name >= "p2" }) {
      $1.poet($0.poet).map { $0.name >= "p2" } ?? false
    },
    path("nil", "poet.name == nil", { $0.poet.name == nil }) { poem, _ in poem.poet == nil },
    path("not-nil", "poet.name != nil", { $0.poet.name != nil }) { poem, _ in poem.poet != nil },
    path("mirrored", "'p1' == poet.name", { $0.poet.name == "p1" }) { $1.poet($0.poet)?.name == "p1" },
    path("key", "editor.id == 2", { $0.editor.id == 2 }) { poem, _ in poem.editor?.key == 2 },
    path("key-in-range", "poet.id BETWEEN {2, 5}", { $0.poet.id >= 2 && $0.poet.id <= 5 }) { poem, _ in
      poem.poet.map { (2...5).contains($0.key) } ?? false
    },
    path("reference-there", "poet.teacher == 3", { $0.poet.teacher == Ref(3) }) { $1.poet($0.poet)?.teacher?.key == 3 },
    path("reference-nil", "poet.teacher == nil", { $0.poet.teacher == nil }) { $1.poet($0.poet)?.teacher == nil },
    path("reference-not-nil", "poet.teacher != nil", { $0.poet.teacher != nil }) { $1.poet($0.poet)?.teacher != nil },
    path("nobody", "poet.name == 'nobody'", { $0.poet.name == "nobody" }) { _, _ in false },
    path("not-nobody", "poet.name != 'nobody'", { $0.poet.name != "nobody" }) { _, _ in true },
    path("self", "answers.title == 't2'", { $0.answers.title == "t2" }) { $1.poem($0.answers)?.title == "t2" },
  ]

  // MARK: Every kind of test

  private static let kinds: [ConformanceCase] = [
    path("in", "poet.name IN {'p0', 'p3'}", { $0.poet.name.isIn(["p0", "p3"]) }) {
      ["p0", "p3"].contains($1.poet($0.poet)?.name)
    },
    path("in-with-nil", "poet.name IN {'p0', nil}", { $0.poet.name.isIn(["p0", nil]) }) {
      ["p0", nil].contains($1.poet($0.poet)?.name)
    },
    path("in-nothing", "poet.name IN {}", { $0.poet.name.isIn([]) }) { _, _ in false },
    path("begins", "poet.name BEGINSWITH 'p'", { $0.poet.name.hasPrefix("p") }) { poem, _ in poem.poet != nil },
    path("ends", "poet.name ENDSWITH '2'", { $0.poet.name.hasSuffix("2") }) { $1.poet($0.poet)?.name == "p2" },
    path("contains", "poet.name CONTAINS[c] 'P3'", { $0.poet.name.contains("P3", options: .caseInsensitive) }) {
      $1.poet($0.poet)?.name == "p3"
    },
    path("like", "poet.name LIKE '?1'", { $0.poet.name.like("?1") }) { $1.poet($0.poet)?.name == "p1" },
    path("length", "poet.name.@count == 2", { $0.poet.name.count == 2 }) { poem, _ in poem.poet != nil },
    path("length-differs", "poet.name.@count != 2", { !($0.poet.name.count == 2) }) { poem, _ in poem.poet == nil },
    path("arithmetic", "poet.id * 2 + 1 > 9", { $0.poet.id * 2 + 1 > 9 }) {
      poem, _ in poem.poet.map { $0.key * 2 + 1 > 9 } ?? false
    },
    path("arithmetic-with-itself", "poet.id * poet.id == 9", { $0.poet.id * $0.poet.id == 9 }) { poem, _ in
      poem.poet?.key == 3
    },
    path("constants", "poet.id != 2 * 2", { $0.poet.id != 4 }) { poem, _ in poem.poet?.key != 4 },
  ]

  // MARK: Several steps

  private static let deep: [ConformanceCase] = [
    path("two", "poet.teacher.name == 'p2'", { $0.poet.teacher.name == "p2" }) {
      $1.poet($1.poet($0.poet)?.teacher)?.name == "p2"
    },
    path("two-not", "poet.teacher.name != 'p2'", { $0.poet.teacher.name != "p2" }) {
      $1.poet($1.poet($0.poet)?.teacher)?.name != "p2"
    },
    path("two-nil", "poet.teacher.name == nil", { $0.poet.teacher.name == nil }) { $1.poet($0.poet)?.teacher == nil },
    path("three", "poet.teacher.teacher.name >= 'p1'", { $0.poet.teacher.teacher.name >= "p1" }) {
      $1.poet($1.poet($1.poet($0.poet)?.teacher)?.teacher).map { $0.name >= "p1" } ?? false
    },
    path("three-not", "answers.poet.teacher.name != 'p0'", { $0.answers.poet.teacher.name != "p0" }) {
      $1.poet($1.poet($1.poem($0.answers)?.poet)?.teacher)?.name != "p0"
    },
    path("self-twice", "answers.answers.title == 't1'", { $0.answers.answers.title == "t1" }) {
      $1.poem($1.poem($0.answers)?.answers)?.title == "t1"
    },
    path(
      "eight", "answers.answers.answers.answers.answers.answers.answers.answers.title != 't3'",
      clauses: ["REL-18", "REL-22"],
      { $0.answers.answers.answers.answers.answers.answers.answers.answers.title != "t3" }
    ) { poem, graph in
      var here: Poem? = poem
      for _ in 0..<8 { here = graph.poem(here?.answers) }
      return here?.title != "t3"
    },
  ]

  // MARK: Together

  private static let mixed: [ConformanceCase] = [
    path("and", "poet.name == 'p1' AND poet.teacher == nil", { $0.poet.name == "p1" && $0.poet.teacher == nil }) {
      $1.poet($0.poet)?.name == "p1" && $1.poet($0.poet)?.teacher == nil
    },
    path("or", "poet.name == 'p1' OR poet.id > 5", { $0.poet.name == "p1" || $0.poet.id > 5 }) {
      $1.poet($0.poet)?.name == "p1" || $0.poet.map { $0.key > 5 } ?? false
    },
    path("or-nil", "poet.name == 'p1' OR poet.teacher == nil", { $0.poet.name == "p1" || $0.poet.teacher == nil }) {
      $1.poet($0.poet)?.name == "p1" || $1.poet($0.poet)?.teacher == nil
    },
    path("and-not", "poet.name != 'p1' AND NOT poet.id > 5", { $0.poet.name != "p1" && !($0.poet.id > 5) }) {
      $1.poet($0.poet)?.name != "p1" && !($0.poet.map { $0.key > 5 } ?? false)
    },
    path("with-own", "title == 't1' AND poet.name == 'p1'", { $0.title == "t1" && $0.poet.name == "p1" }) {
      $0.title == "t1" && $1.poet($0.poet)?.name == "p1"
    },
    path("or-own", "title == 't1' OR poet.name != 'p1'", { $0.title == "t1" || $0.poet.name != "p1" }) {
      $0.title == "t1" || $1.poet($0.poet)?.name != "p1"
    },
    path(
      "or-own-two", "title == 't1' OR poet.name == 'p1' OR poet.id > 5",
      { $0.title == "t1" || $0.poet.name == "p1" || $0.poet.id > 5 }
    ) {
      $0.title == "t1" || $1.poet($0.poet)?.name == "p1" || $0.poet.map { $0.key > 5 } ?? false
    },
    path(
      "or-two-references", "poet.name == 'p1' OR editor.id == 2 OR poet.id > 5 OR editor.name == 'p0'",
      { $0.poet.name == "p1" || $0.editor.id == 2 || $0.poet.id > 5 || $0.editor.name == "p0" }
    ) {
      let (poet, editor) = ($1.poet($0.poet), $1.poet($0.editor))
      return poet?.name == "p1" || editor?.id == 2 || poet.map { $0.id > 5 } ?? false || editor?.name == "p0"
    },
    path(
      "two-references", "poet.name == 'p1' OR editor.name == 'p1'",
      { $0.poet.name == "p1" || $0.editor.name == "p1" }
    ) { $1.poet($0.poet)?.name == "p1" || $1.poet($0.editor)?.name == "p1" },
    path(
      "both-not", "NOT (poet.name == 'p1' AND editor.name != 'p0')",
      { !($0.poet.name == "p1" && $0.editor.name != "p0") }
    ) { !($1.poet($0.poet)?.name == "p1" && $1.poet($0.editor)?.name != "p0") },
    path(
      "nested-mix", "title != 't0' AND (poet.name == 'p1' OR NOT (answers.title == 't1' AND editor.id < 2))",
      { $0.title != "t0" && ($0.poet.name == "p1" || !($0.answers.title == "t1" && $0.editor.id < 2)) }
    ) {
      $0.title != "t0"
        && ($1.poet($0.poet)?.name == "p1"
          || !($1.poem($0.answers)?.title == "t1" && $0.editor.map { $0.key < 2 } ?? false))
    },
    path(
      "three-together", "poet.name > 'p0' AND title > 't0' AND poet.id < 6 AND editor.id != 1",
      { $0.poet.name > "p0" && $0.title > "t0" && $0.poet.id < 6 && $0.editor.id != 1 }
    ) {
      ($1.poet($0.poet).map { $0.name > "p0" && $0.id < 6 } ?? false) && $0.title > "t0" && $0.editor?.key != 1
    },
  ]
}
