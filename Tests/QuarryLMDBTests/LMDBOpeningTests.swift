import CLMDB
import Foundation
import QuarryBackend
import QuarryKeyValue
import QuarryTestSupport
import Testing

@testable import QuarryLMDB

@Suite struct LMDBOpeningTests {
  let place: Place

  init() throws {
    place = try Place()
  }

  private func contents(_ path: String) -> [String: Data] {
    var result: [String: Data] = [:]
    for name in FileManager.default.enumerator(atPath: path)?.compactMap({ $0 as? String }) ?? [] {
      result[name] = FileManager.default.contents(atPath: path + "/" + name) ?? Data()
    }
    return result
  }

  private func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test func filesAreTheOwnersAlone() throws {
    let engine = try place.open()
    #expect(try mode(place.path) == 0o700)
    #expect(try mode(place.path + "/data.mdb") == 0o600)
    #expect(try mode(place.path + "/lock.mdb") == 0o600)
    try engine.close()
  }

  @Test(arguments: ["with space", "жук", "a\u{0308}", "%41?#:"])
  func pathsMayHaveAnyCharacters(name: String) throws {
    let path = place.folder + "/" + name
    let engine = try place.open(path: path)
    try engine.write { tx throws(StorageError) in try tx.put(1, [1], [1]) }
    try engine.close()
    #expect(try place.open(creates: false, path: path).value(1, [1]) == [1])
  }

  @Test func badPathsAreTypedErrors() throws {
    let codes = ["", "a\0b", "/" + String(repeating: "x/", count: 5_000), place.folder + "/no/such/folder"].map {
      path in
      code { () throws(StorageError) in _ = try place.open(path: path) }
    }
    #expect(codes == [.invalidValue, .invalidValue, .limitExceeded, .notFound])
    let long = place.folder + "/" + String(repeating: "x", count: 300)
    #expect(code { () throws(StorageError) in _ = try place.open(path: long) } == .limitExceeded)
  }

  @Test func aMissingStoreIsNotMadeByReading() throws {
    #expect(code { () throws(StorageError) in _ = try place.open(readOnly: true) } == .notFound)
    #expect(code { () throws(StorageError) in _ = try place.open(creates: false) } == .notFound)
    #expect(contents(place.folder).isEmpty)
  }

  @Test func whatIsLeftOfAStoreThatWasBeingMadeIsNone() throws {
    mkdir(place.path, 0o700)
    var environment: OpaquePointer?
    mdb_env_create(&environment)
    #expect(mdb_env_open(environment, place.path, 0, 0o600) == MDB_SUCCESS)
    mdb_env_close(environment)
    #expect(code { () throws(StorageError) in _ = try place.open(readOnly: true) } == .notFound)
    #expect(code { () throws(StorageError) in _ = try place.open(creates: false) } == .notFound)
    try place.open().close()
    try place.open(creates: false).close()
  }

  /// Another process makes and removes the store, page by page, while this one looks at what is there.
  @Test func aStoreThatIsBeingMadeIsNeverTakenForDamage() throws {
    mkdir(place.path, 0o700)
    var environment: OpaquePointer?
    mdb_env_create(&environment)
    #expect(mdb_env_open(environment, place.path, 0, 0o600) == MDB_SUCCESS)
    mdb_env_close(environment)
    let pages = try #require(FileManager.default.contents(atPath: place.path + "/data.mdb"))
    let file = try LMDBFile(place.folder + "/made.lmdb")
    let isDone = DispatchSemaphore(value: 0)
    let hasEnded = DispatchSemaphore(value: 0)
    Thread {
      while isDone.wait(timeout: .now()) == .timedOut {
        mkdir(file.path, 0o700)
        let descriptor = open(file.dataPath, O_CREAT | O_WRONLY, 0o600)
        for page in [pages.prefix(4096), pages.dropFirst(4096)] {
          page.withUnsafeBytes { _ = write(descriptor, $0.baseAddress, $0.count) }
        }
        close(descriptor)
        unlink(file.dataPath)
        rmdir(file.path)
      }
      hasEnded.signal()
    }.start()
    var seen: Set<String> = []
    for _ in 0..<100_000 {
      do throws(StorageError) {
        seen.insert("\(try file.content())")
      } catch {
        seen.insert("\(error)")
      }
    }
    isDone.signal()
    hasEnded.wait()
    #expect(seen.isSubset(of: ["missing", "empty"]), "\(seen)")
  }

  @Test(arguments: [
    "file", "folder", "folder as data", "text as data", "other environment", "no format", "newer format",
  ])
  func whatIsNoStoreIsRefusedAndLeftAsItIs(kind: String) throws {
    let files = FileManager.default
    var expected = StorageError.Code.corrupt
    switch kind {
    case "file": try Data("hello".utf8).write(to: URL(fileURLWithPath: place.path))
    case "folder":
      try files.createDirectory(atPath: place.path, withIntermediateDirectories: true)
      try Data("hello".utf8).write(to: URL(fileURLWithPath: place.path + "/letter.txt"))
    case "folder as data":
      try files.createDirectory(atPath: place.path + "/data.mdb", withIntermediateDirectories: true)
    case "text as data":
      try files.createDirectory(atPath: place.path, withIntermediateDirectories: true)
      try Data(repeating: 65, count: 10_000).write(to: URL(fileURLWithPath: place.path + "/data.mdb"))
    default:
      try files.createDirectory(atPath: place.path, withIntermediateDirectories: true)
      let name = kind == "other environment" ? "other" : "quarry"
      let again = kind == "newer format" ? "f6ffffff" : "00"
      let dump =
        "VERSION=3\nformat=bytevalue\ntype=btree\nHEADER=END\n \(name.utf8.map { String($0, radix: 16) }.joined())\n"
        + " 5172727909000000\(again)\nDATA=END\n"
      try dump.write(toFile: place.folder + "/dump", atomically: true, encoding: .utf8)
      #expect(try run("mdb_load", ["-f", place.folder + "/dump", place.path]).status == 0)
      if kind == "newer format" { expected = .schemaTooNew }
    }
    let before = contents(place.folder)
    #expect(code { () throws(StorageError) in _ = try place.open() } == expected)
    #expect(code { () throws(StorageError) in _ = try place.open(readOnly: true) } == expected)
    #expect(contents(place.folder) == before)
  }

