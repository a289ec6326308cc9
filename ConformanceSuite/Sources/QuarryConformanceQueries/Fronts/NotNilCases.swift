import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// "It is not nil" beside other conditions, which may or may not say so themselves.
enum NotNilCases {
  private static let items: [Item] = (0..<12).map { id in
    Item(
      id, rank: id % 3 == 0 ? nil : id % 5, name: "n\(id % 4)", score: Double(id) / 2,
      note: id % 2 == 0 ? nil : "x\(id % 3)")
  }

  static let all: [ConformanceCase] = [
    ConformanceCase(
      "FRONT.not-nil-beside", ["PRED-1", "PRED-2", "PRED-11"],
      "What is said not to be nil is not nil, whatever else is said of it, of other properties and of constants."
    ) { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: items)
      let (low, high, text) = (1.5, 2, "x1")
      let queries: [(Query<Item>, (Item) -> Bool)] = [
        (try Item.where(#Predicate { $0.rank != nil && low < $0.score }), { $0.rank != nil && low < $0.score }),
        (try Item.where(#Predicate { low < $0.score && $0.rank != nil }), { $0.rank != nil && low < $0.score }),
        (try Item.where(#Predicate { $0.rank != nil && $0.score > low }), { $0.rank != nil && $0.score > low }),
        (try Item.where(#Predicate { $0.rank != nil && low != $0.score }), { $0.rank != nil && low != $0.score }),
        (try Item.where(#Predicate { nil != $0.rank && $0.rank != high }), { $0.rank != nil && $0.rank != high }),
        (try Item.where(#Predicate { $0.rank != nil && $0.rank == high }), { $0.rank == high }),
        (try Item.where(#Predicate { $0.rank != nil && $0.note == text }), { $0.rank != nil && $0.note == text }),
        (try Item.where(#Predicate { $0.rank != nil && $0.note == nil }), { $0.rank != nil && $0.note == nil }),
        (try Item.where(#Predicate { $0.rank != nil && $0.note != nil }), { $0.rank != nil && $0.note != nil }),
        (
          try Item.where(#Predicate { $0.rank != nil && ($0.score < low || $0.note == text) }),
          { $0.rank != nil && ($0.score < low || $0.note == text) }
        ),
        (
          try Item.where(#Predicate { $0.rank != nil && !($0.rank == high) }), { $0.rank != nil && $0.rank != high }
        ),
        (Item.where { $0.rank != nil && $0.score > low }, { $0.rank != nil && $0.score > low }),
        (Item.where { $0.rank != nil && $0.rank != high }, { $0.rank != nil && $0.rank != high }),
        (try Item.where("rank != nil AND 1.5 < score"), { $0.rank != nil && low < $0.score }),
        (try Item.where("1.5 < score AND rank != nil"), { $0.rank != nil && low < $0.score }),
        (try Item.where("rank != nil AND NOT rank == 2"), { $0.rank != nil && $0.rank != high }),
      ]
      for (place, (query, expected)) in queries.enumerated() {
        let keys = items.filter(expected).map(\.id)
        try expect(!keys.isEmpty && keys.count < items.count, "query \(place) tells nothing")
        try expectEqual(try store.keys(query), keys, "query \(place): \(query.tree)")
      }
    }
  ]
}
