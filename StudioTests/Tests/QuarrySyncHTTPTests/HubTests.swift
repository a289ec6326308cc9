import Foundation
import HTTPTypes
import Hummingbird
import QuarryBackend
import QuarryCore
import QuarrySync
import QuarrySyncHTTP
import Testing

/// Served hubs: SYNC-61 to SYNC-68.
@Suite struct HubTests {
  private static let anna = "anna-battery-horse-staple"
  private static let ben = "ben-battery-horse-staple"
  private static let pairs = Place.schemes.flatMap { a in Place.schemes.map { (a, $0) } }

  /// A hub with two principals. Notes whose title is red are refused, and notes of Ben that are blue.
  private func options() throws -> SyncSiteOptions {
    var options = SyncSiteOptions()
    options.accept(try SyncToken(Self.anna), as: "anna")
    options.accept(try SyncToken(Self.ben), as: SyncPrincipal("ben", claims: ["color": "blue"]))
    options.authorize = { change, who in
      let titles = change.objects.filter { $0.model == "Note" && $0.after?["title"] != $0.before?["title"] }
        .compactMap { $0.after?["title"] }
      if titles.contains("red") { return .refuse("no red") }
      let color = who?["color"].map { Value.string($0) }
      return color.map { titles.contains($0) } ?? false ? .refuse("not \(who?.name ?? "")'s color") : .accept
    }
    return options
  }

  private func hub(_ scheme: String) throws -> Place {
    let place = try Place(scheme)
    try place.store.enableSync(as: .hub)
    return place
  }

  private func kind(_ body: () async throws -> Void) async -> SyncProblem.Kind? {
    do {
      try await body()
      return nil
    } catch {
      return (error as? SyncProblem)?.kind
    }
  }

  @Test(arguments: pairs) func theHubDecidesForEachPrincipal(_ first: String, _ second: String) async throws {
    let (hub, a, b) = (try hub(first), try Place(second), try Place("memory"))
    let served = try await Served(hub, options: options())
    try a.note(1, "blue")
    try a.note(2, "red")
    try a.note(1, "gold")
    let report = try await a.store.sync(with: served.remote(Self.anna))
    #expect(report.isEqual && report.refused == 0, "\(report)")
    #expect(try a.sync.held().map(\.message) == ["no red"] && a.count("Note") == 1)
    try b.note(3, "blue")
    try b.note(3, "pink")
    try b.note(4, "pink")
    #expect(try await b.store.sync(with: served.remote(Self.ben)).isEqual)
    let held = try b.sync.held()
    #expect(held.map(\.message) == ["not ben's color"] && held.first?.values["title"] == "pink")
    #expect(try b.sync.status().role == .client && b.sync.status().pending == 0)
    // What was refused is written again with other values.
    try b.sync.edit(held[0], ["title": "gold"])
    #expect(try await b.store.sync(with: served.remote(Self.ben)).isEqual)
    #expect(try await a.store.sync(with: served.remote(Self.anna)).isEqual)
    #expect(try hub.count("Note") == 3 && a.sync.digest() == hub.sync.digest() && b.sync.digest() == hub.sync.digest())
    #expect(try hub.sync.check() == [] && a.sync.check() == [] && b.sync.check() == [])
  }

  @Test func aReplicaBelongsToOnePrincipal() async throws {
    let (hub, a) = (try hub("sqlite"), try Place("memory"))
    let served = try await Served(hub, options: options())
    try a.note(1, "one")
    try await a.store.sync(with: served.remote(Self.anna))
    try a.note(2, "two")
    #expect(await kind { try await a.store.sync(with: served.remote(Self.ben)) } == .hub)
    #expect(await kind { try await a.store.sync(with: served.remote("somebody-else-entirely")) } == .token)
    #expect(try hub.count("Note") == 1)
    #expect(try await a.store.sync(with: served.remote(Self.anna)).isEqual)
  }

  @Test func aClosureOverTheHeadersSaysWhoItIs() async throws {
    let (hub, a) = (try hub("lmdb"), try Place("sqlite"))
    var options = try options()
    options.principal = { request in
      request.headers[.authorization] == "Bearer \(Served.token)" ? SyncPrincipal("carl") : nil
    }
    let served = try await Served(hub, options: options)
    try a.note(1, "one")
    #expect(try await a.store.sync(with: served.remote()).isEqual)
    #expect(await kind { try await a.store.sync(with: served.remote(Self.anna)) } == .hub)
  }

  @Test func rolesDoNotMix() async throws {
    let (hub, other, a, peer) = (try hub("memory"), try hub("memory"), try Place("memory"), try Place("memory"))
    let (served, servedPeer) = (try await Served(hub), try await Served(peer))
    #expect(await kind { try await other.store.sync(with: served.remote()) } == .hub)
    #expect(await kind { try await other.store.sync(with: servedPeer.remote()) } == .hub)
    #expect(try await a.store.sync(with: served.remote()).isEqual)
    #expect(await kind { try await a.store.sync(with: servedPeer.remote()) } == .hub)
    let router = Router()
    var deciding = SyncSiteOptions()
    deciding.authorize = { _, _ in .accept }
    #expect(throws: StorageError.self) { try router.addQuarrySync(peer.store, deciding) }
  }

