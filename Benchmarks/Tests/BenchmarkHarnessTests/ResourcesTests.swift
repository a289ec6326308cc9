import Foundation
import Testing

@testable import BenchmarkHarness

@Suite struct ResourcesTests {
  private let resources = Resources(engines: [DictionaryStore.engine()], sizes: [1000, 1_000_000])

  @Test func theLargestSizeCounts() {
    #expect(resources == Resources(engines: [DictionaryStore.engine()], sizes: [1_000_000]))
    #expect(resources.diskBytes >= 300_000_000)
  }

  @Test func tooLittleIsRefused() {
    #expect(throws: BenchmarkError.self) { try resources.require(freeDisk: 1 << 20, freeMemory: nil) }
    #expect(throws: BenchmarkError.self) { try resources.require(freeDisk: nil, freeMemory: 1 << 20) }
  }

  @Test func enoughAndUnknownAreNot() throws {
    try resources.require(freeDisk: 1 << 40, freeMemory: 1 << 40)
    try resources.require(freeDisk: nil, freeMemory: nil)
  }

  /// What a run on own data needs, which a change makes other than the usual.
  private func ownData(
    rowBytes: Int = 110_000_000, rows: Int = 1_000_000, unique: Int = 0, operations: Int = 5000, readers: Int = 0,
    engines: [Resources.Holding] = [.init(isPersistent: true, keepsAllInMemory: false)]
  ) -> Resources {
    Resources(
      rowBytes: rowBytes, rows: rows, indexes: 2, unique: unique, operations: operations, readers: readers,
      engines: engines)
  }

  @Test func ownDataNeedWhatTheyAreUsedFor() {
    let inMemory = Resources.Holding(isPersistent: false, keepsAllInMemory: true)
    let onDisk = Resources.Holding(isPersistent: true, keepsAllInMemory: false)
    // Stores have files one after the other, but processes keep what they have.
    #expect(ownData(engines: [onDisk, onDisk]).diskBytes == ownData().diskBytes)
    #expect(ownData(engines: [onDisk, onDisk]).memoryBytes > ownData().memoryBytes)
    #expect(ownData(engines: [inMemory, inMemory]).memoryBytes > ownData(engines: [inMemory]).memoryBytes * 3 / 2)
    // The rows are in a file of their own even where no store has one.
    #expect(ownData(engines: [inMemory]).diskBytes >= 110_000_000)
    // Values that are unique are looked up while the rows are read.
    #expect(ownData(unique: 5).memoryBytes > 5 * 60 * 1_000_000)
    #expect(ownData(operations: 1_000_000).memoryBytes > ownData().memoryBytes + 500_000_000)
    #expect(ownData(readers: 64).memoryBytes > ownData().memoryBytes)
    #expect(ownData(rowBytes: .max, rows: .max, engines: [onDisk, inMemory]).memoryBytes == .max)
  }

  @Test func absurdSizesAreNoTrap() {
    #expect(Resources(engines: [DictionaryStore.engine()], sizes: [.max]).diskBytes == .max)
  }

  @Test func aFolderThatIsNotThereIsRefused() {
    #expect(throws: BenchmarkError.self) { try Files.makeWorkFolder(in: "/no/such/folder") }
    #expect(throws: BenchmarkError.self) { try Files.makeWorkFolder(in: "/etc/hostname") }
  }

  @Test func blocksOfFilesAreCounted() throws {
    let folder = NSTemporaryDirectory() + "/files-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder + "/inner", withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try Data(repeating: 1, count: 100_000).write(to: URL(fileURLWithPath: folder + "/inner/file"))
    #expect(try Files.bytesOnDisk(folder) >= 100_000)
    #expect(try Files.bytesOnDisk(folder) < 200_000)
  }

  @Test func theForecastLearns() {
    var forecast = TimeForecast([
      .init(workload: "get", engine: "a", size: 10, times: 4), .init(workload: "get", engine: "b", size: 10, times: 1),
    ])
    #expect(forecast.secondsLeft == .infinity)
    forecast.did("get", "a", 10, seconds: 2)
    #expect(forecast.secondsLeft == 8)
    forecast.drop(engine: "b", size: 10)
    #expect(forecast.secondsLeft == 6)
  }
}
