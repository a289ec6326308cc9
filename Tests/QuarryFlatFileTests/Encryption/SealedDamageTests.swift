import QuarryBackend
import QuarryEncryption
import QuarryKeyValue
import QuarrySystem
import QuarryTestSupport
import Testing

@testable import QuarryFlatFile

/// Encrypted stores that somebody changed: by chance, or with the checksums made right.
@Suite struct SealedDamageTests {
  private let key: Encryption

  init() throws {
    key = try SealedStore.key(1)
  }

  /// Nothing but the same data, or an error.
  private func expectSameOrError(
    _ bytes: [UInt8], _ expected: [UInt8], isReadOnly: Bool = true, _ what: @autoclosure () -> String
  ) throws {
    switch try SealedStore.look(at: bytes, key, isReadOnly: isReadOnly) {
    case .success(let numbers): #expect(numbers == expected, "\(what())")
    case .failure(let error): #expect(error.code == .corrupt, "\(what()): \(error)")
    }
  }

  @Test func everyFlippedBitOfAClosedStore() throws {
    let sample = try SealedStore.sample(key, numbers: 1...3)
    let page = FlatFileFormat.firstSealedBatch
    for bit in 0..<sample.bytes.count * 8 {
      // Of the zeros of the header page, one bit of each byte.
      if bit / 8 < page, sample.bytes[bit / 8] == 0, bit % 8 != bit / 8 % 8 { continue }
      var bytes = sample.bytes
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      let result = try SealedStore.look(at: bytes, key)
      switch result {
      case .success(let numbers):
        #expect(numbers == [1, 2, 3], "bit \(bit)")
        #expect(bit / 8 < page && bit / 8 >= FlatFileFormat.headerBytes, "bit \(bit)")
      case .failure(let error):
        #expect(error.code == .corrupt, "bit \(bit): \(error)")
        #expect(bit / 8 >= page || bit / 8 < FlatFileFormat.headerBytes, "bit \(bit)")
      }
    }
  }

  @Test(arguments: [nil, 3] as [UInt8?])
  func aChangedByteForAWriter(_ compaction: UInt8?) throws {
    let sample = try SealedStore.sample(key, compactsAfter: compaction)
    for place in sample.bytes.indices where place >= 4096 || place % 5 == 0 {
      var bytes = sample.bytes
      bytes[place] ^= 0x55
      try expectSameOrError(bytes, [1, 2, 3, 4], isReadOnly: false, "byte \(place)")
    }
  }

  @Test(arguments: [nil, 3] as [UInt8?], [false, true])
  func aClosedStoreThatIsCutIsCorrupt(_ compaction: UInt8?, isReadOnly: Bool) throws {
    let sample = try SealedStore.sample(key, compactsAfter: compaction)
    for length in Array(stride(from: 1, to: 4096, by: 61)) + Array(4096..<sample.bytes.count) {
      let result = try SealedStore.look(at: Array(sample.bytes[..<length]), key, isReadOnly: isReadOnly)
      #expect(SealedStore.code(result) == .corrupt, "cut at \(length)")
    }
  }

  @Test func aClosedStoreIsNotCutWithOneMarkGone() throws {
    let sample = try SealedStore.sample(key)
    for offset in FlatFileFormat.markOffsets {
      var bytes = sample.bytes
      for place in offset..<offset + 92 { bytes[place] = 0 }
      #expect(try SealedStore.look(at: bytes, key).get() == [1, 2, 3, 4])
      for end in sample.batches.dropLast() {
        #expect(SealedStore.code(try SealedStore.look(at: Array(bytes[..<end]), key)) == .corrupt, "cut at \(end)")
      }
    }
  }

  /// The batches of a file, whole.
  private func parts(_ sample: SealedStore.Sample) -> [[UInt8]] {
    zip(sample.batches, sample.batches.dropFirst()).map { Array(sample.bytes[$0..<$1]) }
  }

  @Test func batchesThatAreExchangedDroppedRepeatedOrForeign() throws {
    let sample = try SealedStore.sample(key)
    let page = Array(sample.bytes[..<4096])
    let batches = parts(sample)
    let foreign = parts(try SealedStore.sample(key))
    for other in [
      [batches[1], batches[0], batches[2], batches[3]], [batches[0], batches[2], batches[1], batches[3]],
      [batches[0], batches[0], batches[2], batches[3]], [batches[0], batches[1], batches[3]],
      [batches[0], batches[1], batches[3], batches[3]], [foreign[0], batches[1], batches[2], batches[3]],
      [batches[0], batches[1], batches[2], foreign[3]], foreign,
    ] {
      #expect(SealedStore.code(try SealedStore.look(at: page + other.joined(), key)) == .corrupt)
    }
    for part in batches.indices {
      var zeroed = batches
      zeroed[part] = [UInt8](repeating: 0, count: zeroed[part].count)
      #expect(SealedStore.code(try SealedStore.look(at: page + zeroed.joined(), key)) == .corrupt)
    }
  }

