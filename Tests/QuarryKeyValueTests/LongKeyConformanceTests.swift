import QuarryBackend
import QuarryConformance
import QuarryKeyValue
import Testing

/// Every case of the conformance suite that needs no files, over an engine whose keys are short: no limit shows.
@Suite struct LongKeyConformanceTests {
  @Test(arguments: ConformanceSuite.cases(for: ShortKeyHarness()))
  func conforms(_ testCase: ConformanceCase) async throws {
    try await testCase.run(on: ShortKeyHarness())
  }
}

struct ShortKeyHarness: ConformanceHarness {
  var name: String { "sorted array of short keys" }
  var isPersistent: Bool { false }

  func makePlace() throws -> any BackendProvider { ShortKeyPlace() }
  func remove(_ place: any BackendProvider) {}
}

private struct ShortKeyPlace: BackendProvider {
  func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
    let engine = SortedArrayEngine(maximumKeyBytes: 40, isReadOnly: options.isReadOnly)
    return try KeyValueBackend(engine, options: options)
  }
}
