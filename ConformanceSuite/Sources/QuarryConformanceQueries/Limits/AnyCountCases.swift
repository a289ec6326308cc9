import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Counts, sizes and durations of calls of any value: each means what its call says of it, and none ends the process.
enum AnyCountCases: LinkScene {
  /// Rolls a write back.
  private struct Undone: Error {}

  private static let counts = [Int.min, Int.min + 1, -1, 0, 1, 7, 8, 9, Int(Int32.max) + 1, Int.max - 1, Int.max]

  private static func items(_ kit: ConformanceContext) throws -> Store {
    let store = try kit.store(Item.self)
    try store.write { try $0.insert(contentsOf: (0..<8).map { Item($0, rank: $0 % 3, name: "n\($0)") }) }
    return store
  }

  private static let durations: [Duration] = [
    .zero, .seconds(-1), .nanoseconds(1), .seconds(1_000_000_000), .seconds(Int64.max), .seconds(Int64.min),
    .seconds(Int64.max) + .milliseconds(999), .seconds(1e18),
  ]

  /// Keeps the objects for a duration, with limits of every size.
  ///
  /// - Returns: The objects.
  private static func keep(_ store: Store, for duration: Duration) throws -> [Item] {
    let due = try store.fetch(Item.all)
    for limit in counts {
      store.cacheLimit = limit
      for _ in 0..<2 { try expectEqual(try store.cached(Item.all, for: duration), due, "\(duration), \(limit)") }
      try expect(store.cacheLimit >= 0 && store.cachedBytes >= 0, "\(duration), \(limit)")
    }
    return due
  }

  /// Reads all objects in pages of every size.
  ///
  /// - Returns: The objects.
  private static func pages(_ store: Store) throws -> [Item] {
    let due = try store.fetch(Item.all)
    for size in counts {
      guard size > 0 else {
        try expectError(.invalidQuery) { try store.page(Item.all, size: size) }
        continue
      }
      var seen: [Item] = []
      var page = try store.page(Item.all, size: size)
      seen += page.elements
      while let next = page.next {
        page = try store.page(Item.all.after(next), size: size)
        seen += page.elements
      }
      try expectEqual(seen, due, "pages of \(size)")
    }
    return due
  }

