import QuarryBackend
import QuarryEncryption
import QuarryKeyValue
import QuarryTestSupport
import Testing

@testable import QuarryFlatFile

/// Encrypted stores that are opened, written, closed; and keys that do not belong to them.
@Suite struct SealedOpeningTests {
  private let key: Encryption
  private let other: Encryption

  init() throws {
    key = try SealedStore.key(1)
    other = try SealedStore.key(2)
  }

  @Test(arguments: [BackendManifest.Durability.none, .processCrash, .powerLoss])
  func whatIsWrittenComesBackAndIsNotSeen(_ durability: BackendManifest.Durability) throws {
    let disk = SimulatedDisk()
    for round in 0..<3 as Range<UInt8> {
      let engine = try SealedStore.open(disk, key, durability: durability)
      #expect(engine.envelopeSlot?.generation == 1)
      #expect(engine.properties.encrypts)
      try SealedStore.put(2 * round, in: engine)
      try SealedStore.put(2 * round + 1, in: engine)
      #expect(disk.hides(SealedStore.canary))
      #expect(try engine.check() == [])
      if round == 1 { try engine.compact() }
      try engine.close()
      #expect(disk.hides(SealedStore.canary))
      #expect(disk.names == [SealedStore.path])
    }
    let engine = try SealedStore.open(disk, key, isReadOnly: true)
    #expect(try SealedStore.numbers(engine) == [0, 1, 2, 3, 4, 5])
    #expect(engine.openingReport.wasClosed == (durability != .none))
    #expect(try engine.check() == [])
  }

  @Test func anEmptyStoreAndOneThatIsOpenedTwice() throws {
    let disk = SimulatedDisk()
    try SealedStore.open(disk, key).close()
    #expect(disk.bytes(SealedStore.path)?.count == 4096)
    try SealedStore.open(disk, key).close()
    let engine = try SealedStore.open(disk, key, isReadOnly: true)
    #expect(try SealedStore.numbers(engine) == [])
    #expect(engine.openingReport.wasClosed == true)
  }

  @Test(arguments: [false, true])
  func keysThatDoNotBelongToIt(isReadOnly: Bool) throws {
    let sealed = try SealedStore.sample(key).bytes
    let disk = SimulatedDisk()
    let engine = try SealedStore.open(disk, nil)
    try SealedStore.put(1, in: engine)
    try engine.close()
    let plain = try #require(disk.bytes(SealedStore.path))
    for (bytes, encryption, expected) in [
      (sealed, nil, .keyRequired), (sealed, other, .wrongKey), (plain, key, .notEncrypted),
      (sealed, Encryption(try EncryptionKey.passphrase("a passphrase", logN: 14)), .wrongKey),
    ] as [([UInt8], Encryption?, StorageError.Code)] {
      #expect(SealedStore.code(try SealedStore.look(at: bytes, encryption, isReadOnly: isReadOnly)) == expected)
    }
    #expect(try SealedStore.look(at: sealed, key, isReadOnly: isReadOnly).get() == [1, 2, 3, 4])
    #expect(try SealedStore.look(at: plain, nil, isReadOnly: isReadOnly).get() == [1])
  }

  @Test func aPassphraseIsAKey() throws {
    let disk = SimulatedDisk()
    let engine = try SealedStore.open(disk, Encryption(try EncryptionKey.passphrase("correct horse", logN: 14)))
    try SealedStore.put(1, in: engine)
    try engine.close()
    let again = try SealedStore.open(disk, Encryption(try EncryptionKey.passphrase("correct horse", logN: 15)))
    #expect(try SealedStore.numbers(again) == [1])
    #expect(again.envelopeSlot?.derivation == .scrypt(logN: 14, r: 8, p: 1))
    try again.close()
    let wrong = Encryption(try EncryptionKey.passphrase("correct horsf", logN: 14))
    #expect(code { () throws(StorageError) in _ = try SealedStore.open(disk, wrong) } == .wrongKey)
  }

