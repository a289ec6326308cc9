import Foundation
import QuarryBackend
import QuarryCore
import QuarryTestSupport
import Testing

@testable import QuarrySync

/// Random changes of balances on a hub and its clients, between sessions that are cut, repeated and late: the hub's sums are exact.
@Suite struct RandomResolverTests {
  private static let combinations = [
    ["sqlite", "memory", "lmdb", "file"], ["memory", "file", "sqlite", "lmdb"], ["lmdb", "sqlite", "file", "memory"],
    ["file", "lmdb", "memory", "sqlite"],
  ]
  /// `QUARRY_SYNC_HUB_SEEDS` is the number of random histories for each combination, 4 when left out.
  private static let seeds =
    1...(ProcessInfo.processInfo.environment["QUARRY_SYNC_HUB_SEEDS"].flatMap { Int($0) } ?? 4)

  @Test(arguments: combinations.indices, seeds)
  func balancesAreTheSumsOfAllChanges(_ engines: Int, _ seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed * 41 + engines))
    func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
    let comment: Comment = "seed \(seed), \(Self.combinations[engines])"
    let teller = Teller()
    let places = try Self.combinations[engines].map { try Accounts.place($0) }
    try places[0].store.enableSync(as: .hub)
    try teller.serve(places[0])
    let keys = (0..<3).map { TeamModels.key($0) }
    var balances = [100, 200, 300]
    for (key, balance) in zip(keys, balances) {
      try places[0].insert("Account", Accounts.record(key, .string("\(balance)"), Int64(balance)))
    }
    for client in places.dropFirst() { #expect(try Store.replicate(client.store, places[0].store).isEqual) }
    var late: [(place: Int, session: UInt64, messages: [NumberedMessage])] = []
    for _ in 0..<70 {
      let place = number(0...3)
      switch number(0...9) {
      case 0..<5:
        let account = number(0...2)
        let amount = number(-9...9)
        try places[place].add(keys[account], Int64(amount))
        balances[account] += amount
        if number(0...3) == 0 { try places[place].update("Account", keys[account], "note", .string("\(amount)")) }
      case 5..<9:
        let peer = place > 0 ? 0 : number(1...3)
        let hello = try places[place].sync.hello()
        let messages = try places[peer].sync.serve(hello)
        late.append((place, hello.session, messages))
        let part = number(0...3) == 0 ? messages.prefix(number(0...messages.count)) : messages[...]
        try places[place].sync.receive(hello.session, Array(part))
        if let old = late.randomElement(using: &generator) {
          try places[old.place].sync.receive(old.session, old.messages)
        }
      default:
        try places[place].reopen()
        if place == 0 { try teller.serve(places[0]) }
      }
      #expect(try places[place].sync.check() == [], comment)
    }
    for client in [1, 2, 3, 1, 2, 3] { #expect(try Store.replicate(places[client].store, places[0].store).isEqual) }
    for place in places {
      for (key, balance) in zip(keys, balances) { #expect(try place.balance(key) == balance, comment) }
    }
    #expect(!teller.asked.isEmpty, comment)
  }
}
