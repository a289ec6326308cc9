import CLMDB
package import QuarryBackend
package import QuarryKeyValue

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

// Changes of entries, noted while a savepoint is open.
extension LMDBWriteTransaction {
  /// Calls the body with the key as it stands in LMDB, after its length was compared with the limit.
  @inline(__always)
  private func withStored<R>(
    _ key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> R
  ) throws(StorageError) -> R {
    if key.count > environment.maximumKeyBytes {
      throw .limitExceeded("bytes of a key", limit: environment.maximumKeyBytes, actual: key.count)
    }
    return try LMDBKey.withStored(key, body)
  }

  @inline(__always)
  private func requireStorable(_ value: UnsafeRawBufferPointer) throws(StorageError) {
    if value.count > LMDBConfiguration.maximumValueBytes {
      throw .limitExceeded("bytes of a value", limit: LMDBConfiguration.maximumValueBytes, actual: value.count)
    }
  }

  private func didChange(_ tree: LMDBWriteTree) {
    stamp &+= 1
    tree.stamp = stamp
    hasChanged = true
  }

  /// Stores a new key, if it is new.
  ///
  /// - Returns: Nil when it was new and is stored; else the value that is there, where the cursor stands.
  @inline(__always)
  private func add(
    _ tree: LMDBWriteTree, _ cursor: OpaquePointer, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    var keyValue = MDB_val(mv_size: key.count, mv_data: UnsafeMutableRawPointer(mutating: key.baseAddress))
    var data = MDB_val(mv_size: value.count, mv_data: UnsafeMutableRawPointer(mutating: value.baseAddress))
    if tree.appends {
      let result = mdb_cursor_put(cursor, &keyValue, &data, UInt32(MDB_APPEND))
      if result == MDB_SUCCESS { return nil }
      guard result == MDB_KEYEXIST else { throw fail(result, "a value cannot be stored") }
      tree.didNotAppend()
    }
    let result = mdb_cursor_put(cursor, &keyValue, &data, UInt32(MDB_NOOVERWRITE))
    if result == MDB_SUCCESS {
      tree.didInsert(key)
      return nil
    }
    guard result == MDB_KEYEXIST else { throw fail(result, "a value cannot be stored") }
    return UnsafeRawBufferPointer(start: data.mv_data, count: data.mv_size)
  }

  @discardableResult
  package func put(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) throws(StorageError) -> Bool {
    try requireUsable()
    return try withStored(key) { key throws(StorageError) in
      let tree = self.tree(tree)
      return try store(tree, key, value, isLogged: !savepoints.isEmpty)
    }
  }

  /// - Returns: Whether the key was new.
  func store(
    _ tree: LMDBWriteTree, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, isLogged: Bool
  ) throws(StorageError) -> Bool {
    try requireStorable(value)
    let cursor = try writer(tree)
    var old = valueRead(tree, cursor, key)
    if old == nil { old = try add(tree, cursor, key, value) }
    guard let old else {
      try didAdd(tree, key, isLogged: isLogged)
      return true
    }
    try requireSound(old)
    if isLogged { try log.append(tree.id, key, old) }
    var keyValue = MDB_val(mv_size: key.count, mv_data: UnsafeMutableRawPointer(mutating: key.baseAddress))
    var data = MDB_val(mv_size: value.count, mv_data: UnsafeMutableRawPointer(mutating: value.baseAddress))
    let result = mdb_cursor_put(cursor, &keyValue, &data, UInt32(MDB_CURRENT))
    guard result == MDB_SUCCESS else { throw fail(result, "a value cannot be replaced") }
    didChange(tree)
    return false
  }

  /// Notes a new key.
  ///
  /// A change that cannot be noted cannot be undone: then all of the transaction must be.
  @inline(__always)
  private func didAdd(
    _ tree: LMDBWriteTree, _ key: UnsafeRawBufferPointer, isLogged: Bool
  ) throws(StorageError) {
    didChange(tree)
    guard isLogged else { return }
    do throws(StorageError) { try log.append(tree.id, key, nil) } catch {
      failure = error
      throw error
    }
  }

  package func insert(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) throws(StorageError) -> Bool {
    try requireUsable()
    return try withStored(key) { key throws(StorageError) in
      try requireStorable(value)
      let tree = self.tree(tree)
      tree.hasRead = false
      if try add(tree, writer(tree), key, value) != nil { return false }
      try didAdd(tree, key, isLogged: !savepoints.isEmpty)
      return true
    }
  }

  package func delete(_ tree: TreeID, _ key: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
    try requireUsable()
    if key.count > environment.maximumKeyBytes { return false }
    return try withStored(key) { key throws(StorageError) in
      try remove(self.tree(tree), key, isLogged: !savepoints.isEmpty)
    }
  }

