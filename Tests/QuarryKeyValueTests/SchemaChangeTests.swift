import QuarryBackend
import QuarryMemory
import QuarryTestSupport
import Testing

@testable import QuarryKeyValue

@Suite struct SchemaChangeTests {
  @Test(arguments: EngineKind.allCases) func anIndexIsMadeOverRows(_ kind: EngineKind) throws {
    let store = try TestStore(kind, indexed: false)
    try store.write { try store.insert($0, (0..<100).map { Book(id: $0, isbn: "\($0)", year: Int32($0 % 7)) }) }
    try store.write { transaction throws in
      for index in Books.model().indexes { try transaction.apply(.createIndex(store.model.id, index)) }
      #expect(try indexFaults(transaction) == [])
    }
    let query = store.query(.compare(slot: 2, .equal, .int(3)))
    #expect(try store.explain(query).access == [.indexEquality(index: "byYear")])
    #expect(try store.ids(query).count == 14)
  }

  @Test(arguments: EngineKind.allCases) func aUniqueIndexOverEqualValuesIsRefused(_ kind: EngineKind) throws {
    let store = try TestStore(kind, indexed: false)
    try store.write { transaction throws in
      try store.insert(transaction, [Book(id: 1, isbn: "a"), Book(id: 2, isbn: "a")])
      let before = transaction.schema
      let error = failure { try transaction.apply(.createIndex(store.model.id, Books.model().indexes[0])) }
      #expect(error?.code == .uniqueViolation)
      #expect(error?.property == "isbn")
      #expect(transaction.schema == before)
      try store.insert(transaction, [Book(id: 3, isbn: "a")])
    }
  }

  @Test func aDroppedIndexIsNotUsed() throws {
    let store = try TestStore()
    try store.write { transaction throws in
      try store.insert(transaction, [Book(id: 1, year: 4)])
      let index = try #require(store.model.indexes.first { $0.name == "byYear" })
      try transaction.apply(.dropIndex(store.model.id, index: index.id))
      let query = store.query(.compare(slot: 2, .equal, .int(4)))
      #expect(try transaction.explain(query).access == [.scan])
      #expect(try store.ids(transaction, query) == [1])
    }
  }

  @Test(arguments: EngineKind.allCases) func olderRowsHaveTheDefaultOfAnAddedProperty(_ kind: EngineKind) throws {
    let store = try TestStore(kind)
    try store.write { try store.insert($0, [Book(id: 1)]) }
    try store.write { transaction throws in
      let property = PropertySchema(name: "pages", type: .int32, defaultValue: .int(100))
      try transaction.apply(.addProperty(store.model.id, property))
      try transaction.apply(.createIndex(store.model.id, IndexSchema(name: "byPages", columns: [.init(slot: 8)])))
      let model = try #require(transaction.schema.model(id: store.model.id))
      let layout = RowLayout(model)
      var batch = RowBatch()
      try store.bytes(Book(id: 2).values + [.int(7)], layout).withUnsafeBytes { batch.append($0) }
      try transaction.insert(model.id, batch)
      #expect(try store.ids(transaction, store.query(.compare(slot: 8, .equal, .int(100)))) == [1])
      #expect(try store.ids(transaction, store.query(order: [BoundSortKey(slot: 8)])) == [2, 1])
    }
  }

  @Test func anOlderRowIsUpdatedInAnIndexOfItsDefault() throws {
    let store = try TestStore()
    try store.write { try store.insert($0, [Book(id: 1)]) }
    try store.write { transaction throws in
      let property = PropertySchema(name: "pages", type: .int32, defaultValue: .int(100))
      try transaction.apply(.addProperty(store.model.id, property))
      try transaction.apply(.createIndex(store.model.id, IndexSchema(name: "byPages", columns: [.init(slot: 8)])))
      _ = try transaction.update(store.query(), [BoundAssignment(slot: 8, operation: .add, value: .int(1))])
      #expect(try store.ids(transaction, store.query(.compare(slot: 8, .equal, .int(101)))) == [1])
    }
  }

