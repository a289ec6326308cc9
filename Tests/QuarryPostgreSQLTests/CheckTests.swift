#if PostgreSQL
  import Foundation
  import QuarryBackend
  import QuarryCore
  import Testing

  @testable import QuarryPostgreSQL

  /// What another program has done to the tables, as a check names it and a repair mends it.
  @Suite struct CheckTests {
    static let country = ModelSchema(
      name: "Country",
      properties: [
        PropertySchema(name: "code", type: .string), PropertySchema(name: "name", type: .string),
        PropertySchema(name: "size", type: .uint8),
      ], primaryKey: 0,
      indexes: [IndexSchema(name: "name", columns: [IndexSchema.Column(slot: 1)], isUnique: true)])

    static let city = ModelSchema(
      name: "City",
      properties: [
        PropertySchema(name: "id", type: .int64), PropertySchema(name: "name", type: .string),
        PropertySchema(
          name: "country", type: .string, isOptional: true,
          reference: .init(to: "Country", deleteRule: .nullify)),
        PropertySchema(name: "tags", type: .array, isOptional: true, elementType: .string),
      ], primaryKey: 0,
      indexes: [
        IndexSchema(name: "name", columns: [IndexSchema.Column(slot: 1)], isUnique: true),
        IndexSchema(
          name: "country", columns: [IndexSchema.Column(slot: 2), IndexSchema.Column(slot: 1, isDescending: true)]),
      ])

    static func record(_ id: Int64, _ country: String?) -> Record {
      Record([
        "id": .int(id), "name": .string("c\(id)"), "country": country.map { .string($0) } ?? .null,
        "tags": .array([.string("x")]),
      ])
    }

    /// Countries a to c, and six cities.
    static func store(_ place: TestPlace) throws -> Store {
      let store = try place.open()
      try store.write { tx in
        try tx.apply(.createModel(country))
        try tx.apply(.createModel(city))
        try tx.records.insert(
          into: "Country",
          ["a", "b", "c"].map { Record(["code": .string($0), "name": .string("n\($0)"), "size": .int(1)]) })
        try tx.records.insert(into: "City", (1...6).map { record($0, $0 == 6 ? nil : ["a", "b", "c"][Int($0) % 3]) })
      }
      return store
    }

    private static func sql(_ text: String, _ place: TestPlace) throws {
      try place.server("SET search_path = \(place.schema); \(text)")
    }

    /// A row that cannot be read is named, whatever refers to it, and taken out.
    @Test(arguments: [
      ("UPDATE \"Country\" SET name = E'\\x01' WHERE code = 'b'", "model Country, key b, name: ", 1),
      ("UPDATE \"City\" SET country = E'\\x01' WHERE id = 3", "model City, key 3, country: ", 1),
      (
        "ALTER TABLE \"City\" DROP CONSTRAINT \"_quarry_key_3\"; ALTER TABLE \"City\" ALTER id DROP NOT NULL; "
          + "UPDATE \"City\" SET id = NULL WHERE id = 2", "model City, key NULL, id: ", 1
      ),
      ("UPDATE \"Country\" SET size = 900, name = E'\\x01' || code", "model Country, key c, size: ", 3),
      ("UPDATE \"City\" SET tags = '[1, \"x\"]' WHERE id = 4", "model City, key 4, tags: ", 1),
    ]) func anUnreadableRowIsNamedAndTakenOut(_ damage: String, _ line: String, _ count: Int) throws {
      let place = try TestPlace()
      let store = try Self.store(place)
      defer { try? store.close() }
      try Self.sql(damage, place)
      let lines = try store.check()
      #expect(lines.contains { $0.hasPrefix(line) }, "\(lines)")
      let keeper = Keeper()
      let report = try store.repair(keeping: keeper)
      #expect(report.removedRows == count && keeper.rows.count == count)
      #expect(report.remaining == [], "\(report)")
      #expect(try store.check() == [])
    }

    @Test func eachRowAndEachReferenceHasALine() throws {
      let place = try TestPlace()
      let store = try Self.store(place)
      defer { try? store.close() }
      try store.write { try $0.records.insert(into: "City", (7...190).map { Self.record($0, "a") }) }
      try Self.sql("UPDATE \"Country\" SET size = 300 WHERE code < 'c'", place)
      let rows = try store.check().filter { $0.contains(", size: ") }
      #expect(rows.map { $0.prefix(28) } == ["model Country, key a, size: ", "model Country, key b, size: "])
      try Self.sql("UPDATE \"Country\" SET size = 3; DELETE FROM \"Country\" WHERE code = 'a'", place)
      let lines = try store.check()
      #expect(lines.count == 101)
      #expect(lines.last == "and 85 more")
      #expect(Set(lines).count == 101)
      #expect(lines.dropLast().allSatisfy { $0.hasSuffix("country refers to Country a, which is not there") })
    }

    /// An index of the right name.
    @Test(arguments: [
      "ON \"City\" (country)", "ON \"City\" (left(name, 150)) WHERE id > 3", "ON \"City\" (upper(name))",
      "ON \"City\" (left(name, 150) COLLATE \"POSIX\", (''::bytea))", "ON \"City\" (left(name, 150) text_pattern_ops)",
      "ON \"City\" (left(name, 150) DESC, (''::bytea))", "ON \"City\" USING hash (name)",
    ]) func anIndexOfAnotherDefinitionIsFoundAndRebuilt(_ definition: String) throws {
      let place = try TestPlace()
      let store = try Self.store(place)
      defer { try? store.close() }
      #expect(try store.check() == [])
      let number = try #require(try store.models().first { $0.name == "City" }?.indexes.first?.id)
      let unique = definition.contains("country") || definition.contains("hash") ? "" : "UNIQUE "
      try Self.sql(
        "DROP INDEX \"_quarry_index_\(number)\"; CREATE \(unique)INDEX \"_quarry_index_\(number)\" \(definition)", place
      )
      let lines = try store.check()
      #expect(lines.contains { $0.hasPrefix("model City, index name (name): it ") }, "\(lines)")
      let report = try store.repair(keeping: Keeper())
      #expect(report.remaining == [])
      #expect(report.actions.contains("the index name of City was rebuilt"))
    }

    @Test func everyDefinitionOfAnIndexIsKnown() throws {
      let place = try TestPlace()
      let store = try place.open()
      defer { try? store.close() }
      let types: [PropertyType] = [.string, .data, .double, .float, .decimal, .uint64, .uuid, .bool, .int8, .date]
      for (number, key) in [PropertyType.int64, .string, .data].enumerated() {
        var properties = [PropertySchema(name: "id", type: key)]
        for place in 0..<36 {
          properties.append(
            PropertySchema(name: "p \"\(place)'", type: types[place % types.count], isOptional: place % 3 == 0))
        }
        let columns = (1...36).map { IndexSchema.Column(slot: $0, isDescending: $0 % 4 == 0) }
        let model = ModelSchema(
          name: "M\(number)", properties: properties, primaryKey: 0,
          indexes: [
            IndexSchema(name: "u", columns: columns, isUnique: true), IndexSchema(name: "p", columns: columns),
            IndexSchema(name: "q", columns: Array(columns[10...13]), isUnique: true),
            IndexSchema(name: "r", columns: Array(columns.reversed()), isUnique: true),
          ])
        try store.write { try $0.apply(.createModel(model)) }
      }
      #expect(try store.check() == [])
    }

    @Test func theIndexOfTheKeysIsCompared() throws {
      let place = try TestPlace()
      let store = try Self.store(place)
      defer { try? store.close() }
      try Self.sql(
        "DROP INDEX \"_quarry_key_1\"; CREATE UNIQUE INDEX \"_quarry_key_1\" ON \"Country\" (left(code, 150))", place)
      #expect(try store.check() == ["model Country, index of the keys (code): it is over other columns"])
      let report = try store.repair(keeping: Keeper())
      #expect(report.actions.contains("the index of the keys of Country was rebuilt"))
      #expect(report.remaining == [])
    }

    @Test func valuesThatAreNotUniqueAreNamed() throws {
      let place = try TestPlace()
      let store = try Self.store(place)
      defer { try? store.close() }
      let number = try #require(try store.models().first { $0.name == "City" }?.indexes.first?.id)
      try Self.sql(
        "DROP INDEX \"_quarry_index_\(number)\"; UPDATE \"City\" SET name = 'same' WHERE id IN (2, 4, 5)", place)
      let place2 = "model City, index name (name): "
      #expect(
        try store.check() == [
          place2 + "the table has no such index", place2 + "the objects with the keys 2 and 4 have the same value",
          place2 + "the objects with the keys 2 and 5 have the same value",
        ])
      let error = #expect(throws: StorageError.self) { try store.repair(keeping: Keeper()) }
      #expect(
        error?.code == .uniqueViolation && error?.model == "City" && error?.property == "name" && error?.key == "4")
      #expect(error?.message.contains("the keys 2 and 4") == true)
    }

    @Test func keysThatAreNotUniqueAreNamed() throws {
      let place = try TestPlace()
      let store = try Self.store(place)
      defer { try? store.close() }
      try Self.sql(
        "ALTER TABLE \"City\" DROP CONSTRAINT \"_quarry_key_3\"; UPDATE \"City\" SET id = 5 WHERE id = 2", place)
      let lines = try store.check()
      #expect(lines.contains("model City, key 5: several rows have this key"), "\(lines)")
      let error = #expect(throws: StorageError.self) { try store.repair(keeping: Keeper()) }
      #expect(error?.code == .uniqueViolation && error?.model == "City" && error?.property == "id" && error?.key == "5")
    }

    @Test func anotherCollationIsFoundAndChangedBack() throws {
      let place = try TestPlace()
      let store = try Self.store(place)
      defer { try? store.close() }
      try Self.sql("ALTER TABLE \"City\" ALTER name TYPE text COLLATE \"POSIX\"", place)
      let lines = try store.check()
      #expect(lines.contains("model City: the column name has the collation \"POSIX\", not \"C\""), "\(lines)")
      let report = try store.repair(keeping: Keeper())
      #expect(report.actions.contains("the column \"name\" of City got the collation \"C\" back"))
      #expect(report.remaining == [])
    }

    @Test func aRepairSaysWhatItRestores() throws {
      let place = try TestPlace()
      let store = try Self.store(place)
      defer { try? store.close() }
      try Self.sql("ALTER TABLE \"City\" ALTER name DROP NOT NULL; ALTER TABLE \"City\" SET UNLOGGED", place)
      #expect(
        try store.check() == [
          "model City: the table is UNLOGGED: a crash of the server empties it",
          "model City: the column name allows NULL",
        ])
      let report = try store.repair(keeping: Keeper())
      let actions = report.actions.filter { !$0.contains("the index ") }
      #expect(actions == ["the table City was made LOGGED", "the column \"name\" of City refuses NULL again"])
      #expect(report.remaining == [])
    }

    /// What others have added to a table, and a repair leaves.
    @Test(arguments: [
      (
        "ALTER TABLE \"City\" ADD other integer NOT NULL DEFAULT 1; ALTER TABLE \"City\" ALTER other DROP DEFAULT",
        "model City: the table has a column that is no property's and refuses NULL, other"
      ),
      (
        "CREATE RULE r AS ON INSERT TO \"City\" DO INSTEAD NOTHING",
        "model City: the table has a rule that can change or drop rows, r"
      ),
      (
        "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'; "
          + "CREATE TRIGGER t AFTER UPDATE ON \"City\" FOR EACH ROW EXECUTE FUNCTION f()",
        "model City: the table has a trigger that runs when rows are written, t"
      ),
      (
        "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'; "
          + "CREATE TRIGGER t AFTER TRUNCATE ON \"City\" FOR EACH STATEMENT EXECUTE FUNCTION f()",
        "model City: the table has a trigger that runs when rows are written, t"
      ),
      (
        "ALTER TABLE \"City\" ENABLE ROW LEVEL SECURITY",
        "model City: the table has row security, which can refuse and hide rows"
      ),
      (
        "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'; "
          + "CREATE TRIGGER t BEFORE UPDATE ON _quarry_commit FOR EACH ROW EXECUTE FUNCTION f()",
        "the table _quarry_commit has a trigger that can change or drop rows, t"
      ),
      (
        "CREATE UNIQUE INDEX theirs ON \"City\" (name)",
        "model City: the table has a unique index that is not the schema's, theirs"
      ),
    ]) func additionsOfOthersAreNamed(_ addition: String, _ line: String) throws {
      let place = try TestPlace()
      let store = try Self.store(place)
      defer { try? store.close() }
      try Self.sql(addition, place)
      #expect(try store.check() == [line])
      #expect(try store.repair(keeping: Keeper()).remaining == [line])
    }

    /// What is switched off does nothing.
    @Test func additionsThatAreOffAreNotNamed() throws {
      let place = try TestPlace()
      let store = try Self.store(place)
      defer { try? store.close() }
      try Self.sql(
        "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'; "
          + "CREATE TRIGGER t BEFORE UPDATE ON \"City\" FOR EACH ROW EXECUTE FUNCTION f(); "
          + "ALTER TABLE \"City\" DISABLE TRIGGER t; CREATE RULE r AS ON DELETE TO \"City\" DO INSTEAD NOTHING; "
          + "ALTER TABLE \"City\" DISABLE RULE r", place)
      #expect(try store.check() == [])
    }

    final class Keeper: UnreadableRowKeeper {
      private(set) var rows: [UnreadableRow] = []

      func keep(_ row: UnreadableRow) { rows.append(row) }
      func finish() {}
    }
  }
#endif
