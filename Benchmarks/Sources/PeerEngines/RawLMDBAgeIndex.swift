import CBenchLMDB

/// The keys of the people of an age, in a tree of LMDB.
struct RawLMDBAgeIndex: Sendable {
  /// How the keys are stored.
  enum Form {
    /// By the age alone, with the keys as its sorted duplicates: LMDB's own way, for integers of one size.
    case duplicates
    /// An entry for each person, by age and key: what an index of any type needs.
    case entries
  }

  private let form: Form
  private let tree: MDB_dbi

  init(_ form: Form, _ transaction: OpaquePointer) throws {
    self.form = form
    let flags: CInt =
      switch form {
      case .duplicates: MDB_INTEGERKEY | MDB_DUPSORT | MDB_DUPFIXED | MDB_INTEGERDUP
      case .entries: 0
      }
    var tree: MDB_dbi = 0
    try RawLMDBEnvironment.check(mdb_dbi_open(transaction, "ages", UInt32(MDB_CREATE | flags), &tree))
    self.tree = tree
  }

  @inline(__always)
  func add(_ id: Int64, _ age: Int, _ transaction: OpaquePointer) throws {
    try withKey(age, id) { key in
      try withValue(id) { id in
        let flags = UInt32(form == .duplicates ? MDB_NODUPDATA : MDB_NOOVERWRITE)
        try RawLMDBEnvironment.check(mdb_put(transaction, tree, &key, &id, flags))
      }
    }
  }

  @inline(__always)
  func remove(_ id: Int64, _ age: Int, _ transaction: OpaquePointer) throws {
    try withKey(age, id) { key in
      try withValue(id) { id in try RawLMDBEnvironment.check(mdb_del(transaction, tree, &key, &id)) }
    }
  }

  /// Removes all keys of an age, which are those given.
  func removeAll(_ ids: [Int64], _ age: Int, _ transaction: OpaquePointer) throws {
    switch form {
    case .duplicates:
      guard !ids.isEmpty else { return }
      try withValue(Int64(age)) { try RawLMDBEnvironment.check(mdb_del(transaction, tree, &$0, nil)) }
    case .entries:
      for id in ids { try remove(id, age, transaction) }
    }
  }

  /// The keys of an age, ascending.
  func ids(_ age: Int, _ transaction: OpaquePointer) throws -> [Int64] {
    var ids: [Int64] = []
    switch form {
    case .duplicates:
      try RawLMDBEnvironment.withCursor(transaction, tree) { cursor in
        try withValue(Int64(age)) { key in
          var value = MDB_val()
          var code = mdb_cursor_get(cursor, &key, &value, MDB_SET_KEY)
          if code == 0 { code = mdb_cursor_get(cursor, &key, &value, MDB_GET_MULTIPLE) }
          while code == 0 {
            let page = UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size)
            for place in stride(from: 0, to: page.count, by: 8) {
              ids.append(page.loadUnaligned(fromByteOffset: place, as: Int64.self))
            }
            code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT_MULTIPLE)
          }
          if code != MDB_NOTFOUND { throw RawLMDBEnvironment.failure(code) }
        }
      }
    case .entries:
      try forEachEntry(age, transaction) { ids.append($0) }
    }
    return ids
  }

  func count(_ age: Int, _ transaction: OpaquePointer) throws -> Int {
    var count = 0
    switch form {
    case .duplicates:
      try RawLMDBEnvironment.withCursor(transaction, tree) { cursor in
        try withValue(Int64(age)) { key in
          var value = MDB_val()
          let code = mdb_cursor_get(cursor, &key, &value, MDB_SET)
          if code == MDB_NOTFOUND { return }
          try RawLMDBEnvironment.check(code)
          try RawLMDBEnvironment.check(mdb_cursor_count(cursor, &count))
        }
      }
    case .entries:
      try forEachEntry(age, transaction) { _ in count += 1 }
    }
    return count
  }

  @inline(__always)
  private func forEachEntry(_ age: Int, _ transaction: OpaquePointer, _ body: (Int64) -> Void) throws {
    try RawLMDBEnvironment.withCursor(transaction, tree) { cursor in
      try withEntry(age, .min) { key in
        var value = MDB_val()
        let wanted = Self.ordered(Int64(age))
        var code = mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE)
        while code == 0 {
          guard key.mv_data.loadUnaligned(as: UInt64.self) == wanted else { return }
          body(value.mv_data.loadUnaligned(as: Int64.self))
          code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
        }
        if code != MDB_NOTFOUND { throw RawLMDBEnvironment.failure(code) }
      }
    }
  }

  /// Lends the key under which a person's key is stored.
  @inline(__always)
  private func withKey<R>(_ age: Int, _ id: Int64, _ body: (inout MDB_val) throws -> R) rethrows -> R {
    switch form {
    case .duplicates: try withValue(Int64(age), body)
    case .entries: try withEntry(age, id, body)
    }
  }

  /// Lends age and key as bytes whose order is that of the numbers.
  @inline(__always)
  private func withEntry<R>(_ age: Int, _ id: Int64, _ body: (inout MDB_val) throws -> R) rethrows -> R {
    var numbers = (Self.ordered(Int64(age)), Self.ordered(id))
    return try withUnsafeMutableBytes(of: &numbers) { bytes in
      var value = MDB_val(mv_size: bytes.count, mv_data: bytes.baseAddress)
      return try body(&value)
    }
  }

  @inline(__always)
  private static func ordered(_ number: Int64) -> UInt64 {
    (UInt64(bitPattern: number) ^ 1 << 63).bigEndian
  }
}

/// Lends an integer as LMDB takes keys.
@inline(__always)
func withValue<R>(_ integer: Int64, _ body: (inout MDB_val) throws -> R) rethrows -> R {
  var integer = integer
  return try withUnsafeMutableBytes(of: &integer) { bytes in
    var value = MDB_val(mv_size: bytes.count, mv_data: bytes.baseAddress)
    return try body(&value)
  }
}
