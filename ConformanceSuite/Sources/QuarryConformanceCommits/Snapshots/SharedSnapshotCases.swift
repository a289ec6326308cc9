import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Cursors of one snapshot, side by side and on several threads.
enum SharedSnapshotCases {
  private static let note = String(repeating: "n", count: 300)

  private static func store(_ kit: ConformanceContext) throws -> Store {
    let store = try kit.store(Item.self)
    try store.insert(contentsOf: (0..<400).map { Item($0, rank: $0 % 7, name: "n\($0)", note: note, tags: ["\($0)"]) })
    return store
  }

  static let all: [ConformanceCase] = [
    ConformanceCase(
      "SNAP.two-cursors", ["SNAP-1", "ISO-2"], "Cursors of one query in one snapshot go on apart, one step each.",
      without: ConformanceVariant.ofWriter
    ) { kit in
      let store = try store(kit)
      let frozen = try store.freeze()
      defer { frozen.close() }
      let query = Item.where { $0.rank != 3 }
      let expected = (0..<400).filter { $0 % 7 != 3 }
      try frozen.read { first in
        let left = try first.cursor(query)
        // A read of its own: on another thread, because one inside a read joins it.
        try onAnotherThread {
          try frozen.read { second in
            let right = try second.cursor(query)
            var seen: [Int] = []
            while let item = try right.next() {
              seen.append(item.id)
              if seen.count % 90 == 0 {
                try expectEqual(try second.get(Item.self, item.id)?.note, note)
                try expectEqual(try second.count(query), expected.count)
              }
            }
            try expectEqual(seen, expected, "the second")
          }
        }
        var seen: [Int] = []
        while let item = try left.next() {
          seen.append(item.id)
          if seen.count % 70 == 0 { try store.read { _ = try $0.count(query) } }
        }
        try expectEqual(seen, expected, "the first")
      }
    },
    ConformanceCase(
      "SNAP.threads-cursors", ["SNAP-1", "ISO-2"],
      "Threads walk through one snapshot by cursors of the same queries, and each sees all of its rows whole.",
      without: ConformanceVariant.ofWriter, within: .seconds(60)
    ) { kit in
      let store = try store(kit)
      let frozen = try store.freeze()
      defer { frozen.close() }
      try onThreads(4) { thread in
        for round in 0..<6 {
          try frozen.read { tx in
            let cursor = try tx.cursor(Item.where { $0.rank != 3 }.sorted(by: \.id, order: .reverse))
            var count = 0
            var last = Int.max
            while let item = try cursor.next() {
              try expect(
                item.id < last && item.name == "n\(item.id)" && item.note == note && item.tags == ["\(item.id)"],
                "thread \(thread), round \(round): \(item)")
              last = item.id
              count += 1
              guard count % 50 == thread else { continue }
              try expectEqual(try tx.get(Item.self, 399 - item.id)?.name, "n\(399 - item.id)")
              // Left behind unfinished.
              let other = try tx.cursor(Item.where { $0.rank != 3 }.sorted(by: \.id, order: .reverse))
              try expectEqual(try other.next()?.id, 399)
              if count % 100 == thread { other.close() }
            }
            try expectEqual(count, (0..<400).filter { $0 % 7 != 3 }.count)
          }
        }
        // Short ones, which begin and end while those of other threads do.
        try frozen.read { tx in
          for round in 0..<150 {
            let id = (round * 31 + thread * 97) % 400
            let found = try tx.fetch(Item.where { $0.id >= id }.limit(2))
            try expectEqual(found.map(\.name), id == 399 ? ["n399"] : ["n\(id)", "n\(id + 1)"])
            try expectEqual(try tx.fetch(Item.where { $0.tags.contains("\(id)") }.limit(1)).map(\.id), [id])
          }
        }
      }
    },
  ]
}
