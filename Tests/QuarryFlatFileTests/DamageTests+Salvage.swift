import QuarryBackend
import QuarryKeyValue
import QuarryTestSupport
import QuarryTree
import Testing
@testable import QuarryFlatFile

extension DamageTests {
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
