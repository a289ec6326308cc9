import Foundation
import QuarryBackend
import QuarryConformance
import QuarrySQLite
import Testing

@Suite struct SQLiteConformanceTests {
  @Test(arguments: ConformanceSuite.cases(for: SQLiteHarness()))
  func conforms(_ testCase: ConformanceCase) async throws {
    try await testCase.run(on: SQLiteHarness())
  }
}

/// Stores in databases of a temporary folder each.
struct SQLiteHarness: ConformanceHarness {
  var name: String { "sqlite" }
  var isPersistent: Bool { true }

  func makePlace() throws -> any BackendProvider {
    let folder = FileManager.default.temporaryDirectory.appending(path: "quarry-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return SQLiteConfiguration(path: folder.appending(path: "store.db").path)
  }

  func remove(_ place: any BackendProvider) {
    guard let place = place as? SQLiteConfiguration else { return }
    try? FileManager.default.removeItem(at: URL(fileURLWithPath: place.path).deletingLastPathComponent())
  }
}
