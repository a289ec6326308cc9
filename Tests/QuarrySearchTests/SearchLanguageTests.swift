import Foundation
import QuarryBackend
import QuarryCore
import QuarryDump
import QuarryEngines
import QuarryTestSupport
import QuarryText
import Testing

/// Searches in a language: what they need of the formats.
@Suite struct SearchLanguageTests {
  private func store(_ engine: String = "sqlite") throws -> (Place, Store) {
    let place = try Place(#require(EngineDescription.all.first { $0.name == engine }))
    return (place, try place.open([EnglishArticle.self]))
  }

  private func format(_ place: Place) throws -> Int {
    let backend = try place.provider.open(OpenOptions())
    defer { try? backend.close() }
    return try backend.beginRead().schema.format
  }

  // SEARCH-30, SEARCH-31, SEARCH-32.
  @Test(arguments: EngineDescription.all.map(\.name))
  func stemsAreFound(_ engine: String) throws {
    let (place, store) = try store(engine)
    defer { withExtendedLifetime(place) { try? store.close() } }
    try store.insert(EnglishArticle("1", "Running shoes", by: "Flies"))
    #expect(try store.count(EnglishArticle.where { $0.search("runs") }) == 1)
    #expect(try store.count(EnglishArticle.where { $0.search("fly") }) == 0)
    #expect(try store.check() == [])
  }

  // SEARCH-33.
  @Test func onlyALanguageRaisesTheFormats() throws {
    let (place, store) = try store()
    try store.insert(EnglishArticle("1", "Running shoes"))
    let dump = place.folder.path + "/dump"
    try store.dump(to: dump)
    #expect(try String(contentsOfFile: dump, encoding: .utf8).hasPrefix(#"{"quarry":"dump","format":5"#))
    try store.close()
    #expect(try format(place) == 8)
    let other = try Place(place.engine)
    let plain = try other.open()
    try plain.insert(Article("1", "Running shoes"))
    let plainDump = other.folder.path + "/dump"
    try plain.dump(to: plainDump)
    #expect(try String(contentsOfFile: plainDump, encoding: .utf8).hasPrefix(#"{"quarry":"dump","format":3"#))
    try plain.close()
    #expect(try format(other) == 5)
  }

  @Test func dumpsOfUnknownLanguagesAreRefused() throws {
    let (place, store) = try store()
    defer { withExtendedLifetime(place) { try? store.close() } }
    let dump = place.folder.path + "/dump"
    try store.dump(to: dump)
    let text = try String(contentsOfFile: dump, encoding: .utf8).replacing("english", with: "klingon")
    try text.write(toFile: dump, atomically: true, encoding: .utf8)
    #expect(throws: StorageError.self) { try Store.restore(dump, to: Place(place.engine).provider) }
  }

  /// The row of the index's state, changed.
  private func change(_ place: Place, _ body: (inout [UInt8]) -> Void) throws -> [UInt8] {
    let backend = try place.provider.open(OpenOptions())
    defer { try? backend.close() }
    let write = try backend.beginWrite(WriteOptions())
    let index = try #require(write.schema.models.first { $0.isSearchIndex })
    let layout = RowLayout(index)
    var value: [UInt8] = []
    try Key([0]).bytes.withBytes { key throws(StorageError) in
      guard let row = try write.row(index.id, key) else { return }
      value = Array(try RowView(row, layout).bytes(layout.slots[1]))
    }
    let before = value
    body(&value)
    let rows = RowWriter(layout)
    rows.begin()
    [UInt8(0)].withUnsafeBytes { rows.set(layout.slots[0], bytes: $0) }
    value.withUnsafeBytes { rows.set(layout.slots[1], bytes: $0) }
    var batch = RowBatch()
    batch.append(try rows.finish())
    _ = try write.upsert(index.id, batch, .replace)
    _ = try write.commit()
    return before
  }

  // SEARCH-33.
  @Test func theStateNamesTheLanguagesOfAnIndex() throws {
    let (place, store) = try store()
    try store.insert(EnglishArticle("1", "Running shoes", by: "Flies"))
    try store.close()
    // Format 2, tokenizer 1, two properties: slot 1 with 2 words in English of version 1, slot 2 with 1 word in none.
    let state = [2, 1, 2, 1, 2, 7] + Array("english".utf8) + [1, 2, 1, 0, 1, 1]
    #expect(try change(place) { $0[13] = 0 } == state)
    var again = try place.open([EnglishArticle.self])
    #expect(again.openingReport.schemaChanges == ["the index of the words of Article was built"])
    #expect(try again.count(EnglishArticle.where { $0.search("run") }) == 1)
    try again.close()
    // Another language of the same length.
    _ = try change(place) { $0.replaceSubrange(6..<13, with: Array("klingon".utf8)) }
    again = try place.open([EnglishArticle.self])
    #expect(again.openingReport.schemaChanges == ["the index of the words of Article was built"])
    try again.close()
    for (offset, value) in [(13, UInt8(2)), (0, 3)] {
      let before = try change(place) { $0[offset] = value }
      #expect { try place.open([EnglishArticle.self]) } throws: { ($0 as? StorageError)?.code == .schemaTooNew }
      _ = try change(place) { $0 = before }
    }
    again = try place.open([EnglishArticle.self])
    #expect(again.openingReport.schemaChanges == [])
    try again.close()
  }

  @Test func anUnknownLanguageIsOfALaterVersion() throws {
    var schema = Schema()
    var model = ModelSchema(
      name: "A", properties: [PropertySchema(name: "id", type: .int64), PropertySchema(name: "text", type: .string)],
      primaryKey: 0)
    model.properties[1].search = .init(language: .english)
    schema = try schema.applying(.createModel(model))
    #expect(schema.format == 8)
    let codec = SchemaCodec(escapesSlashes: false) { "\($0)" }
    let text = String(decoding: try codec.encode(schema), as: UTF8.self)
    #expect(text.contains(#""search":{"language":"english","weight":1}"#))
    #expect(try codec.decode(Data(text.utf8)) == schema)
    func code(_ text: String) -> StorageError.Code? {
      do throws(StorageError) { _ = try codec.decode(Data(text.utf8)) } catch { return error.code }
      return nil
    }
    #expect(code(text.replacing("english", with: "klingon")) == .schemaTooNew)
    #expect(code(text.replacing(#""format":8"#, with: #""format":7"#)) == .corrupt)
  }
}

/// The model of ``Article`` in a program that searches titles in English, and who wrote them as it is written.
struct EnglishArticle: Model {
  var id: String
  var title: String
  var author: String

  static let modelDefinition = ModelDefinition<EnglishArticle>(
    name: "Article",
    properties: [
      PropertyDefinition("id", \EnglishArticle.id, String.self),
      PropertyDefinition("title", \EnglishArticle.title, String.self, search: .init(language: .english)),
      PropertyDefinition("author", \EnglishArticle.author, String.self, search: .init()),
    ], primaryKey: "id")

  struct Columns: ModelColumns {
    let id = Column<String>("id", 0)
    var title = Column<String>("title", 1)
    var author = Column<String>("author", 2)
  }

  var primaryKeyValue: String { id }

  init(_ id: String, _ title: String, by author: String = "") {
    (self.id, self.title, self.author) = (id, title, author)
  }

  init(reading row: ModelReader) throws(StorageError) {
    (id, title, author) = (try row.get(0), try row.get(1), try row.get(2))
  }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, title)
    try row.set(2, author)
  }
}
