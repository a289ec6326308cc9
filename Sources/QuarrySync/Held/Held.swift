import QuarryBackend
public import QuarryCore

/// An object of a model that is held: SYNC-21.
///
/// ```swift
/// for held in try store.held(Article.self) {
///   print(held.item.reason, held.mine?.title ?? "")
///   try held.edit { $0.title += " (2)" }
/// }
/// ```
public struct Held<M: Model>: Sendable {
  /// The item: its reason, the values and what it waits for.
  public let item: HeldItem
  /// The object as it was written here; nil for a delete, and where only edits of a missing object are known.
  public let mine: M?
  /// The object in the store; nil where there is none.
  public let theirs: M?
  private let sync: StoreSync

  init(_ item: HeldItem, mine: M?, theirs: M?, _ sync: StoreSync) {
    self.item = item
    self.mine = mine
    self.theirs = theirs
    self.sync = sync
  }

  /// Why it is held.
  public var reason: HeldReason { item.reason }

  /// Writes the item again: ``StoreSync/accept(_:)``.
  public func accept() throws { try sync.accept(item) }

  /// Removes the item: ``StoreSync/discard(_:)``.
  public func discard() throws { try sync.discard(item) }

  /// Changes the object as it was written here, and stores it.
  ///
  /// - Parameter change: Changes the object. It keeps its key.
  /// - Throws: `notFound` where ``mine`` is nil, and where nothing of the kind is held any more. Else as ``StoreSync/accept(_:)``, and
  ///   what the closure throws. Nothing has changed then.
  public func edit(_ change: (inout M) throws -> Void) throws {
    guard var object = mine else { throw StoreSync.gone(item) }
    try change(&object)
    try sync.replace(item, with: object)
  }
}

extension Store {
  /// What is held of a model, in the order of objects. See ``StoreSync/held()``.
  ///
  /// - Throws: `notFound` in a store that is not synced by this program; the errors of a read.
  /// - Complexity: O(n) for n held items of all models.
  public func held<M: Model>(_ type: M.Type) throws -> [Held<M>] {
    guard let sync else { throw StorageError.notSynced }
    return try sync.held(type)
  }
}

extension StoreSync {
  fileprivate func held<M: Model>(_ type: M.Type) throws -> [Held<M>] {
    try store.read { tx in
      let work = try keeper.work(in: tx.engineReader)
      var result: [Held<M>] = []
      for (item, source) in try work.heldItems() where item.object.model == M.storedName {
        let object = source.object
        guard let table = work.schema.tables[object.model] else { continue }
        let row = try table.find(object, in: tx.engineReader)
        let mine = source.row(over: row)
        result.append(
          Held(
            item, mine: try mine.map { try tx.object(M.self, of: table.record(object, $0)) },
            theirs: try row.map { try tx.object(M.self, of: table.record(object, $0)) }, self))
      }
      return result
    }
  }

  /// Stores an object in place of a held item.
  fileprivate func replace<M: Model>(_ item: HeldItem, with object: M) throws {
    try store.requireNoTransaction()
    try store.write { tx in
      let work = try keeper.workToChange(in: tx.engineWriter)
      let source = try work.find(item)
      _ = try tx.upsert(object)
      try work.remove(source)
    }
  }
}

extension StoredWork.HeldSource {
  /// The row as it was written here, where the table has a row or none; nil where it is not whole.
  fileprivate func row(over row: SyncRow?) -> SyncRow? {
    let values: SyncRow
    switch self {
    case .object(let irregular):
      return irregular.isHeld ? irregular.row : row?.merging(irregular.row) { $1 }
    case .edit(_, let edit): values = edit.applied(to: row)
    case .refused(_, let refused, let object):
      guard let change = refused.entry.changes.first(where: { $0.object == object }) else { return nil }
      let written = refused.written(change)
      guard !written.isDeletion else { return nil }
      values = written.applied(to: row)
      if written.isInsert { return (row ?? [:]).merging(values) { $1 } }
    }
    return row?.merging(values) { $1 }
  }
}

extension RowTable {
  /// A record with the key and the values of a row.
  fileprivate func record(_ object: ObjectID, _ row: SyncRow) -> Record {
    Record([(name: schema.keyProperty.name, value: object.key)] + row.map { (name: property($0.key), value: $0.value) })
  }
}
