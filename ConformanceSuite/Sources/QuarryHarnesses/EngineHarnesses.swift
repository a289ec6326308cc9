public import QuarryConformance

/// The engines of this package, for tests and the command line. A new engine is one line here.
public enum EngineHarnesses {
  /// Makes the harness of an engine whose stores are in a folder.
  public typealias Maker = @Sendable (TemporaryFolder) -> any ConformanceHarness

  /// By the scheme of the engine's URLs, in the order of reports.
  public static let all: [(scheme: String, make: Maker)] = [
    ("memory", { _ in MemoryHarness() }),
    ("file", { FlatFileHarness($0) }),
    ("sqlite", { SQLiteHarness($0) }),
    ("lmdb", { LMDBHarness($0) }),
  ]

  /// The program that is the second process of cases: the command line of this package. It stands beside tests, too.
  static let program = "quarry"

  /// The harness for a scheme, or nil when there is no such engine.
  public static func harness(_ scheme: String, in folder: TemporaryFolder) -> (any ConformanceHarness)? {
    all.first { $0.scheme == scheme }?.make(folder)
  }
}