  @Test func twoHistoriesOfOneFileAreNotMixed() throws {
    let common = try SealedStore.sample(key, isClosed: false)
    func continued(_ numbers: ClosedRange<UInt8>) throws -> [UInt8] {
      let disk = SimulatedDisk(SealedStore.path, common.bytes)
      let engine = try SealedStore.open(disk, key)
      for number in numbers { try SealedStore.put(number, in: engine) }
      return try #require(disk.bytes(SealedStore.path))
    }
    let one = try continued(10...12)
    let other = try continued(20...22)
    #expect(one.count == other.count)
    let batch = (one.count - common.bytes.count) / 3
    // Both are authentic, have the right numbers and the same key.
    let mixed = Array(one[..<(common.bytes.count + batch)]) + other[(common.bytes.count + batch)...]
    let disk = SimulatedDisk(SealedStore.path, mixed)
    let found = try? SealedStore.open(disk, key)
    if let found {
      #expect(try SealedStore.numbers(found) == [1, 2, 3, 4, 10])
      #expect(try found.check().count == 1)
      #expect(found.openingReport.tail?.isBeginningOfCommit == false)
    }
    let (salvage, _) = try FlatFile.read(SealedStore.path, SimulatedDisk(SealedStore.path, mixed), key)
    #expect(salvage.isChainBroken && !salvage.isPrefix)
    #expect(salvage.commits == 7)
  }

  // MARK: Forgeries with right checksums

  private func withChecksum(_ bytes: [UInt8], over range: Range<Int>, at place: Int) -> [UInt8] {
    var bytes = bytes
    let checksum = bytes[range].withUnsafeBytes { CRC32C.checksum($0) }
    bytes.withUnsafeMutableBytes { $0.storeLittleEndian(checksum, at: place) }
    return bytes
  }

  @Test func aForgedHeaderIsCorrupt() throws {
    let sample = try SealedStore.sample(key, compactsAfter: 2)
    for place in [16, 32, 40, 50] {
      var bytes = sample.bytes
      bytes[place] ^= 1
      let forged = withChecksum(bytes, over: 0..<60, at: 60)
      #expect(SealedStore.code(try SealedStore.look(at: forged, key)) == .corrupt, "byte \(place)")
    }
    // One that says that the file is plain.
    var bytes = sample.bytes
    (bytes[8], bytes[12]) = (2, 0)
    let forged = withChecksum(bytes, over: 0..<60, at: 60)
    #expect(SealedStore.code(try SealedStore.look(at: forged, key)) == .notEncrypted)
    #expect(SealedStore.code(try SealedStore.look(at: forged, nil)) == .corrupt)
  }

  @Test func aForgedMarkIsCorrupt() throws {
    let sample = try SealedStore.sample(key)
    for offset in FlatFileFormat.markOffsets {
      for place in [4, 8, 16, 24, 32, 40, 44, 60, 72] {
        var bytes = sample.bytes
        bytes[offset + place] ^= 2
        let forged = withChecksum(bytes, over: offset..<offset + 88, at: offset + 88)
        #expect(SealedStore.code(try SealedStore.look(at: forged, key)) == .corrupt, "byte \(place)")
      }
    }
    // An authentic one at the other's place.
    var bytes = sample.bytes
    bytes.replaceSubrange(128..<220, with: sample.bytes[768..<860])
    #expect(SealedStore.code(try SealedStore.look(at: bytes, key)) == .corrupt)
  }

