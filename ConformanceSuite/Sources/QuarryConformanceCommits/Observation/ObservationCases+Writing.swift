import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery
import Synchronization

extension ObservationCases {
  // MARK: Writing while being told

  static let writing: [ConformanceCase] = [
    ConformanceCase(
      "OBS.write-inside", ["OBS-12"],
      "A closure of an observer may write, and the observer is notified of that write afterwards."
    ) {
      kit in
      let store = try kit.store(Item.self)
      let told = Told<[Int]>()
      let token = try store.observe(Item.all) { change in
        if change.objects.count < 10 { try store.insert(Item(change.objects.count)) }
        told.note(change.objects.map(\.id))
      }
      for count in 0...10 { try expectEqual(try told.next(), Array(0..<count)) }
      token.cancel()
    },
    ConformanceCase(
      "OBS.read-inside", ["OBS-1", "OBS-12"],
      "A closure of an observer reads the state of its notification or a later one."
    ) {
      kit in
      let store = try kit.store(Item.self)
      let told = Told<Bool>()
      let token = try store.observe(Item.all) { change in
        told.note(try store.count(Item.all) >= change.objects.count)
      }
      for id in 0..<20 { try store.insert(Item(id)) }
      for _ in 0..<15 { try expectEqual(try told.next(), true) }
      token.cancel()
    },
    ConformanceCase(
      "OBS.begun-inside", ["OBS-12"],
      "An observation that begins inside a transaction has the committed state first, and then the commit."
    ) { kit in
      let store = try kit.store(Item.self)
      try fill(store)
      let told = Told<QueryChange<Item>>()
      let token = try store.write { tx in
        try tx.delete(Item.all)
        let token = try store.observe(Item.all) { told.note($0) }
        try expectEqual(try told.next().objects.count, 5)
        try tx.insert(Item(77))
        return token
      }
      let change = try told.next()
      try expectEqual(change.objects.map(\.id), [77])
      try expectEqual(change.deletions.count, 5)
      token.cancel()
    },
    ConformanceCase("OBS.begun-in-read", ["OBS-12"], "An observation that begins inside a read has the newest state.") {
      kit in
      let store = try kit.store(Item.self)
      try fill(store)
      let told = Told<QueryChange<Item>>()
      let token = try store.read { tx in
        _ = try tx.count(Item.all)
        return try store.observe(Item.all) { told.note($0) }
      }
      try expectEqual(try told.next().objects.count, 5)
      try store.insert(Item(6))
      try expectEqual(try told.next().insertions.map(\.object.id), [6])
      token.cancel()
    },
    ConformanceCase(
      "OBS.silent", ["OBS-11"], "An observer that a write excludes is not notified of it, and its list has the change."
    ) {
      kit in
      let store = try kit.store(Item.self)
      try fill(store)
      let (named, other) = (try Watched(store, Item.all, .items), try Watched(store, Item.all, .items))
      let token = try unwrap(named.token)
      try store.write(withoutNotifying: [token]) { tx in
        try tx.delete(Item.self, 2)
        try tx.update(Item.self, 3) { $0.score = 50 }
      }
      try other.expectTold()
      try store.insert(Item(6))
      try other.expectTold()
      // The change is that of a list that has the silent one.
      let change = try named.told.next()
      try expectEqual(change.deletions.count, 0)
      try expectEqual(change.updates.count, 0)
      try expectEqual(change.insertions.map(\.place), [4])
      try expectEqual(change.objects, try store.fetch(Item.all))
      try expectEqual(named.told.count, 2)
    },
    ConformanceCase(
      "OBS.silent-limit", ["OBS-11", "OBS-5"],
      "An observer that a write excludes is not notified when its list is read again."
    ) { kit in
      let store = try kit.store(Item.self)
      try fill(store)
      let (named, other) = (
        try Watched(store, Item.all.limit(3), .items), try Watched(store, Item.all.limit(3), .items)
      )
      try store.write(withoutNotifying: [try unwrap(named.token)]) { try $0.delete(Item.self, 2) }
      try other.expectTold()
      try store.insert(Item(0))
      try other.expectTold()
      // Quarry may read the list again after both commits, and then reports both changes at once.
      let change = try named.told.next()
      try expectEqual(change.objects.map(\.id), [0, 1, 3])
      try expect(change.insertions.map(\.place).contains(0), "the commit after the silent one is not told of")
      try expectEqual(named.told.count, 2)
    },
    ConformanceCase("OBS.silent-inside", ["OBS-11"], "A silent write inside a transaction is reentrant.") { kit in
      let store = try kit.store(Item.self)
      let watched = try Watched(store, Item.all, .items)
      let token = try unwrap(watched.token)
      try store.write { tx in
        try expectError(.reentrant) { try store.write(withoutNotifying: [token]) { try $0.insert(Item(1)) } }
        try tx.insert(Item(2))
      }
      try expectEqual(try watched.expectTold()?.insertions.map(\.object.id), [2])
    },
  ]

  // MARK: What counts

  static let counting: [ConformanceCase] = [
    ConformanceCase(
      "OBS.key-paths", ["OBS-8"], "A change of properties that are not observed arrives with the next notification."
    ) {
      kit in
      let store = try kit.store(Item.self)
      try fill(store)
      let told = Told<QueryChange<Item>>()
      let token = try store.observe(Item.all, keyPaths: \.name, \.rank) { told.note($0) }
      _ = try told.next()
      try store.update(Item.self, 1) { $0.score = 77 }
      try store.assign(Item.all) { $0.note = "all" }
      try store.update(Item.self, 2) {
        $0.name = "two"
        $0.score = 5
      }
      let change = try told.next()
      try expectEqual(change.updates.map { "\($0.place) \($0.properties)" }, ["1 [\"name\", \"score\"]"])
      try expectEqual(change.objects, try store.fetch(Item.all))
      try store.update(Item.self, 3) { $0.rank = nil }
      try expectEqual(try told.next().updates.map(\.properties), [["rank"]])
      token.cancel()
    },
    ConformanceCase(
      "OBS.key-paths-others", ["OBS-8"],
      "Inserted, removed and moved objects are notified whatever properties are observed."
    ) {
      kit in
      let store = try kit.store(Item.self)
      try fill(store)
      let told = Told<QueryChange<Item>>()
      let token = try store.observe(Item.where { $0.score < 90 }.sorted(by: \.score), keyPaths: \.name) {
        told.note($0)
      }
      _ = try told.next()
      try store.insert(Item(9, score: 9))
      try expectEqual(try told.next().insertions.map(\.place), [5])
      try store.delete(Item.self, 9)
      try expectEqual(try told.next().deletions.map(\.place), [5])
      try store.update(Item.self, 1) { $0.score = 50 }
      try expectEqual(try told.next().moves.map { [$0.from, $0.to] }, [[0, 4]])
      try store.update(Item.self, 1) { $0.score = 95 }
      try expectEqual(try told.next().deletions.map(\.object.id), [1])
      token.cancel()
    },
    ConformanceCase(
      "OBS.key-paths-none", ["OBS-8", "OBS-13"],
      "A sequence of observed properties gives only changes of these properties."
    ) { kit in
      let store = try kit.store(Item.self)
      try fill(store)
      let changes = Pulled(store.changes(of: Item.all, keyPaths: \.note))
      try expectEqual(try changes.next()?.objects.count, 5)
      for round in 0..<10 { try store.update(Item.self, 1) { $0.score = Double(round) + 20 } }
      try store.update(Item.self, 2) { $0.note = "n" }
      try expectEqual(try changes.next()?.updates.map(\.properties), [["note"]])
    },
  ]
}
