import QuarryBackend
import QuarryKeyValue
import Testing

@testable import QuarryFlatFile

/// A small store, cut at every length and changed at every byte.
@Suite struct DamageTests {
  typealias Content = [TreeID: [[UInt8]: [UInt8]]]
  private static let path = "/store.quarry"
  private static let trees: [TreeID] = [0, 1, 300]

  /// The bytes of a store, and its content after each commit; the first is the empty store.
  struct Sample: Sendable {
    var bytes: [UInt8]
    var states: [Content]
    /// Where each batch begins, and the end of the file.
    var batches: [Int]
    /// How many commits the snapshot holds that the file begins with.
    var snapshot = 0
  }

  private static func open(
    _ disk: SimulatedDisk, isReadOnly: Bool = false
  ) throws(StorageError) -> FlatFileEngine {
    var options = OpenOptions()
    options.isReadOnly = isReadOnly
    return try FlatFileEngine(FlatFileConfiguration(path: path, compaction: .manual), options, files: disk)
  }

  private static func content(_ engine: FlatFileEngine) throws -> Content {
    let read = try engine.beginRead()
    var content: Content = [:]
    for tree in trees {
      for key in try read.keys(tree) { content[tree, default: [:]][key] = try read.get(tree, key) }
    }
    return content
  }

  /// What the commits of the sample do.
  private static func change(_ tx: TreeWriteTransaction, _ number: Int) throws(StorageError) {
    switch number {
    case 0:
      try tx.put(1, [1], [1, 2, 3])
    case 1:
      try tx.put(300, Array("a long key of a tree with a long number".utf8), [UInt8](repeating: 7, count: 300))
      try tx.put(1, [2], [])
      try tx.put(1, [], [0])
    case 2:
      _ = try tx.delete(1, [1])
      try tx.savepoint()
      try tx.put(0, [9], [9])
      try tx.rollbackSavepoint()
      for key in 3..<9 as Range<UInt8> { try tx.put(1, [key], [key]) }
    case 3:
      _ = try tx.delete(1, in: KeyRange(lower: [4], upper: [7]))
    default:
      _ = try tx.delete(300, in: .all)
      try tx.put(0, [0], Array("QBATQBAT".utf8))
    }
  }

  static func sample(compactsAfter compaction: Int? = nil) throws -> Sample {
    let disk = SimulatedDisk()
    let engine = try open(disk)
    var sample = Sample(bytes: [], states: [[:]], batches: [FlatFileFormat.firstBatch])
    for number in 0..<5 {
      if number == compaction {
        try engine.compact()
        sample.snapshot = number
        sample.batches = [FlatFileFormat.firstBatch, disk.bytes(path)?.count ?? 0]
      }
      try engine.write { tx throws(StorageError) in try change(tx, number) }
      sample.states.append(try content(engine))
      sample.batches.append(disk.bytes(path)?.count ?? 0)
    }
    try engine.close()
    sample.bytes = disk.bytes(path) ?? []
    return sample
  }

  @Test func everyStateComesBack() throws {
    for compaction in [nil, 0, 2] {
      let sample = try Self.sample(compactsAfter: compaction)
      #expect(try Self.content(Self.open(SimulatedDisk(Self.path, sample.bytes))) == sample.states.last)
    }
  }

