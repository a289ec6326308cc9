import QuarryBackend
import QuarryKeyValue
import QuarryTestSupport
import Testing

@testable import QuarryFlatFile

/// The format byte by byte, as in docs/formats/flat-file.md. The bytes were worked out by another program.
@Suite struct GoldenTests {
  static let header = FlatFileHeader(
    identity: Array(0..<16), tag: 0x1122_3344_5566_7788, snapshot: 0)
  /// After the two commits, by who had it open first and closed it then.
  static let mark = FlatFileMark(number: 3, isClosed: true, end: 1153, commit: 2, chain: chain)
  static let chain: UInt32 = 0x60E1_3199

  static let markBytes: [UInt8] = [
    0x51, 0x4D, 0x52, 0x4B, 0x01, 0x00, 0x00, 0x00,  // magic, flags
    0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11,  // tag
    0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  // number
    0x81, 0x04, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  // end
    0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  // commit
    0x99, 0x31, 0xE1, 0x60, 0xDD, 0x4F, 0x4B, 0x8F,  // chain, checksum
  ]

  /// The mark before: of who had the file open.
  static let olderMarkBytes: [UInt8] = [
    0x51, 0x4D, 0x52, 0x4B, 0x00, 0x00, 0x00, 0x00, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11,
    0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x04, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x42, 0x62, 0x0C, 0xD6,
  ]

  static let headerBytes: [UInt8] = [
    0x8F, 0x51, 0x75, 0x61, 0x72, 0x72, 0x79, 0x0A,  // magic
    0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  // version, flags
    0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x0E, 0x0F,  // identity
    0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11,  // tag
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  // snapshot
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0xF3, 0x9D, 0x67, 0xAA,  // checksum
  ]

  static let firstBatch: [UInt8] = [
    0x51, 0x42, 0x41, 0x54, 0x00, 0x00, 0x00, 0x00,  // magic, flags
    0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11,  // tag
    0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  // commit
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  // synced
    0x0C, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  // length
    0x47, 0x3D, 0x4A, 0xF4, 0x51, 0x0A, 0xD7, 0xEF,  // checksums
    0x01, 0x03,  // tree 3
    0x02, 0x01, 0x02, 0x61, 0x62, 0x63,  // put a bc
    0x02, 0x01, 0x00, 0x64,  // put d
  ]

  static let secondBatch: [UInt8] = [
    0x51, 0x42, 0x41, 0x54, 0x00, 0x00, 0x00, 0x00, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11,
    0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x15, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x5F, 0x53, 0x3D, 0x94, 0x77, 0x22, 0x6F, 0xE9,
    0x01, 0xAC, 0x02,  // tree 300
    0x02, 0x02, 0x01, 0x78, 0x79, 0x7A,  // put xy z
    0x01, 0x03,  // tree 3
    0x03, 0x01, 0x61,  // delete a
    0x04, 0x03, 0x01, 0x62, 0x02, 0x63, 0x63,  // delete b..<cc
  ]

  /// Everything before the batches.
  static var beginning: [UInt8] {
    func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
    return headerBytes + zeros(64) + olderMarkBytes + zeros(768 - 176) + markBytes + zeros(1024 - 816)
  }

  static var file: [UInt8] { beginning + firstBatch + secondBatch }

  /// The same in the first format, which had no marks.
  static var fileOfFirstFormat: [UInt8] {
    var header = headerBytes
    header.replaceSubrange(8..<9, with: [1])
    header.replaceSubrange(60..<64, with: [0xFC, 0xF6, 0x38, 0x43])
    return header + [UInt8](repeating: 0, count: 960) + firstBatch + secondBatch
  }

  @Test func theHeaderIsWrittenAsDescribed() {
    let bytes = Self.header.encoded(owner: 0x0102_0304, mark: Self.mark)
    #expect(bytes.count == 1024)
    #expect(Array(bytes[..<64]) == Self.headerBytes)
    #expect(Array(bytes[512..<520]) == [4, 3, 2, 1, 0, 0, 0, 0])
    #expect(Array(bytes[768..<816]) == Self.markBytes)
    #expect(bytes[64..<512].allSatisfy { $0 == 0 } && bytes[520..<768].allSatisfy { $0 == 0 })
    #expect(bytes[816...].allSatisfy { $0 == 0 })
  }

  @Test func batchesAreWrittenAsDescribed() throws {
    let disk = SimulatedDisk(
      "/golden.quarry", Self.header.encoded(owner: 0, mark: .first(isClosed: true, in: Self.header)))
    let engine = try FlatFileEngine(
      FlatFileConfiguration(path: "/golden.quarry", compaction: .manual), OpenOptions(), files: disk)
    try engine.write { tx throws(StorageError) in
      try tx.put(3, [0x61], [0x62, 0x63])
      try tx.put(3, [0x64], [])
    }
    try engine.write { tx throws(StorageError) in
      try tx.put(300, [0x78, 0x79], [0x7A])
      _ = try tx.delete(3, [0x61])
      try tx.savepoint()
      try tx.put(3, [0x99], [1])
      try tx.rollbackSavepoint()
      _ = try tx.insert(3, [0x64], [9])
      _ = try tx.delete(3, [0x77])
    }
    try engine.close()
    let bytes = try #require(disk.bytes("/golden.quarry"))
    #expect(Array(bytes[1024..<1024 + Self.firstBatch.count]) == Self.firstBatch)
    #expect(Array(bytes[128..<176]) == Self.olderMarkBytes)
    #expect(Array(bytes[768..<792]) == Array(Self.markBytes[..<24]))
    // All of the second commit but the range, which has no entry.
    let second = Array(bytes[(1024 + Self.firstBatch.count)...])
    #expect(Array(second[48...]) == Array(Self.secondBatch[48..<62]))
  }

