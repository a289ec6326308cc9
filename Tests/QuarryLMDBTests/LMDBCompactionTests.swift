import CLMDB
import Foundation
import QuarryBackend
import QuarryKeyValue
import QuarryTestSupport
import Testing

@testable import QuarryLMDB

@Suite struct LMDBCompactionTests {
  let place: Place

  init() throws {
    place = try Place()
  }

  private func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: place.path).sorted() }

  private func fill(_ engine: LMDBEngine, _ count: Int = 3_000) throws {
    try engine.write { tx throws(StorageError) in
      for number in 0..<count { try tx.put(TreeID(number % 3), key(number), [UInt8](repeating: 7, count: 100)) }
    }
  }

  /// The newest meta page is the first or the second, as the number of the commit is even or odd.
  @Test func versionsGoOn() throws {
    let engine = try place.open()
    for number in 0..<6 {
      try engine.write { tx throws(StorageError) in try tx.put(1, key(number), [1]) }
      let version = try engine.beginRead().version
      try engine.compact()
      #expect(try engine.beginRead().version == version)
      #expect(try engine.check() == [])
      #expect(try engine.value(1, key(number)) == [1])
    }
    try engine.close()
    let again = try place.open()
    #expect(try again.value(1, key(5)) == [1])
    try again.write { tx throws(StorageError) in try tx.put(1, key(9), [1]) }
    #expect(try again.check() == [])
  }

  @Test func pagesAreFullAfterScatteredDeletions() throws {
    let engine = try place.open()
    try fill(engine)
    try engine.write { tx throws(StorageError) in
      for number in 0..<3_000 where number % 10 != 0 { _ = try tx.delete(TreeID(number % 3), key(number)) }
    }
    try engine.compact()
    // 300 entries of 108 bytes are about 10 pages.
    #expect(engine.environment.file.byteCount < 20 * 4_096)
    #expect(try engine.check() == [])
    #expect(try names() == ["data.mdb", "lock.mdb"])
  }

  @Test func aTransactionStaysInTheOldFile() throws {
    let engine = try place.open()
    try fill(engine)
    let read = try engine.beginRead()
    let old = engine.environment
    try engine.compact()
    #expect(engine.environment !== old)
    try engine.write { tx throws(StorageError) in _ = try tx.delete(0, in: .all) }
    #expect(try read.count(0, .all) == 1_000)
    #expect(try engine.beginRead().count(0, .all) == 0)
    #expect(!old.closeIfUnused())
    read.end()
    // It was closed with its last transaction.
    #expect(code { () throws(StorageError) in try old.retain() } == .closed)
    #expect(try engine.beginRead().count(1, .all) == 1_000)
  }

  @Test func whatAKilledCompactionLeftIsRemoved() throws {
    let engine = try place.open()
    try fill(engine)
    for name in ["data.mdb.partial", "data.mdb.partial-lock"] {
      try Data(repeating: 3, count: 50_000).write(to: URL(fileURLWithPath: place.path + "/" + name))
    }
    try engine.compact()
    #expect(try names() == ["data.mdb", "lock.mdb"])
    try engine.close()
    try Data(repeating: 3, count: 50_000).write(to: URL(fileURLWithPath: place.path + "/data.mdb.partial"))
    try place.open(readOnly: true).close()
    #expect(try names().contains("data.mdb.partial"))
    try place.open().close()
    #expect(try names() == ["data.mdb", "lock.mdb"])
  }

  @Test func permissionsStay() throws {
    let engine = try place.open()
    for name in ["data.mdb", "lock.mdb"] {
      try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: place.path + "/" + name)
    }
    try engine.compact()
    for name in ["data.mdb", "lock.mdb"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: place.path + "/" + name)
      #expect(attributes[.posixPermissions] as? Int == 0o640)
    }
  }

  @Test(arguments: ["hard link", "symbolic link"]) func aFileWithOtherNamesIsLeft(way: String) throws {
    let engine = try place.open()
    try fill(engine, 30)
    let (data, other) = (place.path + "/data.mdb", place.folder + "/other.mdb")
    if way == "hard link" {
      try FileManager.default.linkItem(atPath: data, toPath: other)
    } else {
      try FileManager.default.moveItem(atPath: data, toPath: other)
      try FileManager.default.createSymbolicLink(atPath: data, withDestinationPath: other)
    }
    let error = failure { () throws(StorageError) in try engine.compact() }
    #expect(error?.code == .unsupported)
    #expect(error?.capability == .compact)
    #expect(try engine.beginRead().count(1, .all) == 10)
    try engine.write { tx throws(StorageError) in try tx.put(1, [1], [1]) }
  }

  @Test func aFileThatWasReplacedIsLeft() throws {
    let engine = try place.open()
    try fill(engine, 30)
    try FileManager.default.moveItem(atPath: place.path, toPath: place.folder + "/moved")
    #expect(code { () throws(StorageError) in try engine.compact() } == .io)
    #expect(try engine.beginRead().count(1, .all) == 10)
  }

  /// The data has its new file by then: the store goes on there, and who compacted hears what is not as it should be.
  @Test func aLockFileThatCannotBeReplacedIsTold() throws {
    let engine = try place.open()
    try fill(engine, 30)
    let lock = place.path + "/lock.mdb"
    try FileManager.default.removeItem(atPath: lock)
    try FileManager.default.createDirectory(atPath: lock, withIntermediateDirectories: false)
    #expect(code { () throws(StorageError) in try engine.compact() } == .io)
    #expect(try engine.beginRead().count(1, .all) == 10)
  }

  /// Databases with an order of their own are copied as they are.
  @Test func databasesOfSomebodyElseStay() throws {
    try place.open().close()
    var environment: OpaquePointer?
    mdb_env_create(&environment)
    mdb_env_set_maxdbs(environment, 10)
    #expect(mdb_env_open(environment, place.path, 0, 0o600) == MDB_SUCCESS)
    var transaction: OpaquePointer?
    var handle: MDB_dbi = 0
    mdb_txn_begin(environment, nil, 0, &transaction)
    #expect(mdb_dbi_open(transaction, "theirs", UInt32(MDB_CREATE | MDB_DUPSORT), &handle) == MDB_SUCCESS)
    for number: UInt8 in [3, 1, 2] {
      var bytes: [UInt8] = [number]
      bytes.withUnsafeMutableBytes { bytes in
        var name = MDB_val(mv_size: 1, mv_data: bytes.baseAddress)
        var value = name
        mdb_put(transaction, handle, &name, &value, 0)
      }
    }
    #expect(mdb_txn_commit(transaction) == MDB_SUCCESS)
    mdb_env_close(environment)
    let engine = try place.open()
    try fill(engine, 300)
    try engine.compact()
    #expect(try engine.check() == [])
    try engine.close()
    mdb_env_create(&environment)
    mdb_env_set_maxdbs(environment, 10)
    #expect(mdb_env_open(environment, place.path, UInt32(MDB_RDONLY), 0o600) == MDB_SUCCESS)
    mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &transaction)
    #expect(mdb_dbi_open(transaction, "theirs", 0, &handle) == MDB_SUCCESS)
    var figures = MDB_stat()
    mdb_stat(transaction, handle, &figures)
    #expect(figures.ms_entries == 3)
    mdb_txn_abort(transaction)
    mdb_env_close(environment)
  }

  @Test func twoOpeningsFollow() throws {
    let first = try place.open()
    let second = try place.open()
    try fill(first, 300)
    try first.compact()
    #expect(first.environment === second.environment)
    try second.write { tx throws(StorageError) in try tx.put(9, [9], [9]) }
    #expect(try first.value(9, [9]) == [9])
    try first.close()
    try second.compact()
    #expect(try second.value(9, [9]) == [9])
    let third = try place.open()
    #expect(third.environment === second.environment)
  }

  @Test func aLargeStoreIsWrittenInParts() throws {
    let engine = try place.open()
    // More than is written to the copy at once.
    for part in 0..<5 {
      try engine.write { tx throws(StorageError) in
        for number in 0..<100 {
          try tx.put(1, key(part * 100 + number), [UInt8](repeating: UInt8(part), count: 100_000))
        }
      }
    }
    let version = try engine.beginRead().version
    try engine.compact()
    #expect(try engine.beginRead().version == version)
    #expect(try engine.check() == [])
    #expect(try engine.value(1, key(499))?.count == 100_000)
    try engine.close()
    let again = try place.open()
    #expect(try again.beginRead().count(1, .all) == 500)
    try again.write { tx throws(StorageError) in _ = try tx.delete(1, in: .all) }
    #expect(try again.check() == [])
  }

  @Test func aStoreIsPutAsideAsADirectory() throws {
    let engine = try place.open()
    try fill(engine, 30)
    let aside = try engine.quarantine()
    #expect(aside.hasPrefix(place.path + ".quarantine-"))
    #expect(code { () throws(StorageError) in _ = try engine.beginRead() } == .closed)
    #expect(!FileManager.default.fileExists(atPath: place.path))
    let new = try place.open()
    #expect(try new.beginRead().count(1, .all) == 0)
    let old = try place.open(creates: false, path: aside)
    #expect(try old.beginRead().count(1, .all) == 10)
    #expect(try old.check() == [])
  }

  @Test func aStoreThatIsOpenTwiceIsNotPutAside() throws {
    let first = try place.open()
    let second = try place.open()
    #expect(code { () throws(StorageError) in _ = try first.quarantine() } == .inUse)
    try second.write { tx throws(StorageError) in try tx.put(1, [1], [1]) }
    #expect(try first.value(1, [1]) == [1])
  }
}
