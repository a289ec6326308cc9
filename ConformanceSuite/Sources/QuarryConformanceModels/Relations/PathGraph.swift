import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// A random graph of poets and poems, and what paths in it lead to, in plain Swift.
struct PathGraph {
  var poets: [Poet] = []
  var poems: [Poem] = []

  /// Teachers may be in circles and be their own; few names and titles, so that many conditions meet several objects.
  init(_ random: inout SeededGenerator) {
    func maybe(_ below: Int) -> Int? {
      Int.random(in: 0..<4, using: &random) == 0 ? nil : .random(in: 0..<below, using: &random)
    }
    poets = (0..<9).map { Poet($0, "p\(Int.random(in: 0..<4, using: &random))", teacher: maybe(9)) }
    poems = (0..<26).map {
      Poem($0, "t\(Int.random(in: 0..<5, using: &random))", poet: maybe(8), editor: maybe(3), answers: maybe(26))
    }
  }

  func write(to store: Store) throws {
    try store.insert(contentsOf: poets)
    try store.insert(contentsOf: poems)
  }

  func poet(_ reference: Ref<Poet>?) -> Poet? { reference.map { poets[$0.key] } }
  func poem(_ reference: Ref<Poem>?) -> Poem? { reference.map { poems[$0.key] } }
  func poems(of poet: Poet) -> [Poem] { poems.filter { $0.poet?.key == poet.id } }
  func pupils(of poet: Poet) -> [Poet] { poets.filter { $0.teacher?.key == poet.id } }
  func edited(by poet: Poet) -> [Poem] { poems.filter { $0.editor?.key == poet.id } }
}

/// A condition in its fronts, and what it means.
struct PathCondition<M: Model & Equatable>: Sendable where M.PrimaryKey == Int {
  var typed: @Sendable (M.Columns) -> Condition
  var text: String
  var holds: @Sendable (M, PathGraph) -> Bool

  /// Compares the fronts, the opposite and calls that choose by a condition with what it means.
  func check(_ store: Store, _ objects: [M], _ graph: PathGraph) throws {
    let due = objects.filter { holds($0, graph) }
    let rest = objects.filter { !holds($0, graph) }
    try expectEqual(try store.fetch(M.where(typed)), due, "typed \(text)")
    try expectEqual(try store.fetch(M.where { !typed($0) }), rest, "typed NOT \(text)")
    try expectEqual(try store.fetch(M.where(text)), due, text)
    try expectEqual(try store.fetch(M.where("NOT (\(text))")), rest, "NOT (\(text))")
    try expectEqual(try store.count(M.where(typed)), due.count, "the count of \(text)")
    let query = QueryTree(model: M.modelDefinition.name, predicate: try PredicateParser.parse(text))
    try expectEqual(
      try store.records.fetch(query).compactMap { $0["id"]?.intValue }, due.map(\.primaryKeyValue), "records \(text)")
  }
}
