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

  /// The key of the one row.
  private static let key: Int64 = 1

  init() {}

  /// - Throws: `corrupt` where the log has none.
  init(_ models: HistoryModels, _ transaction: any BackendReadTransaction) throws(StorageError) {
    let found = try models.state.withRow(Self.key, in: transaction) { row throws(StorageError) in try HistoryState(row)
    }
    guard let found else { throw .damagedLog }
    self = found
  }

  private init(_ row: HistoryRowReader) throws(StorageError) {
    next = try row.integer(1)
    open = try row.integer(2)
    oldest = try row.integer(3)
    bytes = try row.integer(4)
    time = try row.integer(5)
    oldestTime = try row.integer(6)
    schema = try row.integer(7)
    schemaVersion = UInt64(bitPattern: try row.integer(8))
    keepsSeconds = try row.integer(9)
    keepsBytes = try row.integer(10)
    leftOut = try Self.models(row.bytes(11))
    guard next >= 1, oldest >= 1, oldest <= next, open >= 0, open < next, bytes >= 0, keepsBytes >= 0, keepsSeconds >= 0
    else { throw .damagedLog }
  }

  /// The models of numbers with commas between them.
  private static func models(_ text: UnsafeRawBufferPointer) throws(StorageError) -> Set<ModelID> {
    var models: Set<ModelID> = []
    if text.isEmpty { return models }
    for number in text.split(separator: UInt8(ascii: ",")) {
      guard let number = UInt32(String(decoding: number, as: UTF8.self)) else { throw .damagedLog }
      models.insert(ModelID(number))
    }
    return models
  }

  /// The row of the state, valid until the writer's next row.
  private func row(_ row: HistoryRowWriter) throws(StorageError) -> UnsafeRawBufferPointer {
    row.begin()
    row.set(0, Self.key)
    row.set(1, next)
    row.set(2, open)
    row.set(3, oldest)
    row.set(4, bytes)
    row.set(5, time)
    row.set(6, oldestTime)
    row.set(7, schema)
    row.set(8, Int64(bitPattern: schemaVersion))
    row.set(9, keepsSeconds)
    row.set(10, keepsBytes)
    let text = leftOut.isEmpty ? "" : leftOut.map(\.rawValue).sorted().map(String.init).joined(separator: ",")
    text.withBytes { row.set(11, bytes: $0) }
    return try row.finish()
  }

  /// Stores the state for the first time.
  func create(_ models: HistoryModels, _ transaction: any BackendWriteTransaction) throws(StorageError) {
    let writer = models.state.writer()
    var batch = RowBatch()
    batch.append(try row(writer))
    try transaction.insert(models.state.id, batch)
    models.state.giveBack(writer)
  }

  /// Stores the state in the place of the one before.
  func write(_ models: HistoryModels, _ transaction: any BackendWriteTransaction) throws(StorageError) {
    let writer = models.state.writer()
    try transaction.update(models.state.id, try row(writer), slots: nil, expected: nil, expectedSlots: nil)
    models.state.giveBack(writer)
  }

  // MARK: Bounds

  /// Whether the log is larger than its bound.
  var isTooLarge: Bool { bytes > keepsBytes }

  /// The hybrid time before which change sets are too old; nil for no limit by age.
  func firstTime(now: @autoclosure () -> Int64) -> Int64? {
    guard keepsSeconds > 0 else { return nil }
    let now = now()
    return HistoryTime.milliseconds(now) > keepsSeconds * 1_000
      ? HistoryTime.time(ofMilliseconds: HistoryTime.milliseconds(now) - keepsSeconds * 1_000) : 0
  }

  // MARK: Schemas

  /// Whether a version of the schema is the last one of the log.
  func hasNoted(_ version: UInt64) -> Bool { schema != 0 && schemaVersion == version }

  /// Adds the schema of the transaction to those of the log, unless it is the last one.
  ///
  /// - Parameter byNames: Whether its models have other numbers than those of the schema before, in a copy.
  mutating func note(
    _ schema: Schema, byNames: Bool = false, _ models: HistoryModels, _ transaction: any BackendWriteTransaction
  ) throws(StorageError) {
    guard byNames || !hasNoted(schema.version) else { return }
    self.schema += 1
    schemaVersion = schema.version
    try models.schemas.insert(
      [[.int(self.schema), .bool(byNames), .data(.init(try HistorySchemas.codec.encode(schema)))]], in: transaction)
  }
}
