import Foundation
import QuarryBackend
import QuarryCore
import QuarryEngines
import QuarryTestSupport
import Testing

/// The laws of histories on random writes, on every engine. `scripts/history-laws COMMITS` tries each law that long.
@Suite struct HistoryLawTests {
  private static let environment = ProcessInfo.processInfo.environment
  /// The commits that a law is tried on; nil for the few seeds of each run of the tests.
  static let commits = Int(environment["QUARRY_HISTORY_LAWS"] ?? "")
  static let firstSeed = UInt64(environment["QUARRY_HISTORY_SEED"] ?? "") ?? 1
  static let engines = EngineDescription.all.filter { engine in
    environment["QUARRY_HISTORY_ENGINES"].map { $0.split(separator: " ").contains { $0 == engine.name } } ?? true
  }

  /// Tries a law with one seed after another. Every fiftieth history is twenty times as long as the others.
  ///
  /// - Parameter body: Tries one seed, and returns the number of its commits.
  private static func law(
    _ engine: EngineDescription, _ name: String = #function, _ body: (_ seed: UInt64, _ length: Int) throws -> Int
  ) throws {
    var (seed, done) = (firstSeed, 0)
    while commits.map({ done < $0 }) ?? (seed < firstSeed + 4) {
      done += try body(seed, seed.isMultiple(of: 50) ? 20 : 1)
      seed += 1
    }
    if commits != nil { print("\(engine.name): \(name) on \(done) commits, seeds \(firstSeed) to \(seed - 1)") }
  }

  /// A random write of any kind.
  private static func write(_ tx: WriteTransaction, _ random: inout SeededGenerator) throws {
    let id = Int.random(in: 1...12, using: &random)
    let shelf = Bool.random(using: &random) ? nil : Int.random(in: 1...6, using: &random)
    let number = Int.random(in: 0...4, using: &random)
    switch Int.random(in: 0..<16, using: &random) {
    case 0: try tx.insert(Item(id, "title \(number)", count: number, shelf: shelf))
    case 1: try tx.upsert(Item(id, "other", code: "c\(number)", owner: shelf))
    case 2: try tx.update(Item.self, id) { $0.title = "title \(number)" }
    case 3: try tx.update(Item.where { $0.count == number }) { $0.title += "." }
    case 4: _ = try tx.delete(Item.self, id)
    case 5: try tx.delete(Item.where { $0.count >= number })
    case 6, 7: try tx.upsert(Shelf(Int.random(in: 1...6, using: &random), "shelf \(number)"))
    case 8: _ = try tx.delete(Shelf.self, Int.random(in: 1...6, using: &random))
    case 9, 10: try Item(id).tags.append(Ref<Shelf>(shelf ?? 1), in: tx)
    case 11: try Item(id).tags.removeAll(in: tx)
    case 12: try tx.insert(contentsOf: (20...(20 + number)).map { Item($0, "many") })
    case 13: try tx.assign(Item.self, id) { $0.count = number }
    case 14: try tx.upsert(contentsOf: (1...4).map { Shelf($0, "all \(number)") })
    default: try tx.update(Item.self, id) { ($0.shelf, $0.owner) = (shelf.map { Ref($0) }, nil) }
    }
  }

  /// Some writes in one transaction, of which refused ones are undone.
  private static func write(_ store: Store, _ random: inout SeededGenerator) throws {
    struct Undone: Error {}
    let isUndone = Int.random(in: 0..<8, using: &random) == 0
    do {
      try store.write { tx in
        for _ in 0..<Int.random(in: 1...5, using: &random) {
          try? tx.savepoint {
            try write(tx, &random)
            if Int.random(in: 0..<8, using: &random) == 0 { throw Undone() }
          }
        }
        if isUndone { throw Undone() }
      }
    } catch is Undone {}
  }

