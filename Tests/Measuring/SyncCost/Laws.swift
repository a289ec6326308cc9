import Foundation
import MeasuringSupport
import QuarryBackend
import QuarryCore
import QuarrySeeds
import QuarrySync

/// Random changes of three replicas on different engines, between answers that are cut, repeated and late, and trimmed logs.
struct Laws {
  private let places: [Place]
  private var generator: SeededGenerator
  private var late: [(place: Int, session: UInt64, messages: [NumberedMessage])] = []
  private var cut = 0
  private var repeated = 0
  private var trimmed = 0
  private static let objects = 2_000
  /// A random write may delete most objects of a model.
  private let terms = SyncTerms(deletes: .max)

  init(in folder: String, seed: UInt64) throws {
    let named = ["sqlite", "lmdb", "flat-file"].compactMap { name in measuredEngines.first { $0.name == name } }
    guard named.count == 3 else { throw StorageError(.notFound, "the laws need SQLite, LMDB and the flat file") }
    places = try named.map { try Place($0, in: folder) }
    generator = SeededGenerator(seed: seed)
  }

  /// - Parameter isKept: Whether the stores stay as the changes have left them, for another program that lets them agree.
  static func run(in folder: String, changes: Int, seed: UInt64, isKept: Bool) throws {
    var laws = try Laws(in: folder, seed: seed)
    var done = 0
    let time = try seconds {
      while done < changes {
        done += try laws.write()
        if laws.number(4) == 0 { try laws.exchange() }
        if laws.number(200) == 0 { try laws.trim() }
      }
      if !isKept { try laws.meet() }
    }
    print(
      "\(done) changes of three stores in \(text(time, 0)) s, seed \(seed): \(laws.cut) answers were cut, \(laws.repeated) came late "
        + "or again, \(laws.trimmed) times a log was trimmed")
    if isKept { try laws.leave() } else { try laws.verify() }
  }

  private mutating func number(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }

  /// A write of up to 20 changes in one of the stores.
  private mutating func write() throws -> Int {
    let place = places[number(3)]
    let changes = 1 + number(20)
    var keys: [(kind: Int, key: Int, value: Int)] = []
    for _ in 0..<changes { keys.append((number(10), number(Self.objects), number(1_000_000))) }
    try place.store.write { tx in
      for (kind, key, value) in keys {
        switch kind {
        case 0: try tx.records.delete(in: "Article", keys: [.uuid(Article.key(key))])
        case 1, 2: try tx.records.upsert(into: "Article", [Article.record(key, views: value)])
        // The whole object where there is none.
        default: try tx.records.upsert(into: "Article", [Article.record(key, views: value)], updating: ["views"])
        }
      }
    }
    return changes
  }

  private mutating func exchange() throws {
    let place = number(3)
    let peer = (place + 1 + number(2)) % 3
    let hello = try places[place].sync.hello()
    let messages = try places[peer].sync.serve(hello)
    let taken = number(3) == 0 ? number(messages.count + 1) : messages.count
    if taken < messages.count { cut += 1 }
    try places[place].sync.receive(hello.session, Array(messages.prefix(taken)), terms)
    late.append((place, hello.session, Array(messages.prefix(200))))
    if late.count > 50 { late.remove(at: number(late.count)) }
    guard number(3) == 0 else { return }
    repeated += 1
    let old = late[number(late.count)]
    try places[old.place].sync.receive(old.session, old.messages, terms)
  }

  /// Trims the log of a store that has met both others: it knows what they have.
  private mutating func trim() throws {
    for (a, b) in [(0, 1), (1, 2)] { try Store.replicate(places[a].store, places[b].store, allowingDeletes: .max) }
    trimmed += 1
    try places[number(3)].sync.trim(keeping: number(100))
  }

  /// Until all know the same.
  private func meet() throws {
    for _ in 0..<3 {
      for (a, b) in [(0, 1), (1, 2), (0, 2)] {
        try Store.replicate(places[a].store, places[b].store, allowingDeletes: .max)
      }
    }
  }

  /// Closes the stores, and prints their digests and URLs.
  private func leave() throws {
    for place in places {
      print("store  \(place.engine.scheme):\(place.path)  \(try place.sync.digest())")
      try place.store.close()
    }
  }

  private func verify() throws {
    for (a, b) in [(0, 1), (1, 2), (0, 2)] { try expectEqual(places[a], places[b]) }
    for place in places {
      let defects = try place.sync.check() + place.store.check().map { "\($0)" }
      guard defects.isEmpty else { throw StorageError(.corrupt, "\(place.engine.name): \(defects.prefix(5))") }
      print("\(place.engine.name)  \(try place.sync.digest())")
      try place.store.close()
    }
  }
}
