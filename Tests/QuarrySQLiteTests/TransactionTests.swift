import Foundation
import QuarryBackend
import QuarryTestSupport
import Testing

@testable import QuarrySQLite

@Suite struct TransactionTests {
  private func item(_ id: Int64) -> [Value] { StatementTests.item(id) }

  private func store(_ count: Int64 = 0) throws -> TestStore {
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

  // MARK: Snapshots

  @Test func aSnapshotStaysWhileOthersWrite() throws {
    let store = try store(100)
    let snapshot = try store.backend.snapshot()
    for id in 101...200 { try store.insert([item(Int64(id))]) }
    let transaction = try snapshot.beginRead()
    #expect(try transaction.count(store.query()) == 100)
    #expect(try store.read { try $0.count(store.query()) } == 200)
    #expect(try transaction.version() == snapshot.version)
    snapshot.close()
    snapshot.close()
    #expect(code { try transaction.count(store.query()) } == .closed)
    #expect(code { try snapshot.beginRead() } == .closed)
  }

  @Test func aSnapshotIsReadByManyThreads() async throws {
    let store = try store(500)
    let snapshot = try store.backend.snapshot()
    try store.write { _ = try $0.delete(store.query()) }
    let (query, layout, id) = (store.query(), store.layout, store.id)
    let totals = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<6 {
        group.addTask {
          let transaction = try snapshot.beginRead()
          defer { transaction.end() }
          var total = 0
          let cursor = try transaction.cursor(query)
          let rows = UnsafeMutableBufferPointer<UnsafeRawBufferPointer>.allocate(capacity: 16)
          rows.initialize(repeating: UnsafeRawBufferPointer(start: nil, count: 0))
          defer { rows.deallocate() }
          while true {
            let count = try cursor.fill(rows)
            if count == 0 { return total }
            for index in 0..<count {
              guard case .int(let value) = try TestStore.values(rows[index], layout)[0] else { continue }
              let key = KeyWriter()
              try key.append(.int(value), type: .int64, isOptional: false, isDescending: false, isLast: true)
              if let row = try transaction.row(id, key.bytes),
                try TestStore.values(row, layout)[0] == .int(value)
              {
                total += 1
              }
              withExtendedLifetime(key) {}
            }
          }
        }
      }
      return try await group.reduce(into: [Int]()) { $0.append($1) }
    }
    #expect(totals == Array(repeating: 500, count: 6))
    snapshot.close()
  }

  @Test func snapshotsAreCounted() throws {
    let store = try store()
    let limit = try #require(store.backend.manifest.limits.openSnapshots)
    var snapshots = try (0..<limit).map { _ in try store.backend.snapshot() }
    #expect(code { try store.backend.snapshot() } == .limitExceeded)
    snapshots.removeLast().close()
    snapshots.append(try store.backend.snapshot())
    for snapshot in snapshots { snapshot.close() }
  }

  @Test func theLogShrinksOnceNoOldReaderIsLeft() throws {
    var options = OpenOptions()
    options.durability = BackendManifest.Durability.none
    let store = try TestStore(TestModel.item, options: options)
    let snapshot = try store.backend.snapshot()
    for turn in 0..<300 {
      try store.insert((0..<500).map { StatementTests.item(Int64(turn * 500 + $0), count: Int64(turn)) })
    }
    let grown = store.backend.file.walByteCount
    #expect(grown > SQLiteBackend.largeLogPages * 4096)
    snapshot.close()
    #expect(store.backend.file.walByteCount == 0)
  }

  @Test func theLogOfALargeTransactionIsWrittenOver() throws {
    var options = OpenOptions()
    options.durability = BackendManifest.Durability.none
    let store = try TestStore(TestModel.everything, options: options)
    func write(_ turn: UInt8) throws {
      let rows = (0..<1000).map { key in
        [Value.int(key)] + (1..<20).map { $0 == 14 ? .data(Data(repeating: turn, count: 20_000)) : .null }
      }
      let transaction = try store.backend.beginWrite(WriteOptions())
      _ = try transaction.delete(store.query())
      try transaction.insert(store.id, try store.batch(rows))
      _ = try transaction.commit()
    }
    try write(0)
    let grown = store.backend.file.walByteCount
    #expect(grown > SQLiteBackend.largeLogPages * 4096)
    for turn in UInt8(1)..<4 { try write(turn) }
    #expect(store.backend.file.walByteCount >= grown)
    #expect(store.backend.file.walByteCount < grown * 2)
  }

