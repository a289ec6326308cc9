import Foundation
import QuarryBackend
import QuarryEncryption
import QuarryKeyValue
import QuarrySealed
import QuarryTestSupport
import Testing

@testable import QuarryLMDB

@Suite struct LMDBEncryptionTests {
  private static let canary = Array("the canary sings".utf8)
  private static let trees: [TreeID] = [0, 1, 2]
  private let place: Place
  private var configuration: LMDBConfiguration { LMDBConfiguration(path: place.path) }

  init() throws {
    place = try Place()
  }

  private func encryption(_ byte: UInt8) throws -> Encryption {
    Encryption(try EncryptionKey([UInt8](repeating: byte, count: 32)))
  }

  private func open(_ byte: UInt8?, _ change: (inout OpenOptions) -> Void = { _ in }) throws -> any Backend {
    var options = OpenOptions()
    options.encryption = try byte.map(encryption)
    options.busyTimeout = 0.2
    change(&options)
    return try configuration.open(options)
  }

  private func sealed(_ byte: UInt8) throws -> SealedEngine<LMDBEngine> {
    let backend = try open(byte)
    return try #require(backend as? KeyValueBackend<SealedEngine<LMDBEngine>>).engine
  }

  /// Stores some entries, one of them larger than a page.
  private func fill(_ engine: some KeyValueEngine) throws {
    try engine.write { tx throws(StorageError) in
      for number in 0..<400 { try tx.put(TreeID(1 + number % 2), Self.canary + key(number), Self.canary + key(number)) }
      try tx.put(1, [1], Array(repeatElement(Self.canary, count: 900).joined()))
    }
  }

  /// Makes a store, closes it, and says what it has.
  private func makeStore(_ byte: UInt8?) throws -> [[[UInt8]: [UInt8]]] {
    if let byte {
      let engine = try sealed(byte)
      try fill(engine)
      defer { try? engine.close() }
      return try content(engine)
    }
    let engine = try place.open()
    try fill(engine)
    defer { try? engine.close() }
    return try content(engine)
  }

  private func content(_ engine: some KeyValueEngine) throws -> [[[UInt8]: [UInt8]]] {
    let read = try engine.beginRead()
    defer { read.end() }
    return try read.contents(Self.trees)
  }

  private func content(_ byte: UInt8?) throws -> [[[UInt8]: [UInt8]]] {
    if let byte {
      let engine = try sealed(byte)
      defer { try? engine.close() }
      #expect(try engine.check() == [])
      return try content(engine)
    }
    let engine = try place.open(creates: false)
    defer { try? engine.close() }
    return try content(engine)
  }

  private var data: Data {
    get throws { try Data(contentsOf: URL(fileURLWithPath: place.path + "/data.mdb")) }
  }

