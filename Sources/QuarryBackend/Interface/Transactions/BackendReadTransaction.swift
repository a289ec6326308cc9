/// One committed state of a store (and, in a write transaction, what the transaction has changed so far).
///
/// Row bytes that a call lends are valid until the next call on the same transaction, or on the cursor that lent them.
public protocol BackendReadTransaction: AnyObject {
  /// The schema of the state that is read.
  var schema: Schema { get }

  /// The version of ``schema``, which an engine may know without looking at the schema: every read of a store asks for it.
  var schemaVersion: UInt64 { get }

  /// The version of the state that is read. May require reading the store.
  func version() throws(StorageError) -> CommitVersion

  /// The row with the primary key, or nil when there is none.
  func row(_ model: ModelID, _ key: UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer?

  /// Reads the rows with these primary keys.
  ///
  /// The body is called once for each key, in the order given, with the key's place and the row, or nil when there is none.
  func rows(
    _ model: ModelID, _ keys: [Key], _ body: (Int, UnsafeRawBufferPointer?) throws(StorageError) -> Void
  ) throws(StorageError)

  /// Finds the keys that no row has, without the rows of the others.
  ///
  /// The default reads the rows. An engine for which a row is dear answers by its keys alone.
  ///
  /// - Returns: The places of these keys in the array, ascending.
  func missing(_ model: ModelID, _ keys: [Key]) throws(StorageError) -> [Int]

  /// Answers several questions at once, in their order.
  ///
  /// The default asks one after the other. An engine for which each call is a round trip sends them together.
  func answers(_ questions: [ReadQuestion]) throws(StorageError) -> [ReadAnswer]

  /// The first error after which the transaction can only be ended; nil, which the default returns, while it can go on.
  ///
  /// An engine with many writers keeps a `conflict` of any call here, and throws it from every later call. So Quarry runs the
  /// body again even if the body has caught the error, and tells it from the `conflict` of an update with an expectation.
  var failure: StorageError? { get }

  /// The rows of the query, in its order, in bounded memory where the engine's indexes allow.
  func cursor(_ query: BoundQuery) throws(StorageError) -> any RowCursor

  /// The number of rows that the query gives, offset and limit applied.
  func count(_ query: BoundQuery) throws(StorageError) -> Int

  /// Aggregates in groups, in the order of the groups' keys.
  func aggregate(_ aggregate: BoundAggregate) throws(StorageError) -> [AggregateRow]

  /// How ``cursor(_:)`` would execute the query.
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

  /// Reads the rows with these keys.
  public func missing(_ model: ModelID, _ keys: [Key]) throws(StorageError) -> [Int] {
    var places: [Int] = []
    try rows(model, keys) { place, row throws(StorageError) in
      if row == nil { places.append(place) }
    }
    return places
  }

  /// Asks one after the other.
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
