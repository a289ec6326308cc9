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

  /// Engines with options that change how a store is kept: not in reports of all engines, and tried by their names.
  public static let variants: [(name: String, make: Maker)] = [
    (LMDBHarness.nameWithChecksums, { LMDBHarness($0, checksums: true) })
  ]

  /// The program that is the second process of cases. It stands beside tests, too.
  static let program = "quarry-conformance"

  /// The harness for the name of an engine, the scheme of its URLs or a name of ``variants``, or nil when there is none.
  public static func harness(_ name: String, in folder: TemporaryFolder) -> (any ConformanceHarness)? {
    let make = all.first { $0.engine.name == name || $0.engine.scheme == name }?.make
    return (make ?? variants.first { $0.name == name }?.make)?(folder) ?? planted(name, in: folder)
  }
}
