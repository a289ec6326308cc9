import Foundation
import QuarryBackend
import QuarryCore
import QuarryQuery
import QuarryTestSupport
import Testing

@testable import QuarryFlatFile

/// Stores that were written by version 0.1: see `Tests/Golden`.
@Suite struct GoldenStoreTests {
  private static let names = ["flat-file-1.quarry", "flat-file-1-rewritten.quarry"]

  /// A copy of the store in a folder that goes with the test.
  private static func copy(_ name: String) throws -> TestFolder {
    let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appending(path: "../Golden/0.1/\(name)").standardizedFileURL
    let folder = try TestFolder()
    folder.write(Array(try Data(contentsOf: golden)))
    return folder
  }

  private static func expectContent(_ store: Store) throws {
    try store.read { tx in
      let rows = try tx.records.fetch(QueryTree(model: "Every"))
      #expect(rows == EveryType.keys.map { EveryType.row($0) })
      let model = try tx.model(named: "Every")
      #expect(model.properties == EveryType.model.properties)
      #expect(model.indexes.map(\.name) == ["string_id", "doubleMaybe"])
    }
    #expect(try store.check() == [])
  }

  @Test(arguments: names, [true, false])
  func itOpensWithWhatItHad(_ name: String, isReadOnly: Bool) throws {
    let folder = try Self.copy(name)
    let before = folder.bytes()
    var options = OpenOptions()
    options.isReadOnly = isReadOnly
    let store = try Store(models: [], in: .flatFile(at: folder.file()), options: options)
    try Self.expectContent(store)
    #expect(store.openingReport == OpeningReport())
    try store.close()
    #expect((folder.bytes() == before) == isReadOnly)
    let again = try Store(models: [], in: .flatFile(at: folder.file()))
    try Self.expectContent(again)
    #expect(again.openingReport.wasClosed == (isReadOnly ? nil : true))
    try again.write { tx in _ = try tx.records.insert(into: "Every", [EveryType.row(6)]) }
    try again.close()
  }

  /// What the first format could not tell from a torn end, it still cannot; but nothing of it is destroyed.
  @Test(arguments: names)
  func itsDamagedEndIsKept(_ name: String) throws {
    let folder = try Self.copy(name)
    var bytes = folder.bytes()
    bytes[bytes.count - 1] ^= 1
    folder.write(bytes)
    let store = try Store(models: [], in: .flatFile(at: folder.file()))
    let tail = try #require(store.openingReport.tail)
    #expect(try store.check().count == 1)
    #expect(try store.read { try $0.records.count(QueryTree(model: "Every")) } == 4)
    try store.close()
    let kept = try FileManager.default.attributesOfItem(atPath: try #require(tail.path))
    #expect(kept[.posixPermissions] as? Int == 0o600)
    #expect(kept[.size] as? Int == tail.bytes + FlatFileTail.headerBytes)
  }
}
