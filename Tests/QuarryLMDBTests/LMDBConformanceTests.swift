import QuarryBackend
import QuarryConformance
import QuarryConformanceTesting
import QuarryHarnesses
import QuarryLMDB
import Testing

private let conformance = StorageConformance(LMDBHarness())

@Suite struct LMDBConformanceTests {
  @Test func harness() { conformance.checkHarness() }
  @Test(arguments: conformance.runs) func conforms(_ run: ConformanceRun) async { await conformance.check(run) }
}

/// Stores with checksums, in the areas that are about files, transactions and what may go wrong with them.
private let checked = StorageConformance(LMDBHarness(TemporaryFolder(), .lmdbChecksums), .aboutFiles)

extension ConformanceSelection {
  fileprivate static var aboutFiles: ConformanceSelection {
    var selection = forTests
    selection.areas = ["CARE", "DUR", "MP", "OPEN", "SNAP", "TXN"]
    return selection
  }
}

@Suite struct LMDBChecksumConformanceTests {
  @Test func harness() { checked.checkHarness() }
  @Test(arguments: checked.runs) func conforms(_ run: ConformanceRun) async { await checked.check(run) }
}
