import Foundation
import QuarryTestSupport
import Testing

/// `quarry new-backend`: what it writes compiles against this checkout, and passes the kit.
@Suite struct NewBackendTests {
  private let folder: ScratchFolder

  init() throws {
    folder = try ScratchFolder()
  }

  private func run(_ program: String, _ arguments: [String]) throws -> Quarry.Outcome {
    let program =
      program.hasPrefix("/") ? URL(fileURLWithPath: program) : URL(fileURLWithPath: "/usr/bin/env")
    let words = program.path == "/usr/bin/env" ? ["swiftc"] + arguments : arguments
    return try Quarry.run(words, in: folder.url, program: program)
  }

  private func quarry(_ arguments: String...) throws -> Quarry.Outcome {
    try Quarry.run(arguments, in: folder.url)
  }

  /// The folder with what was built of this checkout.
  private static var products: URL { Quarry.executable.deletingLastPathComponent() }

  /// What tells the compiler of libraries in C, as the package manager does.
  private static var moduleMaps: [String] {
    let crypto = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../Sources/CCrypto")
    return [crypto.standardizedFileURL, products.appending(path: "CFileIdentity.build")].flatMap {
      ["-Xcc", "-fmodule-map-file=\($0.appending(path: "module.modulemap").path)"]
    }
  }

  /// Compiles files as a module. What the checkout has built is linked, so that nothing of it is built again.
  private func compile(_ module: String, _ files: [String], _ arguments: [String]) throws {
    let outcome = try run(
      "swiftc",
      [
        "-swift-version", "6", "-enable-upcoming-feature", "InternalImportsByDefault", "-warnings-as-errors",
        "-module-name", module, "-I", Self.products.appending(path: "Modules").path, "-I", folder.path,
      ] + Self.moduleMaps + files + arguments)
    try #require(outcome.status == 0, "\(module): \(outcome.errors)")
  }

  private func sources(_ folder: String) throws -> [String] {
    let path = self.folder.url.appending(path: folder).path
    return try FileManager.default.contentsOfDirectory(atPath: path).sorted().map { "\(path)/\($0)" }
  }

  /// The objects of the modules that a conformance command needs.
  private static func objects() throws -> [String] {
    let modules = [
      "QuarryBackend", "QuarryText", "QuarryQuery", "QuarrySystem", "QuarryCore", "QuarryData",
      "QuarryDrafts",
      "QuarryDump", "QuarryEncryption", "QuarryKeyValue", "QuarrySeeds", "QuarrySync", "QuarryConformanceKit",
      "QuarryConformanceQueries", "QuarryConformanceCommits", "QuarryConformanceModels", "QuarryConformanceFiles",
      "QuarryConformanceTexts", "QuarryConformance", "QuarryConformanceCommand", "ArgumentParser",
      "ArgumentParserToolInfo",
    ]
    let inC = [products.appending(path: "CFileIdentity.build/FileIdentity.c.o").path]
    return try inC
      + modules.flatMap { module in
        let build = products.appending(path: "\(module).build")
        let files = try #require(FileManager.default.enumerator(at: build, includingPropertiesForKeys: nil))
        // Objects of sources that were removed stay in the folder.
        let list = try String(contentsOf: build.appending(path: "sources"), encoding: .utf8)
        // A path with blanks is in quotation marks.
        let quotes = CharacterSet(charactersIn: "'\"")
        let names = Set(
          list.split(separator: "\n").map {
            URL(fileURLWithPath: $0.trimmingCharacters(in: quotes)).lastPathComponent + ".o"
          })
        return files.compactMap { $0 as? URL }.filter { names.contains($0.lastPathComponent) }.map(\.path)
      }
  }

  @Test func whatIsWrittenCompilesAndPassesItsFirstArea() throws {
    #expect(try quarry("new-backend", "my-store", "--quarry", "/somewhere/quarry").status == 0)
    let manifest = try String(contentsOf: folder.url.appending(path: "my-store/Package.swift"), encoding: .utf8)
    #expect(manifest.contains(".package(name: \"quarry\", path: \"/somewhere/quarry\", traits: [])"))
    #expect(!manifest.contains("__"))
    // The modules in their order, each against those before it.
    for module in ["MyStore", "MyStoreHarness"] {
      try compile(
        module, sources("my-store/Sources/\(module)"),
        [
          "-emit-module", "-emit-module-path", folder.url.appending(path: "\(module).swiftmodule").path,
          "-emit-library",
          "-static", "-parse-as-library", "-o", folder.url.appending(path: "lib\(module).a").path,
        ])
    }
    let program = folder.url.appending(path: "my-store-conformance").path
    let libraries = ["MyStoreHarness", "MyStore"].map { folder.url.appending(path: "lib\($0).a").path }
    let list = folder.url.appending(path: "objects")
    try Data((libraries + (try Self.objects())).joined(separator: "\n").utf8).write(to: list)
    try compile(
      "my_store_conformance", sources("my-store/Sources/my-store-conformance"),
      ["@\(list.path)", "-lcrypto", "-o", program])
    let outcome = try run(program, ["--area", "CRUD", "--quick", "--jobs", "2", "--patience", "10"])
    // 2: nothing failed, and only a part was run.
    #expect(outcome.status == 2, "\(outcome.output)\(outcome.errors)")
    #expect(outcome.output.contains("passed") && !outcome.output.contains("failed"), "\(outcome.output)")
    let plan = try run(program, ["--plan"])
    #expect(plan.status == 0 && plan.output.hasPrefix("my-store "), "\(plan.output)\(plan.errors)")
  }

  @Test func aFolderThatIsThereStaysAsItIs() throws {
    try FileManager.default.createDirectory(at: folder.url.appending(path: "mine"), withIntermediateDirectories: false)
    #expect(try quarry("new-backend", "mine").code == "io")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.appending(path: "mine").path) == [])
    #expect(try quarry("new-backend", "mine", "--at", "other").status == 0)
  }

  @Test(arguments: [
    "", "1a", "a b", "../a", "a--b", "-a", "a-", "Ä", "QuarryX", "swift", String(repeating: "a", count: 41),
  ])
  func otherNamesAreRefused(_ name: String) throws {
    #expect(try quarry("new-backend", "--", name).status == 64)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
  }
}
