import Foundation
import QuarryBackend
import QuarryTestSupport
import Testing

@testable import QuarrySQLite

#if canImport(Glibc)
  import Glibc
#endif

@Suite struct OpeningTests {
  func open(_ path: String, _ change: (inout OpenOptions) -> Void = { _ in }) throws -> any Backend {
    var options = OpenOptions()
    change(&options)
    return try SQLiteConfiguration(path: path).open(options)
  }

  func bytes(_ path: String) -> [UInt8] { FileManager.default.contents(atPath: path).map { Array($0) } ?? [] }

  @Test func newFilesAreForTheirOwnerAlone() throws {
    let directory = try TestDirectory()
    let backend = try open(directory.file())
    let transaction = try backend.beginWrite(WriteOptions())
    try transaction.apply(.createModel(TestModel.item))
    _ = try transaction.commit()
    #expect(directory.contents == ["store.db", "store.db-shm", "store.db-wal"])
    for name in directory.contents {
      let attributes = try FileManager.default.attributesOfItem(atPath: directory.file(name))
      #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
    }
    try backend.close()
    #expect(directory.contents == ["store.db"])
  }

  @Test func newFilesHaveRoomInTheirPagesAndALog() throws {
    let directory = try TestDirectory()
    try open(directory.file()).close()
    let header = bytes(directory.file()).prefix(100)
    #expect(header[20] == 32)
    // Programs that know nothing of checksums read, and do not write.
    #expect(header[18] == 3)
    #expect(header[19] == 2)
    #expect(try TestStore.plain(directory.file(), "PRAGMA application_id") == [["1366454905"]])
  }

  @Test func nothingThere() throws {
    let directory = try TestDirectory()
    #expect(code { try open(directory.file()) { $0.createsIfMissing = false } } == .notFound)
    #expect(code { try open(directory.file()) { $0.isReadOnly = true } } == .notFound)
    #expect(code { try open(directory.file("no/such/directory.db")) } == .notFound)
    #expect(directory.contents == [])
  }

  @Test func pathsThatNameNoFile() throws {
    let directory = try TestDirectory()
    #expect(code { try open("") } == .invalidValue)
    #expect(code { try open(directory.file("a\0b")) } == .invalidValue)
    #expect(code { try open(directory.file(String(repeating: "x", count: 600))) } == .limitExceeded)
    #expect(code { try open(directory.path) } == .corrupt)
    #expect(code { try open("/dev/null") } == .corrupt)
    #expect(directory.contents == [])
  }

  @Test(arguments: [":memory:", "file:x?mode=memory", "a b%20c?d#e.db", "e\u{301}🙂.db"])
  func namesMeanThemselves(_ name: String) throws {
    let directory = try TestDirectory()
    let path = directory.file(name)
    try open(path).close()
    #expect(FileManager.default.fileExists(atPath: path))
    try open(path) { $0.isReadOnly = true }.close()
  }

  @Test func notADatabase() throws {
    let directory = try TestDirectory()
    let text = Array(String(repeating: "this is text, not a database. ", count: 50).utf8)
    for content in [text, [1], Array("SQLite format 3\0".utf8)] {
      let path = directory.file("other.txt")
      #expect(FileManager.default.createFile(atPath: path, contents: Data(content)))
      #expect(code { try open(path) } == .corrupt)
      #expect(code { try open(path) { $0.isReadOnly = true } } == .corrupt)
      #expect(bytes(path) == content)
      #expect(directory.contents == ["other.txt"])
    }
  }

  @Test(arguments: ["DELETE", "WAL"])
  func aDatabaseOfSomebodyElseStaysAsItIs(_ mode: String) throws {
    let directory = try TestDirectory()
    let path = directory.file("other.db")
    try TestStore.plain(path, "PRAGMA journal_mode = \(mode); CREATE TABLE t (x); INSERT INTO t VALUES (1)")
    let before = bytes(path)
    #expect(code { try open(path) } == .schemaMismatch)
    #expect(code { try open(path) { $0.isReadOnly = true } } == .schemaMismatch)
    #expect(bytes(path) == before)
    #expect(directory.contents == ["other.db"])
  }

