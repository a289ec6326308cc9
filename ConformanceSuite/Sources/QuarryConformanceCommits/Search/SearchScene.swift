import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryText

/// An object whose texts are searchable, with different weights, but for one.
struct Leaflet: Model, Equatable {
  var id: Int
  var title: String
  var body: String?
  var labels: [String]
  var rank: Int
  /// A text without an index of its words.
  var note: String

  static let modelDefinition = ModelDefinition<Leaflet>(
    name: "Leaflet",
    properties: [
      PropertyDefinition("id", \Leaflet.id, Int.self),
      PropertyDefinition("title", \Leaflet.title, String.self, search: .init(weight: 3)),
      PropertyDefinition("body", \Leaflet.body, String?.self, search: .init()),
      PropertyDefinition("labels", \Leaflet.labels, [String].self, search: .init()),
      PropertyDefinition("rank", \Leaflet.rank, Int.self),
      PropertyDefinition("note", \Leaflet.note, String.self),
    ], primaryKey: "id")

  struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)
    var title = Column<String>("title", 1)
    var body = Column<String?>("body", 2)
    var labels = Column<[String]>("labels", 3)
    var rank = Column<Int>("rank", 4)
    var note = Column<String>("note", 5)
  }

  var primaryKeyValue: Int { id }

  init(_ id: Int, _ title: String = "", _ body: String? = nil, labels: [String] = [], rank: Int = 0, note: String = "")
  {
    (self.id, self.title, self.body, self.labels, self.rank) = (id, title, body, labels, rank)
    self.note = note
  }

  init(reading row: ModelReader) throws(StorageError) {
    (id, title, body, labels) = (try row.get(0), try row.get(1), try row.get(2), try row.get(3))
    (rank, note) = (try row.get(4), try row.get(5))
  }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, title)
    try row.set(2, body)
    try row.set(3, labels)
    try row.set(4, rank)
    try row.set(5, note)
  }

  static let samples = [
    Leaflet(1, "Swift concurrency", "Actors and tasks", labels: ["swift", "language"]),
    Leaflet(2, "Storage", "Swift storage with a unit of work", labels: ["unit", "work"], rank: 10),
    Leaflet(3, "Java", nil, rank: 20), Leaflet(4, "", "", rank: 21),
    Leaflet(5, "Café Straße", "東京都 and 3.14", labels: ["well-known"], rank: 30),
  ]

  /// The samples, and texts that share words with them.
  static let library =
    samples + [
      Leaflet(6, "The unit", "work of art"), Leaflet(7, "swift swift swift", nil, labels: ["tea", "tea time"]),
      Leaflet(8, "Green tea", "a cup of tea and a cup of milk", labels: ["drink"]),
    ]
}

/// How a program searches the titles of leaflets.
protocol TitleSearch {
  static var modelDefinition: ModelDefinition<TitledLeaflet<Self>> { get }
}

enum NoTitleSearch: TitleSearch { static let modelDefinition = PlainLeaflet.definition(search: nil) }
enum AnyTitleSearch: TitleSearch { static let modelDefinition = SearchedLeaflet.definition(search: .init()) }
enum EnglishTitleSearch: TitleSearch {
  static let modelDefinition = EnglishLeaflet.definition(search: .init(language: .english))
}

typealias PlainLeaflet = TitledLeaflet<NoTitleSearch>
typealias SearchedLeaflet = TitledLeaflet<AnyTitleSearch>
typealias EnglishLeaflet = TitledLeaflet<EnglishTitleSearch>

/// The model of ``Leaflet`` in a program that knows the title alone, and searches it in one way or not at all.
struct TitledLeaflet<Search: TitleSearch>: Model {
  var id: Int
  var title: String

  static var modelDefinition: ModelDefinition<TitledLeaflet> { Search.modelDefinition }

  static func definition(search: PropertySchema.Search?) -> ModelDefinition<TitledLeaflet> {
    ModelDefinition(
      name: "Leaflet",
      properties: [
        PropertyDefinition("id", \TitledLeaflet.id, Int.self),
        PropertyDefinition("title", \TitledLeaflet.title, String.self, search: search),
      ], primaryKey: "id")
  }

  struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)
    var title = Column<String>("title", 1)
  }

  var primaryKeyValue: Int { id }

  init(_ id: Int, _ title: String) { (self.id, self.title) = (id, title) }

  init(reading row: ModelReader) throws(StorageError) { (id, title) = (try row.get(0), try row.get(1)) }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, title)
  }
}

/// Texts of a few plain words, and what queries find in them, without the tokenizer and without an index.
enum PlainWords {
  static let words = ["swift", "storage", "unit", "work", "of", "the", "conc", "concurrency"]

  static func text(_ random: inout SeededGenerator, upTo count: Int) -> String {
    (0..<Int.random(in: 0...count, using: &random)).map { _ in words[Int.random(in: 0..<words.count, using: &random)] }
      .joined(separator: " ")
  }

  static func leaflet(_ id: Int, _ random: inout SeededGenerator) -> Leaflet {
    Leaflet(
      id, text(&random, upTo: 3), Bool.random(using: &random) ? text(&random, upTo: 9) : nil,
      labels: (0..<Int.random(in: 0...2, using: &random)).map { _ in text(&random, upTo: 2) })
  }

  /// A query, and whether an object's texts, divided into words, have what it looks for.
  typealias Search = (query: SearchQuery, finds: @Sendable ([[String]]) -> Bool)

  static let searches: [Search] = [
    ("swift", { $0.contains { $0.contains("swift") } }),
    (.prefix("conc"), { $0.contains { $0.contains { $0.hasPrefix("conc") } } }),
    (.phrase("unit of work"), { $0.contains { has(["unit", "of", "work"], in: $0) } }),
    (.not("the"), { !$0.contains { $0.contains("the") } }),
    (
      .all("swift", "storage"),
      { texts in ["swift", "storage"].allSatisfy { word in texts.contains { $0.contains(word) } } }
    ),
    (.any("unit", "conc"), { $0.contains { $0.contains("unit") || $0.contains("conc") } }),
    (
      SearchQuery(typed: "work -swift"),
      { texts in
        texts.contains { $0.contains("work") } && !texts.contains { $0.contains("swift") }
      }
    ),
  ]

  /// The words of a text of letters and spaces.
  static func words(of text: String) -> [String] { text.lowercased().split(separator: " ").map(String.init) }

  /// Whether a typed word, phrase or exclusion of one finds texts of lower-case letters and spaces.
  static func finds(_ typed: String, _ properties: [[String]]) -> Bool {
    if typed.hasPrefix("-") { return !finds(String(typed.dropFirst()), properties) }
    let phrase = words(of: typed.replacing("\"", with: ""))
    return properties.joined().contains { has(phrase, in: words(of: $0)) }
  }

  static func has(_ phrase: [String], in words: [String]) -> Bool {
    words.indices.contains { words[$0...].starts(with: phrase) }
  }

  /// The texts of an object, each as its words.
  static func texts(_ leaflet: Leaflet) -> [[String]] {
    ([leaflet.title, leaflet.body ?? ""] + leaflet.labels).map(words(of:))
  }

  /// Throws unless each search finds in a scope what reading all texts finds.
  static func expectFound(_ scope: some ReadScope, _ expected: [Int: Leaflet], _ about: String) throws {
    for (query, finds) in searches {
      let due = expected.values.filter { finds(texts($0)) }.map(\.id).sorted()
      let found = Leaflet.where { $0.search(query) }
      try expectEqual(try scope.fetch(found).map(\.id), due, "\(query) \(about)")
      try expectEqual(try scope.keys(found), due, "keys of \(query) \(about)")
      try expectEqual(try scope.count(found), due.count, "number of \(query) \(about)")
      let page = found.offset(1).limit(2)
      try expectEqual(try scope.keys(page), Array(due.dropFirst().prefix(2)), "some keys of \(query) \(about)")
      try expectEqual(try scope.count(page), due.dropFirst().prefix(2).count, "a page of \(query) \(about)")
      let backward = found.sorted(by: \.id, order: .reverse)
      try expectEqual(try scope.keys(backward), due.reversed(), "keys backwards of \(query) \(about)")
      try expectEqual(
        try scope.count(Leaflet.where { !$0.search(query) }), expected.count - due.count, "not \(query) \(about)")
    }
  }
}
