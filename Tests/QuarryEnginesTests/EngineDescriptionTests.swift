import Foundation
import QuarryBackend
import QuarryEngines
import QuarryHarnesses
import QuarryTestSupport
import Testing

/// What is said of an engine without a store is what its stores say.
@Suite struct EngineDescriptionTests {
  @Test(arguments: EngineDescription.all.filter { $0.path != .connection })
  func theManifestIsThatOfAStore(_ engine: EngineDescription) throws {
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

  // MARK: What a new engine needs

  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// The folders in `Sources` that describe an engine.
  private static func folders() throws -> Set<String> {
    let sources = root.appending(path: "Sources")
    let names = try FileManager.default.contentsOfDirectory(atPath: sources.path)
    return try Set(
      names.filter { name in
        let folder = sources.appending(path: name).path
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
          return false
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
        return files.contains { $0.hasPrefix("EngineDescription+") }
      })
  }

  /// The engines of traits that this build is without: the module, and the name of the engine.
  private static var left: [(module: String, name: String)] {
    #if PostgreSQL
      []
    #else
      [("QuarryPostgreSQL", "postgresql")]
    #endif
  }

  @Test func everyEngineIsAFolderAnEntryALineAndAPage() throws {
    let built = Set(EngineDescription.all.map { $0.modules[0] })
    #expect(built.count == EngineDescription.all.count)
    let modules = built.union(Self.left.map(\.module))
    #expect(try Self.folders() == modules, "EngineDescription.all has other engines than the folders in Sources")
    let entries = try Self.text("Package.swift").matches(of: /Engine\(\s*module: "(\w+)"/).map { String($0.1) }
    #expect(Set(entries) == modules, "Package.swift has other engines than EngineDescription.all")
    let list = try Self.text("Sources/QuarryEngines/EngineList.swift")
    for module in modules { #expect(list.contains("@_exported public import \(module)\n"), "\(module)") }
    let pages = try FileManager.default.contentsOfDirectory(atPath: Self.root.appending(path: "docs/engines").path)
    let names = EngineDescription.all.map(\.name) + Self.left.map(\.name)
    #expect(Set(pages) == Set(names.map { "\($0).md" }), "docs/engines has other pages")
  }

  @Test func everyModuleOfAnEngineIsThere() {
    for module in EngineDescription.all.flatMap(\.modules) {
      let folder = Self.root.appending(path: "Sources/\(module)").path
      #expect(FileManager.default.fileExists(atPath: folder), "\(folder)")
    }
  }

  /// What the kit tries is what the descriptions name, whether an engine has a harness of its own or not.
  @Test func everyEngineAndVariantHasAHarness() throws {
    #expect(EngineHarnesses.all.map(\.engine) == EngineDescription.all)
    let folder = TemporaryFolder()
    defer { folder.removeAll() }
    for (engine, make) in EngineHarnesses.all {
      #expect(make(folder).name == engine.name)
      #expect(make(folder).manifest == engine.manifest)
    }
    for engine in EngineDescription.all {
      for variant in engine.variants {
        let harness = try #require(EngineHarnesses.harness(variant.name, in: folder))
        let place = try harness.makePlace()
        defer { harness.remove(place) }
        let backend = try place.open(OpenOptions())
        defer { try? backend.close() }
        #expect(harness.name == variant.name)
        #expect(backend.manifest == harness.manifest)
      }
    }
  }

  /// A new engine is tried before it has a harness of its own.
  @Test(arguments: EngineDescription.all.filter { $0.fileSuffix != nil })
  func theCommonHarnessOpensStoresOfEveryEngine(_ engine: EngineDescription) throws {
    let folder = TemporaryFolder()
    defer { folder.removeAll() }
    let harness = EngineHarness(engine, in: folder)
    let place = try harness.makePlace()
    let backend = try place.open(OpenOptions())
    #expect(backend.manifest == harness.manifest)
    try backend.close()
    let path = try #require(harness.folder(of: place))
    #expect(!harness.files(at: place).isEmpty)
    harness.remove(place)
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  // MARK: For scripts

  @Test func theJSONHasEachEngineOnALine() throws {
    let text = try EngineDescription.json()
    let lines = text.split(separator: "\n")
    #expect(lines.count == EngineDescription.all.count + 2)
    let list = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
    #expect(list.map { $0["name"] as? String } == EngineDescription.all.map(\.name))
    #expect(list.map { $0["scheme"] as? String } == EngineDescription.all.map(\.scheme))
    #expect(list.map { $0["suffix"] as? String } == EngineDescription.all.map(\.fileSuffix))
    #expect(list.map { $0["modules"] as? [String] } == EngineDescription.all.map(\.modules))
  }
}
