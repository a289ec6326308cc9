/// One committed state of a store (and, in a write transaction, what the transaction has changed so far).
///
/// Row bytes that a call lends are valid until the next call on the same transaction, or on the cursor that lent them.
///
/// An implementation may assume that bytes are lent to it for the call, and that ids and slots are those of ``schema``.
/// ``BoundQuery`` lists what the binder has checked. The layer above checks threads and ends. A call after the end must not crash
/// all the same: it throws `transactionEnded`, or `closed` when the store was closed.
///
/// Two kinds of engines throw more than the calls name. Where there are many writers, every call may throw `conflict`: see
/// ``failure``. Where a server has the store, every call may throw `unavailable`.
public protocol BackendReadTransaction: AnyObject {
  /// The schema of the state that is read.
  var schema: Schema { get }

  /// The version of ``schema``, which an engine may know without looking at the schema: every read of a store asks for it.
  var schemaVersion: UInt64 { get }

  /// The version of the state that is read. May require reading the store.
  ///
  /// - Throws: `closed`, `transactionEnded`, `io`, `unavailable`.
  func version() throws(StorageError) -> CommitVersion

  /// The row with the primary key, or nil when there is none.
  ///
  /// - Parameters:
  ///   - model: The id of a model of ``schema``.
  ///   - key: The primary key in the key format (`docs/formats/key.md`), lent for the call.
  /// - Returns: The row in the row format (`docs/formats/row.md`), lent until the next call on the transaction.
  /// - Throws: `closed`, `transactionEnded`, `corrupt`, `io`.
  /// - Complexity: O(log n) for n rows of the model in an ordered tree.
  func row(_ model: ModelID, _ key: UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer?

  /// Reads the rows with these primary keys.
  ///
  /// - Parameters:
  ///   - model: The id of a model of ``schema``.
  ///   - keys: Primary keys in the key format, in any order; a key may occur more than once.
  ///   - body: Is called once for each key, in the order given, with the key's place in the array and the row, or nil when there
  ///     is none. The bytes are valid only inside.
  /// - Throws: As ``row(_:_:)``; the errors of the body, which end the call.
  func rows(
    _ model: ModelID, _ keys: [Key], _ body: (Int, UnsafeRawBufferPointer?) throws(StorageError) -> Void
  ) throws(StorageError)

  /// Finds the keys that no row has, without the rows of the others.
  ///
  /// The default reads the rows. An engine for which reading a row is expensive answers by its keys alone.
  ///
  /// - Parameters:
  ///   - model: The id of a model of ``schema``.
  ///   - keys: Primary keys in the key format, in any order.
  /// - Returns: The places of these keys in the array, ascending.
  /// - Throws: As ``row(_:_:)``.
  func missing(_ model: ModelID, _ keys: [Key]) throws(StorageError) -> [Int]

  /// Answers several questions at once, in their order.
  ///
  /// The default asks one after the other. An engine for which each call is a round trip sends them together.
  ///
  /// - Parameter questions: The questions. The rows that they ask for are few, because the answers hold copies.
  /// - Returns: One answer for each question, in the order of the questions.
  /// - Throws: As ``row(_:_:)`` and ``cursor(_:)``.
  func answers(_ questions: [ReadQuestion]) throws(StorageError) -> [ReadAnswer]

  /// The first error after which the transaction can only be ended; nil, which the default returns, while it can go on.
  ///
  /// An engine with many writers keeps a `conflict` of any call here, and throws it from every later call. So Quarry runs the
  /// body again even if the body has caught the error, and tells it from the `conflict` of an update with an expectation.
  var failure: StorageError? { get }

  /// The rows of the query, in its order, in bounded memory where the engine's indexes allow.
  ///
  /// An engine without an index for the order sorts, for example with ``RowSorter``, which keeps only the rows that limit and
  /// offset ask for.
  ///
  /// - Parameter query: A query that was bound to ``schema``; its order ends with the primary key.
  /// - Returns: A cursor before the first row. The caller closes it.
  /// - Throws: `invalidQuery` for a model or slot that the schema lacks, or a constant of another type than its slot; `closed`,
  ///   `transactionEnded`, `corrupt`, `io`.
  func cursor(_ query: BoundQuery) throws(StorageError) -> any RowCursor

  /// The number of rows that the query gives, offset and limit applied.
  ///
  /// - Parameter query: A query that was bound to ``schema``. Its order does not matter.
  /// - Throws: As ``cursor(_:)``.
  /// - Complexity: An engine may count a range of keys without visiting its rows. Otherwise it reads every row that the
  ///   predicate's index range has.
  func count(_ query: BoundQuery) throws(StorageError) -> Int

  /// Aggregates in groups, in the order of the groups' keys.
  ///
  /// ``RowAggregator`` defines the results, to the last bit.
  ///
  /// - Parameter aggregate: The rows, the slots to group by, and a function for each column.
  /// - Returns: One row for each group; without groups exactly one, also when no row matches.
  /// - Throws: As ``cursor(_:)``; `invalidValue` when a sum does not fit into its type; `invalidQuery` for a function that the
  ///   slot's type does not support, or a group by a type without an order.
  /// - Complexity: One read of the rows, and memory for the groups.
  func aggregate(_ aggregate: BoundAggregate) throws(StorageError) -> [AggregateRow]

  /// How ``cursor(_:)`` would execute the query.
  ///
  /// - Parameter query: A query that was bound to ``schema``. Its rows are not read.
  /// - Throws: As ``cursor(_:)``.
  func explain(_ query: BoundQuery) throws(StorageError) -> QueryPlan

  /// Ends a read transaction.
  ///
  /// Its cursors throw `transactionEnded` from then on. A second call does nothing. A write transaction that was neither
  /// committed nor rolled back is rolled back.
  func end()
}

extension BackendReadTransaction {
  /// The version of ``schema``.
  public var schemaVersion: UInt64 { schema.version }

