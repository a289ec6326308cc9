import QuarryBackend
import QuarryCore
import QuarryQuery

/// Runs commands on a store and on the reference, and compares answers and contents.
package struct RelationRun {
  private struct Undone: Error {}

  private let plan: RelationPlan
  private var reference = RelationReference()
  /// How many blocks that defer are open.
  private var deferrals = 0

  private init(_ plan: RelationPlan) { self.plan = plan }

  /// What is wrong with the answers to these commands, or nil.
  package static func failure(of commands: [RelationCommand], _ plan: RelationPlan, _ kit: ConformanceContext) throws
    -> String?
  {
    let store = try kit.store(making: plan.schemas)
    defer { try? store.close() }
    var run = RelationRun(plan)
    do {
      for part in commands.split(whereSeparator: { if case .commit = $0 { true } else { false } }) {
        try store.write { tx in
          for command in part { try run.run(command, tx) }
        }
        try store.read { try run.compare($0, "after a commit") }
        try store.expectWhole("after a commit")
      }
      return nil
    } catch {
      return "\(error)"
    }
  }

  /// Fewer commands that fail as well.
  package static func shortened(
    _ commands: [RelationCommand], _ plan: RelationPlan, _ kit: ConformanceContext
  ) throws -> [RelationCommand] {
    var best = commands
    var budget = 150
    func fails(_ candidate: [RelationCommand]) throws -> Bool {
      guard budget > 0 else { return false }
      budget -= 1
      return try failure(of: candidate, plan, kit) != nil
    }
    var chunk = max(1, best.count / 2)
    while true {
      var end = best.count
      while end > 0 {
        let start = max(0, end - chunk)
        let candidate = Array(best[..<start] + best[end...])
        if try fails(candidate) { best = candidate }
        end = start
      }
      if chunk == 1 { break }
      chunk /= 2
    }
    // Blocks become shorter, too.
    for place in best.indices {
      guard let block = best[place].block else { continue }
      var children = block.children
      for child in children.indices.reversed() {
        var fewer = children
        fewer.remove(at: child)
        var candidate = best
        candidate[place] = block.with(fewer)
        if try fails(candidate) {
          children = fewer
          best = candidate
        }
      }
    }
    return best
  }

  // MARK: Comparing

  private func compare(_ tx: ReadTransaction, _ about: @autoclosure () -> String) throws {
    for (place, model) in RelationPlan.models.enumerated() {
      var found: [Int: RelationReference.Object] = [:]
      for record in try tx.records.fetch(QueryTree(model: model)) {
        var object: RelationReference.Object = [:]
        for link in plan.links(of: place) { object.updateValue(record[link.name]?.intValue, forKey: link.name) }
        found[record["id"]?.intValue ?? -1] = object
      }
      try expectEqual(found, reference.objects[place], "\(model) \(about())")
    }
  }

  // MARK: Running

  /// A statement on both sides: the same answer, or refused by both.
  private mutating func statement(
    _ command: RelationCommand, _ tx: WriteTransaction, store: () throws -> Int,
    reference change: (inout RelationReference) throws -> (count: Int, removed: [Set<Int>]?)
  ) throws {
    var after = reference
    var due: (count: Int, removed: [Set<Int>]?)?
    var code: StorageError.Code?
    do {
      due = try change(&after)
      if deferrals == 0, !after.isWhole(plan) { code = due?.removed == nil ? .missingReference : .referenced }
    } catch let error as StorageError {
      code = error.code
    }
    do {
      let count = try store()
      if let code { throw ConformanceFailure(message: "\(command): \(count), not \(code)", file: #fileID, line: #line) }
      try expectEqual(count, due?.count, "\(command)")
      reference = after
    } catch let error as StorageError {
      guard error.code == code else {
        throw ConformanceFailure(
          message: "\(command): \(error), not \(code.map { "\($0)" } ?? "done")", file: #fileID, line: #line)
      }
    }
    try compare(tx, "after \(command)")
  }

  private func record(_ key: Int, _ object: RelationReference.Object) -> Record {
    Record([("id", .int(Int64(key)))] + object.map { ($0.key, $0.value.map { .int(Int64($0)) } ?? .null) })
  }

  private func isIn(_ model: String, _ range: ClosedRange<Int>) -> QueryTree {
    QueryTree(
      model: model,
      predicate: .and([
        .compare(.named("id"), .greaterOrEqual, .value(.int(Int64(range.lowerBound)))),
        .compare(.named("id"), .lessOrEqual, .value(.int(Int64(range.upperBound)))),
      ]))
  }

  private mutating func run(_ command: RelationCommand, _ tx: WriteTransaction) throws {
    let (plan, deferrals) = (plan, deferrals)
    switch command {
    case .insert(let place, let rows):
      let (model, records) = (RelationPlan.models[place], rows.map { record($0.0, $0.1) })
      try statement(command, tx) {
        try tx.records.insert(into: model, records)
        return 0
      } reference: { reference in
        let isTaken = rows.contains { reference.objects[place][$0.0] != nil }
        for (key, object) in rows { reference.objects[place][key] = object }
        // Which of two things that are wrong is told is not said; a key that is taken is found by the engine, later.
        if isTaken, deferrals > 0 || reference.isWhole(plan) { throw StorageError(.duplicateKey, "") }
        return (0, nil)
      }
    case .upsert(let place, let rows):
      let (model, records) = (RelationPlan.models[place], rows.map { record($0.0, $0.1) })
      try statement(command, tx) {
        try tx.records.upsert(into: model, records)
      } reference: { reference in
        let before = reference.objects[place].count
        for (key, object) in rows { reference.objects[place][key] = object }
        return (reference.objects[place].count - before, nil)
      }
    case .assign(let place, let range, let object):
      guard !object.isEmpty else { return }
      let assignments = object.keys.sorted().map { name in
        AssignmentTree(name, .set, (object[name] ?? nil).map { .int(Int64($0)) } ?? .null)
      }
      let query = isIn(RelationPlan.models[place], range)
      try statement(command, tx) {
        try tx.records.assign(query, assignments)
      } reference: { reference in
        let keys = reference.objects[place].keys.filter { range.contains($0) }
        for key in keys { reference.objects[place][key]?.merge(object) { $1 } }
        return (keys.count, nil)
      }
    case .delete(let place, let keys):
      let model = RelationPlan.models[place]
      try statement(command, tx) {
        try tx.records.delete(in: model, keys: keys.map { .int(Int64($0)) })
      } reference: { reference in
        let there = Set(keys).filter { reference.objects[place][$0] != nil }
        return (there.count, reference.remove(there, place, plan))
      }
    case .deleteRange(let place, let range):
      let query = isIn(RelationPlan.models[place], range)
      try statement(command, tx) {
        try tx.records.delete(query)
      } reference: { reference in
        let there = Set(reference.objects[place].keys.filter { range.contains($0) })
        return (there.count, reference.remove(there, place, plan))
      }
    case .savepoint(let children, let isUndone):
      try block(children, isUndone, looks: false, tx) { try tx.savepoint($0) }
    case .deferring(let children, let isUndone):
      self.deferrals += 1
      defer { self.deferrals -= 1 }
      try block(children, isUndone, looks: deferrals == 0, tx) { try tx.deferringReferences($0) }
    case .commit: break
    }
  }

  /// - Parameter looks: Whether references must lead to objects at the block's end.
  private mutating func block(
    _ children: [RelationCommand], _ isUndone: Bool, looks: Bool, _ tx: WriteTransaction,
    _ block: (() throws -> Void) throws -> Void
  ) throws {
    let before = reference
    var run = self
    do {
      try block {
        for child in children { try run.run(child, tx) }
        if isUndone { throw Undone() }
      }
      reference = run.reference
      if looks, !reference.isWhole(plan) {
        throw ConformanceFailure(message: "references were left open", file: #fileID, line: #line)
      }
    } catch is Undone {
      reference = before
    } catch let error as StorageError where error.code == .missingReference || error.code == .referenced {
      guard looks, !run.reference.isWhole(plan) else {
        throw ConformanceFailure(message: "the end of a block: \(error)", file: #fileID, line: #line)
      }
      reference = before
    }
    try compare(tx, "after a block")
  }
}
