import Foundation
import QuarryBackend
import QuarryCore
import QuarryEncryption
import QuarryQuery
import QuarryTestSupport
import Testing

@testable import QuarryLMDB

/// Stores whose trees are in pages with checksums.
@Suite struct LMDBChecksumTests {
  private static let model = ModelSchema(
    name: "Note",
    properties: [
      PropertySchema(name: "id", type: .int64), PropertySchema(name: "text", type: .string),
      PropertySchema(name: "code", type: .int64),
    ], primaryKey: 0, indexes: [IndexSchema(name: "code", columns: [.init(slot: 2)], isUnique: true)])

  private static func record(_ id: Int) -> Record {
    // Some are in pages of their own.
    Record([
      "id": .int(Int64(id)), "text": .string(String(repeating: "note \(id) ", count: id % 20 == 0 ? 900 : 5)),
      "code": .int(Int64(id) * 7),
    ])
  }

  private static func make(_ place: LMDBConfiguration) throws {
    let store = try Store(opening: place)
    try store.write { tx in
      try tx.apply(.createModel(model))
      try tx.records.insert(into: "Note", (0..<60).map(record))
    }
    try store.write { tx in try tx.records.insert(into: "Note", (60..<90).map(record)) }
    try store.close()
  }

  private static func content(_ place: LMDBConfiguration, _ encryption: Encryption? = nil) throws -> [Record] {
    var options = OpenOptions()
    options.isReadOnly = true
    options.encryption = encryption
    let store = try Store(opening: place, options: options)
    defer { try? store.close() }
    return try store.read { tx in
      let rows = try tx.records.fetch(QueryTree(model: "Note"))
      let byIndex = try tx.records.fetch(QueryTree(model: "Note", order: [.init("code")]))
      #expect(rows == byIndex)
      return rows
    }
  }

  private static let expected = (0..<90).map(record)

  private static func checksums(_ place: LMDBConfiguration) throws -> String? {
    let store = try Store(opening: place)
    defer { try? store.close() }
    #expect(try store.check() == [])
    return try store.statistics().details["checksums"]
  }

  @Test func aStoreKeepsWhatItWasMadeWith() throws {
    let folder = try ScratchFolder()
    for checksums in [true, false] {
      var place = LMDBConfiguration(path: folder.path + "/\(checksums)", checksums: checksums)
      try Self.make(place)
      place.checksums.toggle()
      #expect(try Self.content(place) == Self.expected)
      #expect(try Self.checksums(place) == (checksums ? "XXH64" : "none"))
    }
  }

