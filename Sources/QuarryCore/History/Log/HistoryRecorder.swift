import QuarryBackend
import Synchronization

/// Writes the change sets of a store's writes into its log, in the transactions of these writes.
final class HistoryRecorder: PartRecorder {
  private struct State {
    var demand = Capture.none
    var models: HistoryModels?
  }

  /// The most bytes of one row of the log.
  static let rowBytes = 1 << 20
  /// The bytes that are counted for a row of the log in addition to its part of a change set.
  static let bytesOfEach = 64
  /// The most bytes of an author's name.
  static let authorBytes = 255
  /// The most bytes of a model's rows that are captured for one change set, or for one part of it.
  static let captureBytes = 64 << 20

  /// The captured bytes after which the changes of a transaction that goes on are recorded.
  let partBytes = 4 << 20

  /// The place of changes in the change set of their write.
  enum Part {
    /// All of it.
    case only
    /// The beginning or the middle.
    case more
    /// The end.
    case last
  }

  private let state = Mutex(State())
  private let isRecording = Atomic(false)

  /// Whether the store keeps a log: the only thing that a write checks where it keeps none.
  var isOn: Bool { isRecording.load(ordering: .relaxed) }

  /// The changes that a write has to capture.
  var demand: Capture { state.withLock { $0.demand } }

  /// Begins to record where the state has a log, and ends it where it has none. Called for each new version of the schema.
  func look(_ transaction: any BackendReadTransaction) throws(StorageError) {
    guard let models = HistoryModels(transaction.schema) else {
      state.withLock { $0 = State() }
      return isRecording.store(false, ordering: .relaxed)
    }
    var demand = Capture(.rows)
    demand.limit = Self.captureBytes
    for model in try HistoryState(models, transaction).leftOut.union(models.own) {
      demand.models[model] = Capture.Detail.none
    }
    state.withLock { $0 = State(demand: demand, models: models) }
    isRecording.store(true, ordering: .relaxed)
  }

  private func models(of transaction: any BackendReadTransaction) -> HistoryModels? {
    let version = transaction.schemaVersion
    if let known = state.withLock({ $0.models }), known.schemaVersion == version { return known }
    // Known for one transaction: the store looks at the schema when it is committed.
    return HistoryModels(transaction.schema)
  }

  // MARK: Recording

  /// Adds what a body has changed to the log.
  ///
  /// - Returns: The position of the change set; nil where there is nothing to record, and before its end.
  /// - Throws: `limitExceeded` for the name of an author; the errors of writing.
  func record(
    _ changes: CapturedChanges, author: String?, part: Part = .only, in captured: any BackendWriteTransaction
  ) throws(StorageError) -> HistoryPosition? {
    guard let models = models(of: captured) else { return nil }
    // Nobody has asked for changes of the log itself.
    let beneath = (captured as? WriterLayer)?.beneath(writesTo: models.log.id, models.state.id)
    let transaction = beneath ?? captured
    let changes = Self.recorded(changes, models)
    guard !changes.isEmpty || part == .last else { return nil }
    var state = try HistoryState(models, transaction)
    let concerned = Self.without(state.leftOut, changes)
    guard !concerned.isEmpty || state.open > 0 else { return nil }
    if let author, author.utf8.count > Self.authorBytes {
      throw .limitExceeded("bytes of an author's name", limit: Self.authorBytes, actual: author.utf8.count)
    }
    if !state.hasNoted(models.schemaVersion) { try state.note(captured.schema, models, captured) }
    let encoding = CommittedChanges.Encoding(
      version: CommitVersion(UInt64(bitPattern: state.next)), schemaVersion: models.schemaVersion, concerned,
      author: author)
    let first = state.open > 0 ? state.open : state.next
    let writer = models.log.writer()
    try Self.write(encoding, first, to: writer, &state)
    state.open = part == .more ? first : 0
    try HistoryTrimming(models: models, transaction: transaction).trim(&state, before: first, adding: writer.rows.count)
    // The state first: where there are many writers, the conflict of two of them is found here.
    try state.write(models, transaction)
    try transaction.insert(models.log.id, writer.rows)
    models.log.giveBack(writer)
    return part == .more ? nil : HistoryPosition(state.next - 1)
  }

  func recordPart(
    _ changes: CapturedChanges, author: String?, in transaction: any BackendWriteTransaction
  ) throws(StorageError) {
    _ = try record(changes, author: author, part: .more, in: transaction)
  }

  /// The changes of the program's models.
  private static func recorded(_ changes: CapturedChanges, _ models: HistoryModels) -> CapturedChanges {
    if changes.isUnknown { return .unknown }
    guard changes.models.contains(where: { models.own.contains($0.id) || $0.lacksRows }) else { return changes }
    // Where rows are lacking, the log was begun after the write, and they were not captured.
    let known = changes.models.filter { !models.own.contains($0.id) }
    return CapturedChanges(models: known.map { $0.lacksRows ? .unknown($0.id) : $0 })
  }

  /// The changes without those of models that are left out.
  private static func without(_ leftOut: Set<ModelID>, _ changes: CapturedChanges) -> CapturedChanges {
    guard !leftOut.isEmpty else { return changes }
    return CapturedChanges(models: changes.models.filter { !leftOut.contains($0.id) }, isUnknown: changes.isUnknown)
  }

  /// Writes the rows of a change set, and adds them to the state.
  ///
  /// - Parameter first: The position of the first row of the change set.
  private static func write(
    _ changes: CommittedChanges.Encoding, _ first: Int64, to row: HistoryRowWriter, _ state: inout HistoryState
  ) throws(StorageError) {
    state.time = HistoryTime.next(after: state.time)
    if state.oldest == state.next { state.oldestTime = state.time }
    // Those of one row are written where they belong.
    let bytes = changes.count > rowBytes ? changes.bytes : nil
    var start = 0
    repeat {
      let end = min(start + rowBytes, changes.count)
      let size = end - start + bytesOfEach
      row.begin()
      row.set(0, state.next)
      row.set(1, first)
      row.set(2, end < changes.count)
      row.set(3, Int64(size))
      row.set(4, state.schema)
      row.set(5, state.time)
      row.set(6, 0)
      if let bytes {
        bytes.withBytes { row.set(7, bytes: UnsafeRawBufferPointer(rebasing: $0[start..<end])) }
      } else {
        row.set(7, count: changes.count) { changes.write(to: $0) }
      }
      row.rows.append(try row.finish())
      state.next += 1
      state.bytes += Int64(size)
      start = end
    } while start < changes.count
  }
}