  @Test(arguments: [
    ("CREATE TABLE t (x); PRAGMA application_id = 7", "another program (1 table, application 7)"),
    ("CREATE TABLE grdb_migrations (identifier TEXT); CREATE TABLE t (x)", "a program with GRDB (2 tables)"),
    ("CREATE TABLE Z_PRIMARYKEY (x); CREATE TABLE Z_METADATA (x)", "Core Data or SwiftData (2 tables)"),
  ])
  func aDatabaseOfAnotherProgramIsNamed(_ sql: String, _ kind: String) throws {
    let directory = try TestDirectory()
    try TestStore.plain(directory.file(), sql)
    let error = #expect(throws: StorageError.self) { try open(directory.file()) }
    #expect(error?.code == .schemaMismatch)
    #expect(error?.message.contains(kind) == true, "\(error?.message ?? "")")
  }

  /// A store whose mark was damaged is no database of another program.
  @Test(arguments: [true, false]) func aStoreWithoutItsMarkIsCorrupt(_ checksums: Bool) throws {
    let directory = try TestDirectory()
    try SQLiteConfiguration(path: directory.file(), checksums: checksums).open(OpenOptions()).close()
    var content = bytes(directory.file())
    content[70] ^= 1
    try Data(content).write(to: URL(fileURLWithPath: directory.file()))
    #expect(code { try open(directory.file()) } == .corrupt)
  }

  @Test func anEmptyFileBecomesAStore() throws {
    let directory = try TestDirectory()
    #expect(FileManager.default.createFile(atPath: directory.file("a.db"), contents: Data()))
    try TestStore.plain(directory.file("b.db"), "CREATE TABLE t (x); DROP TABLE t; VACUUM")
    for name in ["a.db", "b.db"] {
      #expect(code { try open(directory.file(name)) { $0.createsIfMissing = false } } == .notFound)
      let backend = try open(directory.file(name))
      #expect(try backend.beginRead().schema.models == [])
      try backend.close()
    }
  }

  /// A new store is written whole, and an empty file becomes one by SQLite's own means: nobody can tell them apart.
  @Test func storesMadeInTwoWaysAreTheSame() throws {
    let directory = try TestDirectory()
    #expect(FileManager.default.createFile(atPath: directory.file("filled.db"), contents: Data()))
    var answers: [[[[String?]]]] = []
    for name in ["filled.db", "whole.db"] {
      try open(directory.file(name)).close()
      answers.append(
        try [
          "SELECT * FROM sqlite_schema", "SELECT * FROM _quarry_commit", "SELECT * FROM _quarry_schema",
          "PRAGMA user_version", "PRAGMA page_size", "PRAGMA page_count", "PRAGMA encoding", "PRAGMA auto_vacuum",
          "PRAGMA schema_version", "PRAGMA journal_mode", "PRAGMA integrity_check",
        ].map { try TestStore.plain(directory.file(name), $0) })
    }
    #expect(answers[0] == answers[1])
    #expect(answers[1].last == [["ok"]])
    let (filled, whole) = (bytes(directory.file("filled.db")), bytes(directory.file("whole.db")))
    #expect(filled.count == whole.count)
    // Only the number of the commit that wrote the header differs, and with it the checksum of its page.
    let differences = zip(filled, whole).enumerated().filter { $0.element.0 != $0.element.1 }.map(\.offset)
    #expect(Set(differences).isSubset(of: Set(24..<28).union(92..<96).union(4088..<4096)), "\(differences)")
  }

  @Test(arguments: ["-wal", "-journal"]) func whatADeletedStoreLeftIsNotReadIntoANewOne(_ ending: String) throws {
    let directory = try TestDirectory()
    let path = directory.file()
    let old = try open(path)
    let transaction = try old.beginWrite(WriteOptions())
    try transaction.apply(.createModel(TestModel.item))
    _ = try transaction.commit()
    let log = bytes(path + "-wal")
    #expect(!log.isEmpty)
    try old.close()
    try FileManager.default.removeItem(atPath: path)
    #expect(FileManager.default.createFile(atPath: path + ending, contents: Data(log)))
    let new = try open(path)
    #expect(try new.beginRead().schema.models == [])
    #expect(try new.check() == [])
    let moved = try #require(new.openingReport.foreignLog?.movedTo)
    #expect(bytes(moved) == log)
    try new.close()
    #expect(directory.contents.count == 2)
    #expect(directory.contents.first == "store.db")
  }

