import QuarryBackend
import QuarryCore
public import QuarrySync

extension StoreInspector {
  /// Whether the store is synced, by this program or another.
  ///
  /// - Throws: `closed`, `io`, `corrupt`.
  public var isSynced: Bool {
    get throws { try store.hasSyncRecords() }
  }

  /// Everything that sync holds, in the order of objects, without beginning to sync; nil where the store is not synced.
  ///
  /// - Throws: `closed`, `io`, `corrupt`; `unsupported` where a model was migrated to what sync does not know.
  /// - Complexity: O(n) for n held items.
  public func held() throws -> [HeldItem]? { try store.storedSync()?.held() }

  /// A checksum over a held item, which tells whether it is still as it was read.
  public static func digest(of item: HeldItem) -> String {
    var fields: [(name: String, value: Value)] = [
      ("reason", .string(item.reason.rawValue)), ("model", .string(item.object.model)), ("key", item.object.key),
      ("isShown", .bool(item.isShown)),
    ]
    for (place, object) in item.waitsFor.enumerated() {
      fields.append(("waits \(place)", .array([.string(object.model), object.key])))
    }
    if item.isDeletion { fields.append(("isDeletion", .bool(true))) }
    if let message = item.message { fields.append(("message", .string(message))) }
    fields += item.values.sorted { $0.key < $1.key }.map { ("value " + $0.key, $0.value) }
    return RecordDigest.of(Record(fields))
  }

  /// Discards a held item if it is still as it was read: a held object is deleted in all stores, a lost edit is forgotten here.
  ///
  /// - Parameters:
  ///   - id: The identity of the item.
  ///   - digest: The checksum of the item as it was read, ``digest(of:)``.
  /// - Returns: The object of the item.
  /// - Throws: `notFound` where nothing of this identity is held; `conflict` where it has changed. `unsupported` where this
  ///   program has not called `enableSync`, and for values of an object that is in the tables. `readOnly`, `busy`.
  @discardableResult
  public func discard(held id: String, digest: String) throws -> HeldItem.Object {
    let (sync, item) = try held(id, digest)
    try sync.discard(item)
    return item.object
  }

  /// Writes a held item again if it is still as it was read, as a write of this store.
  ///
  /// - Parameters:
  ///   - id: The identity of the item.
  ///   - digest: The checksum of the item as it was read, ``digest(of:)``.
  /// - Returns: The object of the item.
  /// - Throws: As ``discard(held:digest:)``, but for objects in the tables; `uniqueViolation`, `missingReference`, `referenced`.
  @discardableResult
  public func accept(held id: String, digest: String) throws -> HeldItem.Object {
    let (sync, item) = try held(id, digest)
    try sync.accept(item)
    return item.object
  }

  private func held(_ id: String, _ digest: String) throws -> (StoreSync, HeldItem) {
    try requireWriting()
    guard let sync = store.sync else {
      throw StorageError(.unsupported, "sync has not been continued since the store was opened: call enableSync()")
    }
    guard let item = try sync.held().first(where: { $0.id == id }) else {
      throw StorageError(.notFound, "this item is no longer held")
    }
    guard Self.digest(of: item) == digest else {
      throw StorageError(.conflict, "the held item has changed since it was read")
    }
    return (sync, item)
  }
}

extension HeldReason {
  /// The reason in words for people, without a capital and a full stop.
  package var words: String {
    switch self {
    case .unique: "another object has its unique value"
    case .parent: "it refers to an object that is not there"
    case .lostEdit: "the object was deleted elsewhere, and this edit was not known there"
    case .refused: "the hub refused it"
    }
  }
}
