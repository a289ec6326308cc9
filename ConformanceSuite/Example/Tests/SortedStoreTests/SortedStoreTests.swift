import QuarryBackend
import QuarryConformance
import QuarryConformanceTesting
import QuarryEncryption
import QuarryKeyValue
import QuarrySealed
import SortedStore
import SortedStoreHarness
import Testing

private let conformance = StorageConformance(SortedHarness())
private let engine = KeyValueEngineSuite(SortedEngineHarness())
private let sealed = KeyValueEngineSuite(SealedHarness())

/// The same engine with encryption.
private struct SealedHarness: KeyValueEngineHarness {
  func makeEngine() throws -> SealedEngine<SortedEngine> {
    try SealedEngine(SortedEngine(), encryption: Encryption(EncryptionKey.random()))
  }
}

@Suite struct SortedStoreTests {
  @Test(arguments: engine.cases) func engineConforms(_ name: String) { #expect(engine.failure(of: name) == nil) }
  @Test(arguments: sealed.cases) func sealedEngineConforms(_ name: String) { #expect(sealed.failure(of: name) == nil) }
  @Test func harness() { conformance.checkHarness() }
  @Test(arguments: conformance.areas) func conforms(_ area: ConformanceAreaRuns) async { await conformance.check(area) }
}
