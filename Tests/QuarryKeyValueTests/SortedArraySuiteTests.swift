import QuarryConformance
import Testing

/// The kit's small suite on the engine of these tests, so that what is compared with it is known to be right.
@Suite struct SortedArraySuiteTests {
  private struct Harness: KeyValueEngineHarness {
    func makeEngine() throws -> SortedArrayEngine { SortedArrayEngine() }
  }

  private static let suite = KeyValueEngineSuite(Harness())

  @Test(arguments: suite.cases)
  func conforms(_ name: String) {
    let failure = Self.suite.failure(of: name)
    #expect(failure == nil, "\(String(describing: failure))")
  }
}