  @Test(arguments: [Self.file, Self.fileOfFirstFormat])
  func theGoldenFileIsRead(_ bytes: [UInt8]) throws {
    var options = OpenOptions()
    options.isReadOnly = true
    let engine = try FlatFileEngine(
      FlatFileConfiguration(path: "/golden.quarry"), options, files: SimulatedDisk("/golden.quarry", bytes))
    let read = try engine.beginRead()
    #expect(read.version == CommitVersion(2))
    #expect(try read.keys(3) == [[0x64]])
    #expect(try read.keys(300) == [[0x78, 0x79]])
    #expect(try read.get(300, [0x78, 0x79]) == [0x7A])
    #expect(try engine.check() == [])
    #expect(engine.openingReport.wasClosed == (bytes[8] == 2 ? true : nil))
  }

  // MARK: The first format

  private static func open(_ disk: SimulatedDisk, isReadOnly: Bool = false) throws(StorageError) -> FlatFileEngine {
    var options = OpenOptions()
    options.isReadOnly = isReadOnly
    return try FlatFileEngine(
      FlatFileConfiguration(path: "/golden.quarry", compaction: .manual), options, files: disk)
  }

  @Test func aFileOfTheFirstFormatBecomesOneOfThis() throws {
    let disk = SimulatedDisk("/golden.quarry", Self.fileOfFirstFormat)
    try Self.open(disk).close()
    let bytes = try #require(disk.bytes("/golden.quarry"))
    #expect(Array(bytes[..<64]) == Self.headerBytes)
    #expect(Array(bytes[1024...]) == Self.firstBatch + Self.secondBatch)
    let again = try Self.open(disk, isReadOnly: true)
    #expect(again.openingReport == OpeningReport(wasClosed: true))
    #expect(try again.beginRead().keys(3) == [[0x64]])
    let cut = SimulatedDisk("/golden.quarry", Array(bytes[..<(1024 + Self.firstBatch.count)]))
    #expect(code { () throws(StorageError) in _ = try Self.open(cut) } == .corrupt)
  }

  @Test(arguments: SimulatedDisk.Remains.allCases)
  func becomingOfThisFormatSurvivesAStopAnywhere(_ remains: SimulatedDisk.Remains) throws {
    for operation in 1...12 {
      let disk = SimulatedDisk("/golden.quarry", Self.fileOfFirstFormat)
      disk.state.withLock { $0.fault = (operation, .stop) }
      try? Self.open(disk).close()
      let after = disk.afterPowerLoss(remains, keepsNames: true)
      let engine = try Self.open(after)
      #expect(try engine.beginRead().keys(300) == [[0x78, 0x79]], "operation \(operation)")
      #expect(engine.openingReport.tail == nil)
      try engine.close()
      #expect(try Self.open(after, isReadOnly: true).openingReport.wasClosed == true)
    }
  }

  /// The golden header with other numbers and a right checksum.
  private static func header(version: UInt8, flags: UInt8) -> [UInt8] {
    var bytes = headerBytes
    bytes[8] = version
    bytes[12] = flags
    let checksum = bytes.withUnsafeBytes { CRC32C.checksum(UnsafeRawBufferPointer(rebasing: $0[..<60])) }
    bytes.withUnsafeMutableBytes { $0.storeLittleEndian(checksum, at: 60) }
    return bytes + [UInt8](repeating: 0, count: 960)
  }

  @Test(
    arguments: [(3, 0, .schemaTooNew), (255, 3, .schemaTooNew), (0, 0, .corrupt), (1, 1, .corrupt), (2, 0, .corrupt)]
      as [(
        UInt8, UInt8, StorageError.Code
      )])
  func otherFormatsAreRefused(_ version: UInt8, _ flags: UInt8, _ expected: StorageError.Code) {
    let bytes = Self.header(version: version, flags: flags)
    let disk = SimulatedDisk("/store.quarry", bytes)
    for isReadOnly in [false, true] {
      var options = OpenOptions()
      options.isReadOnly = isReadOnly
      let found = code { () throws(StorageError) in
        _ = try FlatFileEngine(FlatFileConfiguration(path: "/store.quarry"), options, files: disk)
      }
      #expect(found == expected)
    }
    #expect(disk.bytes("/store.quarry") == bytes)
  }

  @Test func aKnownChecksum() {
    // From RFC 3720: 32 bytes of zeros, of ones, ascending; and "123456789".
    func checksum(_ bytes: [UInt8]) -> UInt32 { bytes.withUnsafeBytes { CRC32C.checksum($0) } }
    #expect(checksum([UInt8](repeating: 0, count: 32)) == 0x8A91_36AA)
    #expect(checksum([UInt8](repeating: 0xFF, count: 32)) == 0x62A8_AB43)
    #expect(checksum(Array(0..<32)) == 0x46DD_794E)
    #expect(checksum(Array("123456789".utf8)) == 0xE306_9283)
    #expect(checksum([]) == 0)
    let long = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    for split in [0, 1, 15, 16, 17, 500, 1000] {
      let parts = long.withUnsafeBytes { bytes in
        CRC32C.checksum(
          UnsafeRawBufferPointer(rebasing: bytes[split...]),
          continuing: CRC32C.checksum(UnsafeRawBufferPointer(rebasing: bytes[..<split])))
      }
      #expect(parts == checksum(long))
    }
  }
}
