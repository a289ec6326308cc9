import Foundation
import Quarry
import QuarryEngines
import Testing

/// The code of the documents is the code that runs below.
@Suite(.serialized) struct DocumentationTests {
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The lines of the Swift code of a document, block by block, without blanks and indentation.
  static func blocks(_ document: String) throws -> [[String]] {
    let text = try String(contentsOf: root.appending(path: document), encoding: .utf8)
    var blocks: [[String]] = []
    var block: [String]?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        if let lines = block { blocks.append(lines) }
        block = line == "```swift" && block == nil ? [] : nil
      } else {
        block?.append(line.trimmingCharacters(in: .whitespaces))
      }
    }
    return blocks.map { $0.filter { !$0.isEmpty && !$0.hasPrefix("import ") } }
  }

  @Test(arguments: ["README.md", "docs/guide.md"])
  func everyPieceOfCodeIsCompiled(_ document: String) throws {
    let source = try String(
      contentsOf: Self.root.appending(path: "Tests/QuarryTests/GuideCode.swift"), encoding: .utf8)
    let compiled = source.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    let blocks = try Self.blocks(document)
    #expect(!blocks.isEmpty)
    for block in blocks {
      // A block may hold a type and then code: each run of lines must stand somewhere in the source.
      var rest = block[...]
      while !rest.isEmpty {
        let longest =
          compiled.indices.map { start in
            zip(rest, compiled[start...]).prefix { $0 == $1 }.count
          }.max() ?? 0
        guard longest > 0 else {
          Issue.record("\(document): not compiled: \(rest.first ?? "")")
          break
        }
        rest = rest.dropFirst(longest)
      }
    }
  }

  static func folder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: "quarry-guide-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  @Test func theReadmeRuns() throws {
    let folder = try Self.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(try GuideCode.readme(at: folder.path).map(\.title) == ["The Guide"])
  }

  @Test func theGuideRuns() async throws {
    let folder = try Self.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "authors.db").path
    for store in try GuideCode.opening(path) {
      let more = [
        Author(id: 3, email: "z@example.org", name: "Zuse"), Author(id: 4, email: "t@example.org", name: "Alan"),
      ]
      let read = try GuideCode.objects(store, more)
      #expect(read.map { $0?.id } == [1, 7, 2, nil, 1])
      #expect(try await store.keys(Author.all) == [1, 4, 7])
      let ada = try #require(try await store.get(Author.self, 1))
      #expect(ada.rating == 6)
      try GuideCode.locking(store, ada)
      #expect(throws: StorageError.self) { try GuideCode.locking(store, ada) }
      let (fetched, counted, plan, queries) = try GuideCode.queries(store)
      #expect(fetched == 1 && counted == 1 && plan.contains("backend"))
      #expect(try queries.map { try store.count($0) } == [0, 0, 1, 0, 0, 0, 2, 1, 1, 1, 1, 3])
      #expect(try GuideCode.results(store) == 3)
      #expect(try await GuideCode.transactions(store).map { $0?.name } == ["Grace", "Grace Hopper"])
      #expect(try await store.keys(Author.all) == [1, 4, 7, 10, 11])
      let (cards, name) = try GuideCode.mapping(store)
      #expect(cards.map(\.title).contains("ADA LOVELACE") && name == .string("Ada Lovelace"))
      try GuideCode.errors(store)
      #expect(try await store.count(Author.self) == 5)
      #expect(try GuideCode.frozen(store) == (["Ada Lovelace", "Alan", "Grace Hopper", "X", "Y"], 5))
      try store.close()
    }
    let configured = try GuideCode.byURL(path)
    #expect(configured.manifest.name == "lmdb" && configured.manifest.durability == .processCrash)
    try await configured.insert(Author(id: 1, email: "url@example.org", name: "By URL"))
    try configured.close()
    let same = try Store(for: Author.self, in: .lmdb(at: path + ".lmdb"))
    #expect(try await same.fetch(Author.self).map(\.name) == ["By URL"])
    try same.close()
    #expect(throws: StorageError.self) { try GuideCode.readOnly(path).insert(Author(id: 1, email: "", name: "")) }
  }
}
