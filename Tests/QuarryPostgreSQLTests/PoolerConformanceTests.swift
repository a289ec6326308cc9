#if PostgreSQL
  import QuarryConformance
  import QuarryConformanceTesting
  import QuarryHarnesses
  import Testing

  private let conformance = StorageConformance(PostgreSQLHarness(pooled: true), selection)

  /// Areas that use transactions in every way: savepoints, cursors, snapshots, conflicts.
  private let selection = {
    var selection = ConformanceSelection.forTests
    selection.areas = ["TXN", "ISO", "SNAP", "STMT"]
    return selection
  }()

  /// A part of the kit through a pooler.
  @Suite struct PoolerConformanceTests {
    @Test func harness() { conformance.checkHarness() }
    @Test(arguments: conformance.areas)
    func conforms(_ area: ConformanceAreaRuns) async { await conformance.check(area) }
  }
#endif