  /// Reads the rows with these keys, and throws as ``rows(_:_:_:)``.
  public func missing(_ model: ModelID, _ keys: [Key]) throws(StorageError) -> [Int] {
    var places: [Int] = []
    try rows(model, keys) { place, row throws(StorageError) in
      if row == nil { places.append(place) }
    }
    return places
  }

  /// Asks one after the other, and throws as ``missing(_:_:)`` and ``cursor(_:)``.
  public func answers(_ questions: [ReadQuestion]) throws(StorageError) -> [ReadAnswer] {
    try ReadAnswer.oneAfterTheOther(
      questions, missing: { (model, keys) throws(StorageError) in try missing(model, keys) },
      cursor: { (query) throws(StorageError) in try cursor(query) })
  }

  /// Nil: no error ends the transaction.
  public var failure: StorageError? { nil }
}

extension ReadAnswer {
  /// Asks one question after the other.
  static func oneAfterTheOther(
    _ questions: [ReadQuestion], missing: (ModelID, [Key]) throws(StorageError) -> [Int],
    cursor: (BoundQuery) throws(StorageError) -> any RowCursor
  ) throws(StorageError) -> [ReadAnswer] {
    var answers: [ReadAnswer] = []
    for question in questions {
      switch question {
      case .missing(let model, let keys): answers.append(.missing(try missing(model, keys)))
      case .rows(let query): answers.append(.rows(try rows(of: try cursor(query))))
      }
    }
    return answers
  }

  /// The rows of a cursor, copied.
  private static func rows(of cursor: any RowCursor) throws(StorageError) -> [Row] {
    defer { cursor.close() }
    var rows: [Row] = []
    var lent = [UnsafeRawBufferPointer](repeating: UnsafeRawBufferPointer(start: nil, count: 0), count: 16)
    while true {
      let filled: Result<Int, StorageError> = lent.withUnsafeMutableBufferPointer { buffer in
        do throws(StorageError) { return .success(try cursor.fill(buffer)) } catch { return .failure(error) }
      }
      let count = try filled.get()
      guard count > 0 else { return rows }
      for row in lent[..<count] { rows.append(Row(copying: row)) }
    }
  }
}
