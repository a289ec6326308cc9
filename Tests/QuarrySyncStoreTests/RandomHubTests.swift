import Foundation
import QuarryBackend
import QuarryCore
import QuarryTestSupport
import Testing

@testable import QuarrySync

/// Random writes on a hub and two clients, between sessions that are cut, repeated and late, with entries that the hub refuses.
@Suite struct RandomHubTests {
  private static let combinations = [
    ["sqlite", "memory", "lmdb"], ["memory", "file", "sqlite"], ["lmdb", "sqlite", "file"], ["file", "lmdb", "memory"],
  ]
  /// `QUARRY_SYNC_HUB_SEEDS` is the number of random histories for each combination, 4 when left out.
  private static let seeds =
    1...(ProcessInfo.processInfo.environment["QUARRY_SYNC_HUB_SEEDS"].flatMap { Int($0) } ?? 4)

  private func open(_ engines: Int) throws -> [SyncedPlace] {
    let places = try Self.combinations[engines].map { try SyncedPlace($0) }
    try places[0].store.enableSync(as: .hub)
    try decide(places[0])
    for client in places.dropFirst() { try client.sync.follow(places[0].sync.hello()) }
    return places
  }

  /// The hub's program: no jobs with the title gold.
  private func decide(_ hub: SyncedPlace) throws {
    try hub.sync.authorize { change, _ in
      change.objects.contains { $0.model == "Job" && $0.after?["title"] == "gold" } ? .refuse("no gold") : .accept
    }
  }

  @Test(arguments: combinations.indices, seeds)
  func clientsAgreeWithTheHubInTheEnd(_ engines: Int, _ seed: Int) throws {
    let places = try run(engines, seed, isPutBack: false)
    try expectAllRefusedIsHeld(places, "seed \(seed), \(Self.combinations[engines])")
  }

  /// The hubs that are files are put back from a backup now and then.
  @Test(arguments: [0, 3], seeds)
  func clientsAgreeWithAHubThatWasPutBack(_ engines: Int, _ seed: Int) throws {
    _ = try run(engines, seed, isPutBack: true)
  }

  private func run(_ engines: Int, _ seed: Int, isPutBack: Bool) throws -> [SyncedPlace] {
    var generator = SeededGenerator(seed: UInt64(seed * 37 + engines))
    var hasBackup = false
    let places = try open(engines)
    var late: [(place: Int, session: UInt64, messages: [NumberedMessage])] = []
    for _ in 0..<80 {
      let place = Int.random(in: 0..<3, using: &generator)
      switch Int.random(in: 0..<10, using: &generator) {
      case 0..<5: try RandomWrites.write(places[place], &generator)
      case 5..<9:
        let peer = place > 0 ? 0 : Int.random(in: 1...2, using: &generator)
        try places[max(place, peer)].sync.follow(places[0].sync.hello())
        let hello = try places[place].sync.hello()
        let messages = try places[peer].sync.serve(hello)
        late.append((place, hello.session, messages))
        let isCut = Int.random(in: 0..<4, using: &generator) == 0
        let part = isCut ? messages.prefix(Int.random(in: 0...messages.count, using: &generator)) : messages[...]
        _ = try places[place].sync.receive(hello.session, Array(part))
        // An answer to an earlier question comes late, or again.
        if let old = late.randomElement(using: &generator) {
          _ = try places[old.place].sync.receive(old.session, old.messages)
        }
      case _ where place == 0 && isPutBack:
        try change(places[0], &hasBackup)
      default:
        try places[place].reopen()
        if place == 0 { try decide(places[0]) }
      }
      #expect(try places[place].sync.check() == [], "seed \(seed), \(Self.combinations[engines])")
    }
    for client in [1, 2, 1, 2] { _ = try Store.replicate(places[client].store, places[0].store) }
    for place in places {
      let report = try Store.replicate(place.store, places[place === places[0] ? 1 : 0].store)
      #expect(report.isEqual, "seed \(seed), \(Self.combinations[engines])")
      #expect(try place.sync.check() == [] && RandomWrites.missingTargets(place) == 0)
      for model in TeamModels.names { #expect(try place.rows(model) == places[0].rows(model)) }
    }
    return places
  }

  /// Makes a backup of the hub, or puts it back from that.
  private func change(_ hub: SyncedPlace, _ hasBackup: inout Bool) throws {
    try hub.store.close()
    let (from, to) = hasBackup ? (hub.path + ".backup", hub.path) : (hub.path, hub.path + ".backup")
    if FileManager.default.fileExists(atPath: to) { try FileManager.default.removeItem(atPath: to) }
    try FileManager.default.copyItem(atPath: from, toPath: to)
    try hub.reopenClosed()
    if hasBackup { try hub.sync.restored() }
    hasBackup.toggle()
    try decide(hub)
  }

  /// What the hub has refused is held where it was written, and nothing else is.
  private func expectAllRefusedIsHeld(_ places: [SyncedPlace], _ comment: Comment) throws {
    for client in places.dropFirst() {
      let (names, held) = try client.sync.reading { work in
        (work.state.names, try work.allRefused().map { Stamp($0.refused.entry.mark.hlc, $0.refused.entry.origin) })
      }
      let refused = try places[0].sync.reading { work in
        try work.loadRefusals(of: names)
        return work.refusals.values.flatMap { $0.map { Stamp($0.mark.hlc, $0.origin) } }
      }
      #expect(Set(held).isSubset(of: refused) && Set(held).count == held.count, comment)
      // Of an entry whose objects were all deleted later, nothing is left.
      let (log, pending) = try client.sync.reading { work in
        try work.loadPlaces(of: names)
        return (work.log, try client.sync.pending(for: places[0].sync.knowledge()))
      }
      #expect(pending == 0, comment)
      for stamp in refused { #expect(log.first { $0.stamp == stamp }?.mark.isVoid == true, comment) }
    }
  }
}
