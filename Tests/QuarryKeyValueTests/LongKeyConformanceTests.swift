import QuarryBackend
import QuarryConformance
import QuarryConformanceTesting
import QuarryKeyValue
import Testing

/// One run in four, of every area: the engines of this package run them all.
private let conformance = StorageConformance(ShortKeyHarness()) { runs in
  runs.enumerated().filter { $0.offset % 4 == 0 }.map(\.element)
}

/// The conformance suite over an engine whose keys are short: no limit shows.
@Suite struct LongKeyConformanceTests {
  @Test func harness() { conformance.checkHarness() }
  @Test(arguments: conformance.areas) func conforms(_ area: ConformanceAreaRuns) async { await conformance.check(area) }
}

struct ShortKeyHarness: ConformanceHarness {
  let name = "sorted array of short keys"
  let isPersistent = false
  let manifest = BackendManifest.keyValue(SortedArrayEngine(maximumKeyBytes: 40).properties)

  func makePlace() throws -> any BackendProvider { ShortKeyPlace() }
  func remove(_ place: any BackendProvider) {}
}

private struct ShortKeyPlace: BackendProvider {
  func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
    let engine = SortedArrayEngine(maximumKeyBytes: 40, isReadOnly: options.isReadOnly)
    return try KeyValueBackend(engine, options: options)
  }
}
