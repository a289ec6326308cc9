import Foundation
import QuarryBackend
import QuarryCore
import QuarrySync
import QuarrySyncHTTP
import Testing

/// Stores that exchange changes over HTTP on the loopback interface.
@Suite struct ConvergenceTests {
  private static let pairs = Place.schemes.flatMap { a in Place.schemes.map { (a, $0) } }

  private func expectSame(_ a: Place, _ b: Place) throws {
    #expect(try a.sync.digest() == b.sync.digest())
    #expect(try a.sync.check() == [] && b.sync.check() == [])
    #expect(
      try Set(a.sync.held().filter { $0.reason != .lostEdit }) == Set(b.sync.held().filter { $0.reason != .lostEdit }))
  }

  @Test(arguments: pairs) func twoEnginesAgree(_ first: String, _ second: String) async throws {
    let (a, b) = (try Place(first), try Place(second))
    try a.folder(1, "red")
    try a.note(1, "one", folder: 1)
    // Of two folders with one name the earlier is shown, and within a millisecond that of either store.
    try await Task.sleep(for: .milliseconds(2))
    try b.folder(2, "red")
    try b.note(2, "two", folder: 2)
    let served = try await Served(b)
    let report = try await a.store.sync(with: served.remote())
    #expect(report.isEqual && report.refused == 0 && report.taken == (2, 2) && report.held == (2, 2))
    try expectSame(a, b)
    #expect(try a.count("Folder") == 1 && a.count("Note") == 2)
    // Both know of each other, and nothing is left to send.
    #expect(try a.sync.status().pending == 0 && b.sync.status().pending == 0)
    #expect(try a.sync.status().peers.count == 1 && b.sync.status().peers.map(\.lastAgreed) != [nil])
    let again = try await a.store.sync(with: served.remote())
    #expect(again.isEqual && again.taken == (0, 0) && again.rounds == 1)
    try b.note(1, "changed")
    try a.delete("Folder", 1)
    #expect(try await a.store.sync(with: served.remote()).isEqual)
    try expectSame(a, b)
    // The folder that waited for the name is there now.
    #expect(try b.sync.held().isEmpty && b.count("Folder") == 1)
  }

  /// `QUARRY_SYNC_HTTP_SEEDS` is the number of random histories, 6 when left out.
  private static let seeds =
    1...(ProcessInfo.processInfo.environment["QUARRY_SYNC_HTTP_SEEDS"].flatMap(UInt64.init) ?? 6)

  @Test(arguments: seeds) func faultsDoNoHarm(_ seed: UInt64) async throws {
    let schemes = ["memory", "sqlite", "lmdb", "file"]
    let places = try (0..<3).map { try Place(schemes[(Int(seed) + $0) % 4]) }
    let served = try await Served(places[0], faults: Faults(seed: seed))
    var random = Seeded(seed &+ 100)
    for _ in 0..<12 {
      for place in places {
        for _ in 0..<Int.random(in: 0...3, using: &random) { try place.write(&random) }
      }
      let place = places[Int.random(in: 1...2, using: &random)]
      do {
        try await place.store.sync(with: served.remote(), attempts: 2)
      } catch let problem as SyncProblem {
        #expect(problem.kind == .busy, "\(problem)")
      }
      for place in places { #expect(try place.sync.check() == [], "seed \(seed)") }
    }
    served.faults.end()
    for place in [places[1], places[2], places[1]] {
      #expect(try await place.store.sync(with: served.remote()).isEqual, "seed \(seed)")
    }
    try expectSame(places[0], places[1])
    try expectSame(places[0], places[2])
  }

  @Test(arguments: 1...4) func cutConnectionsDoNoHarm(_ seed: UInt64) async throws {
    let (a, b) = (try Place("sqlite"), try Place("lmdb"))
    // Text that compression does not make much shorter.
    var random = Seeded(seed)
    func text() -> String { (0..<50).map { _ in String(UInt16.random(in: 0...UInt16.max, using: &random)) }.joined() }
    for number in 1...150 {
      try a.note(number, text())
      try b.note(number + 200, text())
    }
    let served = try await Served(b)
    let proxy = try await CuttingProxy(to: served.port, seed: seed, most: 30_000)
    let remote = try SyncRemote.http("http://127.0.0.1:\(proxy.port)/sync", token: SyncToken(Served.token))
    var cuts = 0
    for _ in 0..<12 {
      do {
        try await a.store.sync(with: remote, attempts: 1)
      } catch let problem as SyncProblem {
        #expect(problem.kind == .noConnection, "\(problem)")
        cuts += 1
      }
      #expect(try a.sync.check() == [] && b.sync.check() == [])
    }
    #expect(cuts > 0)
    proxy.end()
    #expect(try await a.store.sync(with: remote).isEqual)
    #expect(try a.count("Note") == 300)
    try expectSame(a, b)
  }

  @Test func aLargeFirstSyncGoesInParts() async throws {
    let (a, b) = (try Place("sqlite"), try Place("memory"))
    let text = String(repeating: "x", count: 2_000)
    for part in 0..<20 {
      try b.insert(
        (0..<100).map {
          Record(["id": NoteModels.key(part * 100 + $0), "title": "note", "text": .string(text), "folder": .null])
        })
    }
    var limits = SyncServerLimits()
    limits.partBytes = 256 << 10
    let served = try await Served(b, limits: limits)
    #expect(try await a.store.sync(with: served.remote()).isEqual)
    #expect(served.faults.statuses.count > 15)
    #expect(try a.count("Note") == 2_000)
    // The other way.
    let c = try Place("lmdb")
    let other = try await Served(c)
    #expect(try await a.store.sync(with: other.remote()).isEqual)
  }

  @Test func aLargeTransactionTravels() async throws {
    let (a, b) = (try Place("memory"), try Place("sqlite"))
    let text = String(repeating: "x", count: 6 << 20)
    try a.insert([Record(["id": NoteModels.key(1), "title": "large", "text": .string(text), "folder": .null])])
    let served = try await Served(b)
    #expect(try await a.store.sync(with: served.remote()).isEqual)
    let c = try Place("lmdb")
    #expect(try await c.store.sync(with: served.remote()).isEqual)
    // A server with a smaller limit says so, and what it has comes all the same.
    let d = try Place("memory")
    try d.note(2, "small")
    var limits = SyncServerLimits()
    limits.bodyBytes = 1 << 20
    let strict = try await Served(d, limits: limits)
    let problem = await #expect(throws: SyncProblem.self) { try await a.store.sync(with: strict.remote()) }
    #expect(problem?.kind == .tooLarge)
    #expect(try a.count("Note") == 2 && d.count("Note") == 1)
  }

  @Test func manyClientsAtOnce() async throws {
    let server = try Place("sqlite")
    let clients = try (0..<4).map { try Place(["memory", "lmdb", "sqlite", "file"][$0]) }
    let served = try await Served(server)
    let remote = try served.remote()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, client) in clients.enumerated() {
        group.addTask {
          var random = Seeded(UInt64(number) + 50)
          for _ in 0..<8 {
            for _ in 0..<3 { try client.write(&random) }
            try await client.store.sync(with: remote)
          }
        }
      }
      try await group.waitForAll()
    }
    for client in clients + clients { try await client.store.sync(with: remote) }
    for client in clients { try expectSame(client, server) }
  }

  @Test func aServerThatIsStoppedAndStartedInTheMiddle() async throws {
    let (a, b) = (try Place("lmdb"), try Place("sqlite"))
    let served = try await Served(b)
    let remote = try served.remote()
    var random = Seeded(7)
    for round in 0..<4 {
      for _ in 0..<20 { try a.write(&random) }
      let client = Task { try await a.store.sync(with: remote, attempts: 12) }
      await served.stop()
      for _ in 0..<5 { try b.write(&random) }
      try await Task.sleep(for: .milliseconds(100 * round))
      // A new opening has another session.
      try await served.start()
      let report = try await client.value
      #expect(report.agrees || report.refused == 0)
    }
    #expect(try await a.store.sync(with: remote).isEqual)
    try expectSame(a, b)
  }
}