  // MARK: Closing

  @Test func everythingOfAClosedStoreSaysSo() throws {
    let store = try store(2)
    let reader = try store.backend.beginRead()
    let cursor = try reader.cursor(store.query())
    let snapshot = try store.backend.snapshot()
    let pinned = try snapshot.beginRead()
    let writer = try store.backend.beginWrite(WriteOptions())
    let batch = try store.batch([item(9)])
    try store.backend.close()
    try store.backend.close()
    let rows = UnsafeMutableBufferPointer<UnsafeRawBufferPointer>.allocate(capacity: 1)
    rows.initialize(repeating: UnsafeRawBufferPointer(start: nil, count: 0))
    defer { rows.deallocate() }
    let key = try store.key(.int(1))
    #expect(code { try reader.count(store.query()) } == .closed)
    #expect(code { try cursor.fill(rows) } == .closed)
    #expect(code { try pinned.count(store.query()) } == .closed)
    #expect(code { try snapshot.beginRead() } == .closed)
    #expect(code { try writer.insert(store.id, batch) } == .closed)
    #expect(code { try writer.savepoint() } == .closed)
    #expect(code { try writer.commit() } == .closed)
    #expect(code { try store.backend.beginRead() } == .closed)
    #expect(code { try store.backend.beginWrite(WriteOptions()) } == .closed)
    #expect(code { try store.backend.snapshot() } == .closed)
    #expect(code { try store.backend.statistics() } == .closed)
    #expect(code { try store.backend.check() } == .closed)
    #expect(code { try store.backend.destroy() } == .closed)
    #expect(code { try key.bytes.withUnsafeBytes { try store.backend.withRow(store.id, $0) { _ in } } } == .closed)
    reader.end()
    writer.end()
    snapshot.close()
    let again = try SQLiteBackend(SQLiteConfiguration(path: store.path), OpenOptions())
    #expect(try again.beginRead().count(store.query()) == 2)
  }

  @Test func manyReadersAtOnceOpenWhatTheyNeed() throws {
    let store = try store(3)
    let readers = try (0..<40).map { _ in try store.backend.beginRead() }
    for reader in readers { #expect(try reader.count(store.query()) == 3) }
    for reader in readers { reader.end() }
    #expect(store.backend.pool.usedCount == 0)
  }

  @Test func everythingIsDeclared() throws {
    let store = try store(1)
    #expect(Set(store.backend.manifest.capabilities.keys) == Set(Capability.allCases))
    #expect(try store.write { try $0.count(store.query()) } == 1)
  }

  @Test func aFullDatabaseIsToldAndCanBeUsedAfterwards() throws {
    let store = try store(1)
    let wide = try TestStore(TestModel.everything)
    func row(_ id: Int64) -> [Value] {
      var row = [Value](repeating: .null, count: wide.layout.slotCount)
      row[0] = .int(id)
      row[14] = .data(Data(repeating: 7, count: 100_000))
      return row
    }
    try wide.insert([row(1)])
    let batch = try wide.batch((2...50).map { row($0) })
    let transaction = try #require(try wide.backend.beginWrite(WriteOptions()) as? SQLiteWriteTransaction)
    let pages = try #require(try transaction.connection.integer("PRAGMA page_count"))
    try transaction.connection.run("PRAGMA max_page_count = \(pages + 20)")
    #expect(code { try transaction.insert(wide.id, batch) } == .full)
    #expect(
      code { try transaction.count(wide.query()) } == nil || code { try transaction.commit() } == .transactionEnded)
    transaction.rollback()
    try wide.insert([StatementTests.everything(51, wide)])
    #expect(try wide.fetch(wide.query()).map { $0[0] } == [.int(1), .int(51)])
    #expect(try wide.plain("PRAGMA integrity_check") == [["ok"]])
    _ = store
  }

  @Test func statisticsCountRowsAndBytes() throws {
    let store = try store(12)
    let statistics = try store.backend.statistics()
    #expect(statistics.models.map(\.name) == ["Item"])
    #expect(statistics.models.map(\.rows) == [12])
    #expect(statistics.models.map(\.indexes.count) == [2])
    #expect((statistics.bytes ?? 0) > 4096)
    #expect(statistics.details["page size"] == "4096")
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
