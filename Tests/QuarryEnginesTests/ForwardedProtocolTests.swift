import Foundation
import QuarryBackend
import QuarryCore
import QuarryEngines
import QuarryTestSupport
import Testing

/// What the providers of some engines offer is offered by what stands for them: URLs, and places with a seed.
@Suite struct ForwardedProtocolTests {
  /// Whether a provider offers a protocol, for each of those in the sources.
  private static let offers: [String: @Sendable (any BackendProvider) -> Bool] = [
    "EncryptingProvider": { $0 is any EncryptingProvider },
    "ChecksummingProvider": { $0 is any ChecksummingProvider },
    "ScratchProvider": { $0 is any ScratchProvider }, "PlacedProvider": { $0 is any PlacedProvider },
    "RestoringProvider": { $0 is any RestoringProvider }, "SeedingProvider": { $0 is any SeedingProvider },
  ]

  /// The protocols that refine `BackendProvider`, from the sources: one that is new is missed here until it is forwarded.
  private static func protocols() throws -> Set<String> {
    let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../Sources")
      .standardizedFileURL
    let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
    var names: Set<String> = []
    for case let file as URL in files where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      for match in text.matches(of: /public protocol (\w+): \w*Provider\b/) { names.insert(String(match.1)) }
    }
    // It forwards the others.
    names.remove("ProviderLayer")
    return names
  }

  @Test func everyProtocolOfTheSourcesIsForwarded() throws {
    let names = try Self.protocols()
    #expect(names.count >= 3)
    #expect(names == Set(Self.offers.keys), "a protocol of providers is not forwarded, or not in this test")
    let url = try StoreURL(parsing: "memory:")
    let seeded = SeededProvider(.memory, from: .memory, path: "")
    for (name, offers) in Self.offers {
      #expect(offers(url), "URLs do not forward \(name)")
      #expect(offers(seeded), "places with a seed do not forward \(name)")
    }
  }

  @Test(arguments: EngineDescription.all.filter { $0.path != .connection })
  func aURLOffersWhatItsEngineOffers(_ engine: EngineDescription) throws {
    let folder = try ScratchFolder()
    try withExtendedLifetime(folder) {
      let text = engine.path == .optionalName ? "\(engine.scheme):" : "\(engine.scheme):\(folder.path)/store"
      let url = try StoreURL(parsing: text)
      let store = try Store(opening: url)
      try store.close()
      let calls: [(String, (any BackendProvider) throws -> Void)] = [
        ("scratch", { try $0.requireScratch().withScratch { place in try Store(opening: place).close() } }),
        ("slot", { _ = try $0.requireEncrypting().envelopeSlot() }),
        ("checksums", { try $0.requireChecksumming().addChecksums() }),
        (
          "restore",
          { _ = try $0.requireRestoring().restoreBackup(at: folder.path + "/none", replacing: false, nil) }
        ),
      ]
      for (name, call) in calls {
        func code(_ provider: any BackendProvider) -> String {
          do {
            try call(provider)
            return "done"
          } catch {
            return (error as? StorageError)?.code.description ?? "\(error)"
          }
        }
        #expect(code(url) == code(url.provider), "\(name)")
      }
    }
  }

  @Test(arguments: EngineDescription.all.filter { $0.path == .path })
  func aStoreIsRehearsedByURL(_ engine: EngineDescription) throws {
    let folder = try ScratchFolder()
    try withExtendedLifetime(folder) {
      let url = "\(engine.scheme):\(folder.path)/store"
      let place = try StoreURL(parsing: url)
      let store = try Store(program: [Self.note(["text"])], in: place)
      try store.write { try $0.records.insert(into: "Note", [Record(["id": .int(1), "text": .string("a")])]) }
      try store.close()
      let report = try Store.rehearse(
        program: [Self.note(["text", "more"])], in: .url(url), migration: .automatic)
      #expect(report.error == nil)
      #expect(report.steps.count == 1)
    }
  }

  private static func note(_ names: [String]) -> ModelSchema {
    ModelSchema(
      name: "Note",
      properties: [PropertySchema(name: "id", type: .int64)]
        + names.map { PropertySchema(name: $0, type: .string, isOptional: true) }, primaryKey: 0)
  }
}
