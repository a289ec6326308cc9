#if PostgreSQL
  import Foundation
  import QuarryCore
  import QuarryQuery
  import Testing

  @testable import QuarryBackend
  @testable import QuarryPostgreSQL

  /// Rules, triggers, row security and constraints of another program that keep rows from being stored, changed or removed.
  @Suite struct RejectionTests {
    private static let text = "a trigger, rule or row policy that Quarry did not create rejected the row"

    private static let note = ModelSchema(
      name: "Note",
      properties: [
        PropertySchema(name: "id", type: .int64), PropertySchema(name: "text", type: .string, isOptional: true),
        PropertySchema(name: "list", type: .array, isOptional: true, elementType: .string),
      ], primaryKey: 0)

    private static func record(_ id: Int64, _ text: String = "a") -> Record {
      Record(["id": .int(id), "text": .string(text), "list": .null])
    }

    /// Rows 1 to 3, on a table that drops what a condition holds for.
    private static func store(_ place: TestPlace, _ event: String, _ condition: String) throws -> Store {
      let store = try place.open()
      try store.write { tx in
        try tx.apply(.createModel(note))
        try tx.records.insert(into: "Note", [record(1), record(2), record(3)])
      }
      try place.server(
        "SET search_path = \(place.schema); CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS "
          + "'BEGIN IF \(condition) THEN RETURN NULL; END IF; RETURN coalesce(NEW, OLD); END'; "
          + "CREATE TRIGGER t BEFORE \(event) ON \"Note\" FOR EACH ROW EXECUTE FUNCTION f()")
      return store
    }

    private static func expectRejected(
      _ store: Store, key: String? = nil, _ message: String = text, _ body: (WriteTransaction) throws -> Void
    ) throws {
      let before = try store.read { try $0.records.fetch(in: "Note") }
      try store.write { (tx) throws in
        let error = #expect(throws: StorageError.self) { try body(tx) }
        #expect(error?.code == .invalidValue && error?.model == "Note", "\(error as Any)")
        #expect(error?.message.hasPrefix(message) == true, "\(error as Any)")
        if let key { #expect(error?.key == key) }
        // The transaction is usable, and nothing of the call is stored.
        let after = try tx.records.fetch(in: "Note")
        #expect(after == before)
      }
    }

    @Test func aRuleThatDropsRowsIsAnError() throws {
      let place = try TestPlace()
      let store = try place.open()
      defer { try? store.close() }
      try store.write { tx in
        try tx.apply(.createModel(Self.note))
        try tx.records.insert(into: "Note", [Self.record(1)])
      }
      try place.server(
        "CREATE RULE r AS ON INSERT TO \(place.schema).\"Note\" WHERE NEW.id > 1 DO INSTEAD NOTHING")
      try Self.expectRejected(store, key: "7") { try $0.records.insert(into: "Note", [Self.record(7)]) }
      try Self.expectRejected(store) { try $0.records.upsert(into: "Note", [Self.record(7)]) }
    }

    @Test func aTriggerThatDropsRowsIsAnError() throws {
      let place = try TestPlace()
      let store = try Self.store(place, "INSERT", "NEW.id > 6")
      defer { try? store.close() }
      try Self.expectRejected(store, key: "7") { try $0.records.insert(into: "Note", [Self.record(7)]) }
      // One of many, which are copied.
      try Self.expectRejected(store, key: "7") {
        try $0.records.insert(into: "Note", (4...7).map { Self.record($0) })
      }
      try Self.expectRejected(store) { try $0.records.upsert(into: "Note", [Self.record(7)]) }
      try Self.expectRejected(store) { try $0.records.upsert(into: "Note", [Self.record(1, "b"), Self.record(7)]) }
      try store.write { try $0.records.insert(into: "Note", [Self.record(4), Self.record(5)]) }
      #expect(try store.read { try $0.records.fetch(in: "Note").count } == 5)
    }

    @Test func aTriggerThatKeepsTheOldRowIsAnError() throws {
      let place = try TestPlace()
      let store = try Self.store(place, "UPDATE", "NEW.id = 2")
      defer { try? store.close() }
      try Self.expectRejected(store) { try $0.records.upsert(into: "Note", [Self.record(2, "b")]) }
      try Self.expectRejected(store) {
        try $0.records.upsert(into: "Note", [Self.record(1, "b"), Self.record(2, "b")])
      }
    }

    @Test func anUpdateOfARowThatIsThereIsNotMissing() throws {
      let place = try TestPlace()
      try Self.store(place, "UPDATE", "NEW.id = 2").close()
      let backend = try PostgreSQLBackend(place.place, OpenOptions())
      defer { try? backend.close() }
      let tx = try backend.beginWrite(WriteOptions())
      defer { tx.rollback() }
      let model = tx.schema.models[0]
      let row = try #require(
        try Key.primary(.int(2), model).bytes.withBytes { key throws(StorageError) in
          try tx.row(model.id, key).map { Row(copying: $0) }
        })
      for slots in [nil, [1], [2]] as [[Int]?] {
        let error = #expect(throws: StorageError.self) {
          try row.bytes.withBytes { row throws(StorageError) in
            try tx.update(model.id, row, slots: slots, expected: nil, expectedSlots: nil)
          }
        }
        #expect(error?.code == .invalidValue && error?.message == Self.text && error?.key == "2", "\(error as Any)")
      }
    }

    // MARK: Removals, and changes by a query

    private static func id(_ comparison: Comparison, _ value: Int64) -> PredicateTree {
      .compare(.property(PropertyPath("id")), comparison, .value(.int(value)))
    }

    /// Calls that meet the object with the key 2, which something of another program keeps as it is.
    private static func expectTwoIsKept(_ store: Store) throws {
      try expectRejected(store, key: "2") { _ = try $0.records.delete(in: "Note", keys: [.int(2)]) }
      try expectRejected(store, key: "2") { _ = try $0.records.delete(in: "Note", keys: [.int(1), .int(2), .int(9)]) }
      // One that the server selects, and one whose keys are collected first.
      for limit in [nil, 3] as [Int?] {
        var query = QueryTree(model: "Note", predicate: Self.id(.less, 3))
        query.limit = limit
        try expectRejected(store) { _ = try $0.records.delete(query) }
      }
      // More keys than one statement has.
      try expectRejected(store, key: "2") {
        _ = try $0.records.delete(in: "Note", keys: [.int(1)] + (4..<10_100).map { .int($0) } + [.int(2)])
      }
      // Objects that are absent, and those that nothing keeps.
      try store.write { (tx) throws in
        #expect(try tx.records.delete(in: "Note", keys: [.int(9)]) == 0)
        #expect(try tx.records.delete(in: "Note", keys: [.int(9), .int(1), .int(1)]) == 1)
        #expect(try tx.records.delete(QueryTree(model: "Note", predicate: Self.id(.greater, 2))) == 1)
        #expect(try tx.records.fetch(in: "Note").map { $0["id"] } == [.int(2)])
      }
    }

    @Test func aTriggerThatKeepsRowsIsAnError() throws {
      let place = try TestPlace()
      let store = try Self.store(place, "DELETE", "OLD.id = 2")
      defer { try? store.close() }
      try Self.expectTwoIsKept(store)
    }

    @Test func aRuleThatKeepsRowsIsAnError() throws {
      let place = try TestPlace()
      let store = try Self.store(place, "INSERT", "false")
      defer { try? store.close() }
      try place.server(
        "CREATE RULE r AS ON DELETE TO \(place.schema).\"Note\" WHERE OLD.id = 2 DO INSTEAD NOTHING")
      try Self.expectTwoIsKept(store)
    }

    /// A rule that does something next to a removal keeps nothing.
    @Test func aRuleThatAddsIsNoError() throws {
      let place = try TestPlace()
      let store = try Self.store(place, "INSERT", "false")
      defer { try? store.close() }
      try place.server(
        "SET search_path = \(place.schema); CREATE TABLE seen (id bigint); "
          + "CREATE RULE r AS ON DELETE TO \"Note\" DO ALSO INSERT INTO seen VALUES (OLD.id)")
      try store.write { (tx) throws in
        #expect(try tx.records.delete(in: "Note", keys: [.int(1), .int(2)]) == 2)
        #expect(try tx.records.delete(QueryTree(model: "Note")) == 1)
      }
      #expect(try place.server("SELECT count(*) FROM \(place.schema).seen") == "3")
    }

    @Test func rowSecurityThatKeepsRowsIsAnError() throws {
      let place = try TestPlace()
      try Self.store(place, "INSERT", "false").close()
      let role = place.place.schema + "_limited"
      try place.server(
        "CREATE ROLE \(role) LOGIN; GRANT USAGE ON SCHEMA \(place.schema) TO \(role); "
          + "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA \(place.schema) TO \(role); "
          + "SET search_path = \(place.schema); ALTER TABLE \"Note\" ENABLE ROW LEVEL SECURITY; "
          + "CREATE POLICY r ON \"Note\" FOR SELECT USING (true); "
          + "CREATE POLICY u ON \"Note\" FOR UPDATE USING (id <> 2); "
          + "CREATE POLICY d ON \"Note\" FOR DELETE USING (id <> 2)")
      defer { _ = try? place.server("DROP OWNED BY \(role) CASCADE; DROP ROLE \(role)") }
      var limited = place.place
      limited.connection += " user=\(role)"
      let store = try Store(opening: limited)
      defer { try? store.close() }
      let text = QueryTree(model: "Note", predicate: Self.id(.less, 3))
      try Self.expectRejected(store) { _ = try $0.records.assign(text, [AssignmentTree("text", .set, .string("b"))]) }
      try Self.expectTwoIsKept(store)
    }

    @Test func anUpdateByAQueryThatMissesARowIsAnError() throws {
      let place = try TestPlace()
      let store = try Self.store(place, "UPDATE", "NEW.id = 2")
      defer { try? store.close() }
      let query = QueryTree(model: "Note", predicate: Self.id(.less, 3))
      try Self.expectRejected(store) { _ = try $0.records.assign(query, [AssignmentTree("text", .set, .string("b"))]) }
      // What the program works out, because the server does not.
      try Self.expectRejected(store) {
        _ = try $0.records.assign(query, [AssignmentTree("list", .set, .array([.string("x")]))])
      }
      try store.write { (tx) throws in
        let others = QueryTree(model: "Note", predicate: Self.id(.notEqual, 2))
        #expect(try tx.records.assign(others, [AssignmentTree("text", .set, .string("b"))]) == 2)
      }
    }

    /// The removal of an object whose referrer stays fails as a whole.
    @Test(arguments: [PropertySchema.Reference.DeleteRule.cascade, .nullify]) func aCascadeThatMissesARowIsAnError(
      _ rule: PropertySchema.Reference.DeleteRule
    ) throws {
      let place = try TestPlace()
      let store = try place.open()
      defer { try? store.close() }
      let part = ModelSchema(
        name: "Part",
        properties: [
          PropertySchema(name: "id", type: .int64),
          PropertySchema(
            name: "note", type: .int64, isOptional: true, reference: .init(to: "Note", deleteRule: rule)),
        ], primaryKey: 0)
      try store.write { tx in
        try tx.apply(.createModel(Self.note))
        try tx.apply(.createModel(part))
        try tx.records.insert(into: "Note", [Self.record(1), Self.record(2)])
        try tx.records.insert(into: "Part", (1...4).map { Record(["id": .int($0), "note": .int($0 % 2 + 1)]) })
      }
      try place.server(
        "SET search_path = \(place.schema); CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS "
          + "'BEGIN IF OLD.id = 3 THEN RETURN NULL; END IF; RETURN coalesce(NEW, OLD); END'; "
          + "CREATE TRIGGER t BEFORE DELETE OR UPDATE ON \"Part\" FOR EACH ROW EXECUTE FUNCTION f()")
      for query in [false, true] {
        try store.write { (tx) throws in
          let error = #expect(throws: StorageError.self) {
            if query {
              _ = try tx.records.delete(QueryTree(model: "Note"))
            } else {
              _ = try tx.records.delete(in: "Note", keys: [.int(2)])
            }
          }
          #expect(error?.code == .invalidValue && error?.model == "Part", "\(error as Any)")
          #expect(try tx.records.fetch(in: "Note").count == 2)
          #expect(try tx.records.fetch(in: "Part").allSatisfy { $0["note"] != .null })
          #expect(try tx.records.fetch(in: "Part").count == 4)
        }
      }
      #expect(try store.write { try $0.records.delete(in: "Note", keys: [.int(1)]) } == 1)
      #expect(try store.check() == ["model Part: the table has a trigger that can change or drop rows, t"])
    }

    // MARK: Constraints

    /// Each throws the error of a constraint.
    @Test(arguments: [
      (
        "ALTER TABLE \"Note\" ADD other integer NOT NULL DEFAULT 1; ALTER TABLE \"Note\" ALTER other DROP DEFAULT",
        "a constraint that Quarry did not create rejected the row"
      ),
      ("ALTER TABLE \"Note\" ADD CHECK (id < 7)", "a constraint that Quarry did not create rejected the row"),
      (
        "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''no''; END'; "
          + "CREATE TRIGGER t BEFORE INSERT ON \"Note\" FOR EACH ROW EXECUTE FUNCTION f()", text
      ),
    ]) func aConstraintOfAnotherProgramIsNamed(_ addition: String, _ message: String) throws {
      let place = try TestPlace()
      let store = try place.open()
      defer { try? store.close() }
      try store.write { try $0.apply(.createModel(Self.note)) }
      try place.server("SET search_path = \(place.schema); \(addition)")
      try Self.expectRejected(store, key: "7", message) { try $0.records.insert(into: "Note", [Self.record(7)]) }
    }
  }
#endif
