import Foundation
import QuarryBackend
import QuarryConformance
import QuarryMemory
import Synchronization
import Testing

@Suite struct MemoryConformanceTests {
  @Test(arguments: ConformanceSuite.cases(for: MemoryHarness()))
  func conforms(_ testCase: ConformanceCase) async throws {
    try await testCase.run(on: MemoryHarness())
  }

  /// A store under a name lasts as long as one is open: with one held open, those opened after it find what it has.
  @Test(arguments: ConformanceSuite.cases(for: NamedMemoryHarness()).filter(\.requiresPersistence))
  func conformsHeldOpen(_ testCase: ConformanceCase) async throws {
    try await testCase.run(on: NamedMemoryHarness())
  }
}

struct MemoryHarness: ConformanceHarness {
  var name: String { "memory" }
  var isPersistent: Bool { false }

  func makePlace() throws -> any BackendProvider { MemoryConfiguration.memory }
  func remove(_ place: any BackendProvider) {}
}

struct NamedMemoryHarness: ConformanceHarness {
  var name: String { "memory under a name" }
  var isPersistent: Bool { true }

  func makePlace() throws -> any BackendProvider { HeldPlace() }

  func remove(_ place: any BackendProvider) { (place as? HeldPlace)?.letGo() }
}

/// A name in memory with a backend that is held open from the first opening on.
private final class HeldPlace: BackendProvider {
  private let configuration = MemoryConfiguration(name: UUID().uuidString)
  private let held = Mutex<(any Backend)?>(nil)

  func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
    let backend = try configuration.open(options)
    guard held.withLock({ $0 == nil }) else { return backend }
    let other = try configuration.open(OpenOptions())
    held.withLock { $0 = other }
    return backend
  }

  func letGo() {
    try? held.withLock { $0 }?.close()
  }
}
