import Foundation
import QuarryBackend
import QuarryEngines
import Testing

@testable import QuarryTool

/// What the overview says of the engines is what their manifests say.
@Suite struct EngineTableTests {
  private static func lines(_ document: String) throws -> [String] {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let text = try String(contentsOf: root.appending(path: document), encoding: .utf8)
    return text.split(separator: "\n").map(String.init)
  }

  @Test func theOverviewHasTheTable() throws {
    let lines = try Self.lines("docs/overview.md")
    let start = try #require(lines.firstIndex(of: EngineTable.lines[0]))
    // The program prints links from the root of the repository; the page is in docs.
    let table = EngineTable.lines.map { $0.replacing("](docs/", with: "](") }
    var page = Array(lines[start...].prefix { $0.hasPrefix("|") })
    // The page also has the engines that traits of the package add.
    if EngineDescription(scheme: "postgres") == nil { page.removeAll { $0.hasPrefix("| [postgresql]") } }
    #expect(page == table)
    #expect(EngineTable.nowhere == [.openNamespace])
  }

  /// The matrix is what the last committed run of the kit wrote.
  @Test func theOverviewHasTheMatrix() throws {
    let matrix = try Self.lines("docs/conformance/matrix.md")
    let lines = try Self.lines("docs/overview.md")
    let start = try #require(lines.firstIndex(of: matrix[0]))
    #expect(Array(lines[start...].prefix { $0.hasPrefix("|") }) == matrix)
  }
}
