import Foundation
import QuarryBackend

/// Change sets that follow each other in a log, read in one transaction.
struct HistoryPage {
  private(set) var sets: [HistorySet] = []
  /// Whether the log ends behind them.
  private(set) var isLast = true
  /// The position after which the next page begins.
  private(set) var end: HistoryPosition

  /// The bytes after which a page ends, and its most change sets.
  static let most = (bytes: 4 << 20, sets: 1_000)

  /// Reads the change sets after a position.
  ///
  /// - Parameters:
  ///   - position: The position; nil for all that remain.
  ///   - limit: The most change sets.
  ///   - schemas: The schemas of the log where they are known; replaced when they are old.
  /// - Throws: `notFound` where the store has no log, and where change sets after the position were removed, with
  ///   ``HistoryTrimmed`` as the cause; `invalidValue` for a position that the store has not reached; `corrupt`.
  init(
    after position: HistoryPosition?, limit: Int, _ schemas: inout HistorySchemas?, in transaction: ReadTransaction
  ) throws(StorageError) {
    guard let models = HistoryModels(transaction.backend.schema) else { throw .noHistory }
    let state = try HistoryState(models, transaction.backend)
    if let position { try Self.check(position, state, models, transaction.backend) }
    end = HistoryPosition(state.next - 1)
    let known: HistorySchemas
    if let schemas, schemas.last == state.schema, schemas.current.version == models.schemaVersion {
      known = schemas
    } else {
      known = try HistorySchemas(models, transaction.backend)
      schemas = known
    }
    var set = HistorySetBuilder()
    var bytes = 0
    try models.log.forEach(
      after: .int(max(position?.number ?? 0, state.oldest - 1)), in: transaction.backend
    ) { values throws(StorageError) in
      let row = try HistoryRow(values)
      // The beginning of this change set was removed.
      if row.first < state.oldest { return true }
      if row.first != set.first, set.first != nil {
        sets.append(try set.end(known, transaction.context))
        guard sets.count < min(limit, Self.most.sets), bytes < Self.most.bytes else {
          isLast = false
          end = sets.last?.position ?? end
          set = HistorySetBuilder()
          return false
        }
      }
      bytes += row.data.count
      try set.add(row)
      return true
    }
    if set.first != nil { sets.append(try set.end(known, transaction.context)) }
  }

  private static func check(
    _ position: HistoryPosition, _ state: HistoryState, _ models: HistoryModels,
    _ transaction: any BackendReadTransaction
  ) throws(StorageError) {
    guard position.number < state.next else {
      throw StorageError(
        .invalidValue, "the history of the store ends at position \(state.next - 1), before \(position)")
    }
    guard position.number < state.oldest - 1 else { return }
    var oldest: Int64?
    var first: Int64?
    try models.log.forEach(after: .int(state.oldest - 1), slots: [0, 1], in: transaction) {
      values throws(StorageError) in
      let (place, own) = (try values.integer(0), try values.integer(1))
      if own < state.oldest { return true }
      guard first == nil || first == own else { return false }
      (first, oldest) = (own, place)
      return true
    }
    throw HistoryTrimmed(position: position, oldest: oldest.map { HistoryPosition($0) }).error
  }
}

/// A row of the log.
struct HistoryRow {
  let position: Int64
  let first: Int64
  let more: Bool
  let size: Int64
  let schema: Int64
  let time: Int64
  let data: Data

  init(_ values: [Value]) throws(StorageError) {
    position = try values.integer(0)
    first = try values.integer(1)
    more = try values.bool(2)
    size = try values.integer(3)
    schema = try values.integer(4)
    time = try values.integer(5)
    data = try values.data(7)
  }
}

/// Puts the rows of a change set together.
struct HistorySetBuilder {
  private(set) var first: Int64?
  private var last: HistoryRow?
  private var bytes: [UInt8] = []
  private var changes: ChangeSet?
  private var author: String?
  private var schema: Int64?

  mutating func add(_ row: HistoryRow) throws(StorageError) {
    if first == nil { first = row.first }
    bytes += row.data
    last = row
    guard !row.more else { return }
    let part = try bytes.withBytes { (bytes) throws(StorageError) in try CommittedChanges(decoding: bytes) }
    bytes = []
    author = part.author ?? author
    if changes == nil {
      changes = part.changes
    } else if schema == row.schema {
      changes?.merge(part.changes)
    } else {
      changes = .unknown
    }
    schema = row.schema
  }

  /// The change set; the builder is empty then.
  mutating func end(_ schemas: HistorySchemas, _ context: StoreContext) throws(StorageError) -> HistorySet {
    guard let last, !last.more, let changes, let schema, schemas.isKnown(schema) else { throw .damagedLog }
    let set = HistorySet(
      position: HistoryPosition(last.position), date: HistoryTime.date(last.time), author: author, time: last.time,
      schema: schema, changes: changes, schemas: schemas, context: context)
    self = HistorySetBuilder()
    return set
  }
}

/// Change sets after a position were removed from the history of a store: the cause of a `notFound`.
public struct HistoryTrimmed: Error, Sendable {
  /// The position that was read after.
  public let position: HistoryPosition
  /// The position of the oldest change set that remains; nil where none does.
  public let oldest: HistoryPosition?

  var error: StorageError {
    StorageError(
      .notFound,
      "change sets after position \(position) were removed from the history, "
        + (oldest.map { "the oldest that remains is \($0)" } ?? "none remains"), cause: self)
  }
}
