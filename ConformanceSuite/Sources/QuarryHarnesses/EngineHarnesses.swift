public import QuarryBackend
public import QuarryConformance
import QuarryEngines

#if PostgreSQL
  import QuarryPostgreSQL
#endif

/// The harnesses of the engines, for tests and the kit's program.
public enum EngineHarnesses {
  /// Makes the harness of an engine whose stores are in a folder.
  public typealias Maker = @Sendable (TemporaryFolder) -> any ConformanceHarness

  /// Every engine, in the order of reports.
  public static let all: [(engine: EngineDescription, make: Maker)] = EngineDescription.all.map {
    engine -> (engine: EngineDescription, make: Maker) in
    (engine: engine, make: { own(engine, nil, $0) })
  }

  /// Engines with options that change how a store is kept: not in reports of all engines, and tried by their names.
  public static let variants: [(name: String, make: Maker)] = EngineDescription.all.flatMap { engine in
    engine.variants.map { variant -> (name: String, make: Maker) in
      (name: variant.name, make: { own(engine, variant, $0) })
    }
  }

  /// The harness that states more of an engine than its description. An engine without one has ``EngineHarness``.
  private static func own(
    _ engine: EngineDescription, _ variant: EngineDescription.Variant?, _ folder: TemporaryFolder
  ) -> any ConformanceHarness {
    #if PostgreSQL
      if engine == .postgreSQL {
        return PostgreSQLHarness(variant == .postgreSQLManyWriters ? .many : .one, pooled: variant == .postgreSQLPooled)
      }
    #endif
    return switch engine {
    case .memory: MemoryHarness()
    case .flatFile: FlatFileHarness(folder)
    case .sqlite: SQLiteHarness(folder)
    case .lmdb: LMDBHarness(folder, variant)
    default: EngineHarness(engine, variant, in: folder)
    }
  }

  /// The program that is the second process of cases. It stands beside tests, too.
  static let program = "quarry-conformance"

  /// The harness for the name of an engine, the scheme of its URLs, a name of ``variants`` or of the engine with
  /// many writers; nil when there is none.
  public static func harness(_ name: String, in folder: TemporaryFolder) -> (any ConformanceHarness)? {
    let manyWriters = ManyWritersHarness()
    if name == manyWriters.name { return manyWriters }
    let make = all.first { $0.engine.name == name || $0.engine.scheme == name }?.make
    return (make ?? variants.first { $0.name == name }?.make)?(folder) ?? planted(name, in: folder)
  }
}
