import QuarryBackend
import Testing

@testable import QuarryKeyValue

/// Damage that is planted behind the backend's back, and what the check says of it.
@Suite struct StoreCheckTests {
  let engine = SortedArrayEngine(maximumKeyBytes: 16)
  let store: TestStore

  init() throws {
    store = try TestStore(KeyValueBackend(engine, options: OpenOptions()))
    try store.write { transaction throws in
      try store.insert(
        transaction,
        (1...5).map { id in
          Book(
            id: id, isbn: "isbn \(id) of a book with a long name", year: Int32(id), title: "t\(id)", rating: Double(id),
            author: "author \(id)", shelf: Int16(id), place: 1)
        })
    }
  }

  private func tree(_ index: String) throws -> TreeID {
    try #require(store.model.indexes.first { $0.name == index }).id
  }

  /// What the check says, each of which must have these words.
  private func expectDefects(_ count: Int, _ words: [String]) throws {
    let defects = try store.backend.check()
    #expect(defects.count == count, "\(defects)")
    for word in words {
      #expect(defects.allSatisfy { $0.contains(word) }, "\(word): \(defects)")
    }
  }

  @Test func aSoundStoreHasNoDefects() throws {
    #expect(try store.backend.check() == [])
  }

  @Test func aMissingEntryIsNamed() throws {
    engine.unplant(try tree("byYear"), engine.entries(try tree("byYear"))[2].key)
    try expectDefects(1, ["Book", "byYear", "key 3"])
  }

  @Test func aMissingLongEntryIsNamed() throws {
    let companion = LongKeyFormat.companion(of: try tree("byISBN"))
    engine.unplant(companion, try #require(engine.entries(companion).first).key)
    try expectDefects(1, ["Book", "byISBN"])
  }

  @Test func aLongEntryUnderAnotherHashIsNamed() throws {
    let companion = LongKeyFormat.companion(of: try tree("byISBN"))
    var (key, value) = try #require(engine.entries(companion).first)
    engine.unplant(companion, key)
    key[10] ^= 1
    engine.plant(companion, key, value)
    // The row does not find its entry, and the entry is not where it belongs.
    try expectDefects(2, ["Book"])
  }

  @Test func anEntryBehindAGapIsNamed() throws {
    let companion = LongKeyFormat.companion(of: try tree("byISBN"))
    var (key, value) = try #require(engine.entries(companion).first)
    engine.unplant(companion, key)
    key[15] = 1
    engine.plant(companion, key, value)
    try expectDefects(2, ["Book"])
  }

  @Test func anEntryOfNoRowIsNamed() throws {
    engine.plant(try tree("byPlace"), [0x80, 0, 1, 0x80, 9], [0x80, 0, 0, 0, 0, 0, 0, 9])
    try expectDefects(1, ["Book", "byPlace", "9"])
  }

  @Test func anEntryOfAnotherValueIsNamed() throws {
    let (entry, key) = engine.entries(try tree("byYear"))[2]
    engine.plant(try tree("byYear"), [0x80, 0, 0, 77] + entry.dropFirst(4), key)
    try expectDefects(1, ["Book", "byYear", "3"])
  }

  @Test func anEntryThatLeadsToAnotherRowIsNamed() throws {
    let entries = engine.entries(try tree("byPlace"))
    engine.plant(try tree("byPlace"), entries[0].key, entries[1].value)
    try expectDefects(2, ["Book", "byPlace"])
  }

  @Test func aRowUnderAnotherKeyIsNamed() throws {
    let rows = engine.entries(store.model.id.rawValue)
    engine.plant(store.model.id.rawValue, rows[0].key, rows[1].value)
    let defects = try store.backend.check()
    #expect(defects.contains { $0.contains("key 1") && $0.contains("the key 2") }, "\(defects)")
  }

  @Test func aRowThatCannotBeReadIsNamed() throws {
    engine.plant(store.model.id.rawValue, engine.entries(store.model.id.rawValue)[3].key, [1, 2, 3])
    try expectDefects(1, ["Book", "key 4"])
  }

  @Test func textThatIsNotUTF8IsNamedWithItsProperty() throws {
    var (key, row) = engine.entries(store.model.id.rawValue)[3]
    let place = try #require(row.indices.first { row[$0...].starts(with: Array("t4".utf8)) })
    row[place] = 0xFF
    engine.plant(store.model.id.rawValue, key, row)
    try expectDefects(1, ["Book", "key 4", "title"])
  }

  /// A flipped bit is found, or changed a value into another one that no index has.
  @Test(arguments: 0..<8) func everyFlippedBitIsFoundOrHarmless(_ bit: Int) throws {
    let tree = store.model.id.rawValue
    let (key, row) = engine.entries(tree)[2]
    for place in row.indices {
      var damaged = row
      damaged[place] ^= 1 << UInt8(bit)
      engine.plant(tree, key, damaged)
      if try store.backend.check().isEmpty {
        let before = try row.withUnsafeBytes { try store.values($0) }
        let after = try damaged.withUnsafeBytes { try store.values($0) }
        let changed = zip(before, after).enumerated().filter { $1.0 != $1.1 }.map(\.offset)
        // The title is in no index; the bits beside the last null are nobody's.
        #expect(changed.isEmpty || changed == [Books.Slot.title], "byte \(place)")
      }
    }
  }

  @Test func aDamagedSchemaIsNamed() throws {
    engine.plant(0, SchemaRecord.schemaKey, Array("{}".utf8))
    try expectDefects(1, ["schema"])
  }

  @Test func manyDefectsAreCounted() throws {
    for id in 0..<150 as Range<UInt8> { engine.plant(try tree("byPlace"), [9, id], [0x90, 0, 0, 0, 0, 0, 0, id]) }
    let defects = try store.backend.check()
    #expect(defects.count == 101)
    #expect(defects.last == "and 50 more")
  }

  @Test func aClosedStoreIsClosed() throws {
    try store.backend.close()
    #expect(thrownCode { _ = try store.backend.check() } == .closed)
  }
}