  @Test func oldProgramsOnlySend() async throws {
    let (hub, a) = (try hub("sqlite"), try Place("memory"))
    var options = try options()
    options.minimumSchema = 4
    let served = try await Served(hub, options: options)
    try hub.note(9, "nine")
    try a.note(1, "one")
    #expect(await kind { try await a.store.sync(with: served.remote(Self.anna)) } == .upgrade)
    #expect(try hub.count("Note") == 2 && a.count("Note") == 1)
    var remote = try served.remote(Self.anna)
    remote.schema = 3
    try a.note(2, "two")
    let old = remote
    let answer = await kind { try await a.store.sync(with: old) }
    #expect(answer == .upgrade)
    remote.schema = 4
    #expect(try await a.store.sync(with: remote).isEqual)
    #expect(try a.count("Note") == 3)
  }

  @Test func massDeletesWaitUntilTheyAreAllowed() async throws {
    let (hub, a, b) = (try hub("sqlite"), try Place("memory"), try Place("lmdb"))
    let served = try await Served(hub)
    try a.insert((1...200).map { Record(["id": NoteModels.key($0), "title": "note"]) })
    for place in [a, b] { try await place.store.sync(with: served.remote()) }
    for number in 1...150 { try a.delete("Note", number) }
    #expect(await kind { try await a.store.sync(with: served.remote()) } == .deletes)
    #expect(try hub.count("Note") == 200 && a.count("Note") == 50)
    var options = SyncSiteOptions()
    options.shared = try SyncToken(Served.token)
    options.allowedDeletes = 150
    let allowing = try await Served(hub, options: options)
    #expect(try await a.store.sync(with: allowing.remote()).isEqual)
    #expect(await kind { try await b.store.sync(with: served.remote()) } == .deletes)
    #expect(try b.count("Note") == 200)
    #expect(try await b.store.sync(with: served.remote(), allowingDeletes: 150).isEqual)
    #expect(try b.count("Note") == 50)
  }

  @Test func aHubThatWasPutBackSaysSo() async throws {
    let (hub, a, b) = (try hub("sqlite"), try Place("memory"), try Place("lmdb"))
    var served = try await Served(hub, options: options())
    func sync() async throws {
      for (place, token) in [(a, Self.anna), (b, Self.ben), (a, Self.anna)] {
        #expect(try await place.store.sync(with: served.remote(token)).isEqual)
      }
    }
    try a.note(1, "one")
    try await sync()
    await served.stop()
    try hub.reopen { file, backup in try FileManager.default.copyItem(at: file, to: backup) }
    served = try await Served(hub, options: options())
    try a.note(2, "two")
    try b.note(3, "three")
    try await sync()
    await served.stop()
    try hub.reopen { file, backup in
      try FileManager.default.removeItem(at: file)
      try FileManager.default.copyItem(at: backup, to: file)
    }
    served = try await Served(hub, options: options())
    #expect(await kind { try await a.store.sync(with: served.remote(Self.anna)) } == .hub)
    try hub.sync.restored()
    try a.note(4, "red")
    try await sync()
    #expect(try hub.count("Note") == 4 && a.sync.held().isEmpty)
  }

  /// `QUARRY_SYNC_HTTP_SEEDS` is the number of random histories, 6 when left out.
  private static let seeds =
    1...(ProcessInfo.processInfo.environment["QUARRY_SYNC_HTTP_SEEDS"].flatMap(UInt64.init) ?? 6)

  @Test(arguments: seeds) func faultsDoNoHarm(_ seed: UInt64) async throws {
    let schemes = ["memory", "sqlite", "lmdb", "file"]
    let places = try (0..<3).map { try Place(schemes[(Int(seed) + $0) % 4]) }
    try places[0].store.enableSync(as: .hub)
    let served = try await Served(places[0], faults: Faults(seed: seed), options: options())
    let tokens = ["", Self.anna, Self.ben]
    var random = Seeded(seed &+ 300)
    for _ in 0..<12 {
      for place in places {
        for _ in 0..<Int.random(in: 0...3, using: &random) { try place.write(&random) }
      }
      let client = Int.random(in: 1...2, using: &random)
      do {
        try await places[client].store.sync(with: served.remote(tokens[client]), attempts: 2)
      } catch let problem as SyncProblem {
        #expect(problem.kind == .busy, "\(problem)")
      }
      for place in places { #expect(try place.sync.check() == [], "seed \(seed)") }
    }
    served.faults.end()
    for client in [1, 2, 1, 2] {
      #expect(try await places[client].store.sync(with: served.remote(tokens[client])).isEqual, "seed \(seed)")
    }
    for place in places.dropFirst() {
      #expect(try place.sync.digest() == places[0].sync.digest() && place.sync.status().pending == 0)
    }
  }

  @Test func aRunnerMeetsRefusals() async throws {
    let (hub, a) = (try hub("sqlite"), try Place("lmdb"))
    let served = try await Served(hub, options: options())
    let runner = try SyncRunner(a.store, with: served.remote(Self.anna))
    let running = Task { try await runner.run() }
    try a.note(1, "one")
    try a.note(2, "red")
    try a.note(3, "three")
    let end = ContinuousClock.now + .seconds(60)
    while try hub.count("Note") < 2 || a.sync.held().isEmpty, ContinuousClock.now < end {
      try await Task.sleep(for: .milliseconds(20))
    }
    #expect(try hub.count("Note") == 2 && a.count("Note") == 2 && a.sync.held().map(\.message) == ["no red"])
    running.cancel()
    try await running.value
  }
}
