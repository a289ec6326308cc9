#if PostgreSQL
  import Foundation
  import QuarryBackend
  import QuarryCore
  import Testing

  @testable import QuarryPostgreSQL

  /// Stores with many writers at once.
  @Suite struct ManyWriterTests {
    private static let note = ModelSchema(
      name: "Note",
      properties: [PropertySchema(name: "id", type: .int64), PropertySchema(name: "text", type: .string)], primaryKey: 0
    )

    private static func record(_ id: Int, _ text: String) -> Record {
      Record(["id": .int(Int64(id)), "text": .string(text)])
    }

    private static func texts(_ scope: some ReadScope) throws -> [String?] {
      try scope.records.fetch(in: "Note").map { record in
        if case .string(let text)? = record["text"] { return text }
        return nil
      }
    }

    /// Only by what the frozen store sees the two writes cannot have had an order.
    @Test(arguments: [true, false]) func aFrozenStoreHasAPlaceInTheOrder(_ isWrittenBefore: Bool) throws {
      let place = try TestPlace(.many)
      let store = try place.open()
      defer { try? store.close() }
      try store.write { tx in
        try tx.apply(.createModel(Self.note))
        try tx.records.insert(into: "Note", (1...2).map { Self.record($0, "old") })
      }
      let other = try place.open()
      defer { try? other.close() }
      var runs = 0
      try store.write { tx in
        runs += 1
        let isSeen = try Self.texts(tx)[1] == "new"
        #expect(isSeen == (runs > 1))
        if isWrittenBefore { try tx.records.upsert(into: "Note", [Self.record(1, "first")]) }
        if !isSeen {
          try other.write { try $0.records.upsert(into: "Note", [Self.record(2, "new")]) }
          let frozen = try other.freeze()
          defer { frozen.close() }
          #expect(try Self.texts(frozen) == ["old", "new"])
        }
        if !isWrittenBefore { try tx.records.upsert(into: "Note", [Self.record(1, "first")]) }
      }
      #expect(runs == 2)
    }

    /// The server knows by the connections who has the store open.
    @Test(arguments: [BackendManifest.Writers.one, .many]) func aStoreThatIsOpenElsewhereIsInUse(
      _ writers: BackendManifest.Writers
    ) throws {
      let place = try TestPlace(writers)
      let store = try place.open()
      let other = try place.open()
      #expect(code { try store.destroy() } == .inUse)
      #expect(try other.models().isEmpty)
      try other.close()
      let backend = try PostgreSQLBackend(place.place, OpenOptions())
      try store.close()
      let name = try backend.quarantine()
      defer { _ = try? place.server("DROP SCHEMA \(PostgreSQLName.quoted(name)) CASCADE") }
      #expect(name.hasPrefix(place.place.schema + ".quarantine-"))
      var options = OpenOptions()
      options.createsIfMissing = false
      #expect(code { _ = try place.open(options) } == .notFound)
      var aside = place.place
      aside.schema = name
      try aside.open(options).close()
    }
  }
#endif
