import QuarryBackend
import Testing

@testable import QuarryKeyValue

@Suite struct TransactionStateTests {
  /// Every call of a read transaction.
  private func calls(_ store: TestStore, _ transaction: any BackendReadTransaction) -> [StorageError.Code?] {
    [
      thrownCode { _ = try transaction.version() },
      thrownCode { _ = try store.get(transaction, 1) },
      thrownCode { try transaction.rows(store.model.id, [store.key(1)]) { (_, _) throws(StorageError) in } },
      thrownCode { _ = try transaction.cursor(store.query()) },
      thrownCode { _ = try transaction.count(store.query()) },
      thrownCode { _ = try transaction.explain(store.query()) },
      thrownCode { _ = try transaction.aggregate(BoundAggregate(rows: store.query(), columns: [.init(.count)])) },
    ]
  }

  /// Every call of a write transaction.
  private func calls(_ store: TestStore, writing transaction: any BackendWriteTransaction) -> [StorageError.Code?] {
    calls(store, transaction) + [
      thrownCode { try store.insert(transaction, [Book(id: 5)]) },
      thrownCode { try store.upsert(transaction, [Book(id: 5)]) },
      thrownCode { try store.update(transaction, Book(id: 1)) },
      thrownCode {
        _ = try store.bytes(Book(id: 5).values).withUnsafeBytes { try transaction.getOrInsert(store.model.id, $0) }
      },
      thrownCode { _ = try transaction.delete(store.model.id, [store.key(1)]) },
      thrownCode { _ = try transaction.delete(store.query()) },
      thrownCode {
        _ = try transaction.update(store.query(), [BoundAssignment(slot: 2, operation: .add, value: .int(1))])
      },
      thrownCode { try transaction.savepoint() },
      thrownCode { try transaction.releaseSavepoint() },
      thrownCode { try transaction.rollbackSavepoint() },
      thrownCode { try transaction.apply(.dropModel(store.model.id)) },
      thrownCode { _ = try transaction.commit() },
    ]
  }

  @Test(arguments: EngineKind.allCases) func aReadTransactionEnds(_ kind: EngineKind) throws {
    let store = try TestStore(kind)
    let transaction = try store.backend.beginRead()
    transaction.end()
    transaction.end()
    #expect(Set(calls(store, transaction)) == [.transactionEnded])
    #expect(transaction.schema.models == [store.model])
  }

  @Test(arguments: EngineKind.allCases, ["commit", "rollback", "end"])
  func aWriteTransactionEnds(_ kind: EngineKind, _ how: String) throws {
    let store = try TestStore(kind)
    let transaction = try store.backend.beginWrite(WriteOptions())
    switch how {
    case "commit": _ = try transaction.commit()
    case "rollback": transaction.rollback()
    default: transaction.end()
    }
    #expect(Set(calls(store, writing: transaction)) == [.transactionEnded])
  }

