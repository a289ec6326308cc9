import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryText

/// An object whose texts are searched in English, but for its author and its note.
struct Essay: Model, Equatable {
  var id: Int
  var title: String
  var body: String?
  var labels: [String]
  /// Searched as it is written.
  var author: String
  /// A text without an index of its words.
  var note: String

  static let modelDefinition = ModelDefinition<Essay>(
    name: "Essay",
    properties: [
      PropertyDefinition("id", \Essay.id, Int.self),
      PropertyDefinition("title", \Essay.title, String.self, search: .init(weight: 3, language: .english)),
      PropertyDefinition("body", \Essay.body, String?.self, search: .init(language: .english)),
      PropertyDefinition("labels", \Essay.labels, [String].self, search: .init(language: .english)),
      PropertyDefinition("author", \Essay.author, String.self, search: .init()),
      PropertyDefinition("note", \Essay.note, String.self),
    ], primaryKey: "id")

  struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)
    var title = Column<String>("title", 1)
    var body = Column<String?>("body", 2)
    var labels = Column<[String]>("labels", 3)
    var author = Column<String>("author", 4)
    var note = Column<String>("note", 5)
  }

  var primaryKeyValue: Int { id }

  init(
    _ id: Int, _ title: String = "", _ body: String? = nil, labels: [String] = [], author: String = "",
    note: String = ""
  ) {
    (self.id, self.title, self.body, self.labels) = (id, title, body, labels)
    (self.author, self.note) = (author, note)
  }

  init(reading row: ModelReader) throws(StorageError) {
    (id, title, body, labels) = (try row.get(0), try row.get(1), try row.get(2), try row.get(3))
    (author, note) = (try row.get(4), try row.get(5))
  }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, title)
    try row.set(2, body)
    try row.set(3, labels)
    try row.set(4, author)
    try row.set(5, note)
  }

  static let samples = [
    Essay(
      1, "Running in the rain", "She runs and connects the cables", labels: ["runner", "rainy days"],
      author: "Anna Running", note: "running"),
    Essay(2, "The connected cats", "A cat connection", labels: ["cats"], author: "Bo Cat", note: "cats"),
    Essay(3, "News", nil, author: "Flies"), Essay(4, "", "", note: "run"),
    Essay(5, "Flying and dying", "Don't generalize", labels: ["the flies", "die"], author: "Cédric"),
  ]
}

/// A model whose text is searched in English, with a reference to an essay.
struct Remark: Model {
  var id: Int
  var text: String
  var essay: Ref<Essay>?

  static let modelDefinition = ModelDefinition<Remark>(
    name: "Remark",
    properties: [
      PropertyDefinition("id", \Remark.id, Int.self),
      PropertyDefinition("text", \Remark.text, String.self, search: .init(language: .english)),
      PropertyDefinition("essay", \Remark.essay, Ref<Essay>?.self),
    ], primaryKey: "id")

  struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)
    var text = Column<String>("text", 1)
    var essay = Column<Ref<Essay>?>("essay", 2)
  }

  var primaryKeyValue: Int { id }

  init(_ id: Int, _ text: String, essay: Int? = nil) {
    (self.id, self.text, self.essay) = (id, text, essay.map { Ref($0) })
  }

  init(reading row: ModelReader) throws(StorageError) {
    (id, text, essay) = (try row.get(0), try row.get(1), try row.get(2))
  }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, text)
    try row.set(2, essay)
  }
}

/// A few words with their stems, and what queries find by them, without the tokenizer, the stemmer and an index.
enum PlainStems {
  static let stems = [
    "run": "run", "runs": "run", "running": "run", "runner": "runner", "connect": "connect", "connected": "connect",
    "connection": "connect", "the": "the", "cat": "cat", "cats": "cat", "flies": "fli", "fly": "fli",
    "general": "general",
    "generous": "generous", "generally": "general",
  ]
  static let words = stems.keys.sorted()

  static func text(_ random: inout SeededGenerator, upTo count: Int) -> String {
    (0..<Int.random(in: 0...count, using: &random)).map { _ in words[Int.random(in: 0..<words.count, using: &random)] }
      .joined(separator: " ")
  }

  static func essay(_ id: Int, _ random: inout SeededGenerator) -> Essay {
    Essay(
      id, text(&random, upTo: 3), Bool.random(using: &random) ? text(&random, upTo: 9) : nil,
      labels: (0..<Int.random(in: 0...2, using: &random)).map { _ in text(&random, upTo: 2) },
      author: text(&random, upTo: 2))
  }

  private static func stemmed(_ words: [String]) -> [String] { words.map { stems[$0] ?? $0 } }

  /// The text with a stem in place of each word.
  static func stemmed(_ text: String) -> String { stemmed(PlainWords.words(of: text)).joined(separator: " ") }

  /// Whether the words stand one behind the other in a text: as stems, or as they are written in the author.
  static func has(_ phrase: [String], _ essay: Essay) -> Bool {
    let texts = [essay.title, essay.body ?? ""] + essay.labels
    return texts.contains { PlainWords.has(stemmed(phrase), in: stemmed(PlainWords.words(of: $0))) }
      || PlainWords.has(phrase, in: PlainWords.words(of: essay.author))
  }

  /// Whether a word as it is written begins so.
  static func hasBeginning(_ beginning: String, _ essay: Essay) -> Bool {
    ([essay.title, essay.body ?? "", essay.author] + essay.labels).contains { text in
      PlainWords.words(of: text).contains { $0.hasPrefix(beginning) }
    }
  }

  static let searches: [(query: SearchQuery, finds: @Sendable (Essay) -> Bool)] = [
    ("running", { has(["running"], $0) }), ("fly", { has(["fly"], $0) }), ("generally", { has(["generally"], $0) }),
    (.phrase("connected cat"), { has(["connected", "cat"], $0) }),
    (.prefix("connecti"), { hasBeginning("connecti", $0) }), (.prefix("run"), { hasBeginning("run", $0) }),
    (.not("the"), { !has(["the"], $0) }), (.all("runs", "cats"), { has(["runs"], $0) && has(["cats"], $0) }),
    (.any("fly", "runner"), { has(["fly"], $0) || has(["runner"], $0) }),
    (SearchQuery(typed: "connection -run"), { has(["connection"], $0) && !has(["run"], $0) }),
  ]

  /// Throws unless each search finds in a scope what reading all texts finds.
  static func expectFound(_ scope: some ReadScope, _ expected: [Int: Essay], _ about: String) throws {
    for (query, finds) in searches {
      let due = expected.values.filter(finds).map(\.id).sorted()
      try expectEqual(try scope.fetch(Essay.where { $0.search(query) }).map(\.id), due, "\(query) \(about)")
      try expectEqual(
        try scope.ranked(Essay.all, by: query).map(\.object.id).sorted(), due, "\(query) ranked \(about)")
    }
  }
}
