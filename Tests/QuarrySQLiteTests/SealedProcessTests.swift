import Foundation
import QuarryBackend
import Testing

@testable import QuarrySQLite

/// Processes that write to one sealed store at the same time, one of which is killed.
@Suite struct SealedProcessTests {
  /// Where the second process finds the store.
  private static let variable = "QUARRY_SEALED_TEST_PATH"
  private static let rows: Int64 = 25

  /// Inserts some rows, each in a commit of its own.
  private static func insert(_ first: Int64, into backend: SQLiteBackend) throws {
    for id in first..<first + rows {
      let transaction = try backend.beginWrite(WriteOptions())
      let model = try #require(transaction.schema.models.first)
      let layout = RowLayout(model)
      let writer = RowWriter(layout)
      writer.begin()
      for (slot, value) in zip(layout.slots, SealedStore.row(id)) { try writer.set(slot, value: value) }
      var batch = RowBatch()
      batch.append(try writer.finish())
      try transaction.insert(model.id, batch)
      _ = try transaction.commit()
    }
  }

  @Test func twoProcessesWriteAndOneIsKilled() async throws {
    let store = try SealedStore.store(0..<10)
    setenv(Self.variable, store.path, 1)
    let writing = Task.detached { [backend = store.backend] in try Self.insert(1_000, into: backend) }
    await #expect(processExitsWith: .signal(SIGKILL)) {
      let path = try #require(ProcessInfo.processInfo.environment[SealedProcessTests.variable])
      var options = SealedStore.options()
      options.busyTimeout = 30
      let backend = try SQLiteBackend(SQLiteConfiguration(path: path), options)
      try SealedProcessTests.insert(2_000, into: backend)
      kill(getpid(), SIGKILL)
    }
    try await writing.value
    let expected = Array(0..<10) + Array(1_000..<1_000 + Self.rows) + Array(2_000..<2_000 + Self.rows)
    #expect(try SealedStore.rows(store.backend) == expected.map { SealedStore.row($0) })
    #expect(try store.backend.check() == [])
    #expect(SealedStore.leaks(store.directory) == [])
    try store.backend.close()
    #expect(try SealedStore.rows(store.path).count == expected.count)
  }
}