  @Test(arguments: EngineKind.allCases) func aPropertyIsMadeOptionalAndRequiredAgain(_ kind: EngineKind) throws {
    let store = try TestStore(kind)
    try store.write { transaction throws in
      try store.insert(
        transaction, [Book(id: 1, isbn: "a", year: 7), Book(id: 2, year: 8, author: "x"), Book(id: 3, year: 9)])
    }
    let before = try store.read { try store.rows($0, store.query()) }
    for slot in [Books.Slot.year, Books.Slot.title, Books.Slot.shelf] {
      try store.write { try $0.apply(.changeOptionality(store.model.id, slot: slot, isOptional: true)) }
    }
    #expect(try store.read { try store.rows($0, store.query()) } == before)
    let isEight = store.query(.compare(slot: Books.Slot.year, .equal, .int(8)))
    #expect(try store.explain(isEight).access == [.indexEquality(index: "byYear")])
    #expect(try store.ids(isEight) == [2])
    try store.write { transaction throws in
      let nothing = BoundAssignment(slot: Books.Slot.year, operation: .set, value: .null)
      _ = try transaction.update(store.query(.compare(slot: 0, .greater, .int(1))), [nothing])
    }
    #expect(try store.ids(store.query(.isNull(slot: Books.Slot.year))) == [2, 3])
    #expect(try store.ids(store.query(order: [BoundSortKey(slot: Books.Slot.year)])) == [2, 3, 1])
    try store.write { transaction throws in
      let error = failure {
        try transaction.apply(.changeOptionality(store.model.id, slot: Books.Slot.year, isOptional: false))
      }
      #expect(error?.code == .missingValue)
      #expect([error?.model, error?.property, error?.key] == ["Book", "year", "2"])
      _ = try transaction.delete(store.query(.isNull(slot: Books.Slot.year)))
      for slot in [Books.Slot.year, Books.Slot.title, Books.Slot.shelf] {
        try transaction.apply(.changeOptionality(store.model.id, slot: slot, isOptional: false))
      }
      #expect(transaction.schema.models[0] == store.model)
    }
    #expect(try store.read { try store.rows($0, store.query()) } == [before[0]])
  }

  @Test(arguments: EngineKind.allCases) func anOlderRowHasNilUnlessThereIsADefault(_ kind: EngineKind) throws {
    let store = try TestStore(kind)
    try store.write { try store.insert($0, [Book(id: 4), Book(id: 1)]) }
    try store.write { transaction throws in
      let id = store.model.id
      try transaction.apply(.addProperty(id, PropertySchema(name: "pages", type: .int32, isOptional: true)))
      try transaction.apply(
        .addProperty(id, PropertySchema(name: "copies", type: .int32, isOptional: true, defaultValue: .int(3))))
      try transaction.apply(.createIndex(id, IndexSchema(name: "byCopies", columns: [.init(slot: 9)])))
      let error = failure { try transaction.apply(.changeOptionality(id, slot: 8, isOptional: false)) }
      #expect(error?.code == .missingValue)
      #expect(error?.key == "1")
      try transaction.apply(.changeOptionality(id, slot: 9, isOptional: false))
      #expect(try store.ids(transaction, store.query(.compare(slot: 9, .equal, .int(3)))) == [1, 4])
    }
  }

