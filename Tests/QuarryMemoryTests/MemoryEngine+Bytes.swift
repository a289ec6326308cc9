import QuarryBackend
import QuarryKeyValue
import QuarryTree

@testable import QuarryMemory

extension KeyValueReadTransaction {
  func get(_ tree: TreeID, _ key: [UInt8]) throws(StorageError) -> [UInt8]? {
    var result: [UInt8]?
    try lend(key) { bytes throws(StorageError) in result = try get(tree, bytes).map { Array($0) } }
    return result
  }

  func keys(_ tree: TreeID, _ range: KeyRange = .all, descending: Bool = false) throws(StorageError) -> [[UInt8]] {
    var cursor = try cursor(tree, range, descending: descending)
    var keys: [[UInt8]] = []
    while let (key, _) = try cursor.next() { keys.append(Array(key)) }
    return keys
  }
}

extension KeyValueWriteTransaction {
  @discardableResult
  func put(_ tree: TreeID, _ key: [UInt8], _ value: [UInt8]) throws(StorageError) -> Bool {
    var result = false
    try lend(key) { key throws(StorageError) in
      try lend(value) { value throws(StorageError) in result = try put(tree, key, value) }
    }
    return result
  }

  func insert(_ tree: TreeID, _ key: [UInt8], _ value: [UInt8]) throws(StorageError) -> Bool {
    var result = false
    try lend(key) { key throws(StorageError) in
      try lend(value) { value throws(StorageError) in result = try insert(tree, key, value) }
    }
    return result
  }

  func delete(_ tree: TreeID, _ key: [UInt8]) throws(StorageError) -> Bool {
    var result = false
    try lend(key) { key throws(StorageError) in result = try delete(tree, key) }
    return result
  }
}

/// Lends the bytes to a body with a typed throw.
private func lend(
  _ bytes: [UInt8], _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
) throws(StorageError) {
  let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
  defer { copy.deallocate() }
  copy.copyBytes(from: bytes)
  try body(UnsafeRawBufferPointer(copy))
}

extension MemoryEngine {
  /// Writes in a transaction of its own.
  @discardableResult
  func write(_ body: (TreeWriteTransaction) throws(StorageError) -> Void) throws(StorageError) -> CommitVersion {
    let transaction = try beginWrite(timeout: 5)
    try body(transaction)
    return try transaction.commit()
  }
}

/// The code that the body throws, or nil.
func code(_ body: () throws(StorageError) -> Void) -> StorageError.Code? {
  do {
    try body()
    return nil
  } catch {
    return error.code
  }
}
