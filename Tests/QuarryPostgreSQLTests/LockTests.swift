#if PostgreSQL
  import Foundation
  import QuarryCore
  import Testing

  @testable import QuarryBackend
  @testable import QuarryPostgreSQL

  /// What transactions wait for, and what they do not wait for.
  @Suite struct LockTests {
    private static func model(_ name: String) -> ModelSchema {
      ModelSchema(name: name, properties: [PropertySchema(name: "id", type: .int64)], primaryKey: 0)
    }

    private static let more = PropertySchema(name: "more", type: .int64, isOptional: true)

    /// A backend with the models A and B.
    private static func backend(_ place: TestPlace) throws -> any Backend {
      let backend = try place.place.open(OpenOptions())
      let tx = try backend.beginWrite(WriteOptions())
      try tx.apply(.createModel(model("A")))
      try tx.apply(.createModel(model("B")))
      _ = try tx.commit()
      return backend
    }

    /// A reader of A, then of B, next to a write that changes B, then A.
    @Test func aReaderAndNewPropertiesDoNotWaitForEachOther() async throws {
      let place = try TestPlace()
      let backend = try Self.backend(place)
      defer { try? backend.close() }
      let reader = try backend.beginRead()
      let models = reader.schema.models
      #expect(try reader.count(BoundQuery(everyRowOf: models[0])) == 0)
      let write = onThread {
        code {
          let tx = try backend.beginWrite(WriteOptions(timeout: 20))
          for model in [models[1], models[0]] { try tx.apply(.addProperty(model.id, Self.more)) }
          _ = try tx.commit()
        }
      }
      // Longer than the server waits before it looks for a deadlock.
      try await Task.sleep(for: .milliseconds(1_500))
      #expect(try reader.count(BoundQuery(everyRowOf: models[1])) == 0)
      reader.end()
      let failure = await write.value
      #expect(failure == nil)
    }

    @Test func aPropertyIsAddedNextToASnapshotAndNothingIsTakenAway() throws {
      let place = try TestPlace()
      let backend = try Self.backend(place)
      defer { try? backend.close() }
      let snapshot = try backend.snapshot()
      defer { snapshot.close() }
      let tx = try backend.beginWrite(WriteOptions(timeout: 1))
      let id = try #require(tx.schema.models.first?.id)
      try tx.apply(.addProperty(id, Self.more))
      #expect(code { try tx.apply(.dropModel(id)) } == .busy)
      // The failed change has left the transaction as it was.
      _ = try tx.commit()
      let reader = try snapshot.beginRead()
      defer { reader.end() }
      #expect(reader.schema.models.first?.properties.count == 1)
      #expect(try reader.count(BoundQuery(everyRowOf: reader.schema.models[0])) == 0)
    }

    /// A vacuum locks a table as this transaction of another program does.
    @Test func aVacuumIsNoWriter() throws {
      let place = try TestPlace()
      let backend = try Self.backend(place)
      defer { try? backend.close() }
      let other = try PostgreSQLConnection(try PostgreSQLSettings(place.place.connection))
      defer { other.close() }
      let tables = ["_quarry_store", "_quarry_commit"].map { "\(place.schema).\"\($0)\"" }
      try other.run("BEGIN; LOCK TABLE \(tables.joined(separator: ", ")) IN SHARE UPDATE EXCLUSIVE MODE")
      let tx = try backend.beginWrite(WriteOptions(timeout: 0))
      _ = try tx.commit()
    }

    /// The time for the line and the time for the store are one.
    @Test func aWriteWaitsOnce() throws {
      let place = try TestPlace()
      let backend = try Self.backend(place)
      defer { try? backend.close() }
      let writer = try backend.beginWrite(WriteOptions())
      let start = ContinuousClock.now
      #expect(code { _ = try backend.beginWrite(WriteOptions(timeout: 1)) } == .busy)
      #expect(ContinuousClock.now - start < .seconds(1.8))
      writer.rollback()
    }

    // MARK: Savepoints

    /// Where a savepoint cannot be made, no other is rolled back in its place.
    @Test func aSavepointThatFailsLeavesTheOuterOne() throws {
      let place = try TestPlace()
      let backend = try Self.backend(place)
      defer { try? backend.close() }
      let tx = try #require(try backend.beginWrite(WriteOptions()) as? PostgreSQLWriteTransaction)
      defer { tx.rollback() }
      let (a, b) = (tx.schema.models[0].id, tx.schema.models[1].id)
      try tx.savepoint()
      try tx.apply(.addProperty(a, Self.more))
      // The server takes no statement after this one, and the transaction does not know.
      #expect(code { try tx.connection.run("SELECT 1 / 0") } == .invalidValue)
      #expect(code { _ = try tx.protected([.command("SELECT 1")]) } != nil)
      #expect(tx.failure != nil)
      #expect(code { try tx.apply(.addProperty(b, Self.more)) } == tx.failure?.code)
      try tx.rollbackSavepoint()
      #expect(tx.schema.model(id: a)?.properties.count == 1)
      try tx.apply(.addProperty(b, Self.more))
      _ = try tx.commit()
    }

    @Test func aDeleteThatAnotherProgramRefusesLeavesTheTransaction() throws {
      let place = try TestPlace()
      let store = try place.open()
      defer { try? store.close() }
      try store.write { tx in
        try tx.apply(.createModel(Self.model("A")))
        try tx.records.insert(into: "A", (0..<3).map { Record(["id": .int($0)]) })
      }
      try place.server(
        "CREATE TABLE \(place.schema).theirs (a bigint REFERENCES \(place.schema).\"A\" (id)); "
          + "INSERT INTO \(place.schema).theirs VALUES (1)")
      try store.write { tx in
        #expect(code { try tx.records.delete(in: "A", keys: [.int(1)]) } == .invalidValue)
        #expect(code { try tx.records.delete(in: "A", keys: [.int(0), .int(1)]) } == .invalidValue)
        try tx.records.insert(into: "A", [Record(["id": .int(9)])])
      }
      #expect(try store.read { try $0.records.fetch(in: "A").count } == 4)
    }

    @Test func manyKeysAreRemoved() throws {
      let place = try TestPlace()
      let backend = try Self.backend(place)
      defer { try? backend.close() }
      let tx = try #require(try backend.beginWrite(WriteOptions()) as? PostgreSQLWriteTransaction)
      defer { tx.rollback() }
      let model = try tx.model(tx.schema.models[0].id)
      let count: Int64 = 25_000
      try tx.connection.run("INSERT INTO \(model.table.name) SELECT generate_series(1, \(count))")
      let keys = try (1...count).map { try Key.primary(.int($0), model.table.model) }
      #expect(try tx.delete(model.table.model.id, keys + keys.prefix(10)) == Int(count))
      #expect(try tx.count(BoundQuery(everyRowOf: model.table.model)) == 0)
    }
  }
#endif
