import QuarryBackend

/// The state of a log: the one object of `_quarry_history`.
struct HistoryState: Equatable {
  /// The position of the next row.
  var next: Int64 = 1
  /// The first row of a change set of which rows were written before its body ended; 0 for none.
  var open: Int64 = 0
  /// The position of the oldest row that remains, or `next`.
  var oldest: Int64 = 1
  /// The bytes of all rows that remain.
  var bytes: Int64 = 0
  /// The hybrid time of the last change set.
  var time: Int64 = 0
  /// The hybrid time of the oldest row that remains.
  var oldestTime: Int64 = 0
  /// The number of the last schema in `_quarry_log_schema`, and its version.
  var schema: Int64 = 0
  var schemaVersion: UInt64 = 0
  /// The bounds; 0 seconds for no limit by age.
  var keepsSeconds: Int64 = 0
  var keepsBytes: Int64 = 0
  /// The models that are not recorded.
  var leftOut: Set<ModelID> = []

  private static let key = Value.int(1)

  init() {}

  /// - Throws: `corrupt` where the log has none.
  init(_ models: HistoryModels, _ transaction: any BackendReadTransaction) throws(StorageError) {
    guard let values = try models.state.find(Self.key, in: transaction) else { throw .damagedLog }
    next = try values.integer(1)
    open = try values.integer(2)
    oldest = try values.integer(3)
    bytes = try values.integer(4)
    time = try values.integer(5)
    oldestTime = try values.integer(6)
    schema = try values.integer(7)
    schemaVersion = UInt64(bitPattern: try values.integer(8))
    keepsSeconds = try values.integer(9)
    keepsBytes = try values.integer(10)
    for number in try values.text(11).split(separator: ",") {
      guard let number = UInt32(number) else { throw .damagedLog }
      leftOut.insert(ModelID(number))
    }
    guard next >= 1, oldest >= 1, oldest <= next, open >= 0, open < next, bytes >= 0, keepsBytes >= 0, keepsSeconds >= 0
    else { throw .damagedLog }
  }

  func write(_ models: HistoryModels, _ transaction: any BackendWriteTransaction) throws(StorageError) {
    let leftOut = leftOut.map(\.rawValue).sorted().map(String.init).joined(separator: ",")
    try models.state.upsert(
      [
        Self.key, .int(next), .int(open), .int(oldest), .int(bytes), .int(time), .int(oldestTime), .int(schema),
        .int(Int64(bitPattern: schemaVersion)), .int(keepsSeconds), .int(keepsBytes), .string(leftOut),
      ], in: transaction)
  }

  // MARK: Bounds

  /// Whether the log is larger than its bound.
  var isTooLarge: Bool { bytes > keepsBytes }

  /// The hybrid time before which change sets are too old; nil for no limit by age.
  func firstTime(now: Int64) -> Int64? {
    guard keepsSeconds > 0 else { return nil }
    return HistoryTime.milliseconds(now) > keepsSeconds * 1_000
      ? HistoryTime.time(ofMilliseconds: HistoryTime.milliseconds(now) - keepsSeconds * 1_000) : 0
  }

  // MARK: Schemas

  /// Adds the schema of the transaction to those of the log, unless it is the last one.
  ///
  /// - Parameter byNames: Whether its models have other numbers than those of the schema before, in a copy.
  mutating func note(
    _ schema: Schema, byNames: Bool = false, _ models: HistoryModels, _ transaction: any BackendWriteTransaction
  ) throws(StorageError) {
    guard byNames || self.schema == 0 || schema.version != schemaVersion else { return }
    self.schema += 1
    schemaVersion = schema.version
    try models.schemas.insert(
      [[.int(self.schema), .bool(byNames), .data(.init(try HistorySchemas.codec.encode(schema)))]], in: transaction)
  }
}
