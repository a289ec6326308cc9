import QuarryBackend
import QuarryKeyValue
import QuarryTestSupport
import QuarryTree
import Testing

@testable import QuarryFlatFile

/// A small store, cut at every length and changed at every byte.
@Suite struct DamageTests {
  typealias Content = [TreeID: [[UInt8]: [UInt8]]]
  static let path = "/store.quarry"
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

  static func open(
    _ disk: SimulatedDisk, isReadOnly: Bool = false
  ) throws(StorageError) -> FlatFileEngine {
    var options = OpenOptions()
    options.isReadOnly = isReadOnly
    return try FlatFileEngine(FlatFileConfiguration(path: path, compaction: .manual), options, files: disk)
  }

  static func content(_ engine: FlatFileEngine) throws -> Content {
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

  /// - Parameter isClosed: Else the process ended with the store open.
  static func sample(compactsAfter compaction: Int? = nil, isClosed: Bool = true) throws -> Sample {
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
    if isClosed { try engine.close() }
    sample.bytes = disk.bytes(path) ?? []
    return sample
  }

  @Test(arguments: [nil, 0, 2], [false, true])
  func everyStateComesBack(_ compaction: Int?, isClosed: Bool) throws {
    let sample = try Self.sample(compactsAfter: compaction, isClosed: isClosed)
    let engine = try Self.open(SimulatedDisk(Self.path, sample.bytes))
    #expect(try Self.content(engine) == sample.states.last)
    #expect(engine.openingReport == OpeningReport(wasClosed: isClosed))
  }

  @Test(arguments: [nil, 3], [false, true])
  func aClosedStoreThatIsCutIsCorrupt(_ compaction: Int?, isReadOnly: Bool) throws {
    let sample = try Self.sample(compactsAfter: compaction)
    for length in 1..<sample.bytes.count {
      let bytes = Array(sample.bytes[..<length])
      let disk = SimulatedDisk(Self.path, bytes)
      let error = failure { () throws(StorageError) in _ = try Self.open(disk, isReadOnly: isReadOnly) }
      #expect(error?.code == .corrupt, "cut at \(length)")
      #expect(disk.bytes(Self.path) == bytes)
      #expect(disk.names == [Self.path])
    }
  }

  @Test(arguments: [nil, 3], [false, true])
  func cutAtEveryLengthAfterACrash(_ compaction: Int?, isReadOnly: Bool) throws {
    let sample = try Self.sample(compactsAfter: compaction, isClosed: false)
    for length in 1..<sample.bytes.count {
      let disk = SimulatedDisk(Self.path, Array(sample.bytes[..<length]))
      let whole = sample.batches.lastIndex { $0 <= length }
      do {
        let engine = try Self.open(disk, isReadOnly: isReadOnly)
        let state = try #require(whole) + max(0, sample.snapshot - 1)
        let end = sample.batches[whole ?? 0]
        #expect(try Self.content(engine) == sample.states[state], "cut at \(length)")
        let report = engine.openingReport
        #expect(report.wasClosed == false || length == FlatFileFormat.firstBatch)
        #expect(report.tail?.offset == (end == length ? nil : end))
        #expect(report.tail?.bytes == (end == length ? nil : length - end))
        // What the end of a process leaves is no defect.
        #expect(report.tail?.isBeginningOfCommit ?? true)
        #expect(try engine.check() == [])
        #expect(disk.bytes(Self.path)?.count == (isReadOnly ? length : end))
        if let tail = report.tail, !isReadOnly {
          let kept = try #require(tail.path.flatMap { disk.bytes($0) })
          #expect(Array(kept[FlatFileTail.headerBytes...]) == Array(sample.bytes[end..<length]))
        }
        try engine.close()
      } catch let error as StorageError {
        #expect(error.code == .corrupt)
        // A snapshot cannot be torn.
        #expect(length < sample.batches[sample.snapshot > 0 ? 1 : 0], "cut at \(length): \(error)")
        // The number of the owner is taken back.
        #expect(disk.bytes(Self.path)?.dropFirst(1024) == sample.bytes[..<length].dropFirst(1024))
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
  func aChangedByteOfAClosedStoreEverywhere(_ compaction: Int?, _ pattern: UInt8) throws {
    let sample = try Self.sample(compactsAfter: compaction)
    for place in sample.bytes.indices {
      var bytes = sample.bytes
      bytes[place] ^= pattern
      for isReadOnly in [true, false] {
        let disk = SimulatedDisk(Self.path, bytes)
        do {
          let engine = try Self.open(disk, isReadOnly: isReadOnly)
          // The number of the owner, zeros, and one mark of two.
          #expect((FlatFileFormat.headerBytes..<FlatFileFormat.firstBatch).contains(place), "byte \(place)")
          #expect(try Self.content(engine) == sample.states.last, "byte \(place)")
          #expect(engine.openingReport.tail == nil)
          try engine.close()
        } catch let error as StorageError {
          #expect(error.code == .corrupt)
          // The error names the batch.
          if let batch = sample.batches.last(where: { $0 <= place }) {
            #expect(error.message.contains("byte \(batch)"), "byte \(place): \(error)")
          }
          #expect(disk.bytes(Self.path)?.dropFirst(1024) == bytes.dropFirst(1024))
        }
      }
    }
  }

  @Test func aFlippedBitOfTheOnlyCommitIsCorrupt() throws {
    let disk = SimulatedDisk()
    let engine = try Self.open(disk)
    try engine.write { tx throws(StorageError) in
      for key in 0..<20 as Range<UInt8> { try tx.put(1, [key], [key, key]) }
    }
    try engine.close()
    let whole = try #require(disk.bytes(Self.path))
    for bit in (FlatFileFormat.firstBatch * 8)..<(whole.count * 8) {
      var bytes = whole
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      let disk = SimulatedDisk(Self.path, bytes)
      #expect(code { () throws(StorageError) in _ = try Self.open(disk) } == .corrupt, "bit \(bit)")
    }
  }

  @Test(arguments: [nil, 3], [0x01, 0xFF] as [UInt8])
  func aChangedByteAfterACrashLosesNothingInSilence(_ compaction: Int?, _ pattern: UInt8) throws {
    let sample = try Self.sample(compactsAfter: compaction, isClosed: false)
    let lastBatch = sample.batches[sample.batches.count - 2]
    for place in sample.bytes.indices {
      var bytes = sample.bytes
      bytes[place] ^= pattern
      let disk = SimulatedDisk(Self.path, bytes)
      do {
        let engine = try Self.open(disk)
        if place < lastBatch {
          #expect((FlatFileFormat.headerBytes..<FlatFileFormat.firstBatch).contains(place), "byte \(place)")
          #expect(try Self.content(engine) == sample.states.last, "byte \(place)")
          continue
        }
        // It cannot be told from a torn one, and is kept and told.
        #expect(try Self.content(engine) == sample.states[sample.states.count - 2], "byte \(place)")
        let tail = try #require(engine.openingReport.tail)
        let kept = try #require(tail.path.flatMap { disk.bytes($0) })
        #expect(Array(kept[FlatFileTail.headerBytes...]) == Array(bytes[lastBatch...]))
        if !tail.isBeginningOfCommit { #expect(try engine.check().count == 1, "byte \(place)") }
        try engine.close()
      } catch let error as StorageError {
        #expect(error.code == .corrupt)
        #expect(place < lastBatch, "byte \(place): \(error)")
        #expect(disk.names == [Self.path])
      }
    }
  }

  @Test func oneMarkOfTwoIsEnough() throws {
    let sample = try Self.sample()
    for offset in FlatFileFormat.markOffsets {
      var bytes = sample.bytes
      for place in offset..<offset + 48 { bytes[place] = 0 }
      let engine = try Self.open(SimulatedDisk(Self.path, bytes))
      #expect(try Self.content(engine) == sample.states.last)
    }
    var bytes = sample.bytes
    for place in 64..<1024 { bytes[place] = 0 }
    #expect(code { () throws(StorageError) in _ = try Self.open(SimulatedDisk(Self.path, bytes)) } == .corrupt)
  }

  @Test func anotherHistoryOfTheSameFileIsCorrupt() throws {
    // Two copies of one store that went on differently: the commits of one do not pass for those of the other.
    let disk = SimulatedDisk()
    let engine = try Self.open(disk)
    try engine.write { tx throws(StorageError) in try tx.put(1, [1], [1]) }
    try engine.close()
    let common = try #require(disk.bytes(Self.path))
    func continued(_ value: UInt8) throws -> [UInt8] {
      let disk = SimulatedDisk(Self.path, common)
      let engine = try Self.open(disk)
      try engine.write { tx throws(StorageError) in try tx.put(1, [2], [value]) }
      try engine.write { tx throws(StorageError) in try tx.put(1, [3], [value]) }
      try engine.close()
      return try #require(disk.bytes(Self.path))
    }
    let (one, other) = (try continued(1), try continued(2))
    #expect(one.count == other.count)
    let mixed = Array(one[..<(common.count + 48)]) + other[(common.count + 48)...]
    #expect(code { () throws(StorageError) in _ = try Self.open(SimulatedDisk(Self.path, mixed)) } == .corrupt)
    let batch = (one.count - common.count) / 2
    let swapped = Array(one[..<(common.count + batch)]) + other[(common.count + batch)...]
    #expect(code { () throws(StorageError) in _ = try Self.open(SimulatedDisk(Self.path, swapped)) } == .corrupt)
  }

  @Test func aKeptTailIsSalvaged() throws {
    // Three commits were on their way at once; the first is damaged.
    let disk = SimulatedDisk()
    var options = OpenOptions()
    options.durability = .processCrash
    let engine = try FlatFileEngine(
      FlatFileConfiguration(path: Self.path, compaction: .manual), options, files: disk)
    var ends: [Int] = []
    for number in 0..<4 as Range<UInt8> {
      try engine.write { tx throws(StorageError) in try tx.put(1, [number], [number]) }
      ends.append(disk.bytes(Self.path)?.count ?? 0)
    }
    var bytes = try #require(disk.bytes(Self.path))
    bytes[ends[0] + 50] ^= 1
    let crashed = SimulatedDisk(Self.path, bytes)
    let opened = try Self.open(crashed)
    #expect(try opened.beginRead().keys(1) == [[0]])
    let tail = try #require(opened.openingReport.tail)
    #expect(!tail.isBeginningOfCommit)
    #expect(try opened.check().count == 1)
    try opened.write { tx throws(StorageError) in try tx.put(1, [9], [9]) }
    try opened.close()
    let path = try #require(tail.path)
    let (salvage, state) = try FlatFile.read(path, crashed)
    #expect(salvage.commits == 2)
    #expect(!salvage.isPrefix)
    #expect(salvage.losses.map(\.commits) == [2...2])
    try FlatFile.write(state, to: "/new.quarry", crashed)
    func keys() throws -> [[UInt8]] {
      let new = try FlatFileEngine(FlatFileConfiguration(path: "/new.quarry"), OpenOptions(), files: crashed)
      defer { try? new.close() }
      return try new.beginRead().keys(1)
    }
    #expect(try keys() == [[0], [2], [3]])
    // Where the store was rewritten since, what it has now is the ground.
    let again = try Self.open(crashed)
    #expect(again.openingReport == OpeningReport(wasClosed: true))
    #expect(try again.check().count == 1, "as long as the tail lies there")
    try again.compact()
    try again.close()
    try crashed.remove("/new.quarry")
    try FlatFile.write(FlatFile.read(path, crashed).1, to: "/new.quarry", crashed)
    #expect(try keys() == [[0], [2], [3], [9]])
    // Without the damage nothing is lost, and yet what comes of it is no state that was once committed.
    let file = try #require(try crashed.open(path, .readWrite))
    try [bytes[ends[0] + 50] ^ 1].withUnsafeBytes { try file.write($0, at: FlatFileTail.headerBytes + 50) }
    let whole = try FlatFile.read(path, crashed).0
    #expect(whole.losses == [])
    #expect(!whole.isPrefix)
    #expect(
      code { () throws(StorageError) in _ = try FlatFileEngine(.init(path: path), OpenOptions(), files: crashed) }
        == .corrupt)
    let last = try Self.open(crashed)
    try last.destroy()
    #expect(crashed.names == ["/new.quarry"])
  }

  @Test func aTailForWhichThereIsNoRoomIsLeft() throws {
    let sample = try Self.sample(isClosed: false)
    let torn = Array(sample.bytes.dropLast())
    for operation in 1...20 {
      for fault in [SimulatedDisk.Fault.full, .error, .errorAfterwards] {
        let disk = SimulatedDisk(Self.path, torn)
        disk.state.withLock { $0.fault = (operation, fault) }
        let failed = failure { () throws(StorageError) in try Self.open(disk).close() }
        disk.state.withLock { $0.fault = nil }
        if failed != nil, disk.bytes(Self.path)?.count == torn.count {
          #expect(disk.bytes(Self.path)?.dropFirst(1024) == torn.dropFirst(1024))
        }
        // It was kept before, or is now.
        let engine = try Self.open(disk)
        #expect(try Self.content(engine) == sample.states[sample.states.count - 2])
        let tails = try FlatFileTail.names(Self.path, disk)
        #expect(!tails.isEmpty)
        let expected = Array(torn[sample.batches[sample.batches.count - 2]...])
        for tail in tails { #expect(disk.bytes(tail).map { Array($0[FlatFileTail.headerBytes...]) } == expected) }
        try engine.close()
      }
    }
  }

  @Test func batchesOfAnotherFileAreNotTaken() throws {
    let sample = try Self.sample(isClosed: false)
    let other = try Self.sample(isClosed: false)
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
    let header = try FlatFileBeginning(
      of: #require(try SimulatedDisk(Self.path, sample.bytes).open(Self.path, .read)), path: Self.path
    ).header
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
}
