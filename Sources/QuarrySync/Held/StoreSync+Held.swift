import QuarryBackend
import QuarryCore

extension StoreSync {
  /// Everything that is held, in the order of objects.
  ///
  /// An object that waits for a unique value comes back when the value is free. A lost edit stays until a program decides, because a
  /// delete did not know of it. So does what the hub has refused: an item for each object of the refused transaction.
  /// ``accept(_:)`` writes an item again, ``edit(_:_:)`` writes it with other values, and ``discard(_:)`` removes it.
  ///
  /// - Throws: As ``StoreSync/digest()``.
  /// - Complexity: O(n) for n held items.
  public func held() throws -> [HeldItem] {
    try reading { work in try work.heldItems().map(\.item) }
  }

  /// Discards a held item: a held object is deleted, in all stores. A lost edit, and what the hub refused, is forgotten here.
  ///
  /// - Parameter item: An item of ``held()``.
  /// - Throws: `notFound` where nothing of the kind is held any more; `unsupported` for values of an object that is in the
  ///   tables: write its properties. `reentrant` inside a transaction of the store; the errors of a write.
  public func discard(_ item: HeldItem) throws {
    try changing { work in
      let found = try work.find(item)
      switch found {
      case .edit, .refused: try work.remove(found)
      case .object(let irregular):
        guard irregular.isHeld else {
          throw StorageError(
            .unsupported, "the object is in the store: write its properties instead", model: item.object.model)
        }
        try work.load([irregular.object])
        try work.run { replica throws(StorageError) in replica.discard(irregular.object) }
      }
    }
  }
}

extension SyncReplica {
  /// Deletes an object that is held, by an entry.
  mutating func discard(_ object: ObjectID) {
    guard tables[object] == nil, let births = records[object] else { return }
    let before = (tables, records)
    let stamp = newStamp()
    author([ObjectChange(object, deaths: births.mapValues { Death(of: $0, stamp) })], stamp)
    settle(before, [object])
  }
}

extension StoredWork {
  /// The number of held items.
  func heldCount() throws(StorageError) -> Int {
    var count = state.place == nil ? state.irregulars : try heldObjects().count
    try schema.area.forEach(AreaKey.Kind.lostEdit.prefix, in: transaction) { _, _ throws(StorageError) in
      count += 1
      return true
    }
    return count + (try allRefused().reduce(0) { $0 + $1.refused.entry.changes.count })
  }

  enum HeldSource {
    case object(Irregular)
    /// The key of a lost edit.
    case edit([UInt8], LostEdit)
    /// The key of a refused entry, the entry, and the object in it.
    case refused([UInt8], RefusedEntry, ObjectID)

    /// The object as it travels.
    var object: ObjectID {
      switch self {
      case .object(let irregular): irregular.object
      case .edit(_, let edit): edit.object
      case .refused(_, _, let object): object
      }
    }
  }

  /// Where an item comes from.
  ///
  /// - Throws: `notFound` where it is not held any more, or is another one now.
  func find(_ item: HeldItem) throws(StorageError) -> HeldSource {
    guard let found = try heldItems().first(where: { $0.item == item }) else {
      throw StorageError(.notFound, "this item is no longer held: \(item.object)", model: item.object.model)
    }
    return found.source
  }

  /// Forgets an item that is not an object of the records.
  func remove(_ source: HeldSource) throws(StorageError) {
    guard let writer = transaction as? any BackendWriteTransaction else { return }
    switch source {
    case .object: return
    case .edit(let key, _): try schema.area.put([(key, nil)], in: writer)
    case .refused(let key, var refused, let object):
      refused.entry.changes.removeAll { $0.object == object }
      try schema.area.put([(key, refused.entry.changes.isEmpty ? nil : refused.encoded())], in: writer)
    }
  }

  /// The objects that the tables do not show as they were written, with their keys. In a store with a part, references that lead
  /// out of it are not among them, and no value that its hub hides.
  private func heldObjects() throws(StorageError) -> [(key: [UInt8], irregular: Irregular)] {
    var result: [(key: [UInt8], irregular: Irregular)] = []
    try schema.area.forEach(AreaKey.Kind.irregular.prefix, in: transaction) { key, value throws(StorageError) in
      let irregular = try Irregular(decoding: Array(value)[...])
      if state.place == nil || irregular.isHeld || irregular.reason != .parent { result.append((key, irregular)) }
      return true
    }
    return result
  }

  func heldItems() throws(StorageError) -> [(item: HeldItem, source: HeldSource)] {
    var result: [(item: HeldItem, source: HeldSource)] = []
    for (key, irregular) in try heldObjects() {
      result.append(
        (
          HeldItem(
            id: Self.id(key), reason: irregular.reason, object: schema.shown(irregular.object),
            isShown: !irregular.isHeld, values: schema.shown(irregular.row, of: irregular.object),
            waitsFor: irregular.waitsFor.map(schema.shown)),
          .object(irregular)
        ))
    }
    try schema.area.forEach(AreaKey.Kind.lostEdit.prefix, in: transaction) { key, value throws(StorageError) in
      let edit = try LostEdit(decoding: Array(value)[...])
      let content: Value =
        switch edit.content {
        case .value(let value), .element(let value): value
        case .counted(let plus, let minus): .int(Int64(bitPattern: plus &- minus))
        }
      result.append(
        (
          HeldItem(
            id: Self.id(key), reason: .lostEdit, object: schema.shown(edit.object), isShown: false,
            values: schema.shown([edit.column: content], of: edit.object), waitsFor: []), .edit(key, edit)
        ))
      return true
    }
    for (key, refused) in try allRefused() {
      for change in refused.entry.changes {
        let written = refused.written(change)
        var part = SyncWriter()
        part.object(change.object)
        result.append(
          (
            HeldItem(
              id: Self.id(key + part.bytes), reason: .refused, object: schema.shown(change.object), isShown: false,
              values: schema.shown(written.values, of: change.object), waitsFor: [], isDeletion: written.isDeletion,
              message: refused.reason),
            .refused(key, refused, change.object)
          ))
      }
    }
    return result
  }

  private static func id(_ key: [UInt8]) -> String {
    let digits = String(SyncHash.number(key), radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

extension StoredWork {
  /// The names that the program has for the synced models; else those by which they travel.
  var modelNames: [String] { state.models.map { schema.tables[SyncName($0)]?.schema.name ?? $0 } }
}

extension StoredSchema {
  /// An object by the name that the program has for its model.
  func shown(_ object: ObjectID) -> HeldItem.Object {
    HeldItem.Object(model: tables[object.model]?.schema.name ?? object.model.text, key: object.key)
  }

  /// Values by the names that the program has for their columns.
  func shown(_ row: SyncRow, of object: ObjectID) -> [String: Value] {
    let table = tables[object.model]
    return Dictionary(row.map { (table?.property($0.key) ?? $0.key.text, $0.value) }) { first, _ in first }
  }
}
