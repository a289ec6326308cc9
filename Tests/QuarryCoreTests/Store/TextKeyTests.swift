import QuarryBackend
import QuarryCore
import QuarryMemory
import Testing

/// Primary keys are compared by their bytes, where Swift's strings are not.
@Suite struct TextKeyTests {
  struct Word: Model, Equatable {
    var text: String

    static let modelDefinition = ModelDefinition<Word>(
      name: "Word", properties: [PropertyDefinition("text", \Word.text, String.self)], primaryKey: "text")

    struct Columns: ModelColumns {
      var text = Column<String>("text", 0)
    }

    var primaryKeyValue: String { text }

    init(_ text: String) {
      self.text = text
    }

    init(reading row: ModelReader) throws(StorageError) {
      text = try row.get(0)
    }

    func write(to row: ModelWriter) throws(StorageError) {
      try row.set(0, text)
    }
  }

  @Test func anObjectThatWasMadeMustHaveTheKeyThatWasAskedFor() throws {
    let store = try Store(for: Word.self, in: .memory)
    let error = #expect(throws: StorageError.self) {
      try store.getOrInsert(Word.self, "\u{E9}") { Word("e\u{301}") }
    }
    #expect(error?.code == .invalidValue)
    #expect(try store.count(Word.all) == 0)
  }

  @Test func anUpdateFromAnObjectOfAnotherKeyIsRefused() throws {
    let store = try Store(for: Word.self, in: .memory)
    try store.insert(contentsOf: [Word("\u{E9}"), Word("e\u{301}")])
    let error = #expect(throws: StorageError.self) {
      try store.write { try $0.update(Word("\u{E9}"), ifUnchangedFrom: Word("e\u{301}")) }
    }
    #expect(error?.code == .invalidValue)
  }
}
