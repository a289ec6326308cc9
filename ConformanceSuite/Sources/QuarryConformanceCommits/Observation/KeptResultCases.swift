import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Results that are kept: for their time, and until a commit of which it is not known what it changed.
enum KeptResultCases {
  static let all: [ConformanceCase] = [timeIsOver, unknownCommits, unknownCommitsOfOthers]

  private static let timeIsOver = ConformanceCase(
    "OBS.cached-read-again", ["OBS-16"], "A result whose time is over is read again, and one within its time is not."
  ) { kit in
    let place = CountingProvider(try kit.makePlace())
    let store = try kit.open([Item.self], at: place)
    try ObservationCases.fill(store)
    func reads(_ time: Duration) throws -> Int {
      _ = place.take()
      try expectEqual(try store.cached(Item.all, for: time).count, 5)
      return place.take().all
    }
    for time in [Duration.zero, .seconds(-5), .milliseconds(1)] {
      try expect(try reads(time) > 0, "a result of \(time) is not read")
      usleep(3_000)
      try expect(try reads(time) > 0, "a result is given after \(time)")
      store.clearCache()
    }
    try expect(try reads(.seconds(600)) > 0, "a result is kept before it was read")
    try expectEqual(try reads(.seconds(600)), 0, "the reads of a result that is kept")
  }

  private static let unknownCommits = ConformanceCase(
    "OBS.cached-unknown", ["OBS-16", "OBS-17"],
    "A kept result is not returned after a commit that changes the schema too.", needs: [.schemaCreateModel]
  ) { kit in
    let store = try kit.store(Item.self, Plain.self)
    try ObservationCases.fill(store)
    // Another result is kept all the time, so that the store never forgets what it knows of commits.
    _ = try store.cached(Plain.all, for: .seconds(600))
    for round in 0..<3 {
      try expectItems(5 + round, store, "before round \(round)")
      try store.write { tx in
        let id = PropertySchema(name: "id", type: .int64)
        try tx.apply(.createModel(ModelSchema(name: "New\(round)", properties: [id], primaryKey: 0)))
        try tx.insert(Item(10 + round))
      }
      try expectItems(6 + round, store, "after round \(round)")
    }
  }

  private static let unknownCommitsOfOthers = ConformanceCase(
    "OBS.cached-before-own", ["OBS-16", "OBS-14"],
    "A kept result is not returned after a commit of another store that this store's own commit follows.",
    requiresPersistence: true
  ) { kit in
    let place = try kit.makePlace()
    let store = try kit.open([Item.self, Plain.self], at: place)
    let other = try kit.open([Item.self, Plain.self], at: place)
    _ = try store.cached(Plain.where { $0.name == "none" }, for: .seconds(600))
    for round in 0..<3 {
      try expectItems(round, store, "before round \(round)")
      try other.insert(Item(round))
      try store.insert(Plain(round))
      try expectItems(1 + round, store, "after round \(round)")
    }
  }

  private static func expectItems(
    _ count: Int, _ store: Store, _ about: String, file: String = #fileID, line: Int = #line
  ) throws {
    for _ in 0..<2 {
      let found = try store.cached(Item.all, for: .seconds(600)).count
      try expectEqual(found, count, about, file: file, line: line)
    }
  }
}
