import Foundation
import QuarryBackend
import QuarryCore
import QuarryEngines
import QuarryQuery
import Testing

@testable import QuarryTool

@Suite struct MigrateTests {
  static let places = ["file:s.quarry", "sqlite:m.db", "lmdb:s.lmdb"]
  let shop: Workshop

  init() throws {
    shop = try Workshop.cities()
  }

  /// A store with the model City of five rows, indexed by country and by founded.
  private func fill(_ url: String) throws {
    let outcome = try shop.quarry(
      "import", "cities.csv", "--into", url, "--model", "City", "--key", "id", "--index", "country", "--index",
      "founded")
    try #require(outcome.status == 0, "\(outcome.errors)")
  }

  private func migrate(_ url: String, _ arguments: String...) throws -> Quarry.Outcome {
    try Quarry.run(["migrate", url] + arguments, in: shop.directory)
  }

  /// All that the commands tell of the store.
  private func content(_ url: String) throws -> [String] {
    let models = try shop.quarry("models", url).lines
    let rows = try models.map { try shop.quarry("query", url, $0, "--format", "jsonl").output }
    return try [shop.quarry("schema", url).output] + rows
  }

  @Test(arguments: places)
  func everythingAtOnce(_ url: String) throws {
    try fill(url)
    let outcome = try migrate(
      url, "--rename", "City.name=title", "--rename-model", "City=Town", "--drop", "City.founded", "--convert",
      "City.people=double?", "--convert", "City.id=string", "--optional", "City.area", "--index", "City.-name,area",
      "--unique", "City.name", "--drop-index", "City.country", "--to", "3")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.lines.contains("the model City was renamed to Town"))
    #expect(
      try shop.quarry("schema", url).output == """
        version 3

        model Town
          id       string   primary key
          title    string
          country  string
          people   double?
          area     double?
          unique index title (title)
          index title_area (-title, area)

        """)
    #expect(
      try shop.quarry("query", url, "Town", "--where", "id == '2'", "--format", "csv").lines.last
        == "\"2\",Kyoto,JP,1463723.0,827.8")
    #expect(try shop.quarry("count", url, "Town").output == "5\n")
    #expect(try shop.quarry("check", url).lines.last == "sound: 1 model, 5 rows, 2 indexes")
    #expect(try shop.quarry("stat", url).lines.contains("version of the models: 3"))
  }

  @Test(arguments: places)
  func textBecomesNumbersAndNumbersText(_ url: String) throws {
    try shop.write("id,year,open\n1,\"1970\",\"true\"\n2,,\"false\"\n", "text.csv")
    let imported = try shop.quarry("import", "text.csv", "--into", url, "--model", "Book", "--key", "id")
    try #require(imported.status == 0, "\(imported.errors)")
    try #require(try migrate(url, "--convert", "Book.year=string?", "--convert", "Book.open=string").status == 0)
    #expect(try migrate(url, "--convert", "Book.year=int?", "--convert", "Book.open=bool").status == 0)
    #expect(
      try shop.quarry("query", url, "Book", "--sort", "id", "--format", "jsonl").lines == [
        #"{"id":1,"year":1970,"open":true}"#, #"{"id":2,"year":null,"open":false}"#,
      ])
  }

  @Test(arguments: places)
  func whatCannotBeConvertedIsToldWithItsKeysAndChangesNothing(_ url: String) throws {
    try fill(url)
    let before = try content(url)
    let names = try migrate(url, "--convert", "City.name=int", "--drop", "City.area")
    #expect(names.code == "invalidValue")
    #expect(names.errors.contains("1, 2, 3, 4, 5"), "\(names.errors)")
    let missing = try migrate(url, "--convert", "City.people=int64")
    #expect(missing.code == "missingValue")
    #expect(missing.errors.contains("property people, key 4"), "\(missing.errors)")
    let same = try migrate(url, "--rename", "City.name=title", "--unique", "City.country")
    #expect(same.code == "uniqueViolation")
    #expect(try content(url) == before)
  }

  @Test(arguments: places)
  func aRehearsalTellsAndChangesNothing(_ url: String) throws {
    try fill(url)
    let before = try content(url)
    let good = try migrate(
      url, "--rename", "City.name=title", "--drop", "City.founded", "--convert", "City.people=double?", "--to", "2",
      "--rehearse")
    #expect(good.status == 0, "\(good.errors)")
    #expect(good.lines.contains("  the property name of City was renamed to title"))
    #expect(good.lines.contains { $0.contains("of City were created again: 5 rows read, 5 written, ") })
    #expect(good.lines.contains("  City.founded of 2 objects (2, 3)"))
    #expect(good.lines.contains("version: 0, then 2"))
    #expect(good.lines.last?.hasPrefix("succeeds on a copy, in ") == true)
    let bad = try migrate(url, "--convert", "City.name=int", "--rehearse")
    #expect(bad.status == 1)
    #expect(bad.lines.contains("  City.name of 5 objects (1, 2, 3, 4, 5)"))
    #expect(bad.lines.last?.hasPrefix("error: invalidValue: ") == true)
    #expect(bad.errors == "")
    #expect(try content(url) == before)
  }

  @Test(arguments: places)
  func aVersionDoesNotFall(_ url: String) throws {
    try fill(url)
    #expect(try migrate(url, "--to", "4").status == 0)
    #expect(try migrate(url, "--to", "3").code == "schemaTooNew")
    #expect(try migrate(url, "--rename", "City.name=title").status == 0)
    #expect(try shop.quarry("schema", url).lines.first == "version 4")
  }

  @Test func namesAreExchanged() throws {
    try fill("sqlite:m.db")
    let outcome = try migrate("sqlite:m.db", "--rename", "City.name=country", "--rename", "City.country=name")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(
      try shop.quarry("query", "sqlite:m.db", "City", "--where", "id == 3", "--columns", "name,country").lines.last?
        .split(separator: " ") == ["NO", "Oslo"])
  }

  @Test func aModelIsDropped() throws {
    try fill("file:s.quarry")
    #expect(
      try shop.quarry("import", "cities.csv", "--into", "file:s.quarry", "--model", "Draft", "--key", "id").status == 0)
    let rehearsed = try migrate("file:s.quarry", "--drop", "Draft", "--rehearse")
    #expect(rehearsed.lines.contains("  5 objects (1, 2, 3, 4, 5) of Draft"), "\(rehearsed.output)")
    #expect(try migrate("file:s.quarry", "--drop", "Draft").output == "the model Draft was removed\n")
    #expect(try shop.quarry("models", "file:s.quarry").output == "City\n")
  }

  @Test(arguments: [
    (["--rename", "City.nam=title"], "name"), (["--rename", "Cty.name=title"], "City"),
    (["--rename-model", "Citty=Town"], "City"), (["--drop", "City.nme"], "name"), (["--drop", "Citi"], "City"),
    (["--convert", "City.peple=int"], "people"), (["--optional", "City.ara"], "area"),
    (["--index", "City.name,contry"], "country"), (["--unique", "City.nane"], "name"),
    (["--drop-index", "City.contry"], "country"),
  ])
  func aNameThatIsNotThereIsToldTheNearest(_ arguments: [String], _ nearest: String) throws {
    let before = try content("sqlite:s.db")
    let outcome = try Quarry.run(
      ["migrate", "sqlite:s.db", "--drop", "City.area"] + arguments, in: shop.directory)
    #expect(outcome.code == "invalidQuery", "\(outcome.errors)")
    #expect(outcome.errors.contains("did you mean \(nearest)?"), "\(outcome.errors)")
    #expect(try content("sqlite:s.db") == before)
  }

  @Test(arguments: [
    ["--drop", "City.id"], ["--drop", "City.name", "--rename", "City.name=title"], ["--optional", "City.id"],
    ["--drop", "City", "--index", "City.name"], ["--drop", "City", "--rename-model", "City=Town"],
    ["--drop", "City.name", "--convert", "City.name=int"], ["--drop", "City.name", "--unique", "City.name"],
    ["--convert", "City.name=int", "--convert", "City.name=double"], ["--index", "City"], ["--index", "name"],
    ["--rename", "City.name=a", "--rename", "City.name=b"],
  ])
  func changesThatContradictEachOtherAreRefused(_ arguments: [String]) throws {
    let before = try content("sqlite:s.db")
    let outcome = try Quarry.run(["migrate", "sqlite:s.db"] + arguments, in: shop.directory)
    #expect(outcome.code == "invalidQuery", "\(outcome.errors)")
    #expect(try content("sqlite:s.db") == before)
  }

  @Test func aNameThatIsTakenIsRefused() throws {
    let before = try content("sqlite:s.db")
    #expect(try migrate("sqlite:s.db", "--rename", "City.name=country").code == "schemaMismatch")
    #expect(try migrate("sqlite:s.db", "--rename", "City.name=Country").code == "schemaMismatch")
    #expect(try migrate("sqlite:s.db?readOnly=true", "--index", "City.name").code == "readOnly")
    #expect(try content("sqlite:s.db") == before)
    #expect(try migrate("sqlite:none.db", "--drop", "City").code == "notFound")
  }

  @Test(arguments: [
    [], ["--rehearse"], ["--rename", "City.name"], ["--rename", "City.name="], ["--convert", "City.name=number"],
    ["--convert", "City.name=nested"], ["--to", "0"], ["--lossy", "--drop", "City"],
  ])
  func wrongUsage(_ arguments: [String]) throws {
    #expect(try Quarry.run(["migrate", "sqlite:s.db"] + arguments, in: shop.directory).status == 64)
  }

  @Test(
    arguments: [
      (.string("7"), "int8", .int(7)), (.string("-0.5"), "decimal", .decimal(-0.5)),
      (.string("true"), "bool", .bool(true)),
      (.string("1e3"), "double", .double(1000)), (.string("128"), "int8", nil), (.string("x"), "bool", nil),
      (.string(" 7"), "int64", nil), (.string(""), "double", nil), (.double(1.5), "int", nil),
      (.double(2), "int", .int(2)),
      (.int(300), "uint8", nil), (.int(-1), "uint", nil), (.int(7), "string", .string("7")),
      (.double(0.1), "string", .string("0.1")), (.bool(false), "string", .string("false")), (.bool(true), "int", nil),
      (.date(Date(timeIntervalSinceReferenceDate: 0)), "string", .string("2001-01-01T00:00:00Z")),
      (.string("2001-01-01T00:00:00Z"), "date", .date(Date(timeIntervalSinceReferenceDate: 0))),
      (.array([.string("1")]), "string", nil), (.array([.int(1)]), "[double]", .array([.double(1)])),
      (.null, "int?", .null),
    ] as [(Value, String, Value?)])
  func aValueIsConvertedWhereNothingIsLost(_ value: Value, _ type: String, _ expected: Value?) throws {
    let name = try #require(TypeName(type))
    let property = PropertySchema(
      name: "x", type: name.type, isOptional: name.isOptional, elementType: name.elementType)
    guard let expected else {
      #expect(throws: StorageError.self) { try ValueConversion.convert(value, to: property) }
      return
    }
    #expect(try ValueConversion.convert(value, to: property) == expected)
  }

  /// A store in memory ends with the command, so that what the command does is done here.
  @Test func inMemory() throws {
    let url = try StoreURL(parsing: "memory:migrate-tests")
    let store = try url.open(.filling, nil)
    defer { try? store.close() }
    try store.write { tx in
      try tx.apply(
        .createModel(
          ModelSchema(
            name: "Book",
            properties: [
              PropertySchema(name: "id", type: .int64), PropertySchema(name: "year", type: .string, isOptional: true),
            ], primaryKey: 0)))
      try tx.records.insert(
        into: "Book",
        [Record(["id": .int(1), "year": .string("1970")]), Record(["id": .int(2), "year": .string("soon")])])
    }
    var edits = SchemaEdits()
    edits.conversions = [try TypeChange(argument: "Book.year=int32?")]
    edits.renames = [NameChange("Book.year", "printed")]
    let (program, migration) = try edits.plan(for: store.models())
    let report = try Store.rehearse(program: program, in: url.provider, migration: migration)
    #expect(MigrationText.lines(report).contains("  Book.printed of 1 object (2)"))
    #expect(throws: StorageError.self) {
      try Store(program: program, in: url.provider, migration: migration)
    }
    let second = try WhereOption.query("Book", "id == 2")
    _ = try store.write { tx in try tx.records.delete(second) }
    let migrated = try Store(program: program, in: url.provider, migration: migration)
    defer { try? migrated.close() }
    #expect(
      try migrated.read { try $0.records.fetch(QueryTree(model: "Book")) } == [
        Record(["id": .int(1), "printed": .int(1970)])
      ])
    #expect(throws: StorageError.self) {
      try edits.plan(for: try Store(opening: StoreURL(parsing: "memory:").provider).models())
    }
  }
}