  /// A process opens a store, another puts it aside and makes a new one, and only then does the first read.
  @Test func aMovedFileLeavesTheLogOfTheNewStoreAlone() throws {
    let directory = try TestDirectory()
    let path = directory.file()
    try open(path).close()
    let late = try SQLiteConnection(
      SQLiteConnection.Options(
        path: path, access: .readWrite, durability: .powerLoss, cacheBytes: 1 << 20, statements: 4, busyMilliseconds: 0)
    )
    try FileManager.default.moveItem(atPath: path, toPath: directory.file("aside.db"))
    let new = try open(path)
    var transaction = try new.beginWrite(WriteOptions())
    try transaction.apply(.createModel(TestModel.item))
    _ = try transaction.commit()
    let log = bytes(path + "-wal")
    #expect(!log.isEmpty)
    let error = #expect(throws: StorageError.self) { try late.prepareStore(mayBeEmpty: false, 0) }
    #expect(error?.isOfMovedFile(at: path) == true)
    late.close()
    #expect(bytes(path + "-wal") == log)
    transaction = try new.beginWrite(WriteOptions())
    try transaction.apply(.createModel(TestModel.book))
    _ = try transaction.commit()
    try new.close()
    let again = try open(path)
    #expect(try again.beginRead().schema.models.map(\.name) == ["Item", "Book"])
    #expect(try again.check() == [])
    try again.close()
  }

  /// A process finds no store, another makes one, and only then does the first look at the logs.
  @Test func theLogOfAStoreThatCameInBetweenStays() throws {
    let directory = try TestDirectory()
    let path = directory.file()
    let store = try open(path)
    let transaction = try store.beginWrite(WriteOptions())
    try transaction.apply(.createModel(TestModel.item))
    _ = try transaction.commit()
    let log = bytes(path + "-wal")
    #expect(!log.isEmpty)
    #expect(try SQLiteFile(path).putAbandonedLogsAside(0) == nil)
    #expect(bytes(path + "-wal") == log)
    #expect(directory.contents == ["store.db", "store.db-shm", "store.db-wal"])
    try store.close()
  }

  /// What a process leaves that was killed after it had made the database whose lock it needs.
  @Test func aLogBesideAnEmptyDatabaseIsPutAside() throws {
    let directory = try TestDirectory()
    let path = directory.file()
    #expect(FileManager.default.createFile(atPath: path, contents: Data()))
    #expect(FileManager.default.createFile(atPath: path + "-wal", contents: Data(repeating: 7, count: 9_000)))
    let store = try open(path)
    let moved = try #require(store.openingReport.foreignLog?.movedTo)
    #expect(bytes(moved) == [UInt8](repeating: 7, count: 9_000))
    #expect(try store.check() == [])
    try store.close()
  }

