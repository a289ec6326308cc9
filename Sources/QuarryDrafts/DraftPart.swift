import QuarryBackend
import QuarryCore

/// The changes of one model that a draft saves, in the steps of a save.
protocol DraftPart: Sendable {
  /// Reads the stored objects, and decides what is stored in their place.
  ///
  /// - Returns: The objects for which that cannot be decided, with their places among the changes of the draft.
  mutating func resolve(
    _ policy: DraftConflict, in transaction: WriteTransaction
  ) throws -> [(number: Int, object: DraftConflicts.Object)]
  /// The objects to delete.
  var deleted: [ObjectID] { get }
  /// Stores the objects whose references change or lead to deleted objects, so that delete rules meet them.
  mutating func moveReferences(_ deleted: Set<ObjectID>, in transaction: WriteTransaction) throws
  func delete(in transaction: WriteTransaction) throws
  /// Stores all other objects.
  ///
  /// - Parameter afterDeletes: Whether delete rules may have changed or removed objects.
  mutating func write(afterDeletes: Bool, in transaction: WriteTransaction) throws
}

/// An object that a draft saves.
struct DraftPartEdit: Sendable {
  let place: Key
  let entry: DraftEntry
  /// The object as it is stored.
  var theirs: Version?
  /// The object to store, and when it is stored the stored one.
  var stored: Version?
  /// Whether it was stored before objects were deleted: as a whole, or its references alone.
  var isWritten = false
  var isMoved = false

  init(_ place: Key, _ entry: DraftEntry) {
    self.place = place
    self.entry = entry
  }
}

struct TypedDraftPart<M: Model>: DraftPart {
  let form: ObjectForm<M>
  var edits: [DraftPartEdit]

  private func keys(_ edits: [DraftPartEdit]) throws(StorageError) -> [M.PrimaryKey] {
    try edits.map { edit throws(StorageError) in try edit.entry.id.primaryKey(M.self) }
  }

  var deleted: [ObjectID] { edits.filter { $0.stored == nil && $0.theirs != nil }.map(\.entry.id) }

  mutating func resolve(
    _ policy: DraftConflict, in transaction: WriteTransaction
  ) throws -> [(number: Int, object: DraftConflicts.Object)] {
    var conflicts: [(number: Int, object: DraftConflicts.Object)] = []
    let found = try transaction.get(M.self, keys: keys(edits))
    let encoder = form.encoder()
    for index in edits.indices {
      let entry = edits[index].entry
      let theirs = try found[index].map { try Version($0, encoder) }
      edits[index].theirs = theirs
      edits[index].stored = entry.mine
      if policy == .overwrite { continue }
      if try isSame(theirs, entry.base) { continue }
      var both: [Int] = []
      if let base = entry.base, let mine = entry.mine, let theirs {
        let changed = try form.differences(base.row, theirs.row)
        let differing = Set(try form.differences(mine.row, theirs.row))
        both = entry.slots.filter { changed.contains($0) && differing.contains($0) }
        if policy == .mergeProperties, both.isEmpty {
          edits[index].stored = try Version(form.merging(Set(entry.slots), of: mine.row, into: theirs.row), form)
          continue
        }
      }
      // Both have come to the same object, or to none.
      if policy == .mergeProperties, try isSame(theirs, entry.mine) { continue }
      let object = DraftConflicts.Object(
        id: entry.id, properties: both.map { form.property($0) }, base: entry.base?.object(M.self),
        mine: entry.mine?.object(M.self), theirs: theirs?.object(M.self))
      conflicts.append((entry.number, object))
    }
    return conflicts
  }

