import Foundation
import QuarryBackend
import QuarryTestSupport
import Testing

@testable import QuarrySQLite

/// Sealed files that were changed by somebody without the key: an error, or the same data, and never other data.
@Suite struct SealedDamageTests {
  private typealias Sealed = SealedStore
  private static let page = SealedDatabaseFormat.pageBytes

  /// A closed store, its file and its rows.
  private static func closed(_ rows: Range<Int64> = 0..<60) throws -> (TestStore, [UInt8], [[Value]]) {
    let store = try Sealed.store(rows)
    try Sealed.count(store, to: 5)
    try store.backend.close()
    return (store, Sealed.bytes(store.path), rows.map { Sealed.row($0, 5) })
  }

  /// What a store with changed files gives: nil for the same rows, else the error.
  private static func look(_ path: String, _ expected: [[Value]], _ what: String) -> StorageError.Code? {
    do {
      let found = try Sealed.rows(path)
      if found != expected { Issue.record("\(what): other data, \(found.count) rows") }
      return nil
    } catch {
      let code = (error as? StorageError)?.code
      if code == nil || code == .wrongKey || code == .io { Issue.record("\(what): \(error)") }
      return code
    }
  }

  @Test func everyFlipIsAnErrorOrTheSameData() throws {
    let (store, file, expected) = try Self.closed()
    var errors = 0
    var same = 0
    // One bit of every seventh byte, of every byte of the header's parts, which follow each other through all eight bits.
    let slots = SealedHeader.keyPlaces.map { $0..<$0 + 128 } + SealedHeader.logPlaces.map { $0..<$0 + 44 }
    let header = [0..<64] + slots
    let places = header.flatMap { Array($0) } + stride(from: Self.page, to: file.count, by: 7)
    for (number, place) in places.enumerated() {
      var changed = file
      changed[place] ^= 1 << UInt8(number % 8)
      try Sealed.write(changed, to: store.path)
      switch Self.look(store.path, expected, "byte \(place)") {
      case nil:
        same += 1
        #expect(place >= 1024 && place < Self.page, "byte \(place)")
      case .corrupt?, .schemaTooNew?: errors += 1
      case let code?: Issue.record("byte \(place): \(code)")
      }
    }
    #expect(errors > 3_000)
    // One slot of two is enough.
    #expect(same == 2 * 128 + 2 * 44)
  }

  @Test func pagesThatWereExchangedZeroedOrAreOfAnotherStoreAreFound() throws {
    let (store, file, expected) = try Self.closed()
    let (_, foreign, _) = try Self.closed()
    func part(_ bytes: [UInt8], _ number: Int) -> ArraySlice<UInt8> {
      bytes[number * Self.page..<(number + 1) * Self.page]
    }
    for number in 1..<file.count / Self.page {
      let range = number * Self.page..<(number + 1) * Self.page
      let next = number + 1 < file.count / Self.page ? number + 1 : 1
      for (what, other) in [
        ("exchanged", part(file, next)), ("zeroed", ArraySlice(repeating: 0, count: Self.page)),
        ("foreign", part(foreign, number)),
      ] {
        var changed = file
        changed.replaceSubrange(range, with: other)
        try Sealed.write(changed, to: store.path)
        #expect(Self.look(store.path, expected, "\(what) \(number)") == .corrupt, "\(what) \(number)")
      }
    }
    // Another store's header, with the same key of the user.
    var changed = file
    changed.replaceSubrange(0..<Self.page, with: part(foreign, 0))
    try Sealed.write(changed, to: store.path)
    #expect(Self.look(store.path, expected, "header") == .corrupt)
  }

  @Test func cutsAreFound() throws {
    let (store, file, expected) = try Self.closed()
    let pages = stride(from: Self.page, to: file.count, by: Self.page)
    for length in Array(stride(from: 1, to: file.count, by: 1_777)) + pages {
      try Sealed.write(file[..<length], to: store.path)
      #expect(Self.look(store.path, expected, "cut at \(length)") == .corrupt, "cut at \(length)")
    }
    try Sealed.write(file + [UInt8](repeating: 7, count: 5_000), to: store.path)
    _ = Self.look(store.path, expected, "longer")
  }

