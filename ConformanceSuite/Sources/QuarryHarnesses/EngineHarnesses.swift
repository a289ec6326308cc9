public import QuarryConformance
public import QuarryEngines

/// The engines of this package, for tests and the kit's program. A new engine is one line here.
public enum EngineHarnesses {
  /// Makes the harness of an engine whose stores are in a folder.
  public typealias Maker = @Sendable (TemporaryFolder) -> any ConformanceHarness

  /// In the order of reports.
  public static let all: [(engine: EngineDescription, make: Maker)] = [
    (.memory, { _ in MemoryHarness() }),
    (.flatFile, { FlatFileHarness($0) }),
    (.sqlite, { SQLiteHarness($0) }),
    (.lmdb, { LMDBHarness($0) }),
  ]

  /// The program that is the second process of cases. It stands beside tests, too.
  static let program = "quarry-conformance"

  /// The harness for the name of an engine or the scheme of its URLs, or nil when there is no such engine.
  public static func harness(_ name: String, in folder: TemporaryFolder) -> (any ConformanceHarness)? {
    all.first { $0.engine.name == name || $0.engine.scheme == name }?.make(folder)
  }
}
