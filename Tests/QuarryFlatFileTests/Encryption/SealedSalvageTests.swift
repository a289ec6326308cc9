import QuarryBackend
import QuarryCore
import QuarryEncryption
import QuarryKeyValue
import QuarryTestSupport
import Testing

@testable import QuarryFlatFile

/// What is brought out of damaged encrypted files.
@Suite struct SealedSalvageTests {
  private let key: Encryption
  private let other: Encryption

  init() throws {
    key = try SealedStore.key(1)
    other = try SealedStore.key(2)
  }

  private func read(
    _ bytes: [UInt8], _ encryption: Encryption?
  ) throws(StorageError) -> (FlatFile.Salvage, [UInt8]) {
    let disk = SimulatedDisk(SealedStore.path, bytes)
    let (salvage, state) = try FlatFile.read(SealedStore.path, disk, encryption)
    try FlatFile.write(state, to: "/new.quarry", disk, other)
    let engine = try SealedStore.open(disk, other, "/new.quarry")
    defer { try? engine.close() }
    #expect(disk.hides(SealedStore.canary))
    #expect(disk.bytes(SealedStore.path) == bytes)
    return (salvage, (try? SealedStore.numbers(engine)) ?? [])
  }

  @Test func itGoesOnBehindDamageAndSaysThatTheChainBroke() throws {
    let sample = try SealedStore.sample(key, numbers: 1...5)
    for place in [0, 40, 50, 70, 80, 100] {
      var bytes = sample.bytes
      bytes[sample.batches[1] + place] ^= 1
      let (salvage, numbers) = try read(bytes, key)
      #expect(numbers == [1, 3, 4, 5])
      #expect(salvage.commits == 4)
      #expect(salvage.losses.map(\.offset) == [sample.batches[1]])
      #expect(salvage.losses.map(\.commits) == [2...2])
      #expect(salvage.isChainBroken && !salvage.isPrefix && !salvage.isHeaderLost)
    }
    let whole = try read(sample.bytes, key)
    #expect(!whole.0.isChainBroken && whole.0.isPrefix && whole.0.losses.isEmpty)
    #expect(whole.1 == [1, 2, 3, 4, 5])
    let cut = try read(Array(sample.bytes[..<(sample.batches[4] + 20)]), key)
    #expect(!cut.0.isChainBroken && cut.0.isPrefix)
    #expect(cut.1 == [1, 2, 3, 4])
    #expect(cut.0.losses.last?.commits == 5...5)
  }

  @Test(arguments: [nil, 3] as [UInt8?])
  func damageEverywhere(_ compaction: UInt8?) throws {
    let sample = try SealedStore.sample(key, compactsAfter: compaction)
    for place in stride(from: 0, to: sample.bytes.count, by: 3) {
      var bytes = sample.bytes
      bytes[place] ^= 0x55
      let (salvage, numbers) = try read(bytes, key)
      let isLost = place >= FlatFileFormat.firstSealedBatch
      #expect(salvage.losses.count == (isLost ? 1 : 0), "byte \(place)")
      #expect(salvage.isHeaderLost == (place < FlatFileFormat.headerBytes))
      #expect(salvage.commits == sample.batches.count - 1 - (isLost ? 1 : 0), "byte \(place)")
      #expect(Set(numbers).isSubset(of: [1, 2, 3, 4]))
    }
  }

  @Test func itDoesWithoutAHeaderAndWithOneSlot() throws {
    let sample = try SealedStore.sample(key)
    var bytes = sample.bytes
    for place in 0..<1024 + 148 { bytes[place] = 0 }
    let (salvage, numbers) = try read(bytes, key)
    #expect(numbers == [1, 2, 3, 4])
    #expect(salvage.isHeaderLost && salvage.isPrefix && !salvage.isChainBroken)
    for place in 2560..<2708 { bytes[place] = 0 }
    #expect(code { () throws(StorageError) in _ = try read(bytes, key) } == .corrupt)
  }

  @Test func itNeedsTheKey() throws {
    let sample = try SealedStore.sample(key)
    var headless = sample.bytes
    for place in 0..<64 { headless[place] = 0 }
    for bytes in [sample.bytes, headless] {
      #expect(code { () throws(StorageError) in _ = try read(bytes, nil) } == .keyRequired)
      #expect(code { () throws(StorageError) in _ = try read(bytes, other) } == .wrongKey)
    }
    let disk = SimulatedDisk()
    let engine = try SealedStore.open(disk, nil)
    try SealedStore.put(1, in: engine)
    var plain = try #require(disk.bytes(SealedStore.path))
    #expect(code { () throws(StorageError) in _ = try read(plain, key) } == .notEncrypted)
    for place in 0..<64 { plain[place] = 0 }
    #expect(code { () throws(StorageError) in _ = try read(plain, key) } == .notEncrypted)
  }

