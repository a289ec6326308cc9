import Foundation
import Quarry
import QuarryEncryption
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
        // A manifest is no code of a program: `theManifestNamesWhatThereIs` looks at it.
        if let lines = block, lines.first?.hasPrefix("// swift-tools-version") != true { blocks.append(lines) }
        block = line == "```swift" && block == nil ? [] : nil
      } else {
        block?.append(line.trimmingCharacters(in: .whitespaces))
      }
    }
    return blocks.map { $0.filter { !$0.isEmpty && !$0.hasPrefix("import ") } }
  }

  /// The compiled code of README.md and of the guide.
  static func code() throws -> String {
    let folder = root.appending(path: "Tests/QuarryTests/Guide")
    var files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    files.append(root.appending(path: "Tests/QuarryTests/RecipeTests.swift"))
    files.append(root.appending(path: "Tests/SwiftUIStandIn/Views.swift"))
    // What needs the trait HTTP is compiled there.
    files.append(root.appending(path: "StudioTests/Tests/QuarrySyncHTTPTests/GuideCode.swift"))
    return try files.map { try String(contentsOf: $0, encoding: .utf8) }.joined(separator: "\n")
  }

  /// The pages of the guide, by their names from the root.
  static let pages: [String] = {
    let names = try? FileManager.default.contentsOfDirectory(atPath: root.appending(path: "docs/guide").path)
    return (names ?? []).filter { $0.hasSuffix(".md") }.sorted().map { "docs/guide/\($0)" }
  }()

  @Test func theGuideHasPages() {
    #expect(!Self.pages.isEmpty)
  }

  @Test(arguments: ["README.md"] + pages)
  func everyPieceOfCodeIsCompiled(_ document: String) throws {
    let compiled = try Self.code().split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty }
    let places = Dictionary(grouping: compiled.indices) { compiled[$0] }
    let blocks = try Self.blocks(document)
    #expect(!blocks.isEmpty)
    for block in blocks {
      // A block may hold a type and then code: each run of lines must stand somewhere in the source.
      var rest = block[...]
      while let first = rest.first {
        let runs = (places[first] ?? []).map { start in zip(rest, compiled[start...]).prefix { $0 == $1 }.count }
        guard let longest = runs.max() else {
          Issue.record("\(document): not compiled: \(first)")
          break
        }
        rest = rest.dropFirst(longest)
      }
    }
  }

  /// The code in the last column of a document's tables of what one wrote and what one writes.
  static func answers(_ document: String) throws -> [String] {
    let text = try String(contentsOf: root.appending(path: document), encoding: .utf8)
    var answers: [String] = []
    var isTable = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      if line.hasPrefix("| what you wrote |") { isTable = true }
      if line.isEmpty { isTable = false }
      guard isTable, cells.count == 2 else { continue }
      let spans = cells[1].split(separator: "`", omittingEmptySubsequences: false)
      // Single words are names of which the text speaks.
      answers += spans.enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
        .filter { $0.contains(" ") || $0.contains("(") }
    }
    return answers
  }

  @Test(arguments: ["realm", "swiftdata", "grdb", "wrappers"])
  func everyAnswerIsCompiled(_ page: String) throws {
    let files = ["ComingFromCode.swift", "ComingFromWrappers.swift"].map { "Tests/QuarryTests/\($0)" }
    let sources = try files.reduce(Self.code()) {
      try $0 + String(contentsOf: Self.root.appending(path: $1), encoding: .utf8)
    }
    let answers = try Self.answers("docs/coming-from/\(page).md")
    #expect(answers.count >= 20)
    for answer in answers {
      #expect(sources.contains(answer), "docs/coming-from/\(page).md: not compiled")
    }
  }

  static func book(_ isbn: String, _ year: Int, _ title: String) -> Book {
    Book(id: UUID(), isbn: isbn, year: year, title: title)
  }

  @Test func comingFromRealmRuns() async throws {
    let folder = try Self.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try ComingFromRealm.opening(folder.appending(path: "books.db").path)
    let emma = Self.book("1", 1800, "Emma, a novel")
    let others = [Self.book("2", 1400, "Old"), Self.book("3", 1975, "New")]
    #expect(try ComingFromRealm.objects(store, emma, others) == ["Emma, a novel", "Emma, a novel"])
    #expect(try ComingFromRealm.queries(store) == [2, 1, 1975, 1975, 2, 2, 1, 1, 0])
    let newer = Self.book("4", 1990, "Newer")
    #expect(Set(try await ComingFromRealm.threads(store, newer)).isSubset(of: ["New", "Newer"]))
    try ComingFromRealm.removing(store, emma)
    #expect(try await store.count(Book.all) == 0)
    try store.close()
  }

  @Test func comingFromSwiftDataRuns() async throws {
    let folder = try Self.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "books.db").path
    #expect(try ComingFromSwiftData.run(path, Self.book("1", 1975, "Emma")) == [1, 1, 1, 1, 2, 1, 1, 0])
    let store = try Store(for: Book.self, in: .sqlite(at: path))
    try await ComingFromSwiftData.adding(store, Self.book("2", 1400, "Old"), Self.book("3", 1500, "Less old"))
    #expect(try await store.count(Book.all) == 3)
    try store.close()
  }

  @Test func comingFromGRDBRuns() async throws {
    let folder = try Self.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try ComingFromGRDB.opening(folder.appending(path: "books.db").path)
    let book = Self.book("1", 1975, "Persuasion")
    #expect(try ComingFromGRDB.run(store, book) == [1975, 1, 1, 1, 1975, 1, 1, 1, 1, 0, 1])
    #expect(try await ComingFromGRDB.counting(store) == 0)
    #expect(try !ComingFromGRDB.refused(store, book))
    #expect(try ComingFromGRDB.refused(store, Self.book("1", 1, "Twin")))
    try store.close()
  }

  @Test func comingFromAWrapperRuns() async throws {
    let folder = try Self.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "books.db").path
    let service = try BookService(path)
    let (old, book) = (Self.book("1", 1750, "Old"), Self.book("2", 1815, "Emma, a novel"))
    try await service.add([old])
    #expect(try await service.find(Book.all).map(\.title) == ["Old"])
    let store = service.store
    #expect(
      try ComingFromWrappers.objects(store, book, [old.id, UUID()])
        == ["Emma, a novel", "1816", "2", "1", "true", "Emma!"])
    #expect(try ComingFromWrappers.relations() == [1, 1, 0])
    #expect(try ComingFromWrappers.frozen(store, old.id) == ["Old", "Old"])
    #expect(try ComingFromWrappers.context(store, book) == [true, false])
    #expect(try ComingFromWrappers.listed(store) == 0)
    try store.close()
    try ComingFromWrappers.migrated(path)
    #expect(try ComingFromWrappers.care(path + ".sealed", EncryptionKey.passphrase("a key"), book) == [1])
  }

  @Test(arguments: ["README.md", "docs/overview.md"])
  func theManifestNamesWhatThereIs(_ document: String) throws {
    let text = try String(contentsOf: Self.root.appending(path: document), encoding: .utf8)
    let manifest = try String(contentsOf: Self.root.appending(path: "Package.swift"), encoding: .utf8)
    let products = text.matches(of: /\.product\(name: "(\w+)", package: "quarry"\)/).map { $0.output.1 }
    #expect(products == ["Quarry", "QuarrySQLite"])
    for product in products {
      // Each engine's library follows from the entry that names its module.
      let entries = [".library(name: \"\(product)\"", "module: \"\(product)\""]
      #expect(entries.contains { manifest.contains($0) }, "\(product)")
    }
    let tools = try #require(manifest.split(separator: "\n").first)
    #expect(text.contains(tools))
  }

  static func folder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: "quarry-guide-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  @Test func theReadmeIsShort() throws {
    let text = try String(contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
    #expect(text.utf8.count { $0 == UInt8(ascii: "\n") } <= 90)
  }

  @Test func theReadmeRuns() throws {
    let folder = try Self.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(try GuideCode.readme(at: folder.path).map(\.title) == ["The Guide"])
    #expect(try GuideCode.fiveMinutes(at: folder.path) == ["Ode 2", "Ode 3"])
  }

  @Test func theRelationsOfTheGuideRun() throws {
    #expect(try GuideCode.relations() == [1, 1, 1, 1, 2, 3])
    #expect(try GuideCode.links() == ["Ermine", "Ginevra", "Ginevra", "Vinci"])
  }

  @Test func theGroupsOfTheGuideRun() async throws {
    #expect(try GuideCode.groups() == ["Ann: 2, B", "2 3 2.0 3", "2001-01-01T00:00:00Z: 1", "'Ann': 'B'", "3 BA"])
    let (years, shown) = try await GuideCode.sections()
    #expect(years == ["1912: Alan", "1906: Grace"] && shown == ["Alan", "Donald", "Grace", "2"])
    let track = Track(id: 1, title: "Air")
    #expect(track.length == nil && track.tags.isEmpty)
    let folder = try Self.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    try GuideCode.configured(folder.appending(path: "authors").path)
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
      #expect(try queries.map { try store.count($0) } == [0, 0, 1, 0, 0, 0, 2, 1, 1, 1, 1, 3, 1, 1, 0])
      #expect(try GuideCode.results(store) == 3)
      #expect(try await GuideCode.transactions(store).map { $0?.name } == ["Grace", "Grace Hopper"])
      #expect(try await store.keys(Author.all) == [1, 4, 7, 10, 11])
      let (cards, name) = try GuideCode.mapping(store)
      #expect(cards.map(\.title).contains("ADA LOVELACE") && name == .string("Ada Lovelace"))
      try GuideCode.errors(store)
      #expect(try await store.count(Author.all) == 5)
      #expect(try GuideCode.cached(store) == 5)
      #expect(try await Authors(store).titles == ["Ada Lovelace", "Alan", "Grace Hopper", "X", "Y", "Ada Lovelace"])
      #expect(try GuideCode.frozen(store) == (["Ada Lovelace", "Alan", "Grace Hopper", "X", "Y"], 5))
      try store.close()
    }
    let (shown, log, calls) = try await GuideCode.observation()
    #expect(shown == ["Alan", "Grace"] && log.last?.hasSuffix("were added") == true && calls <= 2)
    let places: [any BackendProvider] = [
      .flatFile(at: path + "-shop.quarry"), .sqlite(at: path + "-shop.db"), .lmdb(at: path + "-shop.lmdb"),
    ]
    for (place, names) in try GuideCode.migrations(places).enumerated() {
      let expected = place % 2 == 0 ? ["Pen (1) 1.5 0", "Desk (2) 250 1"] : ["Pen 1.5 0", "Desk 250 0", "Lamp 30 0"]
      #expect(names == expected)
    }
    let configured = try GuideCode.byURL(path)
    #expect(configured.manifest.name == "lmdb" && configured.manifest.durability == .processCrash)
    try await configured.insert(Author(id: 1, email: "url@example.org", name: "By URL"))
    try configured.close()
    let same = try Store(for: Author.self, in: .lmdb(at: path + ".lmdb"))
    #expect(try await same.fetch(Author.all).map(\.name) == ["By URL"])
    try same.close()
    #expect(try GuideCode.care(path) == 1)
    #expect(try GuideCode.restoringBackup(path), "nothing was at the place")
    #expect(try GuideCode.restoringBackup(path) == false, "the store of before is kept")
    let tidied = try GuideCode.tidying(path)
    #expect(tidied.openingReport.compacted == nil)
    try tidied.close()
    let begun = try GuideCode.startingOver(.sqlite(at: path))
    #expect(begun.openingReport.quarantine == nil)
    try begun.close()
    #expect(throws: StorageError.self) { try GuideCode.readOnly(path).insert(Author(id: 1, email: "", name: "")) }
  }
}
