public import QuarryBackend

extension Store {
  /// Undoes a change set by a new write, which stores the objects as they were before it.
  ///
  /// The write is recorded like any other, and can be undone too. Of an object that was changed, the properties of the change
  /// set are set back, and all others stay. Nothing is undone where a later write has changed the same objects: the error is
  /// `conflict`, with ``HistoryConflicts`` as its cause.
  ///
  /// - Parameters:
  ///   - set: A change set of this store.
  ///   - author: The name of the author in the history.
  /// - Returns: The position of the new change set; nil inside another write, and where nothing had to be changed.
  /// - Throws: `conflict`; `notFound` for a change set that was removed, or whose changes are not known. `missingReference`,
  ///   `referenced`, `uniqueViolation` where later writes are in the way; `invalidValue` where an object breaks the rules of
  ///   its ``Validated`` model; the errors of a write.
  @discardableResult
  public func undo(_ set: HistorySet, author: String? = nil) throws -> HistoryPosition? {
    try undo(set.position, author) { found in
      guard found.time == set.time else {
        throw StorageError(.notFound, "the history of the store has another change set at position \(set.position)")
      }
    }
  }

  /// Undoes the change set at a position. See ``undo(_:author:)-(HistorySet,_)``.
  @discardableResult
  public func undo(_ position: HistoryPosition, author: String? = nil) throws -> HistoryPosition? {
    try undo(position, author) { _ in }
  }

  private func undo(
    _ position: HistoryPosition, _ author: String?, _ check: (HistorySet) throws -> Void
  ) throws -> HistoryPosition? {
    var transaction: WriteTransaction?
    try write { tx in
      transaction = tx
      if tx.author == nil { tx.author = author }
      let set = try tx.historySet(at: position)
      try check(set)
      try tx.undo(set)
    }
    return transaction?.recorded
  }
}

/// The objects for which a change set was not undone: the cause of a `conflict`. Nothing was changed.
public struct HistoryConflicts: Error, Sendable, CustomStringConvertible {
  /// An object that a later write has changed.
  public struct Object: Sendable, Hashable, CustomStringConvertible {
    /// The name of the model.
    public let model: String
    /// The primary key.
    public let key: Value
    /// The properties that both have changed; none where a later write inserted or deleted the object.
    public let properties: [String]

    /// The object and the properties as people read them.
    public var description: String {
      let name = "\(model) \(KeyText.text(key) ?? "?")"
      return properties.isEmpty ? name : "\(name) (\(properties.joined(separator: ", ")))"
    }
  }

  /// Every object with a conflict, by models and keys.
  public let objects: [Object]

  /// The objects as people read them, the first ten.
  public var description: String {
    let list = objects.prefix(10).map(\.description).joined(separator: ", ")
    return objects.count > 10 ? "\(list) and \(objects.count - 10) more" : list
  }
}

extension ReadTransaction {
  /// The change set at a position.
  ///
  /// - Throws: `notFound` where there is none.
  func historySet(at position: HistoryPosition) throws(StorageError) -> HistorySet {
    try check()
    guard let models = HistoryModels(backend.schema) else { throw .noHistory }
    guard let last = try models.log.find(.int(position.number), in: backend) else {
      throw StorageError(.notFound, "the history has no change set at position \(position)")
    }
    var schemas: HistorySchemas?
    let page = try HistoryPage(
      after: HistoryPosition(try HistoryRow(last).first - 1), limit: 1, &schemas, in: self)
    guard let set = page.sets.first, set.position == position else {
      throw StorageError(.notFound, "the history has no change set at position \(position)")
    }
    return set
  }
}

