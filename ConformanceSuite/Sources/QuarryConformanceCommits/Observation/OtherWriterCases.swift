import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Commits of others: another store on the same place, another process.
enum OtherWriterCases {
  static let all: [ConformanceCase] = [
    ConformanceCase(
      "OBS.other-store", ["OBS-14"], "Observers are notified of commits of another store on the same place.",
      requiresPersistence: true
    ) { kit in
      let (store, other) = try twoStores(kit)
      let watched = try Watched(store, Item.all.sorted(by: \.score), .items)
      try watched.expectChange("the other") { try other.insert(contentsOf: [Item(1, score: 2), Item(2, score: 1)]) }
      try watched.expectChange("this one") { try store.insert(Item(3)) }
      try watched.expectChange("the other again") { try other.update(Item.self, 1) { $0.score = -1 } }
      // Two commits, of which the first may be seen by itself or together with the second.
      try other.insert(Item(4))
      try store.insert(Item(5))
      try watched.follow("both")
      try expectEqual(watched.list.count, 5)
    },
    ConformanceCase(
      "OBS.other-store-cached", ["OBS-16", "OBS-14"],
      "A cached result is not returned after a commit of another store.",
      requiresPersistence: true
    ) { kit in
      let (store, other) = try twoStores(kit)
      for id in 0..<10 {
        try (id % 3 == 0 ? store : other).insert(Item(id))
        for _ in 0..<2 { try expectEqual(try store.cached(Item.all, for: .seconds(600)).count, id + 1) }
      }
    },
    ConformanceCase(
      "OBS.other-store-commits", ["OBS-14", "OBS-7"],
      "Commits of other stores are notified as changes of unknown objects.",
      requiresPersistence: true
    ) { kit in
      let (store, other) = try twoStores(kit)
      let commits = Pulled(store.commits())
      try other.insert(Item(1))
      try expectEqual(try commits.next()?.isUnknown, true)
      try store.insert(Item(2))
      try expectEqual(try commits.next()?["Item"]?.inserted, [.int(2)])
    },
    .processes(
      "OBS.other-process", ["OBS-14"], "Observers are notified of commits of another process.",
      needs: [.multipleProcesses]
    ) {
      kit in
      let place = try kit.makePlace()
      let store = try kit.open([Item.self], at: place)
      let watched = try Watched(store, Item.all, .items)
      let child = try kit.secondProcess(at: place, "open item")
      for id in 1...5 {
        try child.ask("insert \(id)")
        try watched.expectTold("\(id)")
      }
      try store.insert(Item(6))
      try watched.expectTold("this one")
      try child.finish()
      try expectEqual(watched.list.map(\.id), Array(1...6))
    },
  ]

  /// One place, opened twice in this process.
  private static func twoStores(_ kit: ConformanceContext) throws -> (Store, Store) {
    let place = try kit.makePlace()
    return (try kit.open([Item.self], at: place), try kit.open([Item.self], at: place))
  }
}
