import Foundation
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
    _ changes: ChangeSet, author: String?, part: Part = .only, in transaction: any BackendWriteTransaction
  ) throws(StorageError) -> HistoryPosition? {
    guard let models = models(of: transaction) else { return nil }
    let changes = Self.recorded(changes, models) ?? ChangeSet()
    guard !changes.isEmpty || part == .last else { return nil }
    var state = try HistoryState(models, transaction)
    let concerned = changes.models.filter { !state.leftOut.contains($0.key) }
    guard changes.isUnknown || !concerned.isEmpty || state.open > 0 else { return nil }
    if let author, author.utf8.count > Self.authorBytes {
      throw .limitExceeded("bytes of an author's name", limit: Self.authorBytes, actual: author.utf8.count)
    }
    try state.note(transaction.schema, models, transaction)
    let set = CommittedChanges(
      version: CommitVersion(UInt64(bitPattern: state.next)), schemaVersion: transaction.schemaVersion,
      changes: ChangeSet(models: concerned, isUnknown: changes.isUnknown), author: author)
    let first = state.open > 0 ? state.open : state.next
    let rows = Self.rows(of: set.encoded(), first, &state)
    state.open = part == .more ? first : 0
    try HistoryTrimming(models: models, transaction: transaction).trim(&state, before: first, adding: rows.count)
    // The state first: where there are many writers, the conflict of two of them is found here.
    try state.write(models, transaction)
    try models.log.insert(rows, in: transaction)
    return part == .more ? nil : HistoryPosition(state.next - 1)
  }

  /// The changes of the program's models; nil for none.
  func recordPart(
    _ changes: ChangeSet, author: String?, in transaction: any BackendWriteTransaction
  ) throws(StorageError) {
    _ = try record(changes, author: author, part: .more, in: transaction)
  }

  private static func recorded(_ changes: ChangeSet, _ models: HistoryModels) -> ChangeSet? {
    if changes.isUnknown { return .unknown }
    var result = ChangeSet()
    for (model, changed) in changes.models where !models.own.contains(model) {
      if case .objects(let objects) = changed, !objects.allSatisfy(\.hasItsRows) {
        // The log was begun after the write, and the rows were not captured.
        result.models[model] = .unknown
      } else {
        result.models[model] = changed
      }
    }
    return result.models.isEmpty ? nil : result
  }

  /// The rows of a change set, added to the state.
  ///
  /// - Parameter first: The position of the first row of the change set.
  private static func rows(of bytes: [UInt8], _ first: Int64, _ state: inout HistoryState) -> [[Value]] {
    state.time = HistoryTime.next(after: state.time)
    if state.oldest == state.next { state.oldestTime = state.time }
    var rows: [[Value]] = []
    var start = 0
    repeat {
      let end = min(start + rowBytes, bytes.count)
      let size = end - start + bytesOfEach
      rows.append([
        .int(state.next), .int(first), .bool(end < bytes.count), .int(Int64(size)), .int(state.schema),
        .int(state.time),
        .int(0), .data(Data(bytes[start..<end])),
      ])
      state.next += 1
      state.bytes += Int64(size)
      start = end
    } while start < bytes.count
    return rows
  }
}

extension ChangeSet.Change {
  /// Whether the rows before and after were captured.
  fileprivate var hasItsRows: Bool { (old == nil) == (kind == .insertion) && (new == nil) == (kind == .deletion) }
}
