import CSQLite
import Foundation
import QuarryBackend
import QuarryTestSupport
import Testing

@testable import QuarrySQLite

/// Copies of a database, and databases that are written anew.
@Suite struct BackupTests {
  private static func store(_ rows: Int) throws -> TestStore {
    let properties = [PropertySchema(name: "id", type: .int64), PropertySchema(name: "name", type: .string)]
    let store = try TestStore(ModelSchema(name: "Item", properties: properties, primaryKey: 0))
    try store.insert((0..<rows).map { [.int(Int64($0)), .string(String(repeating: "x", count: 400))] })
    return store
  }

  @Test func aBackupIsADatabaseWithALogAndNothingBesideIt() throws {
    let store = try Self.store(300)
    let path = store.directory.file("copy.db")
    try store.backend.backup(to: path)
    #expect(!store.directory.contents.contains { $0.hasPrefix("copy.db") && $0 != "copy.db" })
    #expect(try SQLiteFile(path).content() == .store(hasLog: true))
    let copy = try SQLiteBackend(SQLiteConfiguration(path: path), OpenOptions())
    #expect(try copy.check() == [])
    #expect(try copy.statistics().models.map(\.rows) == [300])
    try copy.close()
  }

  @Test func whatAKilledBackupLeftIsTakenOver() throws {
    let store = try Self.store(10)
    let path = store.directory.file("copy.db")
    try Data(repeating: 7, count: 100_000).write(to: URL(fileURLWithPath: path + "._quarry.partial"))
    try store.backend.backup(to: path)
    #expect(!store.directory.contents.contains("copy.db._quarry.partial"))
    let copy = try SQLiteBackend(SQLiteConfiguration(path: path), OpenOptions())
    #expect(try copy.check() == [])
  }

  @Test func filesBesideTheStoreAreNoPlaces() throws {
    let store = try Self.store(10)
    for ending in ["", "-wal", "-shm", "-journal"] {
      #expect(code { try store.backend.backup(to: store.path + ending) } == .inUse, "\(ending)")
    }
    #expect(try store.backend.check() == [])
  }

  @Test func aBackupMayBeEndedMidway() throws {
    let store = try Self.store(20_000)
    var asked = 0
    let path = store.directory.file("copy.db")
    let error = #expect(throws: StorageError.self) {
      try store.backend.backup(to: path) { done, total in
        asked += 1
        #expect(done > 0 && done < total)
        return false
      }
    }
    #expect(error?.cause is CancellationError)
    #expect(asked == 1)
    #expect(!store.directory.contents.contains { $0.hasPrefix("copy.db") })
  }

  @Test func theFileIsShorterWhenTheLastReaderHasEnded() throws {
    let store = try Self.store(5_000)
    let snapshot = try store.backend.snapshot()
    let transaction = try store.backend.beginWrite(WriteOptions())
    _ = try transaction.delete(store.query())
    _ = try transaction.commit()
    try store.backend.compact()
    let reader = try snapshot.beginRead()
    #expect(try reader.count(store.query()) == 5_000)
    reader.end()
    snapshot.close()
    #expect(store.backend.file.databaseByteCount < 100_000)
    #expect(store.backend.file.walByteCount == 0)
    #expect(try store.backend.check() == [])
  }
}
