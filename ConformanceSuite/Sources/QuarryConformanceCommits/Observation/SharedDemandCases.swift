import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Several who observe one model in different detail, some of whom end, and results that are kept beside them.
enum SharedDemandCases {
  static let all: [ConformanceCase] = [
    oneObjectTwice, oneListTwice, keysBesideResults, takenAndMerged, othersInBetween, keptBetweenOthers, likeQueries,
    lastUsed,
  ]

  private static let oneObjectTwice = ConformanceCase(
    "OBS.object-twice", ["OBS-6", "OBS-10"], "When one of two observers of an object ends, the other continues."
  ) { kit in
    let store = try kit.store(Item.self)
    try store.insert(contentsOf: [Item(1), Item(2)])
    let (first, second, other) = (Told<ObjectChange<Item>>(), Told<ObjectChange<Item>>(), Told<ObjectChange<Item>>())
    var tokens: [ObservationToken?] = [
      try store.observe(Item.self, 1) { first.note($0) }, try store.observe(Item.self, 1) { second.note($0) },
      try store.observe(Item.self, 2) { other.note($0) },
    ]
    for told in [first, second, other] { _ = try told.next() }
    try store.update(Item.self, 1) { $0.name = "a" }
    for told in [first, second] { try expectEqual(try told.next().object?.name, "a") }
    tokens[0]?.cancel()
    tokens[0] = nil
    try store.update(Item.self, 1) { $0.name = "b" }
    try expectEqual(try second.next().object?.name, "b")
    try store.delete(Item.self, 1)
    try expect(try second.next().object == nil, "the removal is not told")
    try store.update(Item.self, 2) { $0.name = "c" }
    try expectEqual(try other.next().object?.name, "c")
    try expectEqual([first.count, second.count, other.count], [2, 4, 2])
    for token in tokens { token?.cancel() }
  }

  private static let oneListTwice = ConformanceCase(
    "OBS.list-twice", ["OBS-1", "OBS-10"], "When one of several observers of a model ends, the others continue."
  ) { kit in
    let store = try kit.store(Item.self)
    try ObservationCases.fill(store)
    let lists = [
      try Watched(store, Item.all, .items), try Watched(store, Item.where { $0.score > 1 }, .items),
      try Watched(store, Item.all.sorted(by: \.score).limit(3), .items),
    ]
    let commits = Pulled(store.commits())
    for (place, list) in lists.enumerated() {
      list.cancel()
      try store.update(Item.self, 3) { $0.score = Double(10 + place) }
      for other in lists[(place + 1)...] { try other.expectTold("after \(place)") }
      try expectEqual(try commits.next()?["Item"]?.updated, [.int(3)], "after \(place)")
    }
  }

  private static let keysBesideResults = ConformanceCase(
    "OBS.commits-beside-results", ["OBS-7", "OBS-16"],
    "Commits have their keys beside results that are kept and lists that are read again."
  ) { kit in
    let store = try kit.store(Item.self, Plain.self)
    try ObservationCases.fill(store)
    _ = try store.cached(Item.all, for: .seconds(600))
    let list = try Watched(store, Item.all.limit(2), .items)
    let commits = Pulled(store.commits())
    try store.insert(Item(9))
    let first = try unwrap(try commits.next())
    try expectEqual([first.isUnknown, first["Item"]?.isUnknown], [false, false])
    try expectEqual(first["Item"]?.inserted, [.int(9)])
    store.clearCache()
    list.cancel()
    try store.write { tx in
      try tx.delete(Item.self, 9)
      try tx.insert(Plain(1))
    }
    let second = try unwrap(try commits.next())
    try expectEqual(second["Item"]?.deleted, [.int(9)])
    try expectEqual(second["Plain"]?.inserted, [.int(1)])
    try expectEqual(try store.cached(Item.all, for: .seconds(600)).count, 5)
  }

  private static let takenAndMerged = ConformanceCase(
    "OBS.taken-and-merged", ["OBS-5"], "When some of the waiting changes are taken, none of the others is lost.",
    within: .seconds(30)
  ) { kit in
    let store = try kit.store(Item.self)
    let changes = Pulled(store.changes(of: Item.where { $0.rank == 1 }))
    try expectEqual(try changes.next()?.objects.count, 0)
    for id in 0..<10 { try store.insert(Item(id, rank: 1)) }
    try ObservationCases.waitForLast(store)
    for id in 0..<3 { try expectEqual(try changes.next()?.insertions.map(\.object.id), [id]) }
    for id in 10..<90 { try store.insert(Item(id, rank: 1)) }
    try store.delete(Item.self, 5)
    try ObservationCases.waitForLast(store)
    var list: [Int] = []
    var count = 0
    let due = Array(0..<5) + Array(6..<90)
    while list != due {
      let change = try unwrap(try changes.next())
      (list, count) = (change.objects.map(\.id), count + 1)
    }
    try expect(count <= 64, "\(count) changes")
    // A commit that is too large to wait makes the list be read again, with commits that still wait. More than 64 are then merged
    // with newer ones.
    try store.insert(Item(1_000, rank: 1, name: String(repeating: "x", count: 5 << 20)))
    for id in 100..<130 { try store.insert(Item(id, rank: 1)) }
    try ObservationCases.waitForLast(store)
    list = try unwrap(try changes.next()).objects.map(\.id)
    try expectEqual(list, due + Array(100..<130) + [1_000])
    for id in 130..<180 { try store.insert(Item(id, rank: 1)) }
    try ObservationCases.waitForLast(store)
    let last = due + Array(100..<180) + [1_000]
    while list.count < last.count { list = try unwrap(try changes.next()).objects.map(\.id) }
    try expectEqual(list, last)
  }

