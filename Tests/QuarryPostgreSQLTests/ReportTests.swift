#if PostgreSQL
  import Foundation
  import QuarryBackend
  import QuarryCore
  import QuarryQuery
  import Testing

  @testable import QuarryPostgreSQL
  @testable import QuarryTestSupport

  /// What a store on a server reports.
  @Suite struct ReportTests {
    private static let note = ModelSchema(
      name: "Note",
      properties: [
        PropertySchema(name: "id", type: .int64), PropertySchema(name: "text", type: .string),
        PropertySchema(name: "tags", type: .array, isOptional: true, elementType: .string),
      ], primaryKey: 0)

    private static func record(_ id: Int, _ text: String) -> Record {
      Record(["id": .int(Int64(id)), "text": .string(text), "tags": .array([.string(text)])])
    }

    private static func options(_ events: EventList) -> OpenOptions {
      var options = OpenOptions()
      options.reporters = [events]
      return options
    }

    private static func statements(_ events: [StoreEvent]) -> [StoreEvent.Answer] {
      events.compactMap { if case .answered(let answer) = $0 { answer } else { nil } }
    }

    /// Every kind of call, with values that would be found in a text.
    @Test(arguments: [BackendManifest.Writers.one, .many]) func noValueIsReported(_ writers: BackendManifest.Writers)
      throws
    {
      let place = try TestPlace(writers)
      let events = EventList()
      let store = try place.open(Self.options(events))
      let secret = "hemlock"
      try store.write { try $0.apply(.createModel(Self.note)) }
      try store.write { tx in
        try tx.records.insert(into: "Note", (1...300).map { Self.record($0, "\(secret)\($0)") })
        try tx.records.upsert(into: "Note", [Self.record(7, secret)])
        try tx.apply(
          .addProperty(
            try #require(tx.models().first).id,
            PropertySchema(name: "more", type: .string, defaultValue: .string(secret))))
      }
      #expect(throws: StorageError.self) {
        try store.write { try $0.records.insert(into: "Note", [Self.record(7, secret)]) }
      }
      let frozen = try store.freeze()
      #expect(try frozen.records.fetch(in: "Note", where: "text contains '\(secret)' and tags != null").count == 300)
      frozen.close()
      try store.write {
        try $0.records.delete(QueryTree(model: "Note", predicate: try PredicateParser.parse("text = '\(secret)'")))
      }
      _ = try store.check()
      _ = try store.statistics()
      try store.close()
      let found = events.take()
      #expect(!found.contains { "\($0)".contains(secret) })
      #expect(!found.contains { "\($0)".contains("host=") || "\($0)".contains("dbname") })
      let answers = Self.statements(found)
      #expect(answers.contains { $0.statement.contains("INSERT INTO") && $0.error == nil && $0.seconds >= 0 })
      #expect(answers.contains { $0.rows >= 256 })
      #expect(answers.contains { $0.error == .uniqueViolation })
      #expect(found.contains { if case .snapshotEnded = $0 { true } else { false } })
    }

    @Test func connectionsAreCounted() throws {
      let place = try TestPlace()
      var limited = place.place
      limited.connections = 2
      let events = EventList()
      var options = Self.options(events)
      options.busyTimeout = 0.2
      let backend = try PostgreSQLBackend(limited, options)
      let opened = events.take()
      #expect(opened.filter { if case .connected(_, isAgain: false) = $0 { true } else { false } }.count == 1)
      let readers = [try backend.beginRead(), try backend.beginRead()]
      #expect(events.take().contains(.connections(.init(used: 2, idle: 0, waiting: 0, limit: 2))))
      #expect(code { _ = try backend.beginRead() } == .busy)
      let waits = events.take().compactMap { if case .waited(.connection, let seconds) = $0 { seconds } else { nil } }
      #expect(waits.count == 1 && waits[0] >= 0.15)
      for reader in readers { reader.end() }
      #expect(events.take().last == .connections(.init(used: 0, idle: 2, waiting: 0, limit: 2)))
      try backend.close()
    }

    @Test func aLostConnectionAndItsReplacementAreReported() throws {
      let place = try TestPlace()
      let events = EventList()
      let backend = try PostgreSQLBackend(place.place, Self.options(events))
      defer { try? backend.close() }
      let reader = try backend.beginRead()
      let process = try #require((reader as? PostgreSQLReadTransaction)?.connection.process)
      reader.end()
      _ = events.take()
      try place.server("SELECT pg_terminate_backend(\(process))")
      Thread.sleep(forTimeInterval: 0.1)
      try backend.beginRead().end()
      let found = events.take()
      let lost = try #require(found.firstIndex(of: .connectionLost))
      let again = found.firstIndex { if case .connected(_, isAgain: true) = $0 { true } else { false } }
      #expect(try #require(again) > lost)
    }

    @Test func aConflictIsReported() throws {
      let place = try TestPlace(.many)
      let events = EventList()
      let store = try place.open(Self.options(events))
      defer { try? store.close() }
      try store.write { try $0.apply(.createModel(Self.note)) }
      try store.write { try $0.records.insert(into: "Note", [Self.record(1, "a")]) }
      let other = try place.open()
      defer { try? other.close() }
      _ = events.take()
      var runs = 0
      try store.write { tx in
        runs += 1
        _ = try tx.records.fetch(in: "Note")
        if runs == 1 { try other.write { try $0.records.upsert(into: "Note", [Self.record(1, "b")]) } }
        try tx.records.upsert(into: "Note", [Self.record(1, "c")])
      }
      #expect(events.take().contains(.retried(.write, attempt: 2)))
    }
  }
#endif
