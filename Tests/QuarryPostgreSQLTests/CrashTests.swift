#if PostgreSQL && canImport(Glibc)
  import Foundation
  import QuarryBackend
  import QuarryCore
  import QuarryPrivateServer
  import QuarryQuery
  import Synchronization
  import Testing

  @testable import QuarryPostgreSQL

  /// A server that is killed while programs write, and started again.
  @Suite(.serialized) struct CrashTests {
    private static let note = ModelSchema(
      name: "Note",
      properties: [PropertySchema(name: "id", type: .int64), PropertySchema(name: "text", type: .string)], primaryKey: 0
    )

    private struct Outcomes {
      var stored: Set<Int64> = []
      var refused: Set<Int64> = []
      var unknown: Set<Int64> = []
      var others: [String] = []
      var isOver = false
    }

    /// What an observer has received.
    private final class Seen: Sendable {
      let records = Mutex<[Record]>([])
      let failures = Mutex<[String]>([])
    }

    /// The writers keep the store that they have opened before.
    @Test(arguments: [BackendManifest.Writers.one, .many]) func whatWasAcknowledgedIsThereAfterACrash(
      _ writers: BackendManifest.Writers
    ) async throws {
      try await aside { try Self.whatWasAcknowledgedIsThereAfterACrash(writers) }
    }

    private static func whatWasAcknowledgedIsThereAfterACrash(_ writers: BackendManifest.Writers) throws {
      let server = try PostgreSQLServer()
      defer { server.stop() }
      let place = PostgreSQLConfiguration(server.connection, writers: writers)
      let store = try Store(opening: place)
      defer { try? store.close() }
      try store.write { try $0.apply(.createModel(Self.note)) }
      let seen = Seen()
      let token = try store.observe(
        QueryTree(model: "Note"), onError: { error in seen.failures.withLock { $0.append("\(error)") } },
        { change in seen.records.withLock { $0 = change.objects } })
      defer { token.cancel() }
      let outcomes = Mutex(Outcomes())
      let group = DispatchGroup()
      for thread in 0..<4 {
        group.enter()
        Thread.detachNewThread {
          Self.write(store, thread, outcomes)
          group.leave()
        }
      }
      for _ in 0..<3 {
        try Self.waitForMore(outcomes)
        server.crash()
        Thread.sleep(forTimeInterval: 0.1)
        try server.start()
      }
      try Self.waitForMore(outcomes)
      outcomes.withLock { $0.isOver = true }
      group.wait()
      let found = try store.read { tx in
        try tx.records.fetch(in: "Note").compactMap { record -> Int64? in
          if case .int(let id)? = record["id"] { return id }
          return nil
        }
      }
      let (all, outcome) = (Set(found), outcomes.withLock { $0 })
      #expect(all.count == found.count)
      #expect(outcome.stored.subtracting(all) == [])
      #expect(outcome.refused.intersection(all) == [])
      #expect(all.subtracting(outcome.stored).subtracting(outcome.unknown) == [])
      #expect(outcome.others == [])
      // It was killed while somebody wrote.
      #expect(!outcome.refused.isEmpty || !outcome.unknown.isEmpty)
      #expect(try store.check() == [])
      // The observer has lived through it all.
      let deadline = Deadline(after: 10)
      while seen.records.withLock({ $0.count }) != all.count, !deadline.hasPassed {
        Thread.sleep(forTimeInterval: 0.01)
      }
      #expect(seen.records.withLock { $0.count } == all.count)
      #expect(seen.failures.withLock { $0 } == [])
    }

    /// Waits until writes return again.
    private static func waitForMore(_ outcomes: borrowing Mutex<Outcomes>) throws {
      let count = outcomes.withLock { $0.stored.count }
      let deadline = Deadline(after: 60)
      while outcomes.withLock({ $0.stored.count }) < count + 100 {
        try #require(!deadline.hasPassed)
        Thread.sleep(forTimeInterval: 0.01)
      }
    }

    private static func write(_ store: Store, _ thread: Int, _ outcomes: borrowing Mutex<Outcomes>) {
      var id = Int64(thread) << 32
      while !outcomes.withLock({ $0.isOver }) {
        id += 1
        do {
          try store.write { try $0.records.insert(into: "Note", [Record(["id": .int(id), "text": .string("a")])]) }
          outcomes.withLock { _ = $0.stored.insert(id) }
        } catch {
          outcomes.withLock { outcomes in
            switch (error as? StorageError)?.code {
            case .conflict, .unavailable: outcomes.refused.insert(id)
            case .commitUnknown: outcomes.unknown.insert(id)
            default: outcomes.others.append("\(error)")
            }
          }
          Thread.sleep(forTimeInterval: 0.005)
        }
      }
    }
  }
#endif
