import Foundation
import QuarryBackend
import QuarryCore
import QuarryEncryption
import QuarryQuery
import QuarryTestSupport
import Testing

/// Stores that earlier versions have written: see `Tests/Golden`.
@Suite struct GoldenStoreTests {
  /// A store of a version, and the version of its models.
  struct Golden: Sendable, CustomTestStringConvertible {
    let version: String
    let engine: Engine
    let schemaVersion: Int
    var isSealed = false
    /// Whether it is one of the engine's stores with checksums, beside that without.
    var isChecked = false

    var testDescription: String { "\(version) \(prefix)\(engine)" }
    private var prefix: String { isSealed ? "sealed-" : isChecked ? "checked-" : "" }

    /// The key of those that are sealed: bytes 0 to 31.
    func encryption() throws -> Encryption? { isSealed ? Encryption(try EncryptionKey(0..<32)) : nil }

    /// A copy of the store in a folder that goes with the test.
    func copy() throws -> (folder: ScratchFolder, place: any BackendProvider) {
      let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../Golden/\(version)").standardizedFileURL
      let folder = try ScratchFolder()
      // A directory has no ending there.
      let names = [engine.path(in: golden.path, prefix + engine.name), golden.path + "/" + prefix + engine.name]
      let store = try #require(names.first { FileManager.default.fileExists(atPath: $0) })
      try FileManager.default.copyItem(atPath: store, toPath: engine.path(in: folder.path))
      return (folder, try engine.provider(in: folder.path))
    }
  }

  static let all =
    [("0.1", 0), ("0.2", 1), ("0.3", 1)].flatMap { version, number in
      Engine.allCases.map { Golden(version: version, engine: $0, schemaVersion: number) }
    } + Engine.allCases.map { Golden(version: "0.3", engine: $0, schemaVersion: 1, isSealed: true) }
    + [
      Golden(version: "0.4", engine: .sqlite, schemaVersion: 1),
      Golden(version: "0.6", engine: .sqlite, schemaVersion: 1),
      Golden(version: "0.5", engine: .lmdb, schemaVersion: 1, isChecked: true),
    ]

  private static func expectContent(_ store: Store, _ golden: Golden) throws {
    #expect(store.schemaVersion == golden.schemaVersion)
    try store.read { tx in
      #expect(try tx.records.fetch(QueryTree(model: "Every")) == EveryType.keys.map { EveryType.row($0) })
      let model = try tx.model(named: "Every")
      #expect(model.properties == EveryType.model.properties)
      #expect(model.indexes.map(\.name) == ["string_id", "doubleMaybe"])
      #expect(try tx.records.fetch(in: "Every", where: "string == 's3'") == [EveryType.row(3)])
    }
    #expect(try store.check() == [])
  }

  @Test(arguments: all, [true, false])
  func itOpensWithWhatItHad(_ golden: Golden, isReadOnly: Bool) throws {
    let (folder, place) = try golden.copy()
    defer { withExtendedLifetime(folder) {} }
    var options = OpenOptions()
    options.isReadOnly = isReadOnly
    let store = try Store(models: [], in: place, options: options, encryption: golden.encryption())
    try Self.expectContent(store, golden)
    try store.close()
    let again = try Store(models: [], in: place, encryption: golden.encryption())
    try Self.expectContent(again, golden)
    try again.write { tx in try tx.records.insert(into: "Every", [EveryType.row(6)]) }
    #expect(try again.check() == [])
    try again.close()
  }

  /// What a program does with it that has grown: every property is read and stored again.
  @Test(arguments: all)
  func itIsMigrated(_ golden: Golden) throws {
    let (folder, place) = try golden.copy()
    defer { withExtendedLifetime(folder) {} }
    var model = EveryType.model
    for slot in model.properties.indices where slot != model.primaryKey { model.properties[slot].isOptional = true }
    model.properties.append(PropertySchema(name: "added", type: .int16, defaultValue: .int(7)))
    let store = try Store(
      program: [model], in: place, options: OpenOptions().sealed(golden.encryption()),
      migration: .to(9) { m in try m.enumerate("Every") { _, _ in } })
    #expect(store.schemaVersion == 9)
    let rows = try store.read { try $0.records.fetch(QueryTree(model: "Every")) }
    #expect(rows == EveryType.keys.map { Record(EveryType.row($0).fields + [("added", .int(7))]) })
    #expect(try store.check() == [])
    try store.close()
  }
}
