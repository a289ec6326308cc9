import QuarryBackend
import QuarryConformance
import QuarryConformanceTesting
import QuarryKeyValue
import Testing

private let conformance = StorageConformance(ShortKeyHarness())

/// One run in four, of every area: the engines of this package run them all.
private let sample = conformance.runs.enumerated().filter { $0.offset % 4 == 0 }.map(\.element)

/// The conformance suite over an engine whose keys are short: no limit shows.
@Suite struct LongKeyConformanceTests {
  @Test func harness() { conformance.checkHarness() }
  @Test(arguments: sample) func conforms(_ run: ConformanceRun) async { await conformance.check(run) }
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
