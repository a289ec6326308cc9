import Foundation
import QuarryTestSupport
import Testing

@testable import QuarryBackend

/// What changes do to a schema, and which are refused.
struct SchemaApplyingTests {
  private func stored() throws -> Schema { try Schema().applying(.createModel(ModelSchema.book)) }

  private func code(of change: SchemaChange, on schema: Schema) -> StorageError.Code? {
    do throws(StorageError) {
      _ = try schema.applying(change)
      return nil
    } catch {
      return error.code
    }
  }

  @Test func createModelAllotsIDsAndIgnoresThoseGiven() throws {
    var given = ModelSchema.book
    given.id = ModelID(40)
    let schema = try Schema().applying(.createModel(given))
    #expect(schema.models[0].id == ModelID(1))
    #expect(schema.models[0].indexes[0].id == 2)
    #expect(schema.nextID == 3)
    #expect(schema.version == 1)
  }

  @Test func idsAreNeverReused() throws {
    var schema = try stored()
    schema = try schema.applying(.dropIndex(ModelID(1), index: 2))
    schema = try schema.applying(.createIndex(ModelID(1), IndexSchema(name: "byTitle", columns: [.init(slot: 1)])))
    #expect(schema.models[0].indexes.map(\.id) == [3])
    schema = try schema.applying(.dropModel(ModelID(1)))
    schema = try schema.applying(.createModel(ModelSchema.book))
    #expect(schema.models[0].id == ModelID(4))
    #expect(schema.version == 5)
  }

  @Test func droppedPropertyStaysAsATombstone() throws {
    var schema = try stored()
    schema = try schema.applying(.dropProperty(ModelID(1), slot: 3))
    schema = try schema.applying(
      .addProperty(ModelID(1), PropertySchema(name: "tags", type: .string, isOptional: true)))
    #expect(schema.models[0].properties.map(\.isDropped) == [false, false, false, true, false])
    #expect(schema.models[0].slot(named: "tags") == 4)
  }

  @Test func renames() throws {
    var schema = try stored()
    schema = try schema.applying(.renameModel(ModelID(1), to: "book"))
    schema = try schema.applying(.renameProperty(ModelID(1), slot: 1, to: "TITLE"))
    schema = try schema.applying(.renameIndex(ModelID(1), index: 2, to: "other"))
    #expect(schema.models[0].name == "book")
    #expect(schema.models[0].properties[1].name == "TITLE")
    #expect(schema.models[0].indexes[0].name == "other")
  }

  @Test func optionalityChanges() throws {
    var schema = try stored()
    schema = try schema.applying(.changeOptionality(ModelID(1), slot: 1, isOptional: true))
    #expect(schema.models[0].properties[1].isOptional)
    schema = try schema.applying(.changeOptionality(ModelID(1), slot: 1, isOptional: false))
    #expect(try schema.models == stored().models)
    #expect(try schema.version == stored().version + 2)
  }

  @Test func defaultOfNilIsNoDefault() throws {
    let schema = try stored().applying(
      .addProperty(ModelID(1), PropertySchema(name: "x", type: .int8, isOptional: true, defaultValue: .null)))
    #expect(schema.models[0].properties[4].defaultValue == nil)
  }

  @Test func refusedChangeLeavesTheSchemaAlone() throws {
    let schema = try stored()
    #expect(code(of: .dropProperty(ModelID(1), slot: 2), on: schema) == .schemaMismatch)
    #expect(try schema == stored())
  }

