import QuarryBackend
public import QuarryCore

/// Something that was written, and that the tables do not show: SYNC-21.
public struct HeldItem: Sendable, Hashable {
  /// An object by its model and its primary key.
  public struct Object: Sendable, Hashable, CustomStringConvertible {
    /// The name of the model.
    public var model: String
    /// The primary key.
    public var key: Value

    /// The object as people read it.
    public var description: String { "\(model) \(KeyText.text(key) ?? "?")" }
  }

  /// 16 hexadecimal digits that name the item in this store.
  public var id: String
  /// Why it is held.
  public var reason: HeldReason
  /// The object that was written.
  public var object: Object
  /// Whether the object is in the tables, with nil in place of the held values.
  public var isShown: Bool
  /// The values that the tables do not show, by the names of properties.
  public var values: [String: Value]
  /// The objects that it waits for: those that have its unique values, or those that are missing or held themselves.
  public var waitsFor: [Object]
}

extension StoreSync {
  /// Everything that is held, in the order of objects.
  ///
  /// An object that waits for a unique value comes back when the value is free. It is corrected by inserting an object of its
  /// key with other values, and removed by ``discard(_:)``. A lost edit stays until it is discarded: a delete did not know of
  /// it, and a program decides whether to insert the object again.
  ///
  /// - Throws: As ``StoreSync/digest()``.
  /// - Complexity: O(n) for n held items.
  public func held() throws -> [HeldItem] {
    try reading { work in try work.heldItems().map(\.item) }
  }

  /// Discards a held item: a held object is deleted, in all stores, and a lost edit is forgotten here.
  ///
  /// - Parameter item: An item of ``held()``.
  /// - Throws: `notFound` where nothing of the kind is held any more; `unsupported` for values of an object that is in the
  ///   tables: write its properties. `reentrant` inside a transaction of the store; the errors of a write.
  public func discard(_ item: HeldItem) throws {
    try changing { work in
      guard let found = try work.heldItems().first(where: { $0.item.id == item.id && $0.item == item }) else {
        throw StorageError(.notFound, "this item is no longer held: \(item.object)", model: item.object.model)
      }
      switch found.source {
      case .edit(let key):
        guard let writer = work.transaction as? any BackendWriteTransaction else { return }
        try work.schema.area.put([(key, nil)], in: writer)
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
    var count = state.irregulars
    try schema.area.forEach(AreaKey.Kind.lostEdit.prefix, in: transaction) { _, _ throws(StorageError) in
      count += 1
      return true
    }
    return count
  }

  enum HeldSource {
    case object(Irregular)
    /// The key of a lost edit.
    case edit([UInt8])
  }

  func heldItems() throws(StorageError) -> [(item: HeldItem, source: HeldSource)] {
    var result: [(item: HeldItem, source: HeldSource)] = []
    try schema.area.forEach(AreaKey.Kind.irregular.prefix, in: transaction) { key, value throws(StorageError) in
      let irregular = try Irregular(decoding: Array(value)[...])
      let values = Dictionary(irregular.row.map { (schema.property($0.key, of: irregular.object), $0.value) }) {
        first, _ in
        first
      }
      result.append(
        (
          HeldItem(
            id: Self.id(key), reason: irregular.reason, object: schema.shown(irregular.object),
            isShown: !irregular.isHeld, values: values, waitsFor: irregular.waitsFor.map(schema.shown)),
          .object(irregular)
        ))
      return true
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
            values: [schema.property(edit.column, of: edit.object): content], waitsFor: []), .edit(key)
        ))
      return true
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

  /// The name that the program has for a column.
  func property(_ column: SyncName, of object: ObjectID) -> String {
    tables[object.model]?.property(column) ?? column.text
  }
}
