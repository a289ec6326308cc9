import Foundation
import QuarryBackend
import QuarryCore
import QuarryQuery
import QuarryTestSupport
import Testing

@testable import QuarrySQLite

/// The checksums of the pages of plain databases.
@Suite struct ChecksumTests {
  private static let model = ModelSchema(
    name: "Note",
    properties: [
      PropertySchema(name: "id", type: .int64), PropertySchema(name: "text", type: .string),
      PropertySchema(name: "code", type: .int64),
    ], primaryKey: 0,
    indexes: [
      IndexSchema(name: "code", columns: [.init(slot: 2)], isUnique: true),
      IndexSchema(name: "text", columns: [.init(slot: 1)]),
    ])

  /// A closed store with some rows, of which some need pages of their own.
  private static func make(_ place: SQLiteConfiguration, rows: Int = 60) throws {
    let store = try Store(program: [model], in: place)
    try store.write { tx in try tx.records.insert(into: "Note", (0..<rows).map(record)) }
    try store.close()
  }

  private static func record(_ id: Int) -> Record {
    let text = String(repeating: "note \(id) ", count: id % 10 == 0 ? 900 : 12)
    return Record(["id": .int(Int64(id)), "text": .string(text), "code": .int(Int64(id) * 7)])
  }

  private static func content(_ place: SQLiteConfiguration) throws -> [Record] {
    let store = try Store(opening: place)
    defer { try? store.close() }
    return try store.records.fetch(in: "Note")
  }