  @Test func aFileThatWasCutOffIsRefusedOrRight() throws {
    let engine = try place.open()
    for round in 0..<4 {
      try engine.write { tx throws(StorageError) in
        for number in 0..<100 { try tx.put(1, key(number * 4 + round), [UInt8](repeating: 1, count: 300)) }
      }
    }
    try engine.close()
    let whole = try Data(contentsOf: URL(fileURLWithPath: place.path + "/data.mdb"))
    for length in stride(from: whole.count - 1, through: 0, by: -1021) {
      let path = place.folder + "/cut\(length)"
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      try whole.prefix(length).write(to: URL(fileURLWithPath: path + "/data.mdb"))
      let found = code { () throws(StorageError) in
        let engine = try place.open(creates: false, path: path)
        if try engine.beginRead().keys(1).count != 400 { throw StorageError(.io, "wrong") }
      }
      #expect(found == nil || found == .corrupt, "\(length) bytes: \(String(describing: found))")
    }
  }

  @Test func aFileWhoseLastPagesWereNeverWrittenIsSound() throws {
    let engine = try place.open()
    try engine.write { tx throws(StorageError) in
      try tx.put(1, [1], [1])
      for number in 0..<20 { try tx.put(1, key(number), [UInt8](repeating: 1, count: 50_000)) }
      for number in (0..<20).reversed() { _ = try tx.delete(1, key(number)) }
    }
    try engine.close()
    let again = try place.open()
    #expect(try again.value(1, [1]) == [1])
    #expect(try again.check() == [])
  }

  // MARK: Reading only

  @Test func aStoreOpenForReadingIsNotWrittenTo() throws {
    let engine = try place.open()
    try engine.write { tx throws(StorageError) in try tx.put(1, [1], [1]) }
    try engine.close()
    let reader = try place.open(readOnly: true)
    #expect(try reader.value(1, [1]) == [1])
    #expect(code { () throws(StorageError) in _ = try reader.beginWrite(timeout: 0) } == .readOnly)
    #expect(code { () throws(StorageError) in try reader.destroy() } == .readOnly)
  }

  @Test func readingACopyWithoutItsLockFileMakesNone() throws {
    let engine = try place.open()
    try engine.write { tx throws(StorageError) in try tx.put(1, [1], [1]) }
    try engine.close()
    try FileManager.default.removeItem(atPath: place.path + "/lock.mdb")
    let before = contents(place.path)
    let reader = try place.open(readOnly: true)
    #expect(try reader.value(1, [1]) == [1])
    let snapshot = try reader.snapshot()
    #expect(try snapshot.beginRead().keys(1) == [[1]])
    #expect(contents(place.path) == before)
  }

  // MARK: The files go

  @Test func destroyRemovesTheStore() throws {
    let engine = try place.open()
    let other = try place.open()
    #expect(code { () throws(StorageError) in try engine.destroy() } == .inUse)
    try other.close()
    try engine.destroy()
    #expect(contents(place.folder).isEmpty)
    #expect(code { () throws(StorageError) in _ = try engine.beginRead() } == .closed)
  }

  @Test func aStoreThatIsDeletedUnderItsUserIsOnlyReadAndItsPlaceIsFree() throws {
    let engine = try place.open()
    try engine.write { tx throws(StorageError) in try tx.put(1, [1], [1]) }
    try FileManager.default.removeItem(atPath: place.path)
    let put = { () throws(StorageError) in
      try engine.write { tx throws(StorageError) in try tx.put(1, [2], [2]) }
    }
    #expect(code(put) == .io)
    #expect(try engine.value(1, [1]) == [1])
    #expect(try engine.value(1, [2]) == nil)
    let fresh = try place.open()
    #expect(try fresh.value(1, [1]) == nil)
    #expect(code(put) == .io)
    try engine.close()
    try fresh.write { tx throws(StorageError) in try tx.put(1, [3], [3]) }
  }

  // MARK: Options

  @Test(arguments: [BackendManifest.Durability.powerLoss, .processCrash, .none])
  func everyDurabilityIsOfferedAndDeclared(durability: BackendManifest.Durability) throws {
    let engine = try place.open(durability: durability)
    #expect(engine.properties.durability == durability)
    try engine.write { tx throws(StorageError) in try tx.put(1, [1], [1]) }
    #expect(try engine.value(1, [1]) == [1])
  }

  @Test func statisticsSayWhatIsThere() throws {
    let engine = try place.open()
    try engine.write { tx throws(StorageError) in
      for number in 0..<1000 { try tx.put(5, key(number), key(number)) }
    }
    try engine.write { tx throws(StorageError) in _ = try tx.delete(5, in: KeyRange(lower: key(10))) }
    let figures = try engine.statistics()
    #expect(try #require(figures.bytes) > 0)
    #expect(try #require(figures.freeBytes) > 0)
    #expect(figures.details["trees"] == "1")
    #expect(try engine.beginRead().statistics(of: 5).entries == 10)
  }
}
