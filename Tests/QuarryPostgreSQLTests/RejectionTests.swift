#if PostgreSQL
  import Foundation
  import QuarryCore
  import Testing

  @testable import QuarryBackend
  @testable import QuarryPostgreSQL

  /// Rules, triggers and constraints of another program that keep rows from being stored.
  @Suite struct RejectionTests {
    private static let text = "a trigger or rule that Quarry did not create rejected the row"

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
