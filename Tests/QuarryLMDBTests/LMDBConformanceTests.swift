import Foundation
import QuarryBackend
import QuarryConformance
import QuarryLMDB
import Testing

@Suite struct LMDBConformanceTests {
  @Test(arguments: ConformanceSuite.cases(for: LMDBHarness()))
  func conforms(_ testCase: ConformanceCase) async throws {
    try await testCase.run(on: LMDBHarness())
  }
}

/// Stores in directories of a temporary folder each.
struct LMDBHarness: ConformanceHarness {
  var name: String { "lmdb" }
  var isPersistent: Bool { true }

  func makePlace() throws -> any BackendProvider {
    let folder = FileManager.default.temporaryDirectory.appending(path: "quarry-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return LMDBConfiguration(path: folder.appending(path: "store.lmdb").path)
  }

  func remove(_ place: any BackendProvider) {
    guard let place = place as? LMDBConfiguration else { return }
    try? FileManager.default.removeItem(at: URL(fileURLWithPath: place.path).deletingLastPathComponent())
  }
}