  static let all: [ConformanceCase] = [
    ConformanceCase("LIM.any-limit", ["LIM-20", "PAGE-1"], "Limits and offsets of any value, alone and together.") {
      kit in
      let store = try items(kit)
      for query in [Item.all, Item.where { $0.rank != 7 }, Item.all.sorted(by: \.rank), Item.all.sorted(by: \.score)] {
        let whole = try store.fetch(query)
        for limit in counts.map({ Int?($0) }) + [nil] {
          for offset in counts {
            let part = query.limit(limit).offset(offset)
            guard offset >= 0, limit ?? 0 >= 0 else {
              try expectError(.invalidQuery) { try store.fetch(part) }
              try expectError(.invalidQuery) { try store.count(part) }
              continue
            }
            let due = Array(whole.dropFirst(offset).prefix(limit ?? .max))
            let about = "limit \(limit.map { "\($0)" } ?? "none"), offset \(offset)"
            try expectEqual(try store.fetch(part), due, about)
            try expectEqual(try store.count(part), due.count, about)
            try expectEqual(try store.first(part), due.first, about)
            try expectEqual(try store.keys(part), due.map(\.id), about)
          }
        }
      }
    },
    ConformanceCase(
      "LIM.any-limit-written", ["LIM-20"], "Updates and deletions of queries take limits and offsets of any value.",
      needs: [.updateWhere, .deleteWhere]
    ) { kit in
      let store = try items(kit)
      for limit in counts where limit >= 0 {
        for offset in counts where offset >= 0 {
          let part = Item.all.sorted(by: \.rank).limit(limit).offset(offset)
          let due = max(0, min(8 - min(offset, 8), limit))
          try expectEqual(try store.assign(part) { $0.note = "x" }, due, "limit \(limit), offset \(offset)")
          var deleted = -1
          do {
            try store.write { tx in
              deleted = try tx.delete(part)
              throw Undone()
            }
          } catch is Undone {}
          try expectEqual(deleted, due, "limit \(limit), offset \(offset)")
          try expectEqual(try store.count(Item.all), 8)
        }
      }
    },
    ConformanceCase("LIM.any-batch", ["LIM-20", "PAGE-2"], "Pages and streams of any size give every object once.") {
      kit in
      let store = try items(kit)
      let due = try pages(store)
      for size in counts {
        for (limit, offset) in [(nil, 0), (Int.max, 0), (3, 2), (Int.max, 5), (5, Int.max)] as [(Int?, Int)] {
          var seen: [Item] = []
          for try await item in store.stream(Item.all.limit(limit).offset(offset), batchSize: size) {
            seen.append(item)
          }
          try expectEqual(
            seen, Array(due.dropFirst(offset).prefix(limit ?? .max)), "batches of \(size), offset \(offset)")
        }
      }
    },
    ConformanceCase("LIM.any-duration", ["LIM-20", "OBS-16"], "Results are kept for a duration of any value.") { kit in
      let store = try items(kit)
      for duration in durations {
        let due = try keep(store, for: duration)
        let kept = try await store.cached(Item.all, for: duration)
        try expectEqual(kept, due, "\(duration)")
        store.clearCache()
      }
    },
    ConformanceCase(
      "LIM.any-retry", ["LIM-20"],
      "Writes that may be done again any number of times are done once where nothing fails."
    ) { kit in
      let store = try items(kit)
      for retry in counts {
        var runs = 0
        try store.write(retry: retry) { tx in
          runs += 1
          try tx.upsert(Item(1, note: "\(retry)"))
        }
        try expectEqual(runs, 1, "\(retry)")
        try expectEqual(try store.get(Item.self, 1)?.note, "\(retry)")
      }
    },
    ConformanceCase(
      "LIM.any-difference", ["LIM-20"], "The differences of two stores are listed up to a count of any value."
    ) { kit in
      let (first, second) = (try items(kit), try kit.store(Item.self))
      for limit in counts {
        try expectEqual(try first.differences(from: second, limit: limit).count, max(0, min(limit, 8)), "\(limit)")
      }
    },
    ConformanceCase(
      "LIM.any-progress", ["LIM-20"], "A progress that was counted to its end by its owner ends no write.",
      without: [.replayed]
    ) { kit in
      let store = try kit.store(Item.self)
      for (number, completed) in [0, Int64.max, Int64.max - 3, Int64.min, -1].enumerated() {
        let progress = Progress(totalUnitCount: 100)
        progress.completedUnitCount = completed
        let first = number * 100
        try store.write { try $0.insert(contentsOf: (first..<first + 100).map { Item($0) }, progress: progress) }
        try expectEqual(try store.count(Item.all), first + 100, "\(completed)")
      }
    },
    links("any-place", ["LIM-20", "REL-15"], "Places of a list of any value are places, or invalidValue.") {
      store in
      try fill(store, [1: "abc"])
      let songs = Album(1).songs
      for place in [Int.min, Int.min + 1, -1, 4, 1 << 40, Int.max - 1, Int.max] {
        try expectError(.invalidValue, "\(place)") {
          try store.write { try songs.insert(song("d"), at: place, in: $0) }
        }
        try expectError(.invalidValue, "\(place)") { try store.write { try songs.remove(at: place, in: $0) } }
        for (from, to) in [(place, 0), (0, place), (place, place)] {
          try expectError(.invalidValue, "\(from) to \(to)") {
            try store.write { try songs.move(from: from, to: to, in: $0) }
          }
        }
      }
      try expectList(store, songs, "abc")
    },
  ]
}