  private static let othersInBetween = ConformanceCase(
    "OBS.other-store-between", ["OBS-14", "OBS-1"],
    "A commit of another store right before one of this store is in the list with it.", requiresPersistence: true
  ) { kit in
    let place = try kit.makePlace()
    let (store, other) = (try kit.open([Item.self], at: place), try kit.open([Item.self], at: place))
    let watched = try Watched(store, Item.all, .items)
    for round in 0..<6 {
      for _ in 0..<(1 + round % 2) { try other.insert(Item(try other.count(Item.all) * 2 + 1)) }
      try store.insert(Item(try store.count(Item.all) * 2))
      try watched.follow("round \(round)")
    }
    try expectEqual(watched.list.count, 15)
  }

  private static let keptBetweenOthers = ConformanceCase(
    "OBS.cached-between-others", ["OBS-16", "OBS-14"],
    "A result that was kept between two commits of another store is not given after the second.",
    requiresPersistence: true, without: ConformanceVariant.allButFresh
  ) { kit in
    let place = try kit.makePlace()
    let (store, other) = (try kit.open([Item.self], at: place), try kit.open([Item.self], at: place))
    // Another result is kept all the time, so that the store never forgets what it knows of commits.
    _ = try store.cached(Item.where { $0.id < 0 }, for: .seconds(600))
    for id in 0..<3 {
      try other.insert(Item(id))
      // Longer than the time between two looks for commits of others.
      usleep(250_000)
      for _ in 0..<2 { try expectEqual(try store.cached(Item.all, for: .seconds(600)).count, id + 1) }
    }
  }

  private static let likeQueries = ConformanceCase(
    "OBS.cached-alike", ["OBS-16", "TEXT-1"], "Results of queries that differ in a byte or a number are kept apart."
  ) { kit in
    let store = try kit.store(Item.self)
    let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
    try store.insert(contentsOf: [Item(1, name: composed + "1"), Item(2, name: decomposed + "2"), Item(3, name: "x")])
    for _ in 0..<2 {
      for (text, id) in [(composed, 1), (decomposed, 2)] {
        let time = Duration.seconds(600)
        try expectEqual(try store.cached(Item.where { $0.name.hasPrefix(text) }, for: time).map(\.id), [id])
        try expectEqual(try store.cached(Item.where { $0.name.contains(text) }, for: time).map(\.id), [id])
        try expectEqual(try store.cached(Item.all.limit(1).offset(id), for: time).map(\.id), [id + 1])
        try expectEqual(
          try store.cached(Item.all.sorted(by: \.score, order: id == 1 ? .forward : .reverse), for: time).map(\.id),
          id == 1 ? [1, 2, 3] : [3, 2, 1])
      }
    }
  }

  private static let lastUsed = ConformanceCase(
    "OBS.cached-last-used", ["OBS-16"],
    "When the bytes for results are used up, the least recently used result is removed.",
    without: ConformanceVariant.allButFresh
  ) { kit in
    let place = CountingProvider(try kit.makePlace())
    let store = try kit.open([Item.self], at: place)
    try store.insert(contentsOf: (0..<4).map { Item($0, name: String(repeating: "x", count: 1_000)) })
    func isKept(_ id: Int) throws -> Bool {
      _ = place.take()
      try expectEqual(try store.cached(Item.where { $0.id == id }, for: .seconds(600)).map(\.id), [id])
      return place.take().all == 0
    }
    try expect(try !isKept(0) && !isKept(1), "a result is kept before it was read")
    store.cacheLimit = store.cachedBytes + 10
    try expect(try isKept(0), "the first is not kept")
    try expect(try !isKept(2), "the third is kept before it was read")
    // The second was not used since then, and is the one that went.
    try expect(try isKept(2) && isKept(0), "what was used last is not kept")
    try expect(try !isKept(1), "what was not used is kept")
  }
}
