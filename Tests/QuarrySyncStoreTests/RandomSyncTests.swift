import QuarryBackend
import QuarryCore
import QuarryTestSupport
import Testing

@testable import QuarrySync

/// Random writes on three stores, between sessions that are cut, repeated and out of order.
@Suite struct RandomSyncTests {
  private static let combinations = [
    ["memory", "sqlite", "lmdb"], ["file", "memory", "sqlite"], ["lmdb", "file", "memory"],
  ]

  @Test(arguments: combinations.indices, 1...4)
  func storesAgreeInTheEnd(_ engines: Int, _ seed: Int) throws {
    let places = try Self.combinations[engines].map { try SyncedPlace($0) }
    var generator = SeededGenerator(seed: UInt64(seed * 31 + engines))
    try run(places, &generator, "seed \(seed), \(Self.combinations[engines])") { tx, generator in
      try RandomWrites.step(tx, &generator)
    }
    for place in places { #expect(try RandomWrites.missingTargets(place) == 0) }
  }

  /// The same with every merge rule and lists of links: the laws COUNT, GROUP and LINKS.
  @Test(arguments: combinations.indices, 1...4)
  func mergeRulesAndListsAgree(_ engines: Int, _ seed: Int) throws {
    let places = try Self.combinations[engines].map {
      try SyncedPlace($0, models: ShopModels.all, declarations: ShopModels.declarations)
    }
    var generator = SeededGenerator(seed: UInt64(seed * 37 + engines))
    var history = ShopHistory()
    try history.begin(places[0])
    try meet(places)
    try run(places, &generator, "seed \(seed), \(Self.combinations[engines])") { tx, generator in
      try history.step(tx, &generator)
    } whenStored: { isStored in
      history.end(isStored: isStored)
    }
    for place in places { try history.expectLaws(place) }
  }

  private func run(
    _ places: [SyncedPlace], _ generator: inout SeededGenerator, _ context: String,
    _ step: (WriteTransaction, inout SeededGenerator) throws -> Void, whenStored: (Bool) -> Void = { _ in }
  ) throws {
    var late: [(place: Int, session: UInt64, messages: [NumberedMessage])] = []
    for _ in 0..<60 {
      let place = Int.random(in: 0..<3, using: &generator)
      switch Int.random(in: 0..<10, using: &generator) {
      case 0..<6: whenStored(try RandomWrites.write(places[place], &generator, step))
      case 6..<9:
        let peer = (place + Int.random(in: 1...2, using: &generator)) % 3
        let hello = try places[place].sync.hello()
        let messages = try places[peer].sync.serve(hello)
        late.append((place, hello.session, messages))
        let isCut = Bool.random(using: &generator)
        let part = isCut ? messages.prefix(Int.random(in: 0...messages.count, using: &generator)) : messages[...]
        _ = try places[place].sync.receive(hello.session, Array(part))
        // An answer to an earlier question comes late, or again.
        if let old = late.randomElement(using: &generator) {
          _ = try places[old.place].sync.receive(old.session, old.messages)
        }
      default:
        try places[place].reopen()
      }
      #expect(try places[place].sync.check() == [], Comment(rawValue: context))
    }
    try meet(places)
    let digests = try places.map { try $0.sync.digest() }
    #expect(Set(digests).count == 1, Comment(rawValue: context))
    for place in places {
      #expect(try place.sync.check() == [])
      try RecordLaw.expect(place, Comment(rawValue: context))
      for model in place.models.map(\.name) { #expect(try place.rows(model) == places[0].rows(model)) }
    }
    #expect(try Set(places.map { try $0.sync.held().filter { $0.reason != .lostEdit } }).count == 1)
  }

  private func meet(_ places: [SyncedPlace]) throws {
    for _ in 0..<4 {
      for (a, b) in [(0, 1), (1, 2), (0, 2)] { try Store.replicate(places[a].store, places[b].store) }
    }
  }
}
