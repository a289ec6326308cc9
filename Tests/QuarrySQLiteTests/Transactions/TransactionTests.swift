import Foundation
import QuarryBackend
import QuarryTestSupport
import Testing

@testable import QuarrySQLite

@Suite struct TransactionTests {
  func item(_ id: Int64) -> [Value] { StatementTests.item(id) }

  func store(_ count: Int64 = 0) throws -> TestStore {
    let store = try TestStore(TestModel.item)
    if count > 0 { try store.insert((1...count).map { item($0) }) }
    return store
  }

  @Test func aReaderSeesOneState() throws {
    let store = try store(1)
    let reader = try store.backend.beginRead()
    try store.insert([item(2)])
    #expect(try reader.count(store.query()) == 1)
    reader.end()
    #expect(try store.read { try $0.count(store.query()) } == 2)
  }

  @Test func versionsRiseWithCommitsThatChange() throws {
    let store = try store(1)
    let first = try store.read { try $0.version() }
    let nothing = try store.backend.beginWrite(WriteOptions())
    #expect(try nothing.commit().version == first)
    let transaction = try store.backend.beginWrite(WriteOptions())
    _ = try transaction.delete(store.id, [try store.key(.int(1))])
    let second = try transaction.commit().version
    #expect(second > first)
    #expect(try store.read { try $0.version() } == second)
    try store.backend.close()
    let again = try SQLiteBackend(SQLiteConfiguration(path: store.path), OpenOptions())
    #expect(try again.beginRead().version() == second)
  }

  @Test func rollbackUndoesRowsAndSchema() throws {
    let store = try store(1)
    let transaction = try store.backend.beginWrite(WriteOptions())
    try transaction.apply(.createModel(TestModel.book))
    #expect(try transaction.delete(store.query()) == 1)
    transaction.rollback()
    #expect(code { try transaction.count(store.query()) } == .transactionEnded)
    #expect(code { try transaction.commit() } == .transactionEnded)
    try store.read { (transaction) throws in
      #expect(transaction.schema.models.count == 1)
      #expect(try transaction.count(store.query()) == 1)
    }
    // The next writer may use the same number for another schema.
    try store.write { try $0.apply(.createModel(TestModel.everything)) }
    #expect(try store.read { $0.schema.models.map(\.name) } == ["Item", "Everything"])
  }

  @Test func aDroppedTransactionRollsBack() throws {
    let store = try store(1)
    do {
      let transaction = try store.backend.beginWrite(WriteOptions())
      #expect(try transaction.delete(store.query()) == 1)
    }
    #expect(try store.write { try $0.count(store.query()) } == 1)
  }

  @Test func savepointsNest() throws {
    let store = try store()
    let rows = try (1...3).map { try store.batch([item($0)]).asRows }
    try store.write { transaction in
      func add(_ index: Int) throws {
        var batch = RowBatch()
        for row in rows[index] { row.bytes.withUnsafeBytes { batch.append($0) } }
        try transaction.insert(store.id, batch)
      }
      try add(0)
      try transaction.savepoint()
      try add(1)
      try transaction.savepoint()
      try add(2)
      try transaction.apply(.createModel(TestModel.book))
      #expect(transaction.schema.models.count == 2)
      try transaction.rollbackSavepoint()
      #expect(transaction.schema.models.count == 1)
      #expect(try transaction.count(store.query()) == 2)
      try transaction.releaseSavepoint()
      #expect(code { try transaction.releaseSavepoint() } == .transactionEnded)
    }
    #expect(try store.fetch(store.query()).map { $0[0] } == [.int(1), .int(2)])
  }

  @Test func aCursorEndsWhenItsSavepointIsRolledBack() throws {
    let store = try store(100)
    try store.write { transaction in
      try transaction.savepoint()
      let cursor = try transaction.cursor(store.query())
      let rows = UnsafeMutableBufferPointer<UnsafeRawBufferPointer>.allocate(capacity: 1)
      rows.initialize(repeating: UnsafeRawBufferPointer(start: nil, count: 0))
      defer { rows.deallocate() }
      #expect(try cursor.fill(rows) == 1)
      try transaction.rollbackSavepoint()
      #expect(code { try cursor.fill(rows) } == .transactionEnded)
      cursor.close()
      cursor.close()
    }
  }

  @Test func aCursorEndsWithItsTransaction() throws {
    let store = try store(100)
    let transaction = try store.backend.beginRead()
    let cursor = try transaction.cursor(store.query())
    transaction.end()
    let rows = UnsafeMutableBufferPointer<UnsafeRawBufferPointer>.allocate(capacity: 4)
    rows.initialize(repeating: UnsafeRawBufferPointer(start: nil, count: 0))
    defer { rows.deallocate() }
    #expect(code { try cursor.fill(rows) } == .transactionEnded)
    #expect(code { try transaction.version() } == .transactionEnded)
    transaction.end()
  }

