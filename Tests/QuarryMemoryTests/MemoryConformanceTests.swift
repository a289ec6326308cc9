import QuarryBackend
import QuarryConformance
import QuarryKeyValue
import QuarryMemory
import Synchronization
import Testing

@Suite struct MemoryConformanceTests {
  @Test(arguments: ConformanceSuite.cases)
  func conforms(_ testCase: ConformanceCase) async throws {
    try await testCase.run(on: MemoryHarness())
  }
}

struct MemoryHarness: ConformanceHarness {
  var name: String { "memory" }
  var isPersistent: Bool { false }
  func makePlace() throws -> any BackendProvider { Temp() }
  func remove(_ place: any BackendProvider) {}
}
struct Temp: BackendProvider {
  func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
    try KeyValueBackend(MemoryEngine(isReadOnly: options.isReadOnly), options: options)
  }
}