  @Test func oneStoreIsMadeByManyThreads() async throws {
    let directory = try TestDirectory()
    for round in 0..<20 {
      let path = directory.file("\(round).db")
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<4 {
          group.addTask {
            let backend = try SQLiteConfiguration(path: path).open(OpenOptions())
            let transaction = try backend.beginWrite(WriteOptions())
            _ = try transaction.commit()
            try backend.close()
          }
        }
        try await group.waitForAll()
      }
      #expect(try TestStore.plain(path, "PRAGMA integrity_check") == [["ok"]])
    }
  }

  @Test func aNewerFormatIsRefused() throws {
    let directory = try TestDirectory()
    func make(_ name: String) throws {
      try SQLiteConfiguration(path: directory.file(name), checksums: false).open(OpenOptions()).close()
    }
    try make("a.db")
    try TestStore.plain(directory.file("a.db"), "PRAGMA user_version = 4")
    #expect(code { try open(directory.file("a.db")) } == .schemaTooNew)
    try make("b.db")
    try TestStore.plain(directory.file("b.db"), "UPDATE _quarry_schema SET json = '{\"format\":99}'")
    #expect(code { try open(directory.file("b.db")) } == .schemaTooNew)
  }

  /// SQLite would open such a database, and refuse to write.
  @Test(arguments: [3, 4, 255]) func writtenByProgramsThatSQLiteDoesNotKnow(_ writers: UInt8) throws {
    let directory = try TestDirectory()
    try SQLiteConfiguration(path: directory.file(), checksums: false).open(OpenOptions()).close()
    var header = bytes(directory.file())
    try #require(header[18] == 2)
    header[18] = writers
    try Data(header).write(to: URL(fileURLWithPath: directory.file()))
    #expect(code { try open(directory.file()) } == .corrupt)
    #expect(code { try open(directory.file()) { $0.isReadOnly = true } } == .corrupt)
    #expect(bytes(directory.file()) == header)
  }

  @Test(arguments: [
    "UPDATE _quarry_schema SET json = '{'", "UPDATE _quarry_schema SET json = '{\"format\":1}'",
    "DELETE FROM _quarry_schema; UPDATE _quarry_commit SET schema = 3", "DELETE FROM _quarry_commit",
    "DROP TABLE _quarry_commit", "UPDATE _quarry_commit SET schema = 77",
  ])
  func damagedTablesOfQuarry(_ sql: String) throws {
    let directory = try TestDirectory()
    try SQLiteConfiguration(path: directory.file(), checksums: false).open(OpenOptions()).close()
    try TestStore.plain(directory.file(), sql)
    #expect(code { try open(directory.file()) } == .corrupt)
  }

  @Test func aTruncatedFileIsCorrupt() throws {
    let store = try TestStore(TestModel.item)
    try store.insert((0..<2_000).map { StatementTests.item($0, count: $0) })
    try store.backend.close()
    let whole = bytes(store.path)
    for length in [4096, 8192, whole.count / 2] {
      #expect(FileManager.default.createFile(atPath: store.path, contents: Data(whole.prefix(length))))
      let seen = code {
        let backend = try open(store.path)
        let transaction = try backend.beginRead()
        defer { transaction.end() }
        _ = try TestStore.fetch(transaction, store.query(), store.layout)
      }
      #expect(seen == .corrupt, "\(length)")
    }
  }

  @Test func reservedOptionsAreRefusedBeforeAnyEffect() throws {
    let directory = try TestDirectory()
    #expect(code { try open(directory.file()) { $0.namespace = "x" } } == .unsupported)
    #expect(directory.contents == [])
  }

  @Test(arguments: [BackendManifest.Durability.none, .processCrash, .powerLoss])
  func durabilityIsSet(_ durability: BackendManifest.Durability) throws {
    let directory = try TestDirectory()
    let backend = try open(directory.file()) { $0.durability = durability } as! SQLiteBackend
    let connection = try backend.pool.take()
    defer { backend.pool.give(connection) }
    let expected: Int64 = durability == .powerLoss ? 2 : durability == .processCrash ? 1 : 0
    #expect(try connection.integer("PRAGMA synchronous") == expected)
    #expect(backend.manifest.durability == durability)
  }

  @Test func aFileThatCannotBeWrittenTo() throws {
    #if canImport(Glibc)
      let store = try TestStore(TestModel.item)
      try store.insert([StatementTests.item(1)])
      try store.backend.close()
      guard geteuid() == 0 else { return }
      // File permissions do not hold for root, but they do for a thread that reads as somebody else.
      chmod(store.directory.path, 0o755)
      chmod(store.path, 0o444)
      try Self.readAs(65534)
      defer { try? Self.readAs(0) }
      #expect(code { try open(store.path) } == .readOnly)
      let backend = try open(store.path) { $0.isReadOnly = true }
      #expect(try backend.beginRead().count(store.query()) == 1)
      try backend.close()
      try Self.readAs(0)
      chmod(store.path, 0)
      try Self.readAs(65534)
      #expect(code { try open(store.path) } == .io)
      #expect(code { try open(store.path) { $0.isReadOnly = true } } == .io)
      #expect(code { try open(store.directory.file("new.db")) } == .io)
    #endif
  }

  #if canImport(Glibc)
    /// Makes this thread use files as that user.
    private static func readAs(_ user: UInt32) throws {
      let function = try #require(dlsym(nil, "setfsuid"))
      _ = unsafeBitCast(function, to: (@convention(c) (UInt32) -> Int32).self)(user)
    }
  #endif
}