  /// Sets the cursor to a key.
  ///
  /// - Returns: Its value, or nil when it is not there.
  private func find(
    _ cursor: OpaquePointer, _ key: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    var keyValue = MDB_val(mv_size: key.count, mv_data: UnsafeMutableRawPointer(mutating: key.baseAddress))
    var value = MDB_val()
    let result = mdb_cursor_get(cursor, &keyValue, &value, MDB_SET)
    if result == MDB_NOTFOUND { return nil }
    guard result == MDB_SUCCESS else { throw fail(result, "a key cannot be looked up") }
    return UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size)
  }

  /// The value where the cursor stands, when it stands at the key since a read: then nothing need be searched for.
  @inline(__always)
  private func valueRead(
    _ tree: LMDBWriteTree, _ cursor: OpaquePointer, _ key: UnsafeRawBufferPointer
  ) -> UnsafeRawBufferPointer? {
    guard tree.hasRead else { return nil }
    tree.hasRead = false
    var current = MDB_val()
    var value = MDB_val()
    guard mdb_cursor_get(cursor, &current, &value, MDB_GET_CURRENT) == MDB_SUCCESS, current.mv_size == key.count,
      let left = current.mv_data, let right = key.baseAddress, memcmp(left, right, key.count) == 0
    else { return nil }
    return UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size)
  }

  func remove(
    _ tree: LMDBWriteTree, _ key: UnsafeRawBufferPointer, isLogged: Bool
  ) throws(StorageError) -> Bool {
    guard tree.handle != nil else { return false }
    let cursor = try writer(tree)
    var old = valueRead(tree, cursor, key)
    if old == nil { old = try find(cursor, key) }
    guard let old else { return false }
    try requireSound(old)
    if isLogged { try log.append(tree.id, key, old) }
    let result = mdb_cursor_del(cursor, 0)
    guard result == MDB_SUCCESS else { throw fail(result, "a key cannot be removed") }
    didChange(tree)
    return true
  }

  /// Checks the head of the pages of a large value, before LMDB frees as many as it says.
  ///
  /// Only in a sealed store, where all other pages were checked when it was opened.
  @inline(__always)
  private func requireSound(_ value: UnsafeRawBufferPointer) throws(StorageError) {
    if let mapStart { try requireSound(value, mapStart) }
  }

  @inline(never)
  private func requireSound(_ value: UnsafeRawBufferPointer, _ mapStart: UnsafeRawPointer) throws(StorageError) {
    guard let bytes = value.baseAddress, bytes > mapStart else { return }
    let (pageSize, offset) = (environment.pageSize, bytes - mapStart)
    let number = UInt64(offset / pageSize)
    // Pages that this transaction wrote are not in the map. Where values have pages of their own the first begins with
    // the head; nothing else begins there.
    guard offset % pageSize == LMDBPage.head,
      number < environment.knownPages.load(ordering: .relaxed) || environment.hasPage(number)
    else { return }
    if LMDBPage.isHead(at: bytes - LMDBPage.head, number: number, of: value.count, size: pageSize) { return }
    let error = LMDBPage.damaged()
    failure = error
    throw error
  }

  /// A whole tree is dropped page by page, unless it may have to come back.
  package func delete(_ tree: TreeID, in range: KeyRange) throws(StorageError) -> Int {
    try requireUsable()
    let tree = self.tree(tree)
    guard let handle = tree.handle else { return 0 }
    if range == .all, savepoints.isEmpty, mapStart == nil {
      let entries = try figures(handle).entries
      guard entries > 0 else { return 0 }
      let result = mdb_drop(transaction, handle, 0)
      guard result == MDB_SUCCESS else { throw fail(result, "a tree cannot be emptied") }
      tree.appends = true
      tree.hasRead = false
      didChange(tree)
      return entries
    }
    let walk = try LMDBWalk(transaction, handle, range, descending: false)
    defer { mdb_cursor_close(walk.cursor) }
    var count = 0
    while try walk.advance() {
      try requireSound(walk.valueBytes)
      if !savepoints.isEmpty {
        let key = UnsafeRawBufferPointer(start: walk.key.mv_data, count: walk.key.mv_size)
        try log.append(tree.id, key, walk.valueBytes)
      }
      // The next step stays where it is, because what stood there is gone.
      let result = mdb_cursor_del(walk.cursor, 0)
      guard result == MDB_SUCCESS else { throw fail(result, "a key cannot be removed") }
      count += 1
    }
    if count > 0 {
      // Pages have gone under the cursor that writes, and where it thinks that the end of the tree is may be one of them.
      if let cursor = tree.cursor {
        tree.cursor = nil
        tree.hasRead = false
        room.cursors.removeAll { $0 == cursor }
        mdb_cursor_close(cursor)
      }
      didChange(tree)
    }
    return count
  }
}
