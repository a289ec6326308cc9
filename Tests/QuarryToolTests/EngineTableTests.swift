import Foundation
import QuarryBackend
import Testing

@testable import QuarryTool

/// What the README says of the engines is what their manifests say.
@Suite struct EngineTableTests {
  @Test func theReadmeHasTheTable() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    let lines = readme.split(separator: "\n").map(String.init)
    let start = try #require(lines.firstIndex(of: EngineTable.lines[0]))
    #expect(Array(lines[start...].prefix { $0.hasPrefix("|") }) == EngineTable.lines)
    #expect(EngineTable.nowhere == [.openEncryption, .openNamespace, .captureKeys, .captureRows, .backup])
  }
}