  @Test func twoCursorsOfOneShapeAreApart() throws {
    let store = try store(20)
    let transaction = try store.backend.beginRead()
    defer { transaction.end() }
    let first = try transaction.cursor(store.query())
    let rows = UnsafeMutableBufferPointer<UnsafeRawBufferPointer>.allocate(capacity: 3)
    rows.initialize(repeating: UnsafeRawBufferPointer(start: nil, count: 0))
    defer { rows.deallocate() }
    #expect(try first.fill(rows) == 3)
    #expect(try TestStore.fetch(transaction, store.query(), store.layout).count == 20)
    #expect(try first.fill(rows) == 3)
    #expect(try TestStore.values(rows[0], store.layout)[0] == .int(4))
  }

  // MARK: Writers

  @Test func anotherWriterIsWaitedForAndNoLonger() throws {
    let store = try store(1)
    let first = try store.backend.beginWrite(WriteOptions())
    #expect(code { try store.backend.beginWrite(WriteOptions(timeout: 0.05)) } == .busy)
    // Another program's writer.
    let other = try SQLiteBackend(SQLiteConfiguration(path: store.path), OpenOptions())
    #expect(code { try other.beginWrite(WriteOptions(timeout: 0.05)) } == .busy)
    #expect(try other.beginRead().count(store.query()) == 1)
    first.rollback()
    let second = try other.beginWrite(WriteOptions(timeout: 0.05))
    second.rollback()
    #expect(try store.backend.beginWrite(WriteOptions(timeout: 0)).commit().version.rawValue > 0)
  }

  @Test func aWaitingWriterGoesOn() throws {
    let store = try store(1)
    let first = try store.backend.beginWrite(WriteOptions())
    let backend = store.backend
    let begun = DispatchSemaphore(value: 0)
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      begun.signal()
      if let transaction = try? backend.beginWrite(WriteOptions(timeout: 30)) {
        transaction.rollback()
        done.signal()
      }
    }
    begun.wait()
    Thread.sleep(forTimeInterval: 0.02)
    first.rollback()
    #expect(done.wait(timeout: .now() + 20) == .success)
  }

  @Test func changesOfAnotherProgramAreSeen() throws {
    let store = try store(1)
    let other = try SQLiteBackend(SQLiteConfiguration(path: store.path), OpenOptions())
    let key = try store.key(.int(1))
    func rowSlots() throws -> Int? {
      var slots: Int?
      _ = try key.bytes.withUnsafeBytes { key in
        try store.backend.withRow(store.id, key) { (row) throws(StorageError) in
          let header = UInt32(littleEndian: row.loadUnaligned(as: UInt32.self))
          slots = Int(header >> 16)
        }
      }
      return slots
    }
    #expect(try rowSlots() == 4)
    #expect(try rowSlots() == 4)
    let transaction = try other.beginWrite(WriteOptions())
    try transaction.apply(
      .addProperty(store.id, PropertySchema(name: "added", type: .string, defaultValue: .string("x"))))
    _ = try transaction.commit()
    #expect(try rowSlots() == 5)
    #expect(try store.read { $0.schema.models[0].properties.count } == 5)
  }

  @Test func readersAndWritersOfManyThreadsSeeWholeCommits() async throws {
    var options = OpenOptions()
    options.durability = .processCrash
    options.busyTimeout = 60
    let store = try TestStore(TestModel.item, options: options)
    try store.insert((1...10).map { StatementTests.item($0, count: 0) })
    let (backend, id, all) = (store.backend, store.id, store.query())
    let sum = BoundAggregate(rows: all, columns: [.init(.sum, slot: 2), .init(.min, slot: 2), .init(.max, slot: 2)])
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<2 {
        group.addTask {
          for _ in 0..<40 {
            let transaction = try backend.beginWrite(WriteOptions())
            _ = try transaction.update(all, [BoundAssignment(slot: 2, operation: .add, value: .int(1))])
            _ = try transaction.commit()
          }
        }
      }
      for turn in 0..<3 {
        group.addTask {
          for _ in 0..<60 {
            let snapshot = turn == 0 ? try backend.snapshot() : nil
            let transaction = try snapshot?.beginRead() ?? backend.beginRead()
            let values = try transaction.aggregate(sum)[0].values
            guard case .int(let total) = values[0], case .int(let least) = values[1] else {
              throw StorageError(.corrupt, "no integers")
            }
            #expect(values[1] == values[2])
            #expect(total == least * 10)
            transaction.end()
            snapshot?.close()
            let key = KeyWriter()
            try key.append(.int(5), type: .int64, isOptional: false, isDescending: false, isLast: true)
            #expect(try backend.withRow(id, key.bytes) { _ in })
            withExtendedLifetime(key) {}
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try store.get(.int(1))?[2] == .int(80))
    #expect(backend.pool.usedCount == 0)
  }
}

extension StatementTests {
  static func everything(_ id: Int64, _ store: TestStore) -> [Value] {
    var row = [Value](repeating: .null, count: store.layout.slotCount)
    row[0] = .int(id)
    return row
  }
}

extension RowBatch {
  var asRows: [Row] {
    var rows: [Row] = []
    try! forEach { (_, row) throws(StorageError) in rows.append(Row(copying: row)) }
    return rows
  }
}