  @Test(arguments: [false, true], [nil, .full, .wrappingOnly] as [RekeyExtent?])
  func aKeptTailIsBroughtOut(isRewritten: Bool, _ extent: RekeyExtent?) throws {
    // Three commits were on their way at once; the first is damaged.
    let disk = SimulatedDisk()
    let engine = try SealedStore.open(disk, key, durability: .processCrash)
    var ends: [Int] = []
    for number in 0..<4 as Range<UInt8> {
      try SealedStore.put(number, in: engine)
      ends.append(disk.bytes(SealedStore.path)?.count ?? 0)
    }
    var bytes = try #require(disk.bytes(SealedStore.path))
    bytes[ends[0] + 100] ^= 1
    let crashed = SimulatedDisk(SealedStore.path, bytes)
    let opened = try SealedStore.open(crashed, key)
    #expect(try SealedStore.numbers(opened) == [0])
    let tail = try #require(opened.openingReport.tail)
    #expect(!tail.isBeginningOfCommit)
    #expect(try opened.check().count == 1)
    if isRewritten { try opened.compact() }
    if let extent { try opened.rekey(to: other, extent) }
    try opened.close()
    let now = extent == nil ? key : other
    let path = try #require(tail.path)
    #expect(crashed.hides(SealedStore.canary))
    #expect(code { () throws(StorageError) in _ = try FlatFile.read(path, crashed) } == .keyRequired)
    if extent != nil {
      #expect(code { () throws(StorageError) in _ = try FlatFile.read(path, crashed, key) } == .wrongKey)
    }
    let (salvage, state) = try FlatFile.read(path, crashed, now)
    #expect(salvage.commits == 2)
    #expect(salvage.losses.map(\.commits) == [2...2])
    #expect(salvage.isChainBroken)
    try FlatFile.write(state, to: "/new.quarry", crashed, now)
    #expect(try SealedStore.numbers(SealedStore.open(crashed, now, "/new.quarry")) == [0, 2, 3])
    #expect(code { () throws(StorageError) in _ = try SealedStore.open(crashed, now, path) } == .corrupt)
    // One whose store was decrypted since.
    try FlatFileReencryption(FlatFileOpening(SealedStore.path, crashed, now), nil).run()
    #expect(try FlatFile.read(path, crashed, now).0.commits == 2)
  }

  @Test func nothingOfModelsIsSeenBesideAGapEither() throws {
    let folder = try TestFolder()
    let value = "a code that nobody may see"
    let store = try Store(
      for: SalvageTests.Note.self, in: .flatFile(at: folder.file(), compaction: .manual),
      encryption: key)
    try store.insert(SalvageTests.Note(1, value, rank: 1))
    let end = folder.bytes().count
    try store.update(SalvageTests.Note.self, 1) { $0.rank = 5 }
    try store.insert(SalvageTests.Note(2, value + "!", rank: 2))
    try store.backup(to: folder.file("copy.quarry"))
    try store.close()
    var bytes = folder.bytes()
    bytes[end + 60] ^= 1
    folder.write(bytes)
    let salvage = try FlatFile.salvage(from: folder.file(), to: folder.file("new.quarry"), encryption: key)
    #expect(salvage.isChainBroken)
    #expect(salvage.rebuiltIndexes.count == 2)
    for name in folder.contents {
      for text in [value, "Note", "rank", "primaryKey"] {
        #expect(folder.bytes(name).firstRange(of: Array(text.utf8)) == nil, "\(text) in \(name)")
      }
    }
  }

  @Test func throughTheDoor() throws {
    let folder = try TestFolder()
    let engine = try folder.open { $0.encryption = key }
    try SealedStore.put(1, in: engine)
    try engine.close()
    let new = try FlatFile.salvage(from: folder.file(), to: folder.file("new.quarry"), encryption: key)
    #expect(new.commits == 1)
    #expect(try FlatFileConfiguration(path: folder.file("new.quarry")).envelopeSlot() != nil)
    let reader = try folder.open("new.quarry") { options in
      options.encryption = key
      options.isReadOnly = true
    }
    #expect(try SealedStore.numbers(reader) == [1])
    _ = try FlatFile.salvage(
      from: folder.file(), to: folder.file("other.quarry"), encryption: key, newEncryption: other)
    #expect(
      code { () throws(StorageError) in _ = try folder.open("other.quarry") { $0.encryption = key } } == .wrongKey)
    for name in folder.contents { #expect(folder.bytes(name).firstRange(of: SealedStore.canary) == nil) }
  }
}
