import Foundation
import Quarry
import QuarryBackend
import QuarryCore
import QuarryEngines
import QuarryTestSupport
import Testing

/// Models whose keys become generated, and that are rewritten: contract KEY-5, KEY-10, KEY-12.
@Suite struct MigrationTests {
  // KEY-10
  @Test(arguments: Place.lasting)
  func keysBecomeGeneratedAndAreNoLonger(_ engine: EngineDescription) throws {
    let place = try Place(engine)
    var store = try place.open(Plain.Ticket.self)
    try store.insert(contentsOf: [Plain.Ticket(id: 3, code: "a"), Plain.Ticket(id: 8, code: "b")])
    try store.close()
    store = try place.open(Ticket.self)
    #expect(store.openingReport.schemaChanges == ["the keys of Ticket are generated where an object has none"])
    #expect(try store.insert(Ticket(code: "c")).id == 9)
    #expect(try store.insert(Ticket(code: "d")).id == 10)
    try store.delete(Ticket.self, 10)
    try store.close()
    store = try place.open(Plain.Ticket.self)
    #expect(store.openingReport.schemaChanges == ["the keys of Ticket are no longer generated"])
    try store.insert(Plain.Ticket(id: 0, code: "zero"))
    #expect(code { try store.insert(Plain.Ticket(id: 0, code: "e")) } == .duplicateKey)
    try store.insert(Plain.Ticket(id: 30, code: "g"))
    #expect(try store.keys(Plain.Ticket.all) == [0, 3, 8, 9, 30])
    try store.close()
    let error = failure { try place.open(Ticket.self) }
    #expect(error?.code == .invalidValue && error?.model == "Ticket" && error?.key == "0")
    store = try place.open(Plain.Ticket.self)
    try store.delete(Plain.Ticket.self, 0)
    try store.close()
    store = try place.open(Ticket.self)
    #expect(try store.insert(Ticket(code: "f")).id == 31)
    #expect(try store.check() == [])
    try store.close()
  }

  // KEY-5, KEY-10
  @Test(arguments: Place.lasting)
  func aRewrittenModelContinues(_ engine: EngineDescription) throws {
    let place = try Place(engine)
    var store = try place.open(Ticket.self)
    try store.insert(contentsOf: (1...4).map { Ticket(code: "\($0)", price: $0) })
    try store.delete(Ticket.self, 4)
    try store.close()
    // The objects are made anew, and one is added without a key.
    store = try Store(
      for: Ticket.self, in: place.provider(),
      migration: .to(2) { m in
        try m.insert(into: "Ticket", Record(["code": "new", "price": 1]))
        try m.enumerate("Ticket") { old, new in new["price"] = .int(Int64(old["price"].intValue ?? 0) * 10) }
      })
    let tickets = try store.fetch(Ticket.all).map { "\($0.id) \($0.code) \($0.price)" }
    #expect(tickets == ["1 1 10", "2 2 20", "3 3 30", "5 new 1"])
    #expect(try store.insert(Ticket(code: "6")).id == 6)
    #expect(try store.check() == [])
    try store.close()
  }

  // KEY-10
  @Test(arguments: Place.engines)
  func schemaChangesOfRecordsCount(_ engine: EngineDescription) throws {
    let place = try Place(engine)
    defer { withExtendedLifetime(place) {} }
    let store = try Store(opening: place.provider())
    try store.write { tx in
      try tx.apply(
        .createModel(
          ModelSchema(
            name: "Note",
            properties: [PropertySchema(name: "n", type: .uint16), PropertySchema(name: "t", type: .string)],
            primaryKey: 0, keyGeneration: .sequence)))
      try tx.records.insert(into: "Note", [Record(["t": "a"]), Record(["t": "b"])])
    }
    let model = try store.model(named: "Note")
    try store.write { tx in
      try tx.apply(.changeKeyGeneration(model.id, nil))
      #expect(code { try tx.records.insert(into: "Note", [Record(["t": "c"])]) } == .missingValue)
      try tx.apply(.changeKeyGeneration(model.id, .sequence))
      try tx.records.insert(into: "Note", [Record(["t": "d"])])
    }
    #expect(try store.records.fetch(in: "Note", sortedBy: "n").map { $0["n"] } == [1, 2, 3])
    #expect(code { try store.write { try $0.apply(.changeKeyGeneration(model.id, .uuid)) } } == .schemaMismatch)
    try store.write { try $0.apply(.dropModel(model.id)) }
    #expect(try store.check() == [])
  }

  // KEY-12
  @Test(arguments: Place.engines)
  func otherTypesAreRefused(_ engine: EngineDescription) throws {
    let error = failure { try Place(engine).open(Named.self) }
    #expect(error?.code == .schemaMismatch && error?.property == "id")
  }

  // An older version refuses the store, and a schema that says otherwise is damaged.
  @Test func theFormatOfTheSchemaRises() throws {
    let codec = SchemaCodec(escapesSlashes: false) { _ in "" }
    let model = ModelSchema(
      name: "A", properties: [PropertySchema(name: "id", type: .int64)], primaryKey: 0, keyGeneration: .sequence)
    var schema = try Schema().applying(.createModel(model))
    #expect(schema.format == 4)
    #expect(try codec.decode(Data(codec.encode(schema))) == schema)
    let plain = try schema.applying(.changeKeyGeneration(schema.models[0].id, nil))
    #expect(plain.format == 4 && plain.models[0].keyGeneration == nil)
    schema.format = 3
    #expect(code { try codec.decode(Data(codec.encode(schema))) } == .corrupt)
    schema.format = 4
    schema.models[0].keyGeneration = .uuid
    #expect(code { try codec.decode(Data(codec.encode(schema))) } == .corrupt)
  }
}

/// A model whose key cannot be generated, written by hand.
struct Named: Model {
  var id: String

  static let modelDefinition = ModelDefinition<Named>(
    name: "Named", properties: [PropertyDefinition("id", \Named.id, String.self)], primaryKey: "id", generatesKey: true)

  struct Columns: ModelColumns {
    let id = Column<String>("id", 0)
  }

  var primaryKeyValue: String { id }

  init(reading row: ModelReader) throws(StorageError) { id = try row.get(0) }

  func write(to row: ModelWriter) throws(StorageError) { try row.set(0, id) }
}
