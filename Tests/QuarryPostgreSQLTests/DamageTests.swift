#if PostgreSQL
  import Foundation
  import QuarryBackend
  import QuarryCore
  import QuarryQuery
  import Synchronization
  import Testing

  @testable import QuarryPostgreSQL

  /// Tables that are gone or of another kind, and stores that are.
  @Suite struct DamageTests {
    @Test(arguments: ["_quarry_line", "_quarry_commit"]) func aMissingTableIsNamed(_ name: String) throws {
      let place = try TestPlace()
      let store = try CheckTests.store(place)
      defer { try? store.close() }
      try place.server("DROP TABLE \(place.schema).\"\(name)\"")
      for error in [
        #expect(throws: StorageError.self) { try store.read { _ = try $0.records.fetch(in: "City") } },
        #expect(throws: StorageError.self) { _ = try store.check() },
        #expect(throws: StorageError.self) { _ = try place.open() },
      ] {
        #expect(error?.code == .corrupt && error?.message == "the table \(name) of the store is missing")
      }
    }

    @Test(arguments: ["_quarry_store", "_quarry_commit"]) func aTableWithoutItsRowIsNamed(_ name: String) throws {
      let place = try TestPlace()
      let store = try CheckTests.store(place)
      defer { try? store.close() }
      try place.server("DELETE FROM \(place.schema).\"\(name)\"")
      for error in [
        #expect(throws: StorageError.self) { try store.read { _ = try $0.records.fetch(in: "City") } },
        #expect(throws: StorageError.self) { _ = try place.open() },
      ] {
        #expect(error?.code == .corrupt && error?.message == "the table \(name) has no row")
      }
    }

    @Test func anotherNumberOfWritersIsFound() throws {
      let place = try TestPlace()
      let store = try CheckTests.store(place)
      defer { try? store.close() }
      try place.server("UPDATE \(place.schema).\"_quarry_store\" SET writers = 'many'")
      let line = "the table _quarry_store: writers is many, and the store was opened with one"
      #expect(try store.check() == [line])
      #expect(try store.repair(keeping: CheckTests.Keeper()).remaining == [line])
      #expect(code { _ = try place.open() } == .corrupt)
    }

    /// The check continues with the other models.
    @Test func aMissingTableOfAModelEndsNoCheck() throws {
      let place = try TestPlace()
      let store = try CheckTests.store(place)
      defer { try? store.close() }
      try place.server(
        "DROP TABLE \(place.schema).\"Country\"; UPDATE \(place.schema).\"City\" SET name = E'\\x01' WHERE id = 2")
      let lines = try store.check()
      #expect(lines.contains("model Country: there is no table"))
      #expect(lines.contains { $0.hasPrefix("model City, key 2, name: ") })
      #expect(lines.contains { $0.hasPrefix("model City, country: the references to Country cannot all be checked: ") })
      let error = #expect(throws: StorageError.self) {
        try store.read { _ = try $0.records.fetch(in: "Country") }
      }
      #expect(error?.code == .corrupt && error?.model == "Country" && error?.message == "there is no table")
    }

    @Test(arguments: [
      "ALTER name TYPE bytea USING convert_to(name, 'UTF8')", "RENAME name TO other", "ALTER name TYPE varchar(9)",
    ])
    func aColumnOfAnotherKindIsNamed(_ change: String) throws {
      let place = try TestPlace()
      let store = try CheckTests.store(place)
      defer { try? store.close() }
      // The server could not build the index for another type.
      try place.server(
        "DROP INDEX \(place.schema).\"_quarry_index_2\"; ALTER TABLE \(place.schema).\"Country\" \(change)")
      let row = Record(["code": .string("x"), "name": .string("y"), "size": .int(1)])
      let filtered = QueryTree(
        model: "Country", predicate: .compare(.property(PropertyPath("name")), .equal, .value(.string("y"))))
      let errors = [
        #expect(throws: StorageError.self) { try store.read { _ = try $0.records.fetch(in: "Country") } },
        #expect(throws: StorageError.self) { try store.read { _ = try $0.records.fetch(filtered) } },
        #expect(throws: StorageError.self) {
          try store.read { _ = try $0.records.get(in: "Country", key: .string("a")) }
        },
        #expect(throws: StorageError.self) { _ = try store.repair(keeping: CheckTests.Keeper()) },
      ]
      for error in errors {
        #expect(error?.code == .corrupt && error?.model == "Country" && error?.property == "name", "\(error as Any)")
      }
      // The server itself casts between kinds of texts.
      guard !change.contains("varchar") else { return }
      let refused = #expect(throws: StorageError.self) {
        try store.write { try $0.records.insert(into: "Country", [row]) }
      }
      #expect(
        refused?.code == .corrupt && refused?.model == "Country" && refused?.property == "name", "\(refused as Any)")
    }

    @Test func typesHaveTheirNames() throws {
      let place = try TestPlace()
      let store = try CheckTests.store(place)
      defer { try? store.close() }
      try place.server("ALTER TABLE \(place.schema).\"Country\" ALTER size TYPE integer")
      #expect(try store.check() == ["model Country: the column size is integer, not smallint"])
    }

    // MARK: Observations

    private final class Failures: Sendable {
      let list = Mutex<[StorageError.Code?]>([])
    }

    @Test(arguments: [
      "DROP SCHEMA % CASCADE", "ALTER SCHEMA % RENAME TO %_x", "DROP SCHEMA % CASCADE; CREATE SCHEMA %",
      "ALTER SCHEMA % RENAME TO %_x; CREATE SCHEMA %; CREATE TABLE %.\"_quarry_store\" (LIKE %_x.\"_quarry_store\"); "
        + "INSERT INTO %.\"_quarry_store\" SELECT * FROM %_x.\"_quarry_store\"; "
        + "CREATE TABLE %.\"_quarry_line\" (); CREATE TABLE %.\"_quarry_commit\" AS SELECT * FROM %_x.\"_quarry_commit\"",
    ]) func anObservationEndsWithItsStore(_ end: String) throws {
      let place = try TestPlace()
      let store = try CheckTests.store(place)
      defer {
        try? store.close()
        _ = try? place.server("DROP SCHEMA IF EXISTS \(place.place.schema)_x CASCADE")
      }
      try Self.expectEnd(store) { try place.server(end.replacing("%", with: place.place.schema)) }
    }

    @Test func anObservationEndsWithItsRight() throws {
      let place = try TestPlace()
      try CheckTests.store(place).close()
      let role = place.place.schema + "_reader"
      try place.server(
        "CREATE ROLE \(role) LOGIN; GRANT USAGE ON SCHEMA \(place.schema) TO \(role); "
          + "GRANT SELECT ON ALL TABLES IN SCHEMA \(place.schema) TO \(role)")
      defer { _ = try? place.server("DROP OWNED BY \(role) CASCADE; DROP ROLE \(role)") }
      var limited = place.place
      limited.connection += " user=\(role)"
      var options = OpenOptions()
      options.isReadOnly = true
      let store = try Store(opening: limited, options: options)
      defer { try? store.close() }
      try Self.expectEnd(store) {
        try place.server("REVOKE SELECT ON ALL TABLES IN SCHEMA \(place.schema) FROM \(role)")
      }
      try place.server("GRANT SELECT ON ALL TABLES IN SCHEMA \(place.schema) TO \(role)")
      try store.observe(QueryTree(model: "City"), onError: { _ in }, { _ in }).cancel()
    }

    private static func expectEnd(_ store: Store, _ body: () throws -> Void) throws {
      let failures = Failures()
      let token = try store.observe(
        QueryTree(model: "City"),
        onError: { error in failures.list.withLock { $0.append((error as? StorageError)?.code) } }, { _ in })
      defer { token.cancel() }
      Thread.sleep(forTimeInterval: 0.3)
      #expect(failures.list.withLock { $0 } == [])
      try body()
      let deadline = Deadline(after: 20)
      while failures.list.withLock({ $0.isEmpty }), !deadline.hasPassed { Thread.sleep(forTimeInterval: 0.02) }
      #expect(failures.list.withLock { $0 } == [.io])
    }
  }
#endif
