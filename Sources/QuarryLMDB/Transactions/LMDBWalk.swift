import CLMDB
import QuarryBackend
import QuarryKeyValue

/// A cursor of LMDB that walks a range in one direction, with the bound where it stops.
class LMDBWalk {
  final let cursor: OpaquePointer
  final let isDescending: Bool
  /// The bytes of the first key, or of the one behind it when descending; nil for the end of the tree.
  private final let start: [UInt8]?
  /// The bytes of the bound where the walk stops.
  final let bound: UnsafeRawBufferPointer?
  @exclusivity(unchecked) private final var hasBegun = false
  @exclusivity(unchecked) final var isAtEnd = false
  @exclusivity(unchecked) final var key = MDB_val()
  @exclusivity(unchecked) final var value = MDB_val()

  /// - Parameter transaction: Must stay until the walk has ended.
  init(
    _ transaction: OpaquePointer, _ handle: MDB_dbi, _ range: KeyRange, descending: Bool
  ) throws(StorageError) {
    var opened: OpaquePointer?
    let result = mdb_cursor_open(transaction, handle, &opened)
    guard result == MDB_SUCCESS, let opened else {
      throw result == ENOMEM
        ? StorageError.noMemory(for: "a cursor")
        : StorageError(lmdb: result, "a cursor cannot be opened")
    }
    cursor = opened
    isDescending = descending
    start = (descending ? range.upper : range.lower).map(LMDBKey.stored)
    bound = (descending ? range.lower : range.upper).map { bytes in
      let stored = LMDBKey.stored(bytes)
      let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: stored.count, alignment: 1)
      copy.copyBytes(from: stored)
      return UnsafeRawBufferPointer(copy)
    }
  }

  deinit {
    bound?.deallocate()
  }

  /// Moves to the first entry that may be of the range.
  final func position() -> Int32 {
    hasBegun = true
    guard let start else { return mdb_cursor_get(cursor, &key, &value, isDescending ? MDB_LAST : MDB_FIRST) }
    let result = start.withUnsafeBytes { bytes in
      key = MDB_val(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
      return mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE)
    }
    guard isDescending else { return result }
    if result == MDB_NOTFOUND { return mdb_cursor_get(cursor, &key, &value, MDB_LAST) }
    return result == MDB_SUCCESS ? mdb_cursor_get(cursor, &key, &value, MDB_PREV) : result
  }

  /// Moves to the next entry.
  ///
  /// - Returns: Whether there is one.
  func advance() throws(StorageError) -> Bool {
    if isAtEnd { return false }
    let result =
      hasBegun ? mdb_cursor_get(cursor, &key, &value, isDescending ? MDB_PREV : MDB_NEXT) : position()
    if result != MDB_SUCCESS {
      isAtEnd = true
      if result == MDB_NOTFOUND { return false }
      throw StorageError(lmdb: result, "a tree cannot be read")
    }
    if let bound {
      let bytes = UnsafeRawBufferPointer(start: key.mv_data, count: key.mv_size)
      if isDescending ? LMDBKey.isLess(bytes, bound) : !LMDBKey.isLess(bytes, bound) {
        isAtEnd = true
        return false
      }
    }
    return true
  }

  /// Moves over the next entries.
  ///
  /// - Returns: How many there were; their values are in the buffer.
  func fill(_ values: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) throws(StorageError) -> Int {
    var count = 0
    if hasBegun, !isAtEnd, bound == nil {
      // Without a bound the keys are not compared, and only the engine's own state is touched.
      var value = MDB_val()
      let step = isDescending ? MDB_PREV : MDB_NEXT
      var result = MDB_SUCCESS
      while count < values.count {
        result = mdb_cursor_get(cursor, nil, &value, step)
        guard result == MDB_SUCCESS else { break }
        values[count] = UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size)
        count &+= 1
      }
      if result != MDB_SUCCESS {
        isAtEnd = true
        if result != MDB_NOTFOUND { throw StorageError(lmdb: result, "a tree cannot be read") }
      }
      return count
    }
    while count < values.count, try advance() {
      values[count] = valueBytes
      count &+= 1
    }
    return count
  }

  /// The number of entries to come. Nothing may be written in between.
  func countAll() throws(StorageError) -> Int {
    var count = 0
    while try advance() { count += 1 }
    return count
  }

  final var keyBytes: UnsafeRawBufferPointer {
    LMDBKey.original(UnsafeRawBufferPointer(start: key.mv_data, count: key.mv_size))
  }

  final var valueBytes: UnsafeRawBufferPointer {
    @inline(__always) get { UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size) }
  }
}