  @Test func whoSharesAnOpenStoreHasToHaveItsKey() throws {
    let disk = SimulatedDisk()
    let first = try SealedStore.open(disk, key)
    try SealedStore.put(1, in: first)
    let second = try SealedStore.open(disk, SealedStore.key(1))
    try SealedStore.put(2, in: second)
    #expect(try SealedStore.numbers(first) == [1, 2])
    let before = disk.contents
    #expect(code { () throws(StorageError) in _ = try SealedStore.open(disk, nil) } == .keyRequired)
    #expect(code { () throws(StorageError) in _ = try SealedStore.open(disk, other) } == .wrongKey)
    #expect(disk.contents == before)
    // A key that was changed meanwhile is asked for.
    try second.rekey(to: other, .wrappingOnly)
    #expect(code { () throws(StorageError) in _ = try SealedStore.open(disk, key) } == .wrongKey)
    let third = try SealedStore.open(disk, other)
    #expect(try SealedStore.numbers(third) == [1, 2])
    for engine in [first, second, third] { try engine.close() }
    #expect(try SealedStore.numbers(SealedStore.open(disk, other, isReadOnly: true)) == [1, 2])
    let plain = SimulatedDisk()
    let open = try SealedStore.open(plain, nil)
    #expect(code { () throws(StorageError) in _ = try SealedStore.open(plain, key) } == .notEncrypted)
    #expect(code { () throws(StorageError) in try open.rekey(to: key, .full) } == .notEncrypted)
    #expect(code { () throws(StorageError) in try open.rekey(to: key, .wrappingOnly) } == .notEncrypted)
    #expect(open.envelopeSlot == nil)
  }

  @Test func aBackupIsSealedUnderTheSameKeyAndADataKeyOfItsOwn() throws {
    let disk = SimulatedDisk()
    let engine = try SealedStore.open(disk, key)
    for number in 1...5 as ClosedRange<UInt8> { try SealedStore.put(number, in: engine) }
    try engine.backup(to: "/copy.quarry") { _, _ in true }
    try SealedStore.open(disk, key, isReadOnly: true).backup(to: "/other.quarry") { _, _ in true }
    #expect(disk.hides(SealedStore.canary))
    for name in ["/copy.quarry", "/other.quarry"] {
      #expect(code { () throws(StorageError) in _ = try SealedStore.open(disk, other, name) } == .wrongKey)
      let copy = try SealedStore.open(disk, key, name)
      #expect(copy.openingReport.wasClosed == true)
      #expect(try SealedStore.numbers(copy) == [1, 2, 3, 4, 5])
      #expect(copy.envelopeSlot?.wrapped != engine.envelopeSlot?.wrapped)
      #expect(copy.envelopeSlot?.identity != engine.envelopeSlot?.identity)
      #expect(try copy.check() == [])
    }
  }

  @Test func quarantineAndDestroyAreAsEver() throws {
    let disk = SimulatedDisk()
    let engine = try SealedStore.open(disk, key)
    try SealedStore.put(1, in: engine)
    let place = try engine.quarantine()
    #expect(disk.names == [place])
    #expect(try SealedStore.numbers(SealedStore.open(disk, key, place, isReadOnly: true)) == [1])
    let again = try SealedStore.open(disk, key, place)
    try again.destroy()
    #expect(disk.names == [])
  }

  @Test func aTailThatWasTornStaysSealed() throws {
    let sample = try SealedStore.sample(key, isClosed: false)
    let last = sample.batches[sample.batches.count - 2]
    for length in last + 1..<sample.bytes.count {
      let disk = SimulatedDisk(SealedStore.path, Array(sample.bytes[..<length]))
      let engine = try SealedStore.open(disk, key)
      #expect(try SealedStore.numbers(engine) == [1, 2, 3])
      let report = try #require(engine.openingReport.tail)
      #expect(report.offset == last && report.isBeginningOfCommit)
      let kept = try #require(report.path.flatMap { disk.bytes($0) })
      #expect(Array(kept[FlatFileTail.sealedHeaderBytes...]) == Array(sample.bytes[last..<length]))
      #expect(disk.hides(SealedStore.canary))
      #expect(try engine.check() == [])
      try SealedStore.put(9, in: engine)
      try engine.close()
      #expect(try SealedStore.numbers(SealedStore.open(disk, key, isReadOnly: true)) == [1, 2, 3, 9])
    }
  }
}
