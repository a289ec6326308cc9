import Foundation
import Testing

@testable import mutants

@Suite struct EngineModulesTests {
  private static func sources() throws -> [String: String] {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../../..")
      .standardizedFileURL
    var sources: [String: String] = [:]
    let paths = FileManager.default.enumerator(atPath: root.appending(path: "Sources").path)
    while let path = paths?.nextObject() as? String {
      guard path.contains("/EngineDescription+") else { continue }
      sources["Sources/\(path)"] = try String(
        contentsOf: root.appending(path: "Sources/\(path)"), encoding: .utf8)
    }
    return sources
  }

  @Test func enginesDescribeThemselves() throws {
    let modules = try EngineModules(Self.sources())
    #expect(modules.engines.map(\.name) == ["memory", "sqlite", "flat-file", "lmdb"])
    #expect(modules.engines(for: "Sources/QuarryKeyValue/A.swift") == ["memory", "flat-file", "lmdb"])
    #expect(modules.engines(for: "Sources/QuarryMemory/A.swift") == ["memory", "memory:name"])
    #expect(modules.engines(for: "Sources/QuarrySQL/A.swift") == ["sqlite"])
    #expect(modules.engines(for: "Sources/QuarryBackend/Values/A.swift") == ["memory", "sqlite", "flat-file"])
    #expect(modules.isPlanted("Sources/QuarrySealed/Pages/A.swift") && modules.isPlanted("Sources/QuarryCore/A.swift"))
    #expect(!modules.isPlanted("Sources/QuarryTool/A.swift") && !modules.isPlanted("Sources/QuarryCore/A.docc"))
  }

  @Test func sourcesWithoutAnEngineAreRefused() {
    #expect(throws: Problem.self) { try EngineModules(["Sources/QuarryCore/A.swift": "let a = 1"]) }
  }
}