  // MARK: The log

  @Test func flipsInALogAreAnErrorOrAnEarlierState() throws {
    let store = try Sealed.store()
    let states = try (0..<3).map { count in
      if count > 0 { try Sealed.count(store, to: Int64(count)) }
      return try Sealed.rows(store.backend)
    }
    let files = Sealed.files(store.directory)
    let log = try #require(files["store.db-wal"])
    let directory = try TestDirectory()
    var seen: [Int: Int] = [:]
    for place in stride(from: 0, to: log.count, by: 97) {
      var changed = log
      changed[place] ^= 0x10
      try Sealed.write(files["store.db"] ?? [], to: directory.file())
      try Sealed.write(changed, to: directory.file("store.db-wal"))
      try? FileManager.default.removeItem(atPath: directory.file("store.db-shm"))
      do {
        let rows = try Sealed.rows(directory.file())
        // Before the first of these there is no model, or no row.
        let state = rows.isEmpty ? -1 : states.firstIndex(of: rows)
        if state == nil { Issue.record("byte \(place) of the log: other data") }
        seen[state ?? -2, default: 0] += 1
      } catch {
        if (error as? StorageError)?.code != .corrupt { Issue.record("byte \(place) of the log: \(error)") }
        seen[-3, default: 0] += 1
      }
      for name in directory.contents { try FileManager.default.removeItem(atPath: directory.file(name)) }
    }
    #expect(seen[-2] == nil)
    #expect(seen.count > 2)
  }

  @Test func aLogOfAnotherTimeIsNone() throws {
    let store = try Sealed.store()
    try Sealed.count(store, to: 1)
    let old = try #require(Sealed.files(store.directory)["store.db-wal"])
    try store.backend.close()
    let backend = try Sealed.open(store.path)
    let transaction = try #require(try backend.beginWrite(WriteOptions()) as? SQLiteWriteTransaction)
    _ = try transaction.update(store.query(), [BoundAssignment(slot: 2, operation: .set, value: .int(2))])
    _ = try transaction.commit()
    try backend.close()
    let newest = Sealed.bytes(store.path)
    try Sealed.write(old, to: store.path + "-wal")
    #expect(try Sealed.rows(store.path) == (0..<60).map { Sealed.row($0, 2) })
    let check = try Sealed.open(store.path)
    #expect(try check.check() == [])
    try check.close()
    // With a slot damaged nobody knows which log is the newest.
    for place in SealedHeader.logPlaces {
      var damaged = newest
      damaged[place] ^= 1
      try Sealed.write(damaged, to: store.path)
      try Sealed.write(old, to: store.path + "-wal")
      let found = try? Sealed.rows(store.path)
      let known = [1, 2].map { count in (0..<60).map { Sealed.row($0, count) } }
      #expect(found.map { known.contains($0) } ?? true)
      try? FileManager.default.removeItem(atPath: store.path + "-wal")
      try? FileManager.default.removeItem(atPath: store.path + "-shm")
    }
  }

  @Test func aDatabaseThatWasCutBesideItsLogIsNotFilledWithZeros() throws {
    let store = try Sealed.store(0..<400)
    try store.backend.close()
    let writer = try Sealed.open(store.path)
    let transaction = try writer.beginWrite(WriteOptions())
    try transaction.insert(store.id, try store.batch([Sealed.row(1_000)]))
    _ = try transaction.commit()
    var files = Sealed.files(store.directory)
    let file = try #require(files["store.db"])
    files["store.db"] = Array(file[..<(file.count / 2 / Self.page * Self.page)])
    let cut = try Sealed.directory(files)
    #expect(code { try Sealed.rows(cut.file()) } == .corrupt)
    // A second look, after the log was moved into the file or not, is no better.
    #expect(code { try Sealed.rows(cut.file()) } == .corrupt)
  }

  @Test func aLogBesideAPlainFileOrWithAnotherKeyIsNotRead() throws {
    let store = try Sealed.store()
    let log = try #require(Sealed.files(store.directory)["store.db-wal"])
    let (other, _, expected) = try Self.closed()
    try Sealed.write(log, to: other.path + "-wal")
    #expect(Self.look(other.path, expected, "a foreign log") == nil)
  }
}
