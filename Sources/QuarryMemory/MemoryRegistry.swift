import QuarryBackend
import QuarryTree
import Synchronization

/// The named memory stores of the process. The data of a name go when the last engine of it is closed.
final class MemoryRegistry: Sendable {
  /// A name by its UTF-8 bytes: Swift's String unites names that are spelled differently.
  struct Name: Hashable, Sendable, CustomStringConvertible {
    let bytes: [UInt8]

    init(_ name: String) {
      bytes = Array(name.utf8)
    }

    var description: String { String(decoding: bytes, as: UTF8.self) }
  }

  static let shared = MemoryRegistry()

  private let stores = Mutex<[Name: (store: TreeStore, users: Int)]>([:])

  /// The data of the name for one more engine.
  ///
  /// - Throws: `notFound` when there are none and they are not to be made.
  func open(_ name: Name, createsIfMissing: Bool) throws(StorageError) -> TreeStore {
    let store: TreeStore? = stores.withLock { stores in
      if let (store, users) = stores[name] {
        stores[name] = (store, users + 1)
        return store
      }
      if !createsIfMissing { return nil }
      let store = TreeStore()
      stores[name] = (store, 1)
      return store
    }
    if let store { return store }
    throw StorageError(.notFound, "there is no memory store named \(name)")
  }

  func close(_ name: Name) {
    // The data may be large: they go after the lock.
    let last: TreeStore? = stores.withLock { stores in
      guard let (store, users) = stores[name] else { return nil }
      stores[name] = users > 1 ? (store, users - 1) : nil
      return users > 1 ? nil : store
    }
    withExtendedLifetime(last) {}
  }

  /// Renames the data. It stays under the new name until it has been opened and closed there.
  ///
  /// - Returns: The name.
  /// - Throws: `inUse` when more than one engine has the data open.
  func quarantine(_ name: Name) throws(StorageError) -> String {
    try stores.withLock { stores throws(StorageError) in
      if let users = stores[name]?.users, users > 1 { throw .inMemory(name, users) }
      let place = try QuarantineName.free(for: name.description) { stores[Name($0)] != nil }
      if let (store, _) = stores[name] { stores[Name(place)] = (store, 0) }
      stores[name] = nil
      return place
    }
  }

  /// - Throws: `inUse` when more than one engine has the data open.
  func requireOnlyUser(of name: Name) throws(StorageError) {
    let users = stores.withLock { $0[name]?.users ?? 0 }
    if users > 1 { throw .inMemory(name, users) }
  }
}

extension StorageError {
  fileprivate static func inMemory(_ name: MemoryRegistry.Name, _ users: Int) -> StorageError {
    StorageError(.inUse, "the memory store \(name) is open in \(users) places")
  }
}