  @Test func aMarkThatWasPutBackIsCorrupt() throws {
    let disk = SimulatedDisk()
    var pages: [[UInt8]] = []
    for number in 1...3 as ClosedRange<UInt8> {
      let engine = try SealedStore.open(disk, key)
      try SealedStore.put(number, in: engine)
      try engine.close()
      pages.append(Array(try #require(disk.bytes(SealedStore.path))[..<4096]))
    }
    let newest = try #require(disk.bytes(SealedStore.path))
    for page in pages.dropLast() {
      for offset in FlatFileFormat.markOffsets {
        var bytes = newest
        bytes.replaceSubrange(offset..<offset + 92, with: page[offset..<offset + 92])
        #expect(SealedStore.code(try SealedStore.look(at: bytes, key)) == .corrupt)
      }
      // Both of them: the file is what it was then, and goes on with what it has since.
      #expect(try SealedStore.look(at: page + newest[4096...], key).get() == [1, 2, 3])
    }
  }

  @Test func aForgedBatchIsCorrupt() throws {
    let sample = try SealedStore.sample(key)
    let start = sample.batches[1]
    let end = sample.batches[2]
    // The flags, the commit, what was synced; the tag before, the nonce, the tag, what is sealed.
    for place in [4, 16, 24, 48, 64, 76, 92, end - start - 1] {
      var bytes = sample.bytes
      bytes[start + place] ^= 1
      bytes = withChecksum(bytes, over: start + 48..<end, at: start + 40)
      bytes = withChecksum(bytes, over: start..<start + 44, at: start + 44)
      let result = try SealedStore.look(at: bytes, key)
      #expect(SealedStore.code(result) == .corrupt, "byte \(place)")
    }
  }

  @Test func aPlainBatchInASealedFileIsCorruptAndTheOtherWayRound() throws {
    let sample = try SealedStore.sample(key)
    let header = try FlatFileBeginning(
      of: #require(try SimulatedDisk("/x", sample.bytes).open("/x", .read)), path: "/x", .user(key)
    ).header
    let writer = BatchWriter()
    [UInt8]([1]).withUnsafeBytes { writer.put(1, $0, $0) }
    let plain = try writer.withBatch(
      tag: header.tag, commit: 5, synced: 4, contentChecksum: writer.contentChecksum()
    ) { Array($0) }
    let disk = SimulatedDisk(SealedStore.path, sample.bytes + plain)
    let engine = try SealedStore.open(disk, key)
    #expect(try SealedStore.numbers(engine) == [1, 2, 3, 4])
    #expect(engine.openingReport.tail?.bytes == plain.count)
    let (salvage, _) = try FlatFile.read(SealedStore.path, SimulatedDisk(SealedStore.path, sample.bytes + plain), key)
    #expect(salvage.commits == 4)
    let first = SimulatedDisk(SealedStore.path, Array(sample.bytes[..<4096]) + plain)
    #expect(code { () throws(StorageError) in _ = try SealedStore.open(first, key) } == .corrupt)
  }

  // MARK: The places of the key

  @Test func oneOfTheKeysPlacesIsEnoughAndACommitWritesTheOtherAgain() throws {
    let sample = try SealedStore.sample(key)
    for offset in FlatFileFormat.keyOffsets {
      for place in [0, 20, 100, 127, 130, 146] {
        var bytes = sample.bytes
        bytes[offset + place] ^= 1
        let disk = SimulatedDisk(SealedStore.path, bytes)
        let reader = try SealedStore.open(disk, key, isReadOnly: true)
        #expect(try SealedStore.numbers(reader) == [1, 2, 3, 4])
        #expect(try reader.check().count == 1)
        #expect(disk.bytes(SealedStore.path) == bytes)
        let writer = try SealedStore.open(disk, key)
        #expect(try writer.check().count == 1)
        try SealedStore.put(5, in: writer)
        #expect(try writer.check() == [])
        try writer.close()
        let mended = try #require(disk.bytes(SealedStore.path))
        for place in FlatFileFormat.keyOffsets {
          #expect(mended[place..<place + 148] == sample.bytes[place..<place + 148])
        }
      }
    }
    for part in [0..<128, 128..<148] {
      var bytes = sample.bytes
      for offset in FlatFileFormat.keyOffsets { for place in part { bytes[offset + place] = 0 } }
      for encryption in [key, nil] {
        #expect(SealedStore.code(try SealedStore.look(at: bytes, encryption)) == .corrupt)
      }
    }
  }

  @Test func aForeignKeyIsCorrupt() throws {
    let sample = try SealedStore.sample(key)
    let foreign = try SealedStore.sample(key)
    for offsets in [[1024], [2560], [1024, 2560]] {
      var bytes = sample.bytes
      for offset in offsets { bytes.replaceSubrange(offset..<offset + 148, with: foreign.bytes[offset..<offset + 148]) }
      #expect(SealedStore.code(try SealedStore.look(at: bytes, key)) == .corrupt)
    }
    // The other salt, whole: it gives another key.
    var bytes = sample.bytes
    for offset in [1024, 2560] {
      bytes.replaceSubrange(offset + 128..<offset + 148, with: foreign.bytes[offset + 128..<offset + 148])
    }
    #expect(SealedStore.code(try SealedStore.look(at: bytes, key)) == .corrupt)
  }

  @Test func aSlotOfALaterVersionIsNotGuessedAt() throws {
    let sample = try SealedStore.sample(key)
    var bytes = sample.bytes
    for offset in FlatFileFormat.keyOffsets {
      bytes[offset + 8] = 2
      bytes = withChecksum(bytes, over: offset..<offset + 124, at: offset + 124)
    }
    #expect(SealedStore.code(try SealedStore.look(at: bytes, key)) == .schemaTooNew)
    #expect(SealedStore.code(try SealedStore.look(at: bytes, key, isReadOnly: false)) == .schemaTooNew)
  }
}
