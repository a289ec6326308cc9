import QuarryBackend

/// A command of a random run.
package indirect enum RelationCommand: CustomStringConvertible {
  package typealias Object = RelationReference.Object

  case insert(Int, [(Int, Object)])
  case upsert(Int, [(Int, Object)])
  /// Sets references of the objects whose keys are in the range.
  case assign(Int, ClosedRange<Int>, Object)
  case delete(Int, [Int])
  case deleteRange(Int, ClosedRange<Int>)
  case savepoint([RelationCommand], isUndone: Bool)
  case deferring([RelationCommand], isUndone: Bool)
  /// The transaction is committed, and another begins.
  case commit

  private static let keys = 0..<14

  package static func make(_ plan: RelationPlan, _ random: inout some RandomNumberGenerator, depth: Int)
    -> RelationCommand
  {
    let model = Int.random(in: 0..<RelationPlan.models.count, using: &random)
    func key() -> Int { Int.random(in: keys, using: &random) }
    func object() -> Object {
      var object: Object = [:]
      for link in plan.links(of: model) {
        let isNil = link.isOptional && Int.random(in: 0..<3, using: &random) == 0
        object.updateValue(isNil ? nil : key(), forKey: link.name)
      }
      return object
    }
    func rows() -> [(Int, Object)] {
      let count = Int.random(in: 0..<4, using: &random) == 0 ? Int.random(in: 2...12, using: &random) : 1
      return (0..<count).map { _ in (key(), object()) }
    }
    func range() -> ClosedRange<Int> {
      let low = key()
      return low...(low + Int.random(in: 0...5, using: &random))
    }
    func commands() -> [RelationCommand] {
      (0..<Int.random(in: 1...6, using: &random)).map { _ in Self.make(plan, &random, depth: depth + 1) }
    }
    switch Int.random(in: 0..<(depth < 3 ? 100 : 85), using: &random) {
    case ..<30:
      // The keys of an insert differ: a duplicate is no matter of references.
      var seen: Set<Int> = []
      return .insert(model, rows().filter { seen.insert($0.0).inserted })
    case ..<50: return .upsert(model, rows())
    case ..<62: return .assign(model, range(), object())
    case ..<75: return .delete(model, (0..<Int.random(in: 1...4, using: &random)).map { _ in key() })
    case ..<85: return .deleteRange(model, range())
    case ..<91: return .savepoint(commands(), isUndone: Bool.random(using: &random))
    case ..<97: return .deferring(commands(), isUndone: Int.random(in: 0..<4, using: &random) == 0)
    default: return depth == 0 ? .commit : .delete(model, [key()])
    }
  }

  /// The commands in a block, and the block with others.
  var block: (children: [RelationCommand], with: ([RelationCommand]) -> RelationCommand)? {
    switch self {
    case .savepoint(let children, let isUndone): (children, { .savepoint($0, isUndone: isUndone) })
    case .deferring(let children, let isUndone): (children, { .deferring($0, isUndone: isUndone) })
    default: nil
    }
  }

  package var description: String {
    func name(_ model: Int) -> String { RelationPlan.models[model] }
    func text(_ object: Object) -> String {
      object.keys.sorted().map { "\($0): \((object[$0] ?? nil).map { "\($0)" } ?? "nil")" }.joined(separator: ", ")
    }
    func list(_ rows: [(Int, Object)]) -> String {
      rows.map { "\($0.0)(\(text($0.1)))" }.joined(separator: " ")
    }
    switch self {
    case .insert(let model, let rows): return "insert \(name(model)) \(list(rows))"
    case .upsert(let model, let rows): return "upsert \(name(model)) \(list(rows))"
    case .assign(let model, let range, let object): return "assign \(name(model)) \(range) \(text(object))"
    case .delete(let model, let keys): return "delete \(name(model)) \(keys)"
    case .deleteRange(let model, let range): return "delete \(name(model)) \(range)"
    case .savepoint(let children, let isUndone): return "savepoint \(isUndone ? "undone " : "")\(children)"
    case .deferring(let children, let isUndone): return "deferring \(isUndone ? "undone " : "")\(children)"
    case .commit: return "commit"
    }
  }
}
