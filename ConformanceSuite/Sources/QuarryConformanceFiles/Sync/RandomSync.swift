import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarrySeeds
import QuarrySync

/// Random writes in three stores, between answers that are cut, repeated and late, and logs that are trimmed.
struct RandomSync {
  private let peers: [SyncPeer]
  private var generator: SeededGenerator
  private var late: [(peer: Int, session: UInt64, messages: [NumberedMessage])] = []

  init(_ kit: ConformanceContext, number: Int) throws {
    let clock = SyncClock()
    peers = try (0..<3).map { _ in try SyncPeer(kit, clock) }
    generator = kit.random(number)
  }

  func run(steps: Int) throws {
    var copy = self
    for _ in 0..<steps { try copy.step() }
    try SyncScene.expectEqual(peers[0], peers[1], peers[2])
    for peer in peers { try copy.expectIntegrity(peer) }
    let held = try peers.map { try $0.held().filter { !$0.hasPrefix("lostEdit") } }
    try expectEqual(Set(held).count, 1, "what is held in the stores: \(held)")
  }

  private mutating func number(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }

  private mutating func step() throws {
    let place = number(3)
    switch number(12) {
    case 0..<7: try write(peers[place])
    case 7..<11: try exchange(place, (place + 1 + number(2)) % 3)
    default: try peers[place].sync.trim(keeping: number(4))
    }
    try peers[place].expectSound()
  }

  /// An answer of one store to another, a part of it perhaps, and then an old one again.
  private mutating func exchange(_ place: Int, _ other: Int) throws {
    let (session, messages) = try peers[other].answer(to: peers[place])
    late.append((place, session, messages))
    let taken = number(2) == 0 ? messages.count : number(messages.count + 1)
    try peers[place].sync.receive(session, Array(messages.prefix(taken)))
    if number(3) == 0 { try Store.replicate(peers[place].store, peers[other].store) }
    let old = late[number(late.count)]
    try peers[old.peer].sync.receive(old.session, old.messages)
  }

  private mutating func write(_ peer: SyncPeer) throws {
    var copy = self
    do {
      try peer.store.write { tx in for _ in 0...copy.number(3) { try copy.change(tx) } }
    } catch let error as StorageError {
      // The constraints of the store itself, which a program sees too.
      let expected: [StorageError.Code] = [.uniqueViolation, .duplicateKey, .missingReference, .referenced, .notFound]
      guard expected.contains(error.code) else { throw error }
    }
    generator = copy.generator
  }

  private mutating func key(_ letter: String, _ count: Int) -> String { "\(letter)\(number(count))" }
  private mutating func word() -> String { ["red", "blue", "gold", "pink"][number(4)] }

  private mutating func change(_ tx: WriteTransaction) throws {
    switch number(10) {
    case 0: try tx.records.upsert(into: "Team", [SyncScene.team(key("t", 5), word(), size: .int(Int64(number(9))))])
    case 1: try tx.records.delete(in: "Team", keys: [.string(key("t", 5))])
    case 2, 3:
      let team: Value = number(3) == 0 ? .null : .string(key("t", 5))
      try tx.records.upsert(
        into: "Person", [SyncScene.person(key("p", 6), word(), nick: .string(word()), team: team)])
    case 4:
      let record = Record([("id", .string(key("p", 6))), ("name", .string(word()))])
      try tx.records.upsert(into: "Person", [record], updating: ["name"])
    case 5: try tx.records.delete(in: "Person", keys: [.string(key("p", 6))])
    case 6: try tx.records.upsert(into: "Job", [SyncScene.job(key("j", 6), word(), of: key("p", 6))])
    case 7: try tx.records.upsert(into: "Badge", [SyncScene.badge(key("b", 4), word(), of: key("p", 6))])
    case 8: try tx.records.delete(in: "Badge", keys: [.string(key("b", 4))])
    default:
      // Its name counts where there is no such team.
      let record = SyncScene.team(key("t", 5), word(), size: .int(Int64(number(9))))
      try tx.records.upsert(into: "Team", [record], updating: ["size"])
    }
  }

  private func expectIntegrity(_ peer: SyncPeer) throws {
    let content = try peer.content()
    func objects(_ model: String) -> [Value: Record] { content[model] ?? [:] }
    for person in objects("Person").values {
      if let team = person["team"], team != .null { try expect(objects("Team")[team] != nil, "the team of \(person)") }
    }
    for record in Array(objects("Job").values) + objects("Badge").values {
      try expect(objects("Person")[record["person"] ?? .null] != nil, "the person of \(record)")
    }
    let names = objects("Team").values.compactMap { $0["name"] }
    try expectEqual(Set(names).count, names.count, "unique names")
    let nicks = objects("Person").values.compactMap { $0["nick"] }.filter { $0 != .null }
    try expectEqual(Set(nicks).count, nicks.count, "unique nicks")
  }
}