  @Test(arguments: EngineKind.allCases) func afterCloseEverythingIsClosed(_ kind: EngineKind) throws {
    let store = try TestStore(kind)
    let read = try store.backend.beginRead()
    let write = try store.backend.beginWrite(WriteOptions())
    let snapshot = try store.backend.snapshot()
    let cursor = try read.cursor(store.query())
    try store.backend.close()
    try store.backend.close()
    #expect(Set(calls(store, read)) == [.closed])
    #expect(Set(calls(store, writing: write)) == [.closed])
    withBuffer(1) { batch in #expect(thrownCode { _ = try cursor.fill(batch) } == .closed) }
    #expect(thrownCode { _ = try snapshot.beginRead() } == .closed)
    #expect(thrownCode { _ = try store.backend.beginRead() } == .closed)
    #expect(thrownCode { _ = try store.backend.beginWrite(WriteOptions()) } == .closed)
    #expect(thrownCode { _ = try store.backend.snapshot() } == .closed)
    #expect(thrownCode { _ = try store.backend.statistics() } == .closed)
    #expect(thrownCode { try store.backend.destroy() } == .closed)
    let code = try store.key(1).bytes.withUnsafeBytes { key in
      thrownCode { _ = try store.backend.withRow(store.model.id, key) { _ throws(StorageError) in } }
    }
    #expect(code == .closed)
  }

  @Test(arguments: EngineKind.allCases) func aTransactionThatIsLetGoRollsBack(_ kind: EngineKind) throws {
    let store = try TestStore(kind)
    do {
      let transaction = try store.backend.beginWrite(WriteOptions())
      try store.insert(transaction, [Book(id: 1)])
    }
    try store.write { transaction throws in #expect(try transaction.count(store.query()) == 0) }
  }

  @Test func aSnapshotSeesItsState() throws {
    let store = try TestStore(.memory)
    try store.write { try store.insert($0, [Book(id: 1)]) }
    let snapshot = try store.backend.snapshot()
    try store.write { try store.insert($0, [Book(id: 2)]) }
    let transaction = try snapshot.beginRead()
    #expect(try store.ids(transaction, store.query()) == [1])
    snapshot.close()
    #expect(thrownCode { _ = try snapshot.beginRead() } == .closed)
  }

  @Test(arguments: EngineKind.allCases) func savepointsNest(_ kind: EngineKind) throws {
    let store = try TestStore(kind)
    try store.write { transaction throws in
      try store.insert(transaction, [Book(id: 1, isbn: "a")])
      try transaction.savepoint()
      try store.insert(transaction, [Book(id: 2, isbn: "b")])
      try transaction.savepoint()
      _ = try transaction.delete(store.query())
      try transaction.rollbackSavepoint()
      #expect(try store.ids(transaction, store.query()) == [1, 2])
      #expect(try indexFaults(transaction) == [])
      try transaction.savepoint()
      try store.update(transaction, Book(id: 1, isbn: "c"))
      try transaction.releaseSavepoint()
      #expect(try store.get(transaction, 1)?[1] == .string("c"))
      try transaction.rollbackSavepoint()
      #expect(try store.get(transaction, 1)?[1] == .string("a"))
      #expect(try store.ids(transaction, store.query()) == [1])
    }
  }

  @Test func withoutASavepointNoneIsRolledBack() throws {
    try TestStore().write { transaction throws in
      #expect(thrownCode { try transaction.rollbackSavepoint() } == .transactionEnded)
      #expect(thrownCode { try transaction.releaseSavepoint() } == .transactionEnded)
    }
  }

  // MARK: Cursors

  static let paths: [BoundQuery] = [
    BoundQuery(model: ModelID(1), order: [.init(slot: 0)]),
    BoundQuery(model: ModelID(1), order: [.init(slot: 2), .init(slot: 0)]),
    BoundQuery(model: ModelID(1), order: [.init(slot: 3), .init(slot: 0)]),
    BoundQuery(model: ModelID(1), predicate: .oneOf(slot: 0, [.int(1), .int(2)]), order: [.init(slot: 0)]),
    BoundQuery(model: ModelID(1), predicate: .compare(slot: 2, .less, .int(9)), order: [.init(slot: 0)]),
  ]

  @Test(arguments: paths) func aCursorEndsWithItsTransaction(_ query: BoundQuery) throws {
    let store = try TestStore()
    try store.write { try store.insert($0, [Book(id: 1, year: 1), Book(id: 2, year: 2)]) }
    let transaction = try store.backend.beginRead()
    let cursor = try transaction.cursor(query)
    try withBuffer(1) { batch throws in #expect(try cursor.fill(batch) == 1) }
    transaction.end()
    withBuffer(1) { batch in #expect(thrownCode { _ = try cursor.fill(batch) } == .transactionEnded) }
  }

  @Test(arguments: paths) func aCursorEndsWhenItsModelIsWritten(_ query: BoundQuery) throws {
    let store = try TestStore()
    try store.write { transaction throws in
      try store.insert(transaction, [Book(id: 1, year: 1), Book(id: 2, year: 2)])
      let cursor = try transaction.cursor(query)
      try store.insert(transaction, [Book(id: 3)])
      withBuffer(1) { batch in #expect(thrownCode { _ = try cursor.fill(batch) } == .transactionEnded) }
    }
  }

  @Test(arguments: paths) func aCursorEndsWhenASavepointIsRolledBack(_ query: BoundQuery) throws {
    let store = try TestStore()
    try store.write { transaction throws in
      try store.insert(transaction, [Book(id: 1, year: 1), Book(id: 2, year: 2)])
      try transaction.savepoint()
      let cursor = try transaction.cursor(query)
      try transaction.rollbackSavepoint()
      withBuffer(1) { batch in #expect(thrownCode { _ = try cursor.fill(batch) } == .transactionEnded) }
    }
  }

  @Test(arguments: EngineKind.allCases) func aCursorGoesOnWhenAnotherModelIsWritten(_ kind: EngineKind) throws {
    let store = try TestStore(kind)
    try store.write { transaction throws in
      try store.insert(transaction, [Book(id: 1), Book(id: 2)])
      try transaction.apply(
        .createModel(ModelSchema(name: "Note", properties: [PropertySchema(name: "id", type: .int64)], primaryKey: 0)))
      let note = try #require(transaction.schema.model(named: "Note"))
      let cursor = try transaction.cursor(store.query())
      var batch = RowBatch()
      try store.bytes([.int(9)], RowLayout(note)).withUnsafeBytes { batch.append($0) }
      try transaction.insert(note.id, batch)
      try withBuffer(9) { batch throws in #expect(try cursor.fill(batch) == 2) }
    }
  }

  @Test(arguments: paths) func aClosedCursorIsAtItsEnd(_ query: BoundQuery) throws {
    let store = try TestStore()
    try store.write { try store.insert($0, [Book(id: 1, year: 1), Book(id: 2, year: 2)]) }
    try store.read { transaction throws in
      let cursor = try transaction.cursor(query)
      cursor.close()
      cursor.close()
      try withBuffer(9) { batch throws in #expect(try cursor.fill(batch) == 0) }
    }
  }
}