extension WriteTransaction {
  /// Stores the objects as they were before a change set of this store.
  func undo(_ set: HistorySet) throws {
    guard !set.changes.isUnknown else { throw set.unknown(nil) }
    var inverses: [HistoryInverse] = []
    for (id, changes) in set.changes.models.sorted(by: { $0.key < $1.key }) {
      let route = set.route(of: id)
      guard case .objects(let objects) = changes, let model = route.model, let rows = try route.translated(objects)
      else { throw set.unknown(route.name) }
      try checkWrite(model.id)
      inverses.append(try HistoryInverse(of: rows, model, in: writer))
    }
    let conflicts = inverses.flatMap(\.conflicts)
    if let first = conflicts.first {
      let all = HistoryConflicts(objects: conflicts)
      throw StorageError(
        .conflict, "later writes have changed objects of the change set at position \(set.position): \(all)",
        model: first.model, property: first.properties.first, key: KeyText.text(first.key), cause: all)
    }
    for inverse in inverses { try validate(inverse) }
    try deferringReferences {
      for inverse in inverses where !inverse.removed.isEmpty { try remove(inverse) }
      for inverse in inverses where !inverse.rows.isEmpty {
        var batch = RowBatch()
        for row in inverse.rows { row.bytes.withBytes { batch.append($0) } }
        _ = try upsertRows(inverse.model.id, &batch, .replace)
      }
    }
  }

  /// Checks the objects that are stored by the rules of their model, where the program knows it.
  private func validate(_ inverse: HistoryInverse) throws(StorageError) {
    guard let binding = context.binding(where: { $0.model == inverse.model.id }),
      let validator = binding.rowValidator
    else { return }
    for row in inverse.rows {
      try row.bytes.withBytes { row throws(StorageError) in try validator(ModelReader(row, binding)) }
    }
  }

  /// Removes objects without delete rules: a reference to one of them that remains is `referenced`.
  private func remove(_ inverse: HistoryInverse) throws(StorageError) {
    _ = try writer.delete(inverse.model.id, inverse.removed)
    for reference in references?.references(to: inverse.model.id) ?? [] {
      for key in inverse.removed {
        addPending(PendingReference(source: reference.source.id, slot: reference.slot, key: key, isRemoved: true))
      }
    }
  }
}

/// The inverse of the changes of one model, in the state of a transaction.
private struct HistoryInverse {
  let model: ModelSchema
  private(set) var removed: [Key] = []
  private(set) var rows: [Row] = []
  private(set) var conflicts: [HistoryConflicts.Object] = []

  init(
    of changes: [ChangeSet.Change], _ model: ModelSchema, in transaction: any BackendWriteTransaction
  ) throws(StorageError) {
    self.model = model
    let differences = RowDifferences(model)
    var found = [Row?](repeating: nil, count: changes.count)
    try transaction.rows(model.id, changes.map(\.key)) { place, row throws(StorageError) in
      found[place] = row.map { Row(copying: $0) }
    }
    for (change, now) in zip(changes, found) {
      switch (change.old, change.new, now) {
      case (nil, let new?, let now?):
        let slots = try differences.slots(new, now)
        if slots.isEmpty { removed.append(change.key) } else { try add(change, slots) }
      case (let old?, nil, nil):
        rows.append(old)
      case (let old?, let new?, let now?):
        let changed = try differences.slots(old, new)
        let later = Set(try differences.slots(new, now))
        let both = changed.filter { later.contains($0) }
        if both.isEmpty {
          rows.append(try Self.merging(changed, of: old, into: now, differences))
        } else {
          try add(change, both)
        }
      default:
        try add(change, [])
      }
    }
  }

  private mutating func add(_ change: ChangeSet.Change, _ slots: [Int]) throws(StorageError) {
    let key = CompoundKeyBytes.shown(try change.key.value(of: model.keyProperty.type), model.keyProperty.keyMembers)
    conflicts.append(
      HistoryConflicts.Object(model: model.name, key: key, properties: slots.map { model.properties[$0].name }))
  }

  /// A row with some slots of one row, and all others of another.
  private static func merging(
    _ slots: [Int], of row: Row, into other: Row, _ differences: RowDifferences
  ) throws(StorageError) -> Row {
    let layout = differences.layout
    return try row.bytes.withBytes { (row) throws(StorageError) in
      try other.bytes.withBytes { (other) throws(StorageError) in
        let (row, other) = (try RowView(row, layout), try RowView(other, layout))
        let writer = RowWriter(layout)
        writer.begin()
        for slot in differences.model.liveSlots {
          try writer.copy(layout.slots[slot], from: slots.contains(slot) ? row : other, layout)
        }
        return Row(copying: try writer.finish())
      }
    }
  }
}
