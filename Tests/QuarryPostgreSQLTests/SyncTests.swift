#if PostgreSQL
  import Foundation
  import QuarryBackend
  import QuarryEngines
  import Synchronization
  import Testing

  @testable import QuarryCore
  @testable import QuarryPostgreSQL
  @testable import QuarrySync
  @testable import QuarryTestSupport

  /// Synced stores on a server, with one writer and with many: SYNC-44, SYNC-54.
  @Suite struct SyncTests {
    private static let writers: [BackendManifest.Writers] = [.one, .many]

    /// A store of teams and persons, and another opening of it with connections of its own.
    private final class Pair {
      let place: TestPlace
      let first: Store
      let second: Store
      let events = EventList()

      init(_ writers: BackendManifest.Writers) throws {
        place = try TestPlace(writers)
        var options = OpenOptions()
        options.busyTimeout = 60
        first = try Store(program: TeamModels.all, in: place.place, options: options)
        options.reporters = [events]
        // A program that asks for no number of writers has the store's.
        var other = place.place
        other.writers = nil
        second = try Store(program: TeamModels.all, in: other, options: options)
      }

      deinit {
        try? first.close()
        try? second.close()
      }

      var stores: [Store] { [first, second] }

      func expectSound() throws {
        let (one, two) = (try sync(first), try sync(second))
        #expect(try one.check() == [] && two.check() == [])
        #expect(try one.digest() == two.digest())
        #expect(try one.knowledge() == two.knowledge())
        #expect(try one.hello().session == two.hello().session)
      }
    }

    private static func sync(_ store: Store) throws -> StoreSync { try #require(store.sync) }

    private static func team(_ number: Int, _ name: String, size: Int = 0) -> Record {
      Record(["id": TeamModels.key(number), "name": .string(name), "size": .int(Int64(size))])
    }

    /// All entries of a store's own, in the order of the answer.
    private static func entries(_ store: Store) throws -> [SyncEntry] {
      var hello = try sync(store).hello()
      (hello.names, hello.knowledge) = ([], Knowledge())
      return try sync(store).serve(hello).compactMap { if case .log(let entry) = $0.message { entry } else { nil } }
    }

    private static func size(_ store: Store, _ number: Int) throws -> Int {
      let record = try store.records.get(in: "Team", key: TeamModels.key(number))
      return record?["size"]?.intValue ?? -1
    }

    // MARK: Writers

    /// Each of eight writers inserts, and raises a number that all of them read.
    @Test(arguments: writers) func eightWritersOfTwoOpeningsLoseNothing(_ writers: BackendManifest.Writers) async throws
    {
      let pair = try Pair(writers)
      try await pair.first.records.insert(into: "Team", [Self.team(0, "all")])
      for store in pair.stores { try store.enableSync(named: TeamModels.names) }
      _ = pair.events.take()
      let writes = 12
      try await withThrowingTaskGroup(of: Void.self) { group in
        for writer in 0..<8 {
          let store = pair.stores[writer % 2]
          group.addTask {
            try await aside {
              for write in 1...writes {
                let number = writer * 100 + write
                try store.write { tx in
                  try tx.records.insert(into: "Team", [Self.team(number, "team \(number)")])
                  let size = try tx.records.get(in: "Team", key: TeamModels.key(0))?["size"]?.intValue ?? 0
                  try tx.records.upsert(
                    into: "Team", [Record(["id": TeamModels.key(0), "size": .int(Int64(size + 1))])],
                    updating: ["size"])
                }
              }
            }
          }
        }
        try await group.waitForAll()
      }
      try pair.expectSound()
      #expect(try Self.size(pair.second, 0) == 8 * writes)
      // The first entry is of the team that was there before.
      let entries = try Self.entries(pair.first)
      #expect(entries.count == 8 * writes + 1)
      #expect(zip(entries, entries.dropFirst()).allSatisfy { $0.mark.hlc < $1.mark.hlc && $0.mark == $1.previous })
      let name = try Self.sync(pair.first).status().replica
      #expect(Set(entries.map(\.origin)) == [name])
      #expect(try Self.sync(pair.second).knowledge() == Knowledge([name: try #require(entries.last).mark]))
      // No body ran twice.
      let retries = pair.events.take().filter { if case .retried = $0 { true } else { false } }
      #expect(retries.isEmpty)
    }

    /// A store without synced models has many writers; with them, one writes at a time, also of models that are not synced.
    @Test func aSyncedStoreWritesOneTransactionAtATime() throws {
      let pair = try Pair(.many)
      func writesBeside(_ number: Int) throws -> StorageError.Code? {
        let (first, second) = (pair.first, pair.second)
        return try first.write { tx in
          try tx.records.insert(into: "Team", [Self.team(number, "a\(number)")])
          return code {
            try second.write(timeout: 0.2) { tx in
              try tx.records.insert(into: "Team", [Self.team(number + 1, "b\(number)")])
            }
          }
        }
      }
      #expect(try writesBeside(10) == nil)
      for store in pair.stores { try store.enableSync(named: TeamModels.names) }
      #expect(try writesBeside(20) == .busy)
      #expect(try pair.second.records.get(in: "Team", key: TeamModels.key(21)) == nil)
      // Readers wait for none.
      try pair.first.write { tx in
        try tx.records.insert(into: "Team", [Self.team(30, "c")])
        #expect(try pair.second.records.get(in: "Team", key: TeamModels.key(30)) == nil)
      }
      try pair.expectSound()
      try pair.first.endSync()
      // The other opening learns of it.
      try pair.second.records.insert(into: "Team", [Self.team(39, "d")])
      #expect(try writesBeside(40) == nil)
    }

    /// The beginning of a write costs what it costs in a store that is not synced, but for the one that notices.
    @Test func aWriteTakesNoMoreTripsToBegin() throws {
      let pair = try Pair(.many)
      func begins() throws -> Int {
        _ = pair.events.take()
        _ = try? pair.second.write { _ in }
        return pair.events.take().count {
          if case .answered(let answer) = $0 { answer.statement == "BEGIN" } else { false }
        }
      }
      #expect(try begins() == 1)
      #expect(try begins() == 1)
      try pair.first.enableSync(named: TeamModels.names)
      #expect(try begins() == 2)
      #expect(try begins() == 1)
      try pair.first.endSync()
      #expect(try begins() == 2)
      #expect(try begins() == 1)
    }

    /// Another opening turns sync on between two writes of a program that does not know of it.
    @Test(arguments: writers) func anOpeningThatIsNotContinuedWritesNothing(_ writers: BackendManifest.Writers) throws {
      let pair = try Pair(writers)
      try pair.second.records.insert(into: "Team", [Self.team(1, "red")])
      try pair.first.enableSync(named: TeamModels.names)
      #expect(code { try pair.second.records.insert(into: "Team", [Self.team(2, "blue")]) } == .unsupported)
      #expect(try pair.second.records.fetch(in: "Team").count == 1)
      try pair.second.enableSync()
      try pair.second.records.insert(into: "Team", [Self.team(2, "blue")])
      #expect(try Self.entries(pair.first).count == 2)
      try pair.expectSound()
    }

    /// An opening that knows of some synced models writes nothing when another one has added more.
    @Test(arguments: writers) func anOpeningLearnsOfMoreModels(_ writers: BackendManifest.Writers) throws {
      var plain = TeamModels.team
      plain.name = "Club"
      plain.indexes = []
      let place = try TestPlace(writers)
      let stores = try (0..<2).map { _ in try Store(program: [plain, TeamModels.team], in: place.place) }
      defer { for store in stores { try? store.close() } }
      for store in stores { try store.enableSync(named: ["Team"]) }
      try stores[1].records.insert(into: "Club", [Self.team(1, "not synced")])
      try stores[0].enableSync(named: ["Club"])
      #expect(code { try stores[1].records.insert(into: "Club", [Self.team(2, "lost")]) } == .unsupported)
      #expect(code { try stores[1].records.insert(into: "Team", [Self.team(2, "lost")]) } == .unsupported)
      try stores[0].records.insert(into: "Club", [Self.team(3, "red")])
      try stores[1].enableSync()
      try stores[1].records.insert(into: "Club", [Self.team(4, "blue")])
      #expect(try Self.entries(stores[0]).count == 3)
      #expect(try stores[0].records.fetch(in: "Club").count == 3)
      for store in stores { #expect(try Self.sync(store).check() == []) }
    }

    private final class End: Sendable {
      let isReached = Atomic(false)
    }

    /// Sync is turned on while the threads of the same store and of another one write.
    @Test(arguments: writers) func sinceSyncIsOnNoWriteIsMissed(_ writers: BackendManifest.Writers) async throws {
      let pair = try Pair(writers)
      let end = End()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for writer in 0..<6 {
          let store = pair.stores[writer % 2]
          group.addTask {
            try await aside {
              var number = writer * 10_000
              while !end.isReached.load(ordering: .relaxed) {
                number += 1
                do {
                  try store.records.insert(into: "Team", [Self.team(number, "team \(number)")])
                } catch let error as StorageError {
                  // The other opening has to continue it.
                  guard error.code == .unsupported, writer % 2 == 1 else { throw error }
                }
              }
            }
          }
        }
        defer { end.isReached.store(true, ordering: .relaxed) }
        try await Task.sleep(for: .milliseconds(100))
        try pair.first.enableSync(named: TeamModels.names)
        try await Task.sleep(for: .milliseconds(100))
        try pair.second.enableSync()
        try await Task.sleep(for: .milliseconds(100))
        end.isReached.store(true, ordering: .relaxed)
        try await group.waitForAll()
      }
      try pair.expectSound()
      let shown = try Self.sync(pair.first).digest()
      let other = try Store(program: TeamModels.all, in: StoreURL(parsing: "memory:\(UUID())"))
      try other.enableSync(named: TeamModels.names)
      #expect(try Store.replicate(pair.first, other).isEqual)
      #expect(try Self.sync(other).digest() == shown)
      try other.close()
    }

    // MARK: Numbers

    /// A number of a sequence that is taken by another transaction would wait for the write that needs it.
    @Test(arguments: writers) func aWriteWithGeneratedKeysEnds(_ writers: BackendManifest.Writers) throws {
      let place = try TestPlace(writers)
      var visit = ModelSchema(
        name: "Visit",
        properties: [PropertySchema(name: "id", type: .int64), PropertySchema(name: "text", type: .string)],
        primaryKey: 0)
      visit.keyGeneration = .sequence
      let models = TeamModels.all + [visit]
      let stores = try (0..<2).map { _ in try Store(program: models, in: place.place) }
      defer { for store in stores { try? store.close() } }
      func visits(_ text: String) throws {
        for (number, store) in stores.enumerated() {
          try store.write { tx in
            try tx.records.insert(into: "Visit", [Record(["text": .string("\(text) \(number)")])])
            try tx.records.insert(into: "Team", [Self.team(Int.random(in: 1...60_000), UUID().uuidString)])
            try tx.records.insert(into: "Visit", [Record(["text": .string("\(text) \(number)")])])
          }
        }
      }
      try visits("before")
      for store in stores { try store.enableSync(named: TeamModels.names) }
      try visits("synced")
      // A key between those that were taken in advance.
      let keys = try stores[0].records.fetch(in: "Visit").compactMap { $0["id"]?.intValue }
      let next = (1...10).first { !keys.contains($0) } ?? 0
      try stores[0].records.insert(into: "Visit", [Record(["id": .int(Int64(next)), "text": "given"])])
      try visits("synced again")
      try stores[0].endSync()
      try visits("after")
      #expect(try stores[1].records.fetch(in: "Visit").count == 17)
    }

    // MARK: Trips

    /// How often a synced store waits for the server: numbers that must not grow.
    @Test(arguments: writers) func theTripsOfSync(_ writers: BackendManifest.Writers) throws {
      let place = try TestPlace(writers)
      let events = EventList()
      var options = OpenOptions()
      options.reporters = [events]
      let store = try Store(program: TeamModels.all, in: place.place, options: options)
      let peer = try Store(program: TeamModels.all, in: StoreURL(parsing: "memory:\(UUID())"))
      defer {
        try? store.close()
        try? peer.close()
      }
      try peer.enableSync(named: TeamModels.names)
      func expect(_ most: Int, _ what: String, _ body: () throws -> Void) rethrows {
        _ = events.take()
        try body()
        let trips = events.take().compactMap { event -> String? in
          guard case .answered(let answer) = event, answer.statement != "SET" else { return nil }
          return answer.statement
        }
        #expect(trips.count <= most, "\(what): \(trips.count) trips, \(trips)")
      }
      try expect(32, "enabling") { try store.enableSync(named: TeamModels.names) }
      try expect(5, "continuing") { try store.enableSync() }
      try expect(9, "an insert") { try store.records.insert(into: "Team", [Self.team(1, "red")]) }
      let many = (100..<1_100).map { Self.team($0, "team \($0)") }
      try expect(14, "1,000 inserts") { try store.records.insert(into: "Team", many) }
      try expect(16, "an update") {
        try store.records.upsert(into: "Team", [Record(["id": TeamModels.key(1), "size": 7])], updating: ["size"])
      }
      try expect(50, "an exchange of 3 entries") { try Store.replicate(store, peer) }
      try expect(50, "an exchange of nothing") { try Store.replicate(store, peer) }
      for number in 2_000..<2_050 { try peer.records.insert(into: "Team", [Self.team(number, "team \(number)")]) }
      try expect(113, "taking 50 entries") { try Store.replicate(store, peer) }
      try peer.records.insert(into: "Team", (3_000..<3_200).map { Self.team($0, "team \($0)") })
      try expect(264, "taking an entry of 200 objects") { try Store.replicate(store, peer) }
    }

    // MARK: Peers

    /// Two stores on one server, with what a merge decides on.
    @Test(arguments: writers, writers) func twoStoresReplicate(
      _ first: BackendManifest.Writers, _ second: BackendManifest.Writers
    ) throws {
      let (a, b) = (try Pair(first), try Pair(second))
      for store in a.stores + b.stores { try store.enableSync(named: TeamModels.names) }
      for (number, store) in (a.stores + b.stores).enumerated() {
        let team = number * 10
        try store.records.insert(into: "Team", [Self.team(team, "team \(number / 2 * 2)x\(number % 2)")])
        try store.records.insert(into: "Team", [Self.team(team + 1, "name \(number % 2)")])
        try store.records.insert(
          into: "Person", [Record(["id": TeamModels.key(team), "name": "Ann", "team": TeamModels.key(team + 1)])])
        Thread.sleep(forTimeInterval: 0.003)
      }
      let report = try Store.replicate(a.first, b.second)
      #expect(report.isEqual && report.taken == (6, 6))
      // Of two teams with one name the later waits.
      #expect(report.held.a == report.held.b && report.held.a > 0)
      for pair in [a, b] { try pair.expectSound() }
      try a.second.records.delete(in: "Team", keys: [TeamModels.key(1), TeamModels.key(11)])
      try b.first.records.upsert(
        into: "Team", [Record(["id": TeamModels.key(0), "size": 7])], updating: ["size"])
      let again = try Store.replicate(b.first, a.second)
      #expect(again.isEqual && again.taken == (1, 1))
      #expect(try Self.size(a.first, 0) == 7 && Self.sync(a.first).held().isEmpty)
      for pair in [a, b] { try pair.expectSound() }
      #expect(try Store.replicate(a.first, b.first).taken == (0, 0))
    }

    /// Requests of one exchange go to any opening: they are one replica to a peer.
    @Test(arguments: writers) func anyOpeningTakesAnAnswer(_ writers: BackendManifest.Writers) throws {
      let pair = try Pair(writers)
      for store in pair.stores { try store.enableSync(named: TeamModels.names) }
      let other = try Store(program: TeamModels.all, in: StoreURL(parsing: "memory:\(UUID())"))
      defer { try? other.close() }
      try other.enableSync(named: TeamModels.names)
      try other.records.insert(into: "Team", [Self.team(1, "red")])
      let hello = try Self.sync(pair.first).hello()
      let answer = try Self.sync(other).serve(hello)
      #expect(try Self.sync(pair.second).take(answer).taken == 1)
      // Again, and after the store has another name.
      #expect(try Self.sync(pair.first).take(answer).refused == 0)
      try Self.sync(pair.first).restored()
      try other.records.insert(into: "Team", [Self.team(2, "blue")])
      let late = try Self.sync(other).serve(hello)
      #expect(try Self.sync(pair.second).take(late).taken == 0)
      #expect(try pair.first.records.fetch(in: "Team").count == 1)
      #expect(try Store.replicate(pair.second, other).isEqual)
      try pair.expectSound()
    }
  }
#endif