  @Test func aStoreWithoutGetsThem() throws {
    let folder = try ScratchFolder()
    let place = LMDBConfiguration(path: folder.path + "/a")
    try Self.make(place)
    let open = try Store(opening: place)
    #expect(code { () throws(any Error) in try Store.addChecksums(place) } == .inUse)
    try open.close()
    #expect(try Self.checksums(place) == "none")
    try Store.addChecksums(place)
    #expect(try Self.checksums(place) == "XXH64")
    #expect(try Self.content(place) == Self.expected)
    // Once more changes nothing.
    let before = try Data(contentsOf: URL(fileURLWithPath: place.path + "/data.mdb"))
    try Store.addChecksums(place)
    #expect(try Data(contentsOf: URL(fileURLWithPath: place.path + "/data.mdb")) == before)
    let store = try Store(opening: place)
    try store.compact()
    try store.backup(to: folder.path + "/b")
    try store.close()
    #expect(try Self.checksums(LMDBConfiguration(path: folder.path + "/b")) == "XXH64")
    #expect(try Self.content(LMDBConfiguration(path: folder.path + "/b")) == Self.expected)
    #expect(
      code { () throws(any Error) in try Store.addChecksums(LMDBConfiguration(path: folder.path + "/none")) }
        == .notFound)
  }

  @Test func itIsEncryptedAndDecrypted() throws {
    let folder = try ScratchFolder()
    let place = LMDBConfiguration(path: folder.path + "/a", checksums: true)
    let key = try EncryptionKey.random()
    try Self.make(place)
    #expect(code { () throws(any Error) in _ = try Self.content(place, Encryption(key)) } == .notEncrypted)
    #expect(code { () throws(any Error) in try Store.decrypt(place, with: key) } == .notEncrypted)
    let store = try Store(opening: place)
    #expect(code { () throws(any Error) in try store.rekey(to: key) } == .notEncrypted)
    try store.close()
    try Store.encrypt(place, with: key)
    #expect(code { () throws(any Error) in _ = try Self.content(place) } == .keyRequired)
    #expect(code { () throws(any Error) in try Store.addChecksums(place) } == .keyRequired)
    #expect(try Self.content(place, Encryption(key)) == Self.expected)
    try Store.decrypt(place, with: key)
    #expect(try Self.checksums(place) == "XXH64")
    #expect(try Self.content(place) == Self.expected)
    // Without the option it becomes a store without.
    var without = place
    without.checksums = false
    try Store.encrypt(place, with: key)
    try Store.decrypt(without, with: key)
    #expect(try Self.checksums(without) == "none")
    #expect(try Self.content(without) == Self.expected)
  }

  // MARK: Damage

  /// - Returns: How many trials were errors, and how many changed nothing that is read.
  private func tried(
    _ place: LMDBConfiguration, _ trials: some Sequence<Int>, _ change: (inout Data, Int) -> Void
  ) throws -> (errors: Int, same: Int) {
    let path = place.path + "/data.mdb"
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    var (errors, same) = (0, 0)
    for trial in trials {
      var damaged = whole
      change(&damaged, trial)
      try damaged.write(to: URL(fileURLWithPath: path))
      do {
        #expect(try Self.content(place) == Self.expected, "\(trial)")
        same += 1
      } catch let error as StorageError {
        #expect([.corrupt, .schemaTooNew, .keyRequired].contains(error.code), "\(trial): \(error)")
        errors += 1
      }
    }
    try whole.write(to: URL(fileURLWithPath: path))
    return (errors, same)
  }

  private func damaged() throws -> (ScratchFolder, LMDBConfiguration, pages: Int) {
    let folder = try ScratchFolder()
    let place = LMDBConfiguration(path: folder.path + "/a", checksums: true)
    try Self.make(place)
    return (folder, place, try Data(contentsOf: URL(fileURLWithPath: place.path + "/data.mdb")).count / 4096)
  }

  /// `scripts/flip-bits lmdb-checksums:` tries every bit.
  @Test func aChangedBitIsAnErrorOrChangesNothing() throws {
    let (folder, place, pages) = try damaged()
    defer { withExtendedLifetime(folder) {} }
    let result = try tried(place, stride(from: 0, to: pages * 4096 * 8, by: 2_503)) { data, bit in
      data[bit / 8] ^= 1 << UInt8(bit % 8)
    }
    // Pages that are free are changed, too.
    #expect(result.errors > 100)
  }

  /// The number of the newest commit may be one bit from zero, which the other meta page of a new store has.
  @Test(arguments: [false, true]) func aChangedNumberOfACommitGivesNoOlderOne(_ isCompacted: Bool) throws {
    let folder = try ScratchFolder()
    let place = LMDBConfiguration(path: folder.path + "/a", checksums: true)
    try Self.make(place)
    if isCompacted {
      let store = try Store(opening: place)
      try store.compact()
      try store.close()
    }
    let path = place.path + "/data.mdb"
    var numbers: Set<UInt64> = []
    for id in 100..<115 {
      let store = try Store(opening: place)
      try store.write { tx in try tx.records.insert(into: "Note", [Self.record(id)]) }
      try store.close()
      let whole = try Data(contentsOf: URL(fileURLWithPath: path))
      let expected = try Self.content(place)
      #expect(expected.count == 90 + id - 99)
      let numberPlaces = [144, 4096 + 144]
      let bytes = [UInt8](whole)
      for place in numberPlaces {
        numbers.insert(bytes.withBytes { bytes in bytes.loadLittleEndian(place, as: UInt64.self) })
      }
      let bits: [Int] = numberPlaces.flatMap { place in Array(place * 8..<place * 8 + 64) }
      for bit in bits {
        var damaged = whole
        damaged[bit / 8] ^= 1 << UInt8(bit % 8)
        try damaged.write(to: URL(fileURLWithPath: path))
        let found = code { () throws(any Error) in #expect(try Self.content(place) == expected, "\(id), bit \(bit)") }
        #expect(found == nil || found == .corrupt, "\(id), bit \(bit)")
      }
      try whole.write(to: URL(fileURLWithPath: path))
    }
    #expect(!numbers.isDisjoint(with: [2, 4, 8, 16]), "\(numbers)")
  }

  /// Such a page ended the process where the store had no checksums.
  @Test func anErasedPageIsAnErrorOrChangesNothing() throws {
    let (folder, place, pages) = try damaged()
    defer { withExtendedLifetime(folder) {} }
    let result = try tried(place, 0..<pages) { data, page in
      data.replaceSubrange(page * 4096..<(page + 1) * 4096, with: Data(count: 4096))
    }
    #expect(result.errors > 15)
  }

  @Test func exchangedPagesAreErrorsOrChangeNothing() throws {
    let (folder, place, pages) = try damaged()
    defer { withExtendedLifetime(folder) {} }
    let result = try tried(place, 0..<pages) { data, page in
      let other = (page * 7 + 3) % pages
      let (left, right) = (page * 4096..<(page + 1) * 4096, other * 4096..<(other + 1) * 4096)
      let (one, two) = (Data(data[left]), Data(data[right]))
      data.replaceSubrange(left, with: two)
      data.replaceSubrange(right, with: one)
    }
    #expect(result.errors > 15)
  }

  @Test func aMarkerThatWasChangedIsNoOtherFormat() throws {
    let path = "store"
    for format in [LMDBFormat.plain, .sealed, .checked] {
      let value = LMDBMarker.value(format)
      #expect(try LMDBMarker.format(value, path) == format)
      for bit in 0..<value.count * 8 {
        var changed = value
        changed[bit / 8] ^= 1 << UInt8(bit % 8)
        #expect(code { () throws(any Error) in _ = try LMDBMarker.format(changed, path) } == .corrupt)
      }
    }
    let newer = Array("Qrry".utf8) + [5, 0, 0, 0, 0xFA, 0xFF, 0xFF, 0xFF]
    #expect(code { () throws(any Error) in _ = try LMDBMarker.format(newer, path) } == .schemaTooNew)
  }
}
