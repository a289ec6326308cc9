import QuarryBackend

/// The tables as a pure function of the records: SYNC-12 to SYNC-18.
///
/// An object is alive when it has a birth. Claims on unique values are decided oldest first. The loser of an index shows
/// nil in its last optional column, or is held where it has none. What refers to a missing or held object is held by
/// `cascade` and `deny`, and shows nil by `nullify`. A held object holds no values.
///
/// - Complexity: making a view takes O(n log n) for n objects and their references, however deep these are.
package struct SyncView: Sendable {
  let schema: SyncSchema
  /// The columns of a part that the hub shows as nil, with the stamps of the values that it hides.
  private let blanks: [ObjectID: [SyncName: Stamp]]
  /// The rows of all objects that are alive, held or not.
  private(set) var rows: [ObjectID: SyncRow] = [:]
  private(set) var stamps: [ObjectID: [SyncName: Stamp]] = [:]
  private(set) var ages: [ObjectID: ClaimAge] = [:]
  /// All objects that claim a value.
  private(set) var claimants: [ClaimedValues: [ObjectID]] = [:]
  /// The objects that refer to an object.
  private(set) var referrers: [ObjectID: [ObjectID]] = [:]
  /// Those of them that need it, by `cascade` or `deny`.
  private var dependants: [ObjectID: [ObjectID]] = [:]
  /// The objects that need a missing one, directly or not.
  private var incomplete: Set<ObjectID> = []
  /// The objects that need a missing one, or one that was decided to be held.
  private var blocked: Set<ObjectID> = []
  private var losses: [ObjectIndex: ObjectID] = [:]
  private var decided: Set<ObjectID> = []
  private var shown: Set<ObjectID> = []

  init(_ records: [ObjectID: Births], _ schema: SyncSchema, blanks: [ObjectID: [SyncName: Stamp]] = [:]) {
    self.schema = schema
    self.blanks = blanks
    var claims: [ObjectID: Stamp] = [:]
    for (object, births) in records where !births.isEmpty {
      guard let model = schema.models[object.model], let flat = FlatObject(model, births) else { continue }
      rows[object] = flat.row
      stamps[object] = flat.stamps
      claims[object] = flat.claim
    }
    for object in rows.keys.sorted() { index(object, claims[object] ?? .zero) }
    for target in dependants.keys where rows[target] == nil { block(target) }
    incomplete = blocked
    decide()
    for object in rows.keys where !blocked.contains(object) {
      if schema.models[object.model]?.canBeHeld == false || decided.contains(object) { shown.insert(object) }
    }
  }

  private mutating func index(_ object: ObjectID, _ claim: Stamp) {
    guard let model = schema.models[object.model], let row = rows[object] else { return }
    if !model.uniques.isEmpty {
      let stamps = stamps[object] ?? [:]
      let newest = model.claims.reduce(claim) { max($0, stamps[$1] ?? .zero) }
      ages[object] = ClaimAge(stamp: newest, rank: model.rank, object: object)
      for index in model.uniques.indices {
        if let values = claimed(object, index) { claimants[values, default: []].append(object) }
      }
    }
    for (column, reference) in model.references {
      guard let key = row[column], !key.isNull else { continue }
      referrers[ObjectID(reference.model, key), default: []].append(object)
      if reference.rule != .nullify { dependants[ObjectID(reference.model, key), default: []].append(object) }
    }
  }

  /// Decides all claims, the oldest first: what is asked of older ones is known by then.
  private mutating func decide() {
    var holder: [ClaimedValues: ObjectID] = [:]
    for age in ages.values.sorted() {
      let object = age.object
      guard let model = schema.models[object.model] else { continue }
      var isThere = !blocked.contains(object)
      var won: [ClaimedValues] = []
      for index in model.uniques.indices {
        guard let values = claimed(object, index) else { continue }
        if let other = holder[values] {
          losses[ObjectIndex(object: object, index: index)] = other
          if model.blanks[index] == nil { isThere = false }
        } else {
          won.append(values)
        }
      }
      guard isThere else {
        if model.canBeHeld { block(object) }
        continue
      }
      decided.insert(object)
      for values in won { holder[values] = object }
    }
  }

  /// Notes that what needs an object is held with it. Claims that are older have been decided without it.
  private mutating func block(_ object: ObjectID) {
    var todo = [object]
    while let next = todo.popLast() {
      for dependant in dependants[next] ?? [] where blocked.insert(dependant).inserted { todo.append(dependant) }
    }
  }

  /// Whether all that an object needs is alive, held or not.
  func hasLivingNeeds(_ object: ObjectID) -> Bool { !incomplete.contains(object) }

  /// The values that an object claims in an index. Nil where one is nil: a reference to what was deleted is nil.
  func claimed(_ object: ObjectID, _ index: Int) -> ClaimedValues? {
    guard let model = schema.models[object.model], let row = rows[object] else { return nil }
    var values: [Value] = []
    for name in model.uniques[index] {
      guard let value = row[name], !value.isNull else { return nil }
      if let reference = model.column(name)?.reference, reference.rule == .nullify,
        rows[ObjectID(reference.model, value)] == nil
      {
        return nil
      }
      values.append(value)
    }
    return ClaimedValues(model: object.model, index: index, values: values)
  }

  /// The object with an older claim that holds the values; nil where this one holds them or claims none.
  func winner(over object: ObjectID, _ index: Int) -> ObjectID? { losses[ObjectIndex(object: object, index: index)] }

  /// What an object refers to by `cascade` and `deny`, directly.
  private func targets(_ object: ObjectID) -> [ObjectID] {
    guard let model = schema.models[object.model], let row = rows[object] else { return [] }
    return model.references.compactMap { column, reference in
      guard reference.rule != .nullify, let key = row[column], !key.isNull else { return nil }
      return ObjectID(reference.model, key)
    }
  }

  /// What an object refers to by `cascade` and `deny`, directly or not.
  func needs(_ object: ObjectID) -> [ObjectID] {
    var seen: Set<ObjectID> = []
    var result: [ObjectID] = []
    var todo = Array(targets(object).reversed())
    while let next = todo.popLast() {
      guard seen.insert(next).inserted else { continue }
      result.append(next)
      todo += targets(next).reversed()
    }
    return result
  }

  /// Whether the object is in the tables.
  func isShown(_ object: ObjectID) -> Bool { shown.contains(object) }

  /// The row in the table; nil when the object is not there.
  func row(_ object: ObjectID) -> SyncRow? {
    guard isShown(object), let model = schema.models[object.model], var row = rows[object] else { return nil }
    for (index, blank) in model.blanks.enumerated() {
      if let blank, winner(over: object, index) != nil { row[blank] = .null }
    }
    for (column, reference) in model.references where reference.rule == .nullify {
      if let key = row[column], !key.isNull, !isShown(ObjectID(reference.model, key)) { row[column] = .null }
    }
    for (column, stamp) in blanks[object] ?? [:] where stamps[object]?[column] == stamp {
      // A hub that says this of a required column is not believed.
      if model.column(column)?.isOptional == true { row[column] = .null }
    }
    return row
  }

  /// All tables.
  package func tables() -> [ObjectID: SyncRow] {
    var result: [ObjectID: SyncRow] = [:]
    for object in rows.keys {
      if let row = row(object) { result[object] = row }
    }
    return result
  }
}