  private static func bytes(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  // MARK: The sum

  @Test func theSumIsThatOfItsSource() {
    func sum(_ text: String) -> UInt64 { Array(text.utf8).withUnsafeBytes { XXH64.checksum($0) } }
    #expect(XXH64.checksum(UnsafeRawBufferPointer(start: nil, count: 0)) == 0xEF46_DB37_51D8_E999)
    #expect(sum("") == 0xEF46_DB37_51D8_E999)
    #expect(sum("a") == 0xD24E_C4F1_A98C_6E5B)
    #expect(sum("abc") == 0x44BC_2CF5_AD77_0999)
    #expect(sum("Nobody inspects the spammish repetition") == 0xFBCE_A83C_8A37_8BF1)
  }

  @Test func anotherPageOrBitIsWrong() {
    var random = SeededGenerator(seed: 7)
    var page = (0..<4096).map { _ in UInt8.random(in: 0...255, using: &random) }
    page.replaceSubrange(4064..., with: [UInt8](repeating: 0, count: 32))
    #expect(page.withUnsafeBytes { PageChecksum.verdict($0.baseAddress!, number: 5) } == .none)
    let sealed = PageChecksum.sealed(page, from: 5)
    #expect(sealed[..<4064] == page[..<4064])
    func verdict(_ page: [UInt8], _ number: Int64) -> PageChecksum.Verdict {
      page.withUnsafeBytes { PageChecksum.verdict($0.baseAddress!, number: number) }
    }
    #expect(verdict(sealed, 5) == .right)
    #expect(verdict(sealed, 6) == .wrong)
    #expect(verdict([UInt8](repeating: 0, count: 4096), 5) == .wrong)
    for bit in 0..<4096 * 8 {
      var changed = sealed
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(verdict(changed, 5) == .wrong, "bit \(bit)")
    }
  }

  // MARK: Stores

  @Test func newStoresHaveThemAndSayIt() throws {
    let folder = try ScratchFolder()
    for checksums in [true, false] {
      let place = SQLiteConfiguration(path: folder.path + "/\(checksums).db", checksums: checksums)
      try Self.make(place)
      let store = try Store(opening: place)
      #expect(try store.statistics().details["checksums"] == (checksums ? "XXH64" : "none"))
      #expect(try store.check() == [])
      try store.close()
      let file = try Self.bytes(place.path)
      #expect(file[60..<64].elementsEqual([0, 0, 0, checksums ? 3 : 1]))
      #expect(PageChecksum.areUsed(Array(file[..<4096])) == checksums)
      // What a store was made with it keeps, whatever is said when it is opened.
      var other = place
      other.checksums.toggle()
      #expect(try Self.content(other).count == 60)
      #expect(try Self.bytes(place.path)[60..<64].elementsEqual([0, 0, 0, checksums ? 3 : 1]))
    }
  }

  @Test func everyProgramReadsThemAndNoneWrites() throws {
    let folder = try ScratchFolder()
    let place = SQLiteConfiguration(path: folder.path + "/a.db")
    try Self.make(place)
    #expect(try TestStore.plain(place.path, "SELECT count(*), sum(code) FROM Note") == [["60", "12390"]])
    #expect(try TestStore.plain(place.path, "PRAGMA integrity_check") == [["ok"]])
    #expect(throws: (any Error).self) { try TestStore.plain(place.path, "DELETE FROM Note WHERE id = 3") }
    #expect(try Self.content(place) == (0..<60).map(Self.record))
  }

  /// A program that reads a store that was not closed moves its log into the database, without checksums.
  @Test func pagesThatAnotherProgramMovedOutOfTheLogAreRead() throws {
    let folder = try ScratchFolder()
    let place = SQLiteConfiguration(path: folder.path + "/a.db")
    try Self.make(place)
    let store = try Store(opening: place)
    try store.write { tx in try tx.records.insert(into: "Note", (60..<90).map(Self.record)) }
    let copy = SQLiteConfiguration(path: folder.path + "/copy.db")
    for ending in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: place.path + ending, toPath: copy.path + ending)
    }
    try store.close()
    #expect(
      try TestStore.plain(copy.path, "SELECT count(*) FROM Note; PRAGMA wal_checkpoint(TRUNCATE)").first == ["90"])
    #expect(try Self.content(copy) == (0..<90).map(Self.record))
    let opened = try Store(opening: copy)
    #expect(try opened.check() == [])
    try opened.write { tx in try tx.records.insert(into: "Note", (90..<95).map(Self.record)) }
    try opened.close()
    #expect(try Self.content(copy) == (0..<95).map(Self.record))
  }

  @Test func aStoreOfBeforeGetsThem() throws {
    let folder = try ScratchFolder()
    let place = SQLiteConfiguration(path: folder.path + "/a.db", checksums: false)
    try Self.make(place)
    let before = try Self.content(place)
    let open = try Store(opening: place)
    #expect(throws: StorageError.self) { try Store.addChecksums(place) }
    try open.close()
    try Store.addChecksums(place)
    #expect(try Self.content(place) == before)
    let store = try Store(opening: place)
    #expect(try store.check() == [])
    #expect(try store.statistics().details["checksums"] == "XXH64")
    try store.compact()
    #expect(try store.check() == [])
    let backup = SQLiteConfiguration(path: folder.path + "/b.db")
    try store.backup(to: backup.path)
    try store.close()
    let copied = try Store(opening: backup)
    #expect(try copied.check() == [])
    #expect(try copied.statistics().details["checksums"] == "XXH64")
    try copied.close()
    // Once more changes nothing.
    let file = try Self.bytes(place.path)
    try Store.addChecksums(place)
    #expect(try Self.bytes(place.path) == file)
    #expect(try Self.content(place) == before)
  }

  @Test func theBackupOfAStoreWithoutIsOneWithout() throws {
    let folder = try ScratchFolder()
    let place = SQLiteConfiguration(path: folder.path + "/a.db", checksums: false)
    try Self.make(place)
    let store = try Store(opening: place)
    let backup = folder.path + "/b.db"
    try store.backup(to: backup)
    try store.close()
    #expect(try !PageChecksum.areUsed(Array(Self.bytes(backup)[..<4096])))
    #expect(try TestStore.plain(backup, "DELETE FROM Note WHERE id = 3; SELECT count(*) FROM Note") == [["59"]])
  }

  // MARK: Damage

  /// Flips a bit, and looks: an error, or the same.
  private static func look(_ place: SQLiteConfiguration, _ before: [Record]) throws -> Bool {
    do {
      let store = try Store(opening: place)
      defer { try? store.close() }
      let rows = try store.records.fetch(in: "Note")
      var found = 0
      for id in 0..<60 {
        let predicate = try PredicateParser.parse("code == \(id * 7)")
        found += try store.records.count(QueryTree(model: "Note", predicate: predicate))
      }
      #expect(rows == before && found == before.count)
      return false
    } catch let error as StorageError {
      #expect(error.code == .corrupt || error.code == .schemaTooNew, "\(error)")
      return true
    }
  }

  @Test func aFlippedBitOrExchangedPageIsNeverOtherData() throws {
    let folder = try ScratchFolder()
    let place = SQLiteConfiguration(path: folder.path + "/a.db")
    try Self.make(place)
    let (before, file) = (try Self.content(place), try Self.bytes(place.path))
    var random = SeededGenerator(seed: 11)
    func trial(_ changed: [UInt8]) throws -> Bool {
      try Data(changed).write(to: URL(fileURLWithPath: place.path))
      for ending in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: place.path + ending) }
      return try Self.look(place, before)
    }
    var found = 0
    var chosen = (0..<300).map { _ in Int.random(in: 0..<file.count * 8, using: &random) }
    // Bits of the header.
    chosen += Array(stride(from: 0, to: 1_024, by: 4))
    for place in chosen {
      var changed = file
      changed[place / 8] ^= 1 << UInt8(place % 8)
      if try trial(changed) { found += 1 }
    }
    #expect(found > 300)
    let pages = file.count / 4096
    for first in 1..<pages {
      var changed = file
      let second = first % (pages - 1) + 1
      changed.replaceSubrange(first * 4096..<first * 4096 + 4096, with: file[second * 4096..<second * 4096 + 4096])
      _ = try trial(changed)
      changed.replaceSubrange(first * 4096..<first * 4096 + 4096, with: [UInt8](repeating: 0, count: 4096))
      _ = try trial(changed)
      _ = try trial(Array(file[..<(first * 4096)]))
    }
  }

  @Test(arguments: ["code", "text"]) func checkNamesTheModelAndTheIndex(_ index: String) throws {
    let folder = try ScratchFolder()
    let place = SQLiteConfiguration(path: folder.path + "/a.db")
    try Self.make(place, rows: 2_000)
    let file = try Self.bytes(place.path)
    let roots = try TestStore.plain(
      place.path, "SELECT rootpage FROM sqlite_schema WHERE type = 'index' AND name LIKE '%\(index)%'")
    let root = try #require(roots.first?[0].flatMap { Int($0) })
    var changed = file
    changed[(root - 1) * 4096 + 4000] ^= 1
    try Data(changed).write(to: URL(fileURLWithPath: place.path))
    let store = try Store(opening: place)
    let defects = try store.check()
    #expect(defects.contains { $0.contains("page \(root)") }, "\(defects)")
    #expect(defects.contains { $0.contains("Note") && $0.contains("index \(index)") }, "\(defects), page \(root)")
    // The rows are whole.
    #expect(try store.records.fetch(in: "Note").count == 2_000)
    try store.close()
  }
  @Test func checkReadsPagesThatHoldNothing() throws {
    let folder = try ScratchFolder()
    let place = SQLiteConfiguration(path: folder.path + "/a.db")
    try Self.make(place, rows: 400)
    var store = try Store(opening: place)
    try store.records.delete(QueryTree(model: "Note"))
    let details = try store.statistics().details
    try store.close()
    let pages = try #require(details["pages"].flatMap { Int($0) })
    let free = try #require(details["free pages"].flatMap { Int($0) })
    #expect(free > 20)
    let file = try Self.bytes(place.path)
    // Free pages but those that list others: SQLite reads their content nowhere.
    var found = 0
    for page in 1..<pages {
      var changed = file
      changed[page * 4096 + 3_000] ^= 1
      try Data(changed).write(to: URL(fileURLWithPath: place.path))
      do {
        store = try Store(opening: place)
        if try store.check().contains(where: { $0.contains("page \(page + 1)") }) { found += 1 }
        try store.close()
      } catch let error as StorageError {
        // A page that opening reads.
        #expect(error.code == .corrupt)
        found += 1
      }
    }
    #expect(found == pages - 1)
  }
}
