/// The findings and actions of opening a store.
public struct OpeningReport: Sendable, Hashable {
  /// The end of a store's file that could not be read: what a crash tore, or damage of something that was whole.
  public struct Tail: Sendable, Hashable {
    /// Where it began in the store's file.
    public var offset: Int
    /// How many bytes it has.
    public var bytes: Int
    /// The defect.
    public var reason: String
    /// Whether it may be no more than the beginning of a commit, as the end of a process leaves it.
    public var isBeginningOfCommit: Bool
    /// The file that it was moved to; nil for a store that was opened for reading, where it stays.
    public var path: String?

    /// Creates the description of an unreadable end.
    ///
    /// - Parameters:
    ///   - offset: The byte of the store's file at which the end begins.
    ///   - bytes: Its length in bytes.
    ///   - reason: The defect.
    ///   - isBeginningOfCommit: Whether it may be no more than the beginning of a commit.
    ///   - path: The file that it was moved to; nil for a store that was opened for reading.
    public init(offset: Int, bytes: Int, reason: String, isBeginningOfCommit: Bool, path: String? = nil) {
      self.offset = offset
      self.bytes = bytes
      self.reason = reason
      self.isBeginningOfCommit = isBeginningOfCommit
      self.path = path
    }
  }

  /// A log next to a store that belongs to another store, or to another state of this store.
  ///
  /// For example, a backup that is copied over a killed store finds such a log. It is no part of the store.
  public struct ForeignLog: Sendable, Hashable {
    /// Where it was.
    public var path: String
    /// How many bytes it has.
    public var bytes: Int
    /// The file that it was moved to; nil for a store that was opened for reading, where it stays.
    public var movedTo: String?

    /// Creates the description of a log that does not belong to the store.
    ///
    /// - Parameters:
    ///   - path: The path of the log.
    ///   - bytes: Its length in bytes.
    ///   - movedTo: The file that it was moved to; nil for a store that was opened for reading.
    public init(path: String, bytes: Int, movedTo: String? = nil) {
      self.path = path
      self.bytes = bytes
      self.movedTo = movedTo
    }
  }

  /// The bytes of a store's files before a compaction and after it.
  public struct Compaction: Sendable, Hashable {
    /// Bytes of the files before it.
    public var bytesBefore: Int
    /// Bytes of the files after it. Space that something open still needs goes back when that ends.
    public var bytesAfter: Int

    /// Creates the description of a compaction.
    ///
    /// - Parameters:
    ///   - bytesBefore: Bytes of the store's files before the compaction.
    ///   - bytesAfter: Bytes of the files after it.
    public init(bytesBefore: Int, bytesAfter: Int) {
      self.bytesBefore = bytesBefore
      self.bytesAfter = bytesAfter
    }
  }

  /// Whether the previous user closed the store; nil for a new store, and where the engine does not know.
  public var wasClosed: Bool?
  /// The data that is missing from the store because it could not be read; nil when there is none.
  public var tail: Tail?
  /// A log next to the store that belongs to another store or state, and was not read; nil when there is none.
  public var foreignLog: ForeignLog?
  /// The changes to the stored schema, one sentence each.
  public var schemaChanges: [String]
  /// Where the store is that was here before, and was put aside to start over; nil when this is that store.
  public var quarantine: String?
  /// The result of a compaction by ``OpenOptions/compaction``; nil when there was none.
  public var compacted: Compaction?

  /// Creates an opening report.
  ///
  /// - Parameters:
  ///   - wasClosed: Whether the previous user closed the store; nil for a new store, and where the engine does not know.
  ///   - tail: The end of the file that could not be read.
  ///   - schemaChanges: The changes to the stored schema, one sentence each.
  ///   - quarantine: The path or name of the store that was put aside to start over.
  ///   - compacted: The result of a compaction.
  ///   - foreignLog: A log next to the store that belongs to another store or state.
  public init(
    wasClosed: Bool? = nil, tail: Tail? = nil, schemaChanges: [String] = [], quarantine: String? = nil,
    compacted: Compaction? = nil, foreignLog: ForeignLog? = nil
  ) {
    self.wasClosed = wasClosed
    self.tail = tail
    self.schemaChanges = schemaChanges
    self.quarantine = quarantine
    self.compacted = compacted
    self.foreignLog = foreignLog
  }

  /// Notes for the maintainer of the store, one line each; empty when everything was in order.
  public var notes: [String] {
    var notes: [String] = []
    if let tail {
      let place = tail.path.map { "are kept in \($0)" } ?? "are left where they are"
      notes.append(
        "\(tail.bytes) bytes from byte \(tail.offset) on are not a whole commit (\(tail.reason)), and \(place)")
    }
    if let foreignLog {
      let place = foreignLog.movedTo.map { "is kept as \($0)" } ?? "was left where it is"
      notes.append(
        "\(foreignLog.path) with \(foreignLog.bytes) bytes is the log of another store or of another state, and \(place)"
      )
    }
    if let quarantine {
      notes.append("the previous store has other models and is kept as \(quarantine); this one began empty")
    }
    if let compacted {
      notes.append("the store was compacted from \(compacted.bytesBefore) bytes to \(compacted.bytesAfter)")
    }
    return notes
  }
}

extension OpeningReport: CustomStringConvertible {
  /// The notes and the changes of the schema, one line each.
  public var description: String {
    let lines = notes + schemaChanges
    return lines.isEmpty ? "the store was opened as it was" : lines.joined(separator: "\n")
  }
}
