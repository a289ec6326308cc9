package import QuarryBackend
package import QuarryKeyValue

extension KeyValueReadTransaction {
  package func get(_ tree: TreeID, _ key: [UInt8]) throws(StorageError) -> [UInt8]? {
    var result: [UInt8]?
    try lend(key) { bytes throws(StorageError) in result = try get(tree, bytes).map { Array($0) } }
    return result
  }

  package func keys(
    _ tree: TreeID, _ range: KeyRange = .all, descending: Bool = false
  ) throws(StorageError) -> [[UInt8]] {
    var cursor = try cursor(tree, range, descending: descending)
    var keys: [[UInt8]] = []
    while let (key, _) = try cursor.next() { keys.append(Array(key)) }
    return keys
  }

  /// All entries of some trees.
  package func contents(_ trees: some Sequence<TreeID>) throws(StorageError) -> [[[UInt8]: [UInt8]]] {
    var result: [[[UInt8]: [UInt8]]] = []
    for tree in trees {
      var entries: [[UInt8]: [UInt8]] = [:]
      var cursor = try cursor(tree, .all, descending: false)
      while let (key, value) = try cursor.next() { entries[Array(key)] = Array(value) }
      result.append(entries)
    }
    return result
  }
}

extension KeyValueWriteTransaction {
  @discardableResult
  package func put(_ tree: TreeID, _ key: [UInt8], _ value: [UInt8]) throws(StorageError) -> Bool {
    var result = false
    try lend(key) { key throws(StorageError) in
      try lend(value) { value throws(StorageError) in result = try put(tree, key, value) }
    }
    return result
  }

  package func insert(_ tree: TreeID, _ key: [UInt8], _ value: [UInt8]) throws(StorageError) -> Bool {
    var result = false
    try lend(key) { key throws(StorageError) in
      try lend(value) { value throws(StorageError) in result = try insert(tree, key, value) }
    }
    return result
  }

  package func delete(_ tree: TreeID, _ key: [UInt8]) throws(StorageError) -> Bool {
    var result = false
    try lend(key) { key throws(StorageError) in result = try delete(tree, key) }
    return result
  }
}

extension KeyValueEngine {
  /// Writes in a transaction of its own.
  @discardableResult
  package func write(
    _ body: (WriteTransaction) throws(StorageError) -> Void
  ) throws(StorageError) -> CommitVersion {
    let transaction = try beginWrite(timeout: 5)
    try body(transaction)
    return try transaction.commit()
  }

  /// The value as a read of one call gives it.
  package func value(_ tree: TreeID, _ key: [UInt8]) throws(StorageError) -> [UInt8]? {
    var result: [UInt8]?
    try lend(key) { key throws(StorageError) in
      _ = try withValue(tree, key) { value throws(StorageError) in result = Array(value) }
    }
    return result
  }
}

/// Lends a copy of the bytes to a body with a typed throw.
package func lend(
  _ bytes: [UInt8], _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
) throws(StorageError) {
  let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
  defer { copy.deallocate() }
  copy.copyBytes(from: bytes)
  try body(UnsafeRawBufferPointer(copy))
}
