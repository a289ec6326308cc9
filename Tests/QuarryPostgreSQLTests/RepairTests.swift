#if PostgreSQL
  import Foundation
  import QuarryBackend
  import QuarryCore
  import Testing

  @testable import QuarryPostgreSQL

  /// Stores that another program has damaged.
  @Suite struct RepairTests {
    private static let item = ModelSchema(
      name: "Item",
      properties: [
        PropertySchema(name: "id", type: .int64), PropertySchema(name: "rank", type: .uint8),
        PropertySchema(name: "code", type: .string), PropertySchema(name: "bytes", type: .data, isOptional: true),
      ], primaryKey: 0,
      indexes: [IndexSchema(name: "code", columns: [IndexSchema.Column(slot: 2)], isUnique: true)])

    private final class Keeper: UnreadableRowKeeper {
      private(set) var rows: [UnreadableRow] = []
      private(set) var isFinished = false

      func keep(_ row: UnreadableRow) { rows.append(row) }
      func finish() { isFinished = true }
    }

    private static func store(_ place: TestPlace) throws -> Store {
      let store = try place.open()
      try store.write { tx in
        try tx.apply(.createModel(item))
        try tx.records.insert(
          into: "Item", (0..<600).map { Record(["id": .int($0), "rank": .int($0 % 7), "code": .string("c\($0)")]) })
      }
      return store
    }

    @Test(arguments: [BackendManifest.Writers.one, .many]) func rowsThatCannotBeReadAreKeptAndTakenOut(
      _ writers: BackendManifest.Writers
    ) throws {
      let place = try TestPlace(writers)
      let store = try Self.store(place)
      defer { try? store.close() }
      try place.server(
        "UPDATE \(place.schema).\"Item\" SET rank = 300, bytes = '\\x00ff' WHERE id = 500; "
          + "UPDATE \(place.schema).\"Item\" SET code = E'a\\x01' || id WHERE id IN (3, 599)")
      let keeper = Keeper()
      let report = try store.repair(keeping: keeper)
      #expect(!report.defects.isEmpty)
      #expect(report.removedRows == 3)
      #expect(report.remaining == [])
      #expect(keeper.isFinished)
      #expect(Set(keeper.rows.map(\.key)) == ["3", "500", "599"])
      let row = try #require(keeper.rows.first { $0.key == "500" })
      #expect(row.model == "Item")
      #expect(
        row.content
          == .columns([
            Value.Member("id", .string("500")), Value.Member("rank", .string("300")),
            Value.Member("code", .string("c500")), Value.Member("bytes", .data(Data([0, 255]))),
          ]))
      #expect(try store.read { try $0.records.fetch(in: "Item").count } == 597)
    }

    /// What the table has lost or got besides its rows.
    @Test(arguments: [
      "DROP INDEX %.\"_quarry_index_2\"", "ALTER TABLE %.\"Item\" DROP CONSTRAINT \"_quarry_key_1\"",
      "ALTER TABLE %.\"Item\" ALTER COLUMN rank DROP NOT NULL; UPDATE %.\"Item\" SET rank = NULL WHERE id = 5",
      "UPDATE %.\"Item\" SET bytes = ''; ALTER TABLE %.\"Item\" ALTER COLUMN bytes SET NOT NULL",
    ]) func aTableBecomesWhatItsModelSays(_ damage: String) throws {
      let place = try TestPlace()
      let store = try Self.store(place)
      defer { try? store.close() }
      try place.server(damage.replacing("%", with: place.schema))
      #expect(try !store.check().isEmpty)
      let report = try store.repair(keeping: Keeper())
      #expect(report.remaining == [])
      #expect(try store.check() == [])
      #expect(
        code { try store.write { try $0.records.insert(into: "Item", [Self.record(1, "new")]) } } == .duplicateKey)
      #expect(
        code { try store.write { try $0.records.insert(into: "Item", [Self.record(700, "c7")]) } } == .uniqueViolation)
      try store.write { try $0.records.insert(into: "Item", [Self.record(700, "new")]) }
    }

    private static func record(_ id: Int64, _ code: String) -> Record {
      Record(["id": .int(id), "rank": .int(1), "code": .string(code), "bytes": .null])
    }

    /// Two rows of one key are the caller's to tell apart.
    @Test func aKeyThatIsThereTwiceIsRefused() throws {
      let place = try TestPlace()
      let store = try Self.store(place)
      defer { try? store.close() }
      try place.server(
        "ALTER TABLE \(place.schema).\"Item\" DROP CONSTRAINT \"_quarry_key_1\"; "
          + "UPDATE \(place.schema).\"Item\" SET id = 5 WHERE id = 6")
      #expect(code { _ = try store.repair(keeping: Keeper()) } == .uniqueViolation)
      #expect(try store.read { try $0.records.fetch(in: "Item").count } == 600)
    }
  }
#endif
