import Foundation
import QuarryBackend
import QuarryConformance
import QuarryFlatFile
import Testing

@Suite struct FlatFileConformanceTests {
  @Test(arguments: ConformanceSuite.cases(for: FlatFileHarness()))
  func conforms(_ testCase: ConformanceCase) async throws {
    try await testCase.run(on: FlatFileHarness())
  }
}

/// Stores in files of a temporary folder each.
struct FlatFileHarness: ConformanceHarness {
  var name: String { "flatfile" }
  var isPersistent: Bool { true }

  func makePlace() throws -> any BackendProvider {
    let folder = FileManager.default.temporaryDirectory.appending(path: "quarry-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return FlatFileConfiguration(path: folder.appending(path: "store.quarry").path)
  }

  func remove(_ place: any BackendProvider) {
    guard let place = place as? FlatFileConfiguration else { return }
    try? FileManager.default.removeItem(at: URL(fileURLWithPath: place.path).deletingLastPathComponent())
  }
}
