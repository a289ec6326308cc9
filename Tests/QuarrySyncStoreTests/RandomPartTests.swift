import Foundation
import QuarryBackend
import QuarryCore
import QuarryTestSupport
import Testing

@testable import QuarrySync

/// The law SCOPE on stores: clients with parts of a hub have the hub's objects of their part, and nothing else. SYNC-35 to SYNC-37.
@Suite struct RandomPartTests {
  private static let combinations = [
    ["sqlite", "memory", "lmdb", "file"], ["memory", "file", "sqlite", "lmdb"], ["lmdb", "sqlite", "file", "memory"],
    ["file", "lmdb", "memory", "sqlite"],
  ]
  /// `QUARRY_SYNC_PART_SEEDS` is the number of random histories for each combination, 4 when left out.
  private static let seeds =
    1...(ProcessInfo.processInfo.environment["QUARRY_SYNC_PART_SEEDS"].flatMap { Int($0) } ?? 4)

  @Test(arguments: combinations.indices, seeds)
  func clientsHaveTheirPartsInTheEnd(_ engines: Int, _ seed: Int) throws { try run(engines, seed, isPutBack: false) }

  /// The hubs that are files are put back from a backup now and then.
  @Test(arguments: [0, 3], seeds)
  func clientsHaveTheirPartsOfAHubThatWasPutBack(_ engines: Int, _ seed: Int) throws {
    try run(engines, seed, isPutBack: true)
  }

  private func run(_ engines: Int, _ seed: Int, isPutBack: Bool) throws {
    let comment: Comment = "seed \(seed), \(Self.combinations[engines]), put back: \(isPutBack)"
    var generator = SeededGenerator(seed: UInt64(seed * 41 + engines))
    let names = Self.combinations[engines]
    let hub = try PartHub(names[0])
    let clients = try names.dropFirst().map { try SyncedPlace($0) }
    var colors = ["red", "blue", "gold"]
    var late: [(client: Int, session: UInt64, messages: [NumberedMessage])] = []
    var hasBackup = false
    for client in clients { try client.sync.follow(hub.place.sync.hello()) }
    for _ in 0..<70 {
      let place = Int.random(in: 0..<3, using: &generator)
      let client = clients[place]
      try client.sync.follow(hub.place.sync.hello())
      switch Int.random(in: 0..<22, using: &generator) {
      case 0..<3: try RandomWrites.write(hub.place, &generator)
      case 3..<9: try RandomWrites.write(client, &generator)
      case 9..<14:
        let (messages, _, session) = try hub.answer(client, colors[place])
        late.append((place, session, messages))
        let isCut = Int.random(in: 0..<3, using: &generator) == 0
        let part = isCut ? messages.prefix(Int.random(in: 0...messages.count, using: &generator)) : messages[...]
        _ = try client.sync.receive(session, Array(part))
        // An answer to an earlier question comes late, or again.
        if let old = late.randomElement(using: &generator) {
          _ = try clients[old.client].sync.receive(old.session, old.messages)
        }
      case 14..<18: try hub.push(client, colors[place], count: Int.random(in: 1...8, using: &generator))
      case 18: try trim(hub.place)
      case 19:
        // The claims of a principal change.
        colors[place] = ["red", "blue", "gold"].randomElement(using: &generator) ?? "red"
      case 20 where isPutBack: try change(hub, &hasBackup)
      default:
        if Bool.random(using: &generator) { try hub.reopen() } else { try client.reopen() }
      }
      #expect(try client.sync.check() == [] && hub.place.sync.check() == [], comment)
      #expect(try RandomWrites.missingTargets(client) == 0, comment)
    }
    for _ in 0..<2 {
      for (client, color) in zip(clients, colors) {
        try hub.replicate(client, color)
      }
    }
    for (client, color) in zip(clients, colors) { try hub.expectEqual(client, color, comment) }
  }

  /// Trims the hub's log, and what it knows of its commits.
  private func trim(_ hub: SyncedPlace) throws {
    let knowledge = try hub.sync.knowledge()
    try hub.sync.note(peer: ReplicaID(high: 1, low: 1), knowledge, agrees: true)
    try hub.sync.trim(keeping: 0)
    try hub.sync.changing { work in
      guard let writer = work.transaction as? any BackendWriteTransaction else { return }
      try work.schema.area.put(TouchedObjects.trimming(keeping: 1, work.schema.area, in: writer), in: writer)
    }
  }

  /// Makes a backup of the hub, or puts it back from that.
  private func change(_ hub: PartHub, _ hasBackup: inout Bool) throws {
    try hub.place.store.close()
    let (path, backup) = (hub.place.path, hub.place.path + ".backup")
    let (from, to) = hasBackup ? (backup, path) : (path, backup)
    if FileManager.default.fileExists(atPath: to) { try FileManager.default.removeItem(atPath: to) }
    try FileManager.default.copyItem(atPath: from, toPath: to)
    try hub.place.reopenClosed()
    if hasBackup { try hub.place.sync.restored() }
    hasBackup.toggle()
    try hub.declare()
  }
}
