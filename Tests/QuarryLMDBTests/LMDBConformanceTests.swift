import QuarryBackend
import QuarryConformance
import QuarryConformanceTesting
import QuarryHarnesses
import QuarryLMDB
import Testing

private let conformance = StorageConformance(LMDBHarness())

@Suite struct LMDBConformanceTests {
  @Test func harness() { conformance.checkHarness() }
  @Test(arguments: conformance.areas) func conforms(_ area: ConformanceAreaRuns) async { await conformance.check(area) }
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
  @Test(arguments: checked.areas) func conforms(_ area: ConformanceAreaRuns) async { await checked.check(area) }
}
