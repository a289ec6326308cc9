import Foundation
import QuarryBackend
import QuarryTestSupport
import Testing
@testable import QuarrySQLite

extension TransactionTests {
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