  /// The files below the test's folder that have something in the clear.
  private func plainFiles() throws -> [String] {
    let found = FileManager.default.enumerator(atPath: place.folder)
    return try (found?.allObjects as? [String] ?? []).filter { name in
      let path = place.folder + "/" + name
      var isDirectory: ObjCBool = false
      guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), !isDirectory.boolValue else {
        return false
      }
      return try Data(contentsOf: URL(fileURLWithPath: path)).range(of: Data("canary".utf8)) != nil
    }
  }

  @Test(arguments: EngineTrial.allCases)
  func itDoesWhatEveryEngineDoes(_ trial: EngineTrial) throws {
    try trial.run(on: sealed(7))
  }

  @Test func nothingIsInTheClearAfterAnything() throws {
    let engine = try sealed(7)
    try fill(engine)
    #expect(try plainFiles() == [])
    let before = try content(engine)
    try engine.backup(to: place.folder + "/copy.lmdb") { _, _ in true }
    #expect(try plainFiles() == [])
    try engine.write { tx throws(StorageError) in _ = try tx.delete(2, in: .all) }
    try engine.compact()
    #expect(try engine.check() == [])
    #expect(try plainFiles() == [])
    try engine.rekey(to: encryption(8), .full)
    #expect(try engine.check() == [])
    #expect(try plainFiles() == [])
    try engine.close()
    #expect(try content(8) == [before[0], before[1], [:]])
    var copy = configuration
    copy.path = place.folder + "/copy.lmdb"
    var options = OpenOptions()
    options.encryption = try encryption(7)
    let backend = try #require(try copy.open(options) as? KeyValueBackend<SealedEngine<LMDBEngine>>)
    #expect(try content(backend.engine) == before)
    // With the marker alone the store says what it is.
    #expect(try data.range(of: Data("canary".utf8)) == nil)
  }

  @Test func theErrorsAreToldApartAndLeaveTheFilesAlone() throws {
    _ = try makeStore(7)
    let before = try data
    let changes: [(inout OpenOptions) -> Void] = [{ _ in }, { $0.isReadOnly = true }, { $0.createsIfMissing = false }]
    for change in changes {
      #expect(code { () throws(any Error) in _ = try open(nil, change) } == .keyRequired)
      #expect(code { () throws(any Error) in _ = try open(8, change) } == .wrongKey)
    }
    #expect(code { () throws(any Error) in _ = try place.open() } == .keyRequired)
    #expect(try data == before)
    let opened = try sealed(7)
    #expect(code { () throws(any Error) in _ = try open(nil) } == .keyRequired)
    #expect(code { () throws(any Error) in _ = try open(8) } == .wrongKey)
    try opened.close()
    #expect(try data == before)
    // Who knows of no sealed pages sees a format that is newer than its own.
    #expect(before.range(of: Data(Array("quarryQrry".utf8) + [2, 0, 0, 0])) != nil)
  }

  @Test func aPlainStoreIsNotEncrypted() throws {
    _ = try makeStore(nil)
    let before = try data
    #expect(code { () throws(any Error) in _ = try open(7) } == .notEncrypted)
    #expect(try configuration.envelopeSlot() == nil)
    let plain = try open(nil)
    #expect(code { () throws(any Error) in _ = try open(7) } == .notEncrypted)
    let rekeying = try plain.requireRekeying()
    #expect(code { () throws(any Error) in try rekeying.rekey(to: encryption(7), .full) } == .notEncrypted)
    try plain.close()
    #expect(try data == before)
  }

  @Test(arguments: [RekeyExtent.full, .wrappingOnly])
  func theKeyIsChanged(_ extent: RekeyExtent) throws {
    let before = try makeStore(7)
    let engine = try sealed(7)
    try engine.rekey(to: encryption(8), extent)
    try engine.close()
    #expect(code { () throws(any Error) in _ = try open(7) } == .wrongKey)
    #expect(try content(8) == before)
    #expect(try configuration.envelopeSlot()?.generation == 2)
  }

  @Test func aStoreIsEncryptedAndDecrypted() throws {
    let before = try makeStore(nil)
    let version = try place.open()
    let number = try version.beginRead().version
    try version.close()
    try configuration.reencrypt(from: nil, to: encryption(7))
    #expect(try plainFiles() == [])
    #expect(try content(7) == before)
    #expect(code { () throws(any Error) in _ = try open(nil) } == .keyRequired)
    #expect(code { () throws(any Error) in try configuration.reencrypt(from: encryption(9), to: nil) } == .wrongKey)
    #expect(code { () throws(any Error) in try configuration.reencrypt(from: nil, to: nil) } == .keyRequired)
    try configuration.reencrypt(from: encryption(7), to: encryption(8))
    #expect(try content(8) == before)
    try configuration.reencrypt(from: encryption(8), to: nil)
    #expect(try content(nil) == before)
    let engine = try place.open()
    #expect(try engine.beginRead().version >= number)
    #expect(try engine.check() == [])
    try engine.close()
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.path).sorted() == ["data.mdb", "lock.mdb"])
  }

  @Test func aStoreThatIsOpenIsNotEncrypted() throws {
    _ = try makeStore(nil)
    let engine = try place.open()
    #expect(code { () throws(any Error) in try configuration.reencrypt(from: nil, to: encryption(7)) } == .inUse)
    try engine.close()
    #expect(code { () throws(any Error) in try configuration.reencrypt(from: encryption(7), to: nil) } == .notEncrypted)
  }

  /// What a process has left that was killed while it wrote a store anew is removed, and is no store.
  @Test func whatAKilledChangeLeftGoes() throws {
    let before = try makeStore(7)
    try FileManager.default.createDirectory(
      atPath: place.path + "/rewritten.partial", withIntermediateDirectories: false)
    try Data(repeating: 7, count: 9_000).write(to: URL(fileURLWithPath: place.path + "/rewritten.partial/data.mdb"))
    #expect(try content(7) == before)
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.path).sorted() == ["data.mdb", "lock.mdb"])
  }

  /// LMDB's own pages have no checksums: of these only what says where a page is can be turned.
  @Test func noTurnedBitOfASealedPageGivesOtherData() throws {
    let before = try makeStore(7)
    let whole = try data
    var (errors, same) = (0, 0)
    // Overflow pages have the pages of a store behind a head of 16 bytes.
    for page in 2..<whole.count / 4_096 where whole[page * 4_096 + 10] & 0x04 != 0 {
      for place in [16, 100, 4_000, 4_063, 4_064, 4_070, 4_095] {
        var damaged = whole
        damaged[page * 4_096 + place] ^= 1 << UInt8(page % 8)
        try damaged.write(to: URL(fileURLWithPath: self.place.path + "/data.mdb"))
        let found = Result { try sealed(7) }
        do {
          let engine = try found.get()
          defer { try? engine.close() }
          #expect(try content(engine) == before)
          same += 1
        } catch let error as StorageError {
          #expect(error.code == .corrupt)
          errors += 1
        }
      }
    }
    #expect(errors > 50)
  }

  @Test func writersInTwoOpeningsTakeTurns() throws {
    let (one, two) = (try sealed(7), try sealed(7))
    for number in 0..<60 {
      let (writer, reader) = number % 2 == 0 ? (one, two) : (two, one)
      try writer.write { tx throws(StorageError) in try tx.put(1, key(number % 9), key(number)) }
      #expect(try reader.value(1, key(number % 9)) == key(number))
    }
    try one.rekey(to: encryption(8), .full)
    #expect(code { () throws(any Error) in _ = try two.value(1, key(1)) } == .wrongKey)
    try two.close()
    #expect(try one.value(1, key(1)) != nil)
  }
}
