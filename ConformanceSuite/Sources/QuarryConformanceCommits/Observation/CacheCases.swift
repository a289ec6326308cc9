import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Results that are kept.
enum CacheCases {
  static let all: [ConformanceCase] = [
    ConformanceCase("OBS.cached", ["OBS-16"], "A cached result is returned until a commit changes the model.") { kit in
      let store = try kit.store(Item.self, Plain.self)
      try ObservationCases.fill(store)
      let query = Item.where { $0.rank != 0 }.sorted(by: \.score, order: .reverse)
      func expectSame(_ about: String) throws {
        for _ in 0..<3 {
          try expectEqual(try store.cached(query, for: .seconds(600)), try store.fetch(query), about)
        }
      }
      try expectSame("at first")
      try expect(store.cachedBytes > 0, "nothing is kept")
      try store.insert(Plain(1, name: "other"))
      try expectSame("after a commit of another model")
      try store.insert(Item(9, rank: 2, score: 2.5))
      try expectSame("after an insert")
      try store.update(Item.self, 9) { $0.score = 99 }
      try expectSame("after an update")
      try store.assign(Item.all) { $0.name = "n" }
      try expectSame("after an assignment")
      try store.delete(Item.self, 9)
      try expectSame("after a delete")
      try store.write { tx in
        try tx.insert(Plain(2))
        try tx.delete(Item.all)
      }
      try expectSame("after a transaction of several models")
    },
    ConformanceCase("OBS.cached-kept", ["OBS-16"], "A cached result stays while others write to other models.") { kit in
      let store = try kit.store(Item.self, Plain.self)
      try ObservationCases.fill(store)
      _ = try store.cached(Item.all, for: .seconds(600))
      let bytes = store.cachedBytes
      for id in 0..<20 {
        try store.insert(Plain(id))
        try expectEqual(try store.cached(Item.all, for: .seconds(600)).count, 5)
      }
      try expectEqual(store.cachedBytes, bytes)
      store.clearCache()
      try expectEqual(store.cachedBytes, 0)
      try expectEqual(try store.cached(Item.all, for: .seconds(600)).count, 5)
    },
    ConformanceCase("OBS.cached-time", ["OBS-16"], "A cached result is not returned when its time is over.") { kit in
      let store = try kit.store(Item.self)
      try ObservationCases.fill(store)
      for time in [Duration.zero, .seconds(-5), .milliseconds(1)] {
        try expectEqual(try store.cached(Item.all, for: time).count, 5)
        usleep(3_000)
        try expectEqual(try store.cached(Item.all, for: time).count, 5)
      }
    },
    ConformanceCase(
      "OBS.cached-inside", ["OBS-16"], "Inside a transaction, a cached fetch is a fetch of that transaction."
    ) { kit in
      let store = try kit.store(Item.self)
      try ObservationCases.fill(store)
      _ = try store.cached(Item.all, for: .seconds(600))
      try store.write { tx in
        try tx.delete(Item.self, 1)
        try expectEqual(try store.cached(Item.all, for: .seconds(600)).map(\.id), [2, 3, 4, 5])
      }
      try expectEqual(try store.cached(Item.all, for: .seconds(600)).map(\.id), [2, 3, 4, 5])
      try expectAbandoned {
        try store.write { tx in
          try tx.delete(Item.all)
          _ = try store.cached(Item.all, for: .seconds(600))
          throw Abandoned()
        }
      }
      try expectEqual(try store.cached(Item.all, for: .seconds(600)).map(\.id), [2, 3, 4, 5])
    },
    ConformanceCase("OBS.cached-many", ["OBS-16"], "Different queries, types and limits are kept apart.") { kit in
      let store = try kit.store(Item.self, Plain.self)
      try ObservationCases.fill(store)
      try store.insert(contentsOf: [Plain(1), Plain(2)])
      for _ in 0..<3 {
        try expectEqual(try store.cached(Item.all, for: .seconds(600)).count, 5)
        try expectEqual(try store.cached(Item.all.limit(2), for: .seconds(600)).count, 2)
        try expectEqual(try store.cached(Item.all.limit(2).offset(1), for: .seconds(600)).map(\.id), [2, 3])
        try expectEqual(try store.cached(Item.where { $0.score > 3.5 }, for: .seconds(600)).map(\.id), [4, 5])
        try expectEqual(try store.cached(Item.where { $0.score > 4.5 }, for: .seconds(600)).map(\.id), [5])
        try expectEqual(try store.cached(Plain.all, for: .seconds(600)).count, 2)
      }
      store.clearCache(of: Item.self)
      try expect(store.cachedBytes > 0)
      store.clearCache(of: Plain.self)
      try expectEqual(store.cachedBytes, 0)
    },
    ConformanceCase("OBS.cached-limit", ["OBS-16"], "Cached results take no more bytes than their bound.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: (0..<50).map { Item($0, name: String(repeating: "x", count: 1_000)) })
      try expectEqual(store.cacheLimit, 16 << 20)
      store.cacheLimit = 12_000
      for round in 0..<40 {
        let found = try store.cached(Item.where { $0.id == round % 20 }, for: .seconds(600))
        try expectEqual(found.map(\.id), [round % 20])
        try expect(store.cachedBytes <= 12_000, "\(store.cachedBytes) bytes are kept")
      }
      try expect(store.cachedBytes > 8_000, "\(store.cachedBytes) bytes are kept")
      // What is larger than all that may be kept is not.
      try expectEqual(try store.cached(Item.all, for: .seconds(600)).count, 50)
      try expect(store.cachedBytes <= 12_000, "\(store.cachedBytes) bytes are kept")
      store.cacheLimit = 0
      try expectEqual(store.cachedBytes, 0)
      try expectEqual(try store.cached(Item.where { $0.id == 1 }, for: .seconds(600)).count, 1)
    },
    ConformanceCase(
      "OBS.cached-writers", ["OBS-16"],
      "A cached result that is read beside writers is never older than a commit that has returned.",
      within: .seconds(60)
    ) {
      kit in
      let store = try kit.store(Item.self, Plain.self)
      try store.insert(Item(0))
      try onThreads(3) { thread in
        for round in 0..<150 {
          if thread == 0 {
            // What was committed before the call is in what it gives.
            try store.update(Item.self, 0) { $0.score = Double(round) }
            let found = try store.cached(Item.all, for: .seconds(600))
            try expectEqual(found.first?.score, Double(round))
          } else if thread == 1 {
            try store.upsert(Plain(round % 7))
          } else {
            let before = try store.fetch(Item.all).first?.score ?? -1
            let found = try store.cached(Item.all, for: .seconds(600)).first?.score ?? -1
            try expect(found >= before, "\(found) was given after \(before)")
          }
        }
      }
    },
    ConformanceCase(
      "OBS.cached-refused", ["OBS-16", "OBS-13"], "A query that cannot be read is an error, as in a fetch."
    ) { kit in
      let store = try kit.store(Item.self)
      for _ in 0..<2 {
        try expectError(.invalidQuery) { try store.cached(Item.all.limit(-1), for: .seconds(600)) }
        try expectError(.unsupported) { try store.cached(Item.all.sorted(by: \.tags), for: .seconds(600)) }
      }
      try expectEqual(store.cachedBytes, 0)
      try store.insert(Item(1))
    },
  ]
}
