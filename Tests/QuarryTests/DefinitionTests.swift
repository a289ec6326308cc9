import Foundation
import Quarry
import QuarryBackend
import Testing

@testable import QuarryCore

@Suite("Definitions that @Model generates")
struct DefinitionTests {
  @Test("A model has its properties and indexes")
  func properties() throws {
    let schema = try Volume.modelDefinition.untyped.schema()
    let names = ["id", "isbn", "year", "title", "blurb", "tags"]
    #expect(schema.name == "Volume")
    #expect(schema.properties.map(\.name) == names)
    #expect(schema.properties.map(\.typeName) == ["uuid", "string", "int64", "string", "string?", "[string]"])
    #expect(schema.keyProperty.name == "id")
    let indexes = schema.indexes.map { index in
      "\(index.name) \(index.isUnique) \(index.columns.map { names[$0.slot] + ($0.isDescending ? "-" : "+") })"
    }
    #expect(
      indexes == [
        #"isbn true ["isbn+"]"#, #"year false ["year+"]"#, #"title_year false ["title+", "year+"]"#,
        #"year_desc_title false ["year-", "title+"]"#, #"title_isbn true ["title+", "isbn+"]"#,
      ])
  }

  @Test("The name in the store is the one that is given")
  func name() {
    #expect(Sample.modelDefinition.name == "samples")
    #expect(Library.Shelf.modelDefinition.name == "Shelf")
  }

  @Test(
    "Types are those of the properties",
    arguments: [
      ("number", "int64"), ("id", "uuid"), ("bool", "bool"), ("int", "int64"), ("double", "double"), ("int8", "int8"),
      ("uint64", "uint64"), ("float", "float"), ("string", "string"), ("class", "string?"), ("date", "date"),
      ("past", "date"), ("data", "data"), ("decimal", "decimal"), ("url", "url?"), ("genre", "string"),
      ("genres", "[string]"), ("maybe", "string?"), ("numbers", "[int64]?"), ("lifted", "int64?"), ("watched", "int64"),
    ])
  func types(property: String, type: String) throws {
    let schema = try Sample.modelDefinition.untyped.schema()
    let slot = try #require(schema.slot(named: property))
    #expect(schema.properties[slot].typeName == type)
  }

  @Test(
    "Constants are defaults",
    arguments: [
      ("bool", .bool(true)), ("int", .int(-5)), ("double", .double(30)), ("int8", .int(8)), ("uint64", .uint(.max)),
      ("float", .float(2.5)), ("string", .string("a \"quoted\"\nline")), ("past", .date(.distantPast)),
      ("data", .data(Data())), ("decimal", .decimal(0.5)), ("genre", .string("fiction")), ("noGenre", .string("none")),
      ("genres", .array([.string("science"), .string("fiction")])), ("numbers", .array([.int(1), .int(2)])),
      ("watched", .int(0)), ("newName", .string("")),
    ] as [(String, Value)])
  func defaults(property: String, value: Value) throws {
    let schema = try Sample.modelDefinition.untyped.schema()
    let slot = try #require(schema.slot(named: property))
    #expect(schema.properties[slot].defaultValue == value)
  }

  @Test("What is no constant is no default", arguments: ["number", "id", "class", "date", "url", "maybe"])
  func noDefaults(property: String) throws {
    let schema = try Sample.modelDefinition.untyped.schema()
    let slot = try #require(schema.slot(named: property))
    #expect(schema.properties[slot].defaultValue == nil)
  }

  @Test(
    "What is not stored has no slot",
    arguments: ["limit", "count", "changes", "cache", "length", "self", "computed"])
  func unstored(property: String) throws {
    #expect(try Sample.modelDefinition.untyped.schema().slot(named: property) == nil)
  }

  @Test("A column has the name and the place of its property")
  func columns() {
    let columns = Sample.Columns()
    #expect(columns.number.storedName == "number")
    #expect(columns.number.index == 0)
    #expect(columns.`class`.name == "class")
    #expect(Sample.modelDefinition.untyped.properties[columns.newName.index].name == "newName")
  }

  @Test("A key path finds its property's name")
  func keyPaths() {
    #expect(Sample.modelDefinition.name(of: \.`class`) == "class")
    #expect(Sample.modelDefinition.name(of: \.watched) == "watched")
    #expect(Sample.modelDefinition.name(of: \.computed) == nil)
  }

  @Test("The primary key is the marked property, or `id`")
  func primaryKeys() {
    let id = UUID()
    #expect(Volume(id: id, isbn: "", year: 1, title: "").primaryKeyValue == id)
    #expect(Sample(number: 7).primaryKeyValue == 7)
  }

  @Test("Other types of the names of Quarry's do not matter")
  func crowded() throws {
    let schema = try Crowded.Item.modelDefinition.untyped.schema()
    #expect(schema.properties.map(\.name) == ["id", "name"])
    #expect(schema.indexes.map(\.name) == ["name"])
  }

  @Test("An original name is kept for migrations")
  func originalName() {
    let properties = Sample.modelDefinition.untyped.properties
    #expect(properties.filter { $0.originalName != nil }.map(\.name) == ["newName"])
    #expect(properties.compactMap(\.originalName) == ["oldName"])
  }

  @Test("Models that are private to a file have a definition")
  func hidden() throws {
    let names = HiddenModels.all.map { $0.anyDefinition.name }
    #expect(names == ["Hidden", "Room"])
    #expect(try HiddenModels.all[0].anyDefinition.schema().properties.map(\.name) == ["id", "state", "other"])
  }

  @Test("Assignments reach what a program may set, and neither constants nor what is observed")
  func assignableColumns() {
    func isAssignable<V>(_ column: KeyPath<Sample.Columns, Column<V>>) -> Bool {
      column is WritableKeyPath<Sample.Columns, Column<V>>
    }
    #expect(isAssignable(\.string) && isAssignable(\.class) && isAssignable(\.id))
    #expect(!isAssignable(\.number))
    #expect(!isAssignable(\.watched))
  }
}