  @Test(
    arguments: [
      .dropModel(ModelID(9)), .renameModel(ModelID(9), to: "x"), .renameModel(ModelID(1), to: ""),
      .addProperty(ModelID(1), PropertySchema(name: "x", type: .int64)),
      .addProperty(ModelID(1), PropertySchema(name: "Title", type: .int64, isOptional: true)),
      .addProperty(ModelID(1), PropertySchema(name: "x", type: .int8, defaultValue: .int(128))),
      .addProperty(ModelID(1), PropertySchema(name: "x", type: .int8, defaultValue: .null)),
      .addProperty(ModelID(1), PropertySchema(name: "x", type: .decimal, defaultValue: .decimal(.nan))),
      .addProperty(ModelID(1), PropertySchema(name: "x", type: .array, isOptional: true)),
      .addProperty(ModelID(1), PropertySchema(name: "x", type: .int8, isOptional: true, elementType: .int8)),
      .addProperty(ModelID(1), PropertySchema(name: "x", type: .int8, isOptional: true, isDropped: true)),
      .renameProperty(ModelID(1), slot: 4, to: "x"), .renameProperty(ModelID(1), slot: -1, to: "x"),
      .renameProperty(ModelID(1), slot: 1, to: "YEAR"), .renameProperty(ModelID(1), slot: 1, to: "a\0b"),
      .renameProperty(ModelID(1), slot: 1, to: "_Quarryx"), .renameModel(ModelID(1), to: "SQLite_master"),
      .changeOptionality(ModelID(1), slot: 0, isOptional: true),
      .changeOptionality(ModelID(1), slot: 4, isOptional: true),
      .changeOptionality(ModelID(9), slot: 1, isOptional: true),
      .dropProperty(ModelID(1), slot: 0), .dropProperty(ModelID(1), slot: 1), .dropProperty(ModelID(1), slot: 12),
      .createIndex(ModelID(1), IndexSchema(name: "BYYEAR", columns: [.init(slot: 1)])),
      .createIndex(ModelID(1), IndexSchema(name: "x", columns: [])),
      .createIndex(ModelID(1), IndexSchema(name: "x", columns: [.init(slot: 1), .init(slot: 1, isDescending: true)])),
      .createIndex(ModelID(1), IndexSchema(name: "x", columns: [.init(slot: 9)])),
      .dropIndex(ModelID(1), index: 1), .renameIndex(ModelID(1), index: 5, to: "x"),
      .createModel(ModelSchema(name: "BOOK", properties: [PropertySchema(name: "id", type: .int64)], primaryKey: 0)),
      .createModel(ModelSchema(name: "B", properties: [PropertySchema(name: "id", type: .int64)], primaryKey: 1)),
      .createModel(ModelSchema(name: "B", properties: [], primaryKey: 0)),
      .createModel(
        ModelSchema(name: "B", properties: [PropertySchema(name: "id", type: .int64, isOptional: true)], primaryKey: 0)),
      .createModel(
        ModelSchema(
          name: "B",
          properties: [
            PropertySchema(name: "id", type: .int64), PropertySchema(name: "x", type: .int64, isDropped: true),
          ], primaryKey: 0)),
    ] as [SchemaChange])
  func contradictionIsASchemaMismatch(_ change: SchemaChange) throws {
    #expect(try code(of: change, on: stored()) == .schemaMismatch)
  }

  @Test(
    arguments: [
      .createIndex(ModelID(1), IndexSchema(name: "x", columns: [.init(slot: 3)])),
      .createModel(ModelSchema(name: "B", properties: [PropertySchema(name: "id", type: .nested)], primaryKey: 0)),
    ] as [SchemaChange])
  func typesThatCannotBeThereAreUnsupported(_ change: SchemaChange) throws {
    #expect(try code(of: change, on: stored()) == .unsupported)
  }

  @Test(
    "A reference that contradicts itself is refused",
    arguments: [
      PropertySchema(name: "x", type: .uuid, reference: .init(to: "Book", deleteRule: .nullify)),
      PropertySchema(name: "x", type: .nested, reference: .init(to: "Book", deleteRule: .deny)),
      PropertySchema(
        name: "x", type: .int64, isOptional: true, defaultValue: .int(1),
        reference: .init(to: "Book", deleteRule: .cascade)),
      PropertySchema(name: "x", type: .int64, isOptional: true, reference: .init(to: "", deleteRule: .deny)),
    ])
  func contradictingReference(_ property: PropertySchema) throws {
    let model = ModelSchema(
      name: "B", properties: [PropertySchema(name: "id", type: .int64), property], primaryKey: 0)
    #expect(try code(of: .createModel(model), on: stored()) == .schemaMismatch)
  }

  @Test("References follow a model that is renamed, raise the format, and are looked at when all is there")
  func references() throws {
    var schema = try stored()
    let property = PropertySchema(
      name: "next", type: .int64, isOptional: true, reference: .init(to: "Later", deleteRule: .cascade))
    schema = try schema.applying(.addProperty(ModelID(1), property))
    #expect(schema.format == 3)
    let incomplete = schema
    #expect(failure { () throws(StorageError) in try incomplete.checkReferences() }?.code == .schemaMismatch)
    let later = ModelSchema(name: "Later", properties: [PropertySchema(name: "id", type: .int64)], primaryKey: 0)
    schema = try schema.applying(.createModel(later))
    try schema.checkReferences()
    let id = try #require(schema.model(named: "Later")?.id)
    schema = try schema.applying(.renameModel(id, to: "Last"))
    #expect(schema.models[0].properties.last?.reference?.model == "Last")
    try schema.checkReferences()
    let slot = schema.models[0].properties.count - 1
    let plain = try schema.applying(.changeReference(ModelID(1), slot: slot, nil))
    #expect(plain.models[0].properties[slot].reference == nil)
    for type in [PropertyType.string, .double] {
      let key = PropertySchema(name: "id", type: type)
      let dropped = try schema.applying(.dropModel(id))
      let other = try dropped.applying(.createModel(ModelSchema(name: "Last", properties: [key], primaryKey: 0)))
      #expect(failure { () throws(StorageError) in try other.checkReferences() }?.code == .schemaMismatch)
    }
  }