  @Test func aDroppedModelLeavesNothing() throws {
    let engine = SortedArrayEngine()
    let store = try TestStore(KeyValueBackend(engine, options: OpenOptions()))
    try store.write { try store.insert($0, [Book(id: 1, isbn: "a")]) }
    try store.write { try $0.apply(.dropModel(store.model.id)) }
    for tree in [store.model.id.rawValue] + store.model.indexes.map(\.id) { #expect(engine.entries(tree).isEmpty) }
    #expect(thrownCode { _ = try store.ids(store.query()) } == .invalidQuery)
  }

  @Test func namesChangeWithoutTheirRows() throws {
    let store = try TestStore()
    try store.write { transaction throws in
      try store.insert(transaction, [Book(id: 1, title: "t")])
      try transaction.apply(.renameModel(store.model.id, to: "Volume"))
      try transaction.apply(.renameProperty(store.model.id, slot: 3, to: "heading"))
      try transaction.apply(.renameIndex(store.model.id, index: store.model.indexes[1].id, to: "byPublication"))
      try transaction.apply(.dropProperty(store.model.id, slot: 3))
    }
    let schema = try store.read { $0.schema }
    #expect(schema.model(named: "Volume")?.properties[3].isDropped == true)
    #expect(schema.model(named: "Volume")?.indexes[1].name == "byPublication")
    #expect(try store.read { try store.get($0, 1) }?[0] == .int(1))
  }

  @Test(arguments: EngineKind.allCases) func aRolledBackChangeIsGone(_ kind: EngineKind) throws {
    let store = try TestStore(kind)
    let before = try store.read { $0.schema }
    let transaction = try store.backend.beginWrite(WriteOptions())
    try transaction.apply(.dropModel(store.model.id))
    transaction.rollback()
    #expect(try store.read { $0.schema } == before)
  }

  @Test(arguments: EngineKind.allCases) func aSavepointTakesTheSchemaBack(_ kind: EngineKind) throws {
    let store = try TestStore(kind)
    try store.write { transaction throws in
      let before = transaction.schema
      try store.insert(transaction, [Book(id: 1)])
      try transaction.savepoint()
      try transaction.apply(.dropModel(store.model.id))
      try transaction.rollbackSavepoint()
      #expect(transaction.schema == before)
      #expect(try store.ids(transaction, store.query()) == [1])
    }
  }

  @Test func aSnapshotKeepsItsSchema() throws {
    let store = try TestStore()
    let before = try store.read { $0.schema }
    let snapshot = try store.backend.snapshot()
    try store.write { try $0.apply(.renameModel(store.model.id, to: "Volume")) }
    let old = try snapshot.beginRead()
    #expect(old.schema == before)
    #expect(try store.read { $0.schema.models[0].name } == "Volume")
  }

  @Test func anotherBackendOverTheSameDataSeesTheSchema() throws {
    let name = "anotherBackendOverTheSameDataSeesTheSchema"
    let other = try KeyValueBackend(MemoryEngine(named: name), options: OpenOptions())
    let store = try TestStore(KeyValueBackend(MemoryEngine(named: name), options: OpenOptions()))
    let transaction = try other.beginRead()
    #expect(transaction.schema.models == [store.model])
    transaction.end()
    try other.close()
  }

  @Test func aStoreIsOpenedAgain() throws {
    let engine = SortedArrayEngine()
    let store = try TestStore(KeyValueBackend(engine, options: OpenOptions()))
    try store.write { try store.insert($0, [Book(id: 1)]) }
    let again = try KeyValueBackend(engine, options: OpenOptions()).beginRead()
    #expect(again.schema.models == [store.model])
    #expect(try store.ids(again, store.query()) == [1])
  }

  @Test func theStoredSchemaIsJSONWithSortedKeys() throws {
    let engine = SortedArrayEngine()
    _ = try TestStore(KeyValueBackend(engine, options: OpenOptions()))
    let record = try #require(engine.entries(0).first { $0.key == Array("schema".utf8) })
    #expect(String(decoding: record.value, as: UTF8.self).hasPrefix(#"{"format":1,"models":[{"id":1,"indexes":["#))
  }

  @Test func aSchemaOfANewerFormatIsRefused() throws {
    let engine = SortedArrayEngine()
    engine.plant(0, Array("schema".utf8), Array(#"{"format":99,"shape":"new"}"#.utf8))
    #expect(thrownCode { _ = try KeyValueBackend(engine, options: OpenOptions()) } == .schemaTooNew)
  }

  @Test(
    arguments: [
      "", "{", "[]", #"{"format":1}"#, #"{"format":1,"models":[],"nextID":1,"version":"x"}"#,
      #"{"format":1,"models":[],"nextID":1,"version":7}"#,
    ]) func aDamagedSchemaIsCorrupt(_ text: String) throws
  {
    let engine = SortedArrayEngine()
    engine.plant(0, Array("schema".utf8), Array(text.utf8))
    #expect(thrownCode { _ = try KeyValueBackend(engine, options: OpenOptions()) } == .corrupt)
  }

  @Test func aDamagedVersionIsCorrupt() throws {
    let engine = SortedArrayEngine()
    engine.plant(0, Array("version".utf8), [1, 2, 3])
    #expect(thrownCode { _ = try KeyValueBackend(engine, options: OpenOptions()) } == .corrupt)
  }
}