  @Test(arguments: [nil, 3], [false, true])
  func cutAtEveryLength(_ compaction: Int?, isReadOnly: Bool) throws {
    let sample = try Self.sample(compactsAfter: compaction)
    for length in 1..<sample.bytes.count {
      let disk = SimulatedDisk(Self.path, Array(sample.bytes[..<length]))
      let whole = sample.batches.lastIndex { $0 <= length }
      do {
        let engine = try Self.open(disk, isReadOnly: isReadOnly)
        let state = try #require(whole) + max(0, sample.snapshot - 1)
        #expect(try Self.content(engine) == sample.states[state], "cut at \(length)")
        let isTorn = !sample.batches.contains(length)
        #expect((try engine.statistics().details["tailBytes"] != nil) == isTorn)
        #expect(try engine.check() == [])
        if !isReadOnly { #expect(disk.bytes(Self.path)?.count == sample.batches[whole ?? 0]) }
        if isReadOnly { #expect(disk.bytes(Self.path)?.count == length) }
        try engine.close()
      } catch let error as StorageError {
        #expect(error.code == .corrupt)
        // A snapshot cannot be torn.
        #expect(length < sample.batches[sample.snapshot > 0 ? 1 : 0], "cut at \(length): \(error)")
        #expect(disk.bytes(Self.path) == Array(sample.bytes[..<length]))
      }
    }
  }

  @Test func aFileWithoutAByteIsNoStoreYet() throws {
    let disk = SimulatedDisk(Self.path, [])
    #expect(code { () throws(StorageError) in _ = try Self.open(disk, isReadOnly: true) } == .notFound)
    #expect(disk.bytes(Self.path) == [])
    let engine = try Self.open(disk)
    try engine.write { tx throws(StorageError) in try tx.put(1, [1], [1]) }
    try engine.close()
    #expect(try Self.open(disk).beginRead().keys(1) == [[1]])
  }

  @Test(arguments: [nil, 3], [0x01, 0x80, 0xFF] as [UInt8])
  func aChangedByteEverywhere(_ compaction: Int?, _ pattern: UInt8) throws {
    let sample = try Self.sample(compactsAfter: compaction)
    let lastBatch = sample.batches[sample.batches.count - 2]
    for place in sample.bytes.indices {
      var bytes = sample.bytes
      bytes[place] ^= pattern
      let disk = SimulatedDisk(Self.path, bytes)
      do {
        let engine = try Self.open(disk, isReadOnly: true)
        // What is between the header and the batches means nothing; a damaged last batch looks like a torn one.
        let isBeforeBatches = (FlatFileFormat.headerBytes..<FlatFileFormat.firstBatch).contains(place)
        #expect(isBeforeBatches || place >= lastBatch, "byte \(place)")
        let state = isBeforeBatches ? sample.states.count - 1 : sample.states.count - 2
        #expect(try Self.content(engine) == sample.states[state], "byte \(place)")
        try engine.close()
      } catch let error as StorageError {
        #expect(error.code == .corrupt)
        #expect(place < lastBatch, "byte \(place): \(error)")
        // The error names the batch.
        if let batch = sample.batches.last(where: { $0 <= place }) {
          #expect(error.message.contains("byte \(batch)"), "byte \(place): \(error)")
        }
      }
      #expect(disk.bytes(Self.path) == bytes)
    }
  }

  @Test func batchesOfAnotherFileAreNotTaken() throws {
    let sample = try Self.sample()
    let other = try Self.sample()
    // The same commits in two stores differ by their files' tags.
    var bytes = Array(sample.bytes[..<sample.batches[3]])
    bytes += other.bytes[other.batches[3]...]
    let engine = try Self.open(SimulatedDisk(Self.path, bytes))
    #expect(try Self.content(engine) == sample.states[3])
  }

  @Test func aCommitOutOfItsPlaceIsCorrupt() throws {
    let sample = try Self.sample()
    let bytes = Array(sample.bytes[..<sample.batches[2]]) + sample.bytes[sample.batches[1]...]
    #expect(code { () throws(StorageError) in _ = try Self.open(SimulatedDisk(Self.path, bytes)) } == .corrupt)
  }

  @Test func lengthsThatAreTooLargeAllocateNothing() throws {
    let sample = try Self.sample()
    let header = try FlatFileContent.header(
      of: #require(try SimulatedDisk(Self.path, sample.bytes).open(Self.path, .read)), path: Self.path,
      end: sample.bytes.count)
    for length in [Int.max, Int.max - 48, 1 << 60, 1 << 40, sample.bytes.count] {
      var bytes = sample.bytes
      let batch = BatchHeader(
        flags: 0, tag: header.tag, commit: 6, synced: 5, length: length, contentChecksum: 0)
      var encoded = [UInt8](repeating: 0, count: 48)
      encoded.withUnsafeMutableBytes { batch.encode(into: $0) }
      bytes += encoded + [1, 2, 3]
      let engine = try Self.open(SimulatedDisk(Self.path, bytes))
      #expect(try Self.content(engine) == sample.states.last)
      #expect(try engine.statistics().details["tailBytes"] == "51")
    }
  }

  @Test(
    arguments: [
      [2], [2, 1, 1, 5, 5], [1], [1, 0xFF], [9], [1, 1, 2, 0x80], [1, 1, 2, 5, 1, 0], [1, 1, 3, 2, 0],
      [1, 1, 4, 4], [1, 1, 4, 1, 9, 0], [1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
      [1, 1, 2, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 1],
      [1, 1, 2, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 1],
    ] as [[UInt8]])
  func whatIsNoOperationIsRefused(_ content: [UInt8]) throws {
    var trees = TreeSet()
    let isRead = try content.withUnsafeBytes { try BatchContent.apply($0, to: &trees) }
    #expect(!isRead)
  }

  @Test func salvageBringsOutWhatIsWhole() throws {
    let sample = try Self.sample()
    // The second commit is lost.
    var bytes = sample.bytes
    bytes[sample.batches[1] + 60] ^= 1
    let disk = SimulatedDisk(Self.path, bytes)
    #expect(code { () throws(StorageError) in _ = try Self.open(disk) } == .corrupt)
    let (salvage, state) = try FlatFile.read(Self.path, disk)
    #expect(salvage.commits == 4)
    #expect(salvage.version == CommitVersion(5))
    #expect(salvage.losses.map(\.offset) == [sample.batches[1]])
    #expect(salvage.losses.map(\.bytes) == [sample.batches[2] - sample.batches[1]])
    #expect(salvage.losses.map(\.commits) == [2...2])
    #expect(!salvage.isPrefix)
    try FlatFile.write(state, to: "/new.quarry", disk)
    var options = OpenOptions()
    options.isReadOnly = true
    let new = try FlatFileEngine(FlatFileConfiguration(path: "/new.quarry"), options, files: disk)
    var expected = try #require(sample.states.last)
    expected[1]?[[2]] = nil
    expected[1]?[[]] = nil
    #expect(try Self.content(new) == expected)
    #expect(disk.bytes(Self.path) == bytes)
  }

  @Test func salvageDoesWithoutAHeader() throws {
    let sample = try Self.sample()
    var bytes = sample.bytes
    for place in 0..<64 { bytes[place] = 0 }
    let (salvage, state) = try FlatFile.read(Self.path, SimulatedDisk(Self.path, bytes))
    #expect(salvage.isHeaderLost)
    #expect(salvage.isPrefix)
    #expect(salvage.commits == 5)
    #expect(state.version == CommitVersion(5))
  }

  @Test func salvageOfAnythingEverywhere() throws {
    let sample = try Self.sample(compactsAfter: 2)
    for place in sample.bytes.indices {
      var bytes = sample.bytes
      bytes[place] ^= 0x55
      let (salvage, state) = try FlatFile.read(Self.path, SimulatedDisk(Self.path, bytes))
      let batches = sample.batches.count - 1
      let isLost = place >= FlatFileFormat.firstBatch
      #expect(salvage.commits == batches - (isLost ? 1 : 0), "byte \(place)")
      #expect(salvage.losses.count == (isLost ? 1 : 0), "byte \(place)")
      #expect(state.defects() == [])
    }
  }

  @Test func salvageOfSomethingElse() throws {
    let noise = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    #expect(
      code { () throws(StorageError) in _ = try FlatFile.read(Self.path, SimulatedDisk(Self.path, noise)) } == .corrupt)
    #expect(code { () throws(StorageError) in _ = try FlatFile.read(Self.path, SimulatedDisk()) } == .notFound)
  }
}
