#if PostgreSQL
  import Foundation
  import QuarryBackend
  import QuarryCore
  import Testing

  @testable import QuarryPostgreSQL

  /// Servers, databases and roles that do not let a program in, or not as far as it wants.
  @Suite struct RoleTests {
    private static let note = ModelSchema(
      name: "Note", properties: [PropertySchema(name: "id", type: .int64)], primaryKey: 0)

    private static let other = ModelSchema(
      name: "Other", properties: [PropertySchema(name: "id", type: .int64)], primaryKey: 0)

    @Test(arguments: [
      (" user=nobody_of_that_name", StorageError.Code.io), (" dbname=nothing_of_that_name", .notFound),
      (" host=no.such.host.invalid", .unavailable), (" host=/nothing/here", .unavailable),
    ]) func whatIsNotThereIsATypedError(_ addition: String, _ expected: StorageError.Code) throws {
      var place = try TestPlace().place
      place.connection += addition
      #expect(code { _ = try Store(opening: place) } == expected)
    }

    @Test func aDatabaseOfAnotherEncodingIsUnsupported() throws {
      let place = try TestPlace()
      let name = place.place.schema + "_ascii"
      try place.server("CREATE DATABASE \(name) ENCODING 'SQL_ASCII' TEMPLATE template0")
      defer { _ = try? place.server("DROP DATABASE \(name) WITH (FORCE)") }
      var other = place.place
      other.connection += " dbname=\(name)"
      #expect(code { _ = try Store(opening: other) } == .unsupported)
    }

    /// A role reads with the right to select, and writes objects with three more. What it may not do is refused.
    @Test(arguments: [BackendManifest.Writers.one, .many]) func aRoleDoesWhatItMay(
      _ writers: BackendManifest.Writers
    ) throws {
      let place = try TestPlace(writers)
      let owner = try place.open()
      defer { try? owner.close() }
      try owner.write { tx in
        try tx.apply(.createModel(Self.note))
        try tx.records.insert(into: "Note", [Record(["id": .int(1)])])
      }
      let role = place.place.schema + "_reader"
      try place.server("CREATE ROLE \(role) LOGIN")
      defer { _ = try? place.server("DROP OWNED BY \(role) CASCADE; DROP ROLE \(role)") }
      var limited = place.place
      limited.connection += " user=\(role)"
      #expect(code { _ = try Store(opening: limited) } == .io)
      try place.server(
        "GRANT USAGE ON SCHEMA \(place.schema) TO \(role); GRANT SELECT ON ALL TABLES IN SCHEMA \(place.schema) TO \(role)"
      )
      let version = try owner.read { try $0.version }
      for isReadOnly in [true, false] {
        var options = OpenOptions()
        options.isReadOnly = isReadOnly
        let store = try Store(opening: limited, options: options)
        defer { try? store.close() }
        #expect(try store.read { try $0.records.fetch(in: "Note").count } == 1)
        #expect(try store.read { try $0.version } == version)
        let frozen = try store.freeze()
        #expect(try frozen.records.fetch(in: "Note").count == 1)
        frozen.close()
        let failure = code { try store.write { try $0.records.insert(into: "Note", [Record(["id": .int(2)])]) } }
        #expect(failure == (isReadOnly ? .readOnly : .io))
      }
      #expect(try owner.read { try $0.version } == version)
      try place.server(
        "GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA \(place.schema) TO \(role)")
      let writer = try Store(opening: limited)
      defer { try? writer.close() }
      try writer.write { try $0.records.insert(into: "Note", [Record(["id": .int(2)])]) }
      try writer.write { _ = try $0.records.delete(in: "Note", keys: [.int(1)]) }
      #expect(code { try writer.write { try $0.apply(.createModel(Self.other)) } } == .io)
      #expect(try owner.read { try $0.version }.rawValue == version.rawValue + 2)
      #expect(try owner.check() == [])
    }
  }
#endif