  @Test func aPlainPropertySaysNothingOfReferencesWhereItIsStored() throws {
    let codec = SchemaCodec(escapesSlashes: false) { "format \($0)" }
    let bytes = try codec.encode(stored())
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(!text.contains("reference"))
    #expect(try codec.decode(Data(bytes)) == stored())
    for name in ["reference", "many", "nothing"] {
      let other = text.replacing(#""type":"int64""#, with: #""type":"\#(name)""#)
      #expect(other != text)
      #expect(failure { try codec.decode(Data(other.utf8)) }?.code == .corrupt)
    }
    let referring = text.replacing(
      #""type":"int64""#, with: #""reference":{"deleteRule":"deny","model":"Book"},"type":"int64""#)
    #expect(failure { try codec.decode(Data(referring.utf8)) }?.code == .corrupt)
  }

  @Test func syncNamesRaiseTheFormatAndGoWhereTheyAreTheName() throws {
    var schema = try stored()
    let (id, format) = (ModelID(1), schema.format)
    let rename = SchemaChange.renameProperty(id, slot: 1, to: "label")
    let kept = try #require(schema.keepingTravelName(at: rename))
    schema = try schema.applying(rename).applying(kept)
    #expect(schema.format == 9 && format < 9)
    #expect(schema.models[0].properties[1].travelName == "title")
    // A second rename keeps the first name, and the first name again needs none.
    #expect(schema.keepingTravelName(at: .renameProperty(id, slot: 1, to: "other")) == nil)
    let back = try schema.applying(.renameProperty(id, slot: 1, to: "title"))
    #expect(back.models[0].properties[1].syncName == nil && back.format == 9)
    let same = try schema.applying(.changeSyncName(id, slot: nil, schema.models[0].name))
    #expect(same.models[0].syncName == nil)
    for name in ["", "!", "a\0", "_quarry_x"] {
      #expect(code(of: .changeSyncName(id, slot: 1, name), on: schema) == .schemaMismatch)
    }
    let codec = SchemaCodec(escapesSlashes: false) { "format \($0)" }
    let text = String(decoding: try codec.encode(schema), as: UTF8.self)
    #expect(try codec.decode(Data(text.utf8)) == schema)
    #expect(text.contains(#""syncName":"title""#))
    let older = text.replacing(#""format":9"#, with: #""format":8"#)
    #expect(failure { try codec.decode(Data(older.utf8)) }?.code == .corrupt)
    #expect(!String(decoding: try codec.encode(stored()), as: UTF8.self).contains("syncName"))
  }

  @Test func nameOf63BytesIsTheLongest() throws {
    let schema = try stored()
    #expect(code(of: .renameModel(ModelID(1), to: String(repeating: "é", count: 31) + "x"), on: schema) == nil)
    #expect(code(of: .renameModel(ModelID(1), to: String(repeating: "é", count: 32)), on: schema) == .limitExceeded)
  }

  @Test func propertiesPastTheLimitAreRefused() {
    func model(_ count: Int) -> ModelSchema {
      ModelSchema(name: "M", properties: (0..<count).map { PropertySchema(name: "p\($0)", type: .int8) }, primaryKey: 0)
    }
    #expect(code(of: .createModel(model(Schema.maximumProperties)), on: Schema()) == nil)
    #expect(code(of: .createModel(model(Schema.maximumProperties + 1)), on: Schema()) == .limitExceeded)
  }

  @Test func idsAndVersionsThatRunOutAreRefused() throws {
    var schema = try stored()
    schema.version = .max
    #expect(code(of: .dropModel(ModelID(1)), on: schema) == .limitExceeded)
    schema.version = 1
    schema.nextID = .max
    let index = IndexSchema(name: "x", columns: [.init(slot: 1)])
    #expect(code(of: .createIndex(ModelID(1), index), on: schema) == .limitExceeded)
  }

  @Test func namesThatDifferOnlyInNormalisationAreTwo() throws {
    var model = ModelSchema.book
    model.properties.append(PropertySchema(name: "\u{e9}", type: .int8))
    model.properties.append(PropertySchema(name: "e\u{301}", type: .int8))
    let schema = try Schema().applying(.createModel(model))
    #expect(schema.models[0].slot(named: "e\u{301}") == 5)
  }

  @Test func storedSchemaIsChecked() throws {
    func stored(_ change: (inout Schema) -> Void) throws -> StorageError.Code? {
      var schema = try self.stored()
      change(&schema)
      do throws(StorageError) {
        try schema.validateStored()
        return nil
      } catch {
        return error.code
      }
    }
    #expect(try stored { _ in } == nil)
    #expect(try stored { $0.format = Schema.currentFormat + 1 } == .schemaTooNew)
    #expect(try stored { $0.programVersion = 1 } == .corrupt)
    #expect(
      try stored {
        $0.format = 2
        $0.programVersion = 0
      } == .corrupt)
    #expect(try stored { $0.models[0].primaryKey = 20 } == .corrupt)
    #expect(try stored { $0.models[0].primaryKey = -1 } == .corrupt)
    #expect(try stored { $0.models[0].indexes[0].id = 1 } == .corrupt)
    #expect(try stored { $0.nextID = 2 } == .corrupt)
    #expect(try stored { $0.models.append($0.models[0]) } == .corrupt)
    #expect(try stored { $0.models[0].indexes[0].columns[0].slot = 99 } == .corrupt)
  }
}
