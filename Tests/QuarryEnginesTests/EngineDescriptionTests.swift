import Foundation
import QuarryBackend
import QuarryEngines
import QuarryHarnesses
import QuarryTestSupport
import Testing

/// What is said of an engine without a store is what its stores say.
@Suite struct EngineDescriptionTests {
  @Test(arguments: EngineDescription.all) func theManifestIsThatOfAStore(_ engine: EngineDescription) throws {
    let scratch = try ScratchFolder()
    let path = engine.path == .optionalName ? "" : StoreURL.escaped(scratch.url.appending(path: "store").path)
    let backend = try StoreURL(parsing: "\(engine.scheme):\(path)").open(OpenOptions())
    defer { try? backend.close() }
    #expect(backend.manifest == engine.manifest)
  }

  @Test func namesAndSchemesAreDifferent() {
    #expect(Set(EngineDescription.all.map(\.name)).count == EngineDescription.all.count)
    #expect(Set(EngineDescription.all.map(\.scheme)).count == EngineDescription.all.count)
    for engine in EngineDescription.all { #expect(EngineDescription(scheme: engine.scheme) == engine) }
    #expect(EngineDescription(scheme: "SQLite") == nil)
  }

  @Test func everyEngineHasAHarnessAndAPage() {
    #expect(EngineHarnesses.all.map(\.engine) == EngineDescription.all)
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    for engine in EngineDescription.all {
      let page = root.appending(path: "docs/engines/\(engine.name).md").path
      #expect(FileManager.default.fileExists(atPath: page), "\(page)")
    }
  }
}
