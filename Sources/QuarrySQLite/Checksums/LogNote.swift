import QuarryBackend

/// The note about the log in the first page of a plain database.
///
/// It is 0 for no note and all ones where the database has no log. Otherwise it has the salts of the log's header, as stored
/// there.
///
/// SQLite takes any log next to a database for its own, so a backup that was copied over a killed store would be mixed with that
/// store's log. Therefore the salts of a new log are written here, and are on the disk, before the log's header is. When SQLite
/// begins a log again, it chooses the second salt at random and increments the first; it does that when everything of the
/// previous log is in the database.
enum LogNote {
  static let unknown: UInt64 = 0
  static let none = UInt64.max

  /// The relation of a log to a database.
  enum Verdict {
    /// The database's own, or one that cannot be told from that.
    case own
    /// The one before it, of which everything is in the database.
    case old
    /// That of another database, or of another state of this one.
    case foreign
    /// The first page is damaged, and says something else.
    case damaged
  }

  static func verdict(_ note: UInt64, ofLog salts: UInt64) -> Verdict {
    if note == unknown || note == salts { return .own }
    if note == none { return .foreign }
    return first(salts) &+ 1 == first(note) ? .old : .foreign
  }

  private static func first(_ salts: UInt64) -> UInt32 {
    UInt32(truncatingIfNeeded: salts).byteSwapped
  }

  /// Whether a store with that first page keeps the note: stores of format 3.
  ///
  /// Earlier versions of Quarry would begin a log and leave the note as it is.
  static func isKept(by page: UnsafeRawPointer) -> Bool {
    func word(_ offset: Int) -> UInt32 {
      UInt32(bigEndian: page.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
    return word(SQLiteSchemaStore.formatPlace.lowerBound) == SQLiteSchemaStore.format(hasChecksums: true)
      && word(SQLiteSchemaStore.applicationPlace.lowerBound) == SQLiteSchemaStore.applicationID
  }
}

/// The header of a log, which SQLite writes in the clear.
struct LogHeader {
  static let byteCount = 32
  /// As they stand there.
  let salts: UInt64

  /// - Returns: Nil when there is no log: SQLite writes a new one over it.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= Self.byteCount else { return nil }
    // The last bit is for the order of bytes of the checksums.
    guard UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self)) & ~1 == 0x377F_0682 else { return nil }
    salts = Self.salts(bytes)
  }

  /// Those of the frame behind the header: of its log, or of the one before.
  static func saltsOfFirstFrame(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    bytes.loadLittleEndian(byteCount + 8, as: UInt64.self)
  }

  /// - Parameter bytes: At least as many as a header has.
  static func salts(_ bytes: UnsafeRawBufferPointer) -> UInt64 { bytes.loadLittleEndian(16, as: UInt64.self) }
}
