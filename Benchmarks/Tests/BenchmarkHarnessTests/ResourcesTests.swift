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