  private func isSame(_ left: Version?, _ right: Version?) throws -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    return try form.differences(left.row, right.row).isEmpty
  }

  mutating func moveReferences(_ deleted: Set<ObjectID>, in transaction: WriteTransaction) throws {
    let references = form.references
    guard !references.isEmpty else { return }
    let properties = try transaction.modelSchema(form.name).properties
    var moved: [Int] = []
    for index in edits.indices {
      guard let stored = edits[index].stored else { continue }
      let changed = try edits[index].theirs.map { Set(try form.differences($0.row, stored.row)) }
      for slot in references where changed?.contains(slot) ?? true {
        let key = try form.value(slot, of: stored.row)
        // An object that is added is stored with the others, unless a delete rule is to meet it.
        if changed == nil {
          guard let target = properties[slot].reference?.model,
            deleted.contains(ObjectID(model: target, key: key))
          else { continue }
        }
        moved.append(index)
        break
      }
    }
    guard !moved.isEmpty else { return }
    do {
      let objects: [M] = moved.compactMap { edits[$0].stored?.object() }
      try transaction.savepoint { try transaction.upsert(contentsOf: objects) }
      for index in moved { edits[index].isWritten = true }
    } catch {
      guard (error as? StorageError)?.code == .uniqueViolation else { throw error }
      // A deleted object still has the value: the references alone, and all else after the delete.
      var objects: [M] = []
      for index in moved {
        guard let theirs = edits[index].theirs, let stored = edits[index].stored else { throw error }
        objects.append(try form.object(form.merging(references, of: stored.row, into: theirs.row)))
        edits[index].isMoved = true
      }
      try transaction.upsert(contentsOf: objects)
    }
  }

  func delete(in transaction: WriteTransaction) throws {
    let keys = try keys(edits.filter { $0.stored == nil && $0.theirs != nil })
    if !keys.isEmpty { try transaction.delete(M.self, keys: keys) }
  }

  mutating func write(afterDeletes: Bool, in transaction: WriteTransaction) throws {
    var objects: [M] = []
    if afterDeletes { try meetDeletes(in: transaction) }
    for index in edits.indices where !edits[index].isWritten {
      guard let stored = edits[index].stored else { continue }
      objects.append(stored.object())
      edits[index].isWritten = true
    }
    if !objects.isEmpty { try transaction.upsert(contentsOf: objects) }
  }

  /// Takes over what delete rules have done: objects that they removed, and references that they set to nil.
  private mutating func meetDeletes(in transaction: WriteTransaction) throws {
    let references = form.references
    let now = try transaction.get(M.self, keys: keys(edits))
    for index in edits.indices {
      guard let stored = edits[index].stored, edits[index].theirs != nil || edits[index].isWritten else { continue }
      guard let object = now[index] else {
        edits[index].stored = nil
        continue
      }
      let row = try form.row(object)
      if edits[index].isWritten {
        edits[index].stored = try Version(row, form)
      } else if let theirs = edits[index].theirs {
        var slots = Set(try form.differences(theirs.row, stored.row))
        if edits[index].isMoved { slots.subtract(references) }
        edits[index].stored = try Version(form.merging(slots, of: stored.row, into: row), form)
      }
    }
  }
}

/// What a draft saves.
struct DraftPlan: Sendable {
  var parts: [any DraftPart]

  /// Stores the changes: all of them, or none when it throws.
  ///
  /// Edited objects whose references change come first, so that delete rules meet the draft's references. Deletes follow, so that
  /// their unique values are free. All other objects of a model are stored in one statement.
  ///
  /// - Returns: The plan with the objects as they are stored.
  func run(_ policy: DraftConflict, in transaction: WriteTransaction) throws -> DraftPlan {
    var plan = self
    var conflicts: [(number: Int, object: DraftConflicts.Object)] = []
    for index in plan.parts.indices { conflicts += try plan.parts[index].resolve(policy, in: transaction) }
    guard conflicts.isEmpty else {
      throw DraftConflicts(objects: conflicts.sorted { $0.number < $1.number }.map(\.object))
    }
    try transaction.deferringReferences {
      let deleted = Set(plan.parts.flatMap(\.deleted))
      if !deleted.isEmpty {
        for index in plan.parts.indices { try plan.parts[index].moveReferences(deleted, in: transaction) }
        for part in plan.parts { try part.delete(in: transaction) }
      }
      for index in plan.parts.indices { try plan.parts[index].write(afterDeletes: !deleted.isEmpty, in: transaction) }
    }
    return plan
  }
}
