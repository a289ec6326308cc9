import QuarryFlatFile
import QuarryLMDB
import QuarrySQLite
import Testing

@Suite struct ConfigurationTests {
  /// Each list begins with a configuration, and the others differ from it in one thing.
  private func expectDifferent<C: Hashable>(_ configurations: [C]) {
    #expect(Set(configurations).count == configurations.count)
    for configuration in configurations.dropFirst() { #expect(configuration != configurations[0]) }
    #expect(configurations[0] == configurations[0])
  }

  @Test func everyOptionTellsConfigurationsApart() {
    expectDifferent([
      SQLiteConfiguration(path: "a", cacheBytes: 1 << 20, readers: 2, statements: 8),
      SQLiteConfiguration(path: "b", cacheBytes: 1 << 20, readers: 2, statements: 8),
      SQLiteConfiguration(path: "a", cacheBytes: 2 << 20, readers: 2, statements: 8),
      SQLiteConfiguration(path: "a", cacheBytes: 1 << 20, readers: 3, statements: 8),
      SQLiteConfiguration(path: "a", cacheBytes: 1 << 20, readers: 2, statements: 9),
    ])
    expectDifferent([
      LMDBConfiguration(path: "a", mapBytes: 1 << 30, readers: 64),
      LMDBConfiguration(path: "b", mapBytes: 1 << 30, readers: 64),
      LMDBConfiguration(path: "a", mapBytes: 2 << 30, readers: 64),
      LMDBConfiguration(path: "a", mapBytes: 1 << 30, readers: 65),
    ])
    expectDifferent([
      FlatFileConfiguration(path: "a", compaction: .manual),
      FlatFileConfiguration(path: "b", compaction: .manual),
      FlatFileConfiguration(path: "a", compaction: .automatic(garbageBytes: 1 << 20)),
    ])
  }
}