  private static func apply(_ set: HistorySet, to content: inout [String: [Value: [String]]]) throws {
    func fields(_ record: Record) -> [String] { record.fields.map { "\($0.name)=\($0.value)" } }
    for model in set.models {
      for change in try set.changes(in: model) {
        #expect(content[model]?[change.key] == change.old.map(fields))
        content[model, default: [:]][change.key] = change.new.map(fields)
      }
      if content[model]?.isEmpty == true { content[model] = nil }
    }
  }

  // HIST-3, HIST-4, HIST-6
  @Test(arguments: engines)
  func replayingTheHistoryGivesTheNewestState(_ engine: EngineDescription) throws {
    try Self.law(engine) { seed, length in try Self.replay(engine, seed, length) }
  }

  private static func replay(_ engine: EngineDescription, _ seed: UInt64, _ length: Int) throws -> Int {
    let place = try Place(engine)
    var commits = 0
    var random = SeededGenerator(seed: seed)
    var content: [String: [Value: [String]]] = [:]
    var position: HistoryPosition?
    for round in 0..<(6 * length) {
      for _ in 0..<8 { try write(place.store, &random) }
      for set in try place.store.history(after: position) {
        try apply(set, to: &content)
        position = set.position
        commits += 1
      }
      #expect(try place.store.content() == content, "seed \(seed), round \(round)")
      if engine.path == .path, Bool.random(using: &random) { try place.reopen() }
    }
    #expect(try place.store.check() == [], "seed \(seed)")
    return commits
  }

  // HIST-12
  @Test(arguments: engines)
  func undoingEverythingGivesTheFirstState(_ engine: EngineDescription) throws {
    try Self.law(engine) { seed, length in try Self.undo(engine, seed, length) }
  }

  private static func undo(_ engine: EngineDescription, _ seed: UInt64, _ length: Int) throws -> Int {
    let place = try Place(engine)
    var random = SeededGenerator(seed: seed)
    try place.fill()
    let start = try place.store.history.newest
    var states = [try place.store.content()]
    for _ in 0..<(20 * length) {
      let before = try place.store.history.newest
      try write(place.store, &random)
      if try place.store.history.newest != before { states.append(try place.store.content()) }
    }
    let sets = try place.store.history(after: start)
    #expect(sets.count == states.count - 1, "seed \(seed)")
    for (set, state) in zip(sets, states).reversed() {
      try place.store.undo(set)
      #expect(try place.store.content() == state, "seed \(seed), position \(set.position)")
    }
    #expect(try place.store.check() == [], "seed \(seed)")
    return sets.count
  }

  // HIST-9, HIST-10, HIST-11
  @Test(arguments: engines)
  func aNamedReaderMissesNothing(_ engine: EngineDescription) throws {
    try Self.law(engine) { seed, length in try Self.readByName(engine, seed, length) }
  }

  private static func readByName(_ engine: EngineDescription, _ seed: UInt64, _ length: Int) throws -> Int {
    let place = try Place(engine, .on(keeping: .seconds(1), bytes: 1 << 20))
    let store = place.store
    var commits = 0
    var random = SeededGenerator(seed: seed)
    try store.history.acknowledge(.start, as: "reader")
    var content: [String: [Value: [String]]] = [:]
    for _ in 0..<(12 * length) {
      for _ in 0..<Int.random(in: 0...6, using: &random) { try write(store, &random) }
      if Bool.random(using: &random) { try store.history.trim(before: store.history.newest) }
      var done = try #require(try store.history.readers.first?.position)
      // A reader that ends anywhere goes on behind what it has acknowledged.
      for set in try store.history(after: done, limit: Int.random(in: 0...9, using: &random)) {
        try apply(set, to: &content)
        try store.history.acknowledge(set.position, as: "reader")
        done = set.position
        commits += 1
      }
    }
    for set in try store.history(after: store.history.readers.first?.position) {
      try apply(set, to: &content)
      commits += 1
    }
    #expect(try store.content() == content, "seed \(seed)")
    #expect(try store.check() == [], "seed \(seed)")
    return commits
  }
}
