import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// A frozen store between two writes that conflict with nothing but what it sees (Fekete, O'Neil and O'Neil, "A read-only
/// transaction anomaly under snapshot isolation", SIGMOD 2004).
extension ConflictCases {
  static let frozen: [ConformanceCase] = [
    script("frozen-before-write", "A frozen store that sees only the later of two commits makes the earlier conflict.")
    {
      store in
      // The write has to come before the commit that it has not seen, and after the frozen store that has seen it.
      let first = try ScriptedTransaction.write(store)
      try expectEqual(try rank(first, 1), 10)
      try expectEqual(try rank(first, 2), 20)
      try store.update(Item.self, 2) { $0.rank = 21 }
      let frozen = try store.freeze()
      defer { frozen.close() }
      try expectEqual(try frozen.fetch(Item.all.sorted(by: \.id)).map(\.rank), [10, 21])
      try expectConflict(first, set(1, 11))
      try expectEqual(try frozen.fetch(Item.all.sorted(by: \.id)).map(\.rank), [10, 21])
    },
    script("frozen-after-write", "It makes it conflict also if it was frozen after the write, before the commit.") {
      store in
      let first = try ScriptedTransaction.write(store)
      try expectEqual(try rank(first, 2), 20)
      try first.write(set(1, 11))
      try store.update(Item.self, 2) { $0.rank = 21 }
      let frozen = try store.freeze()
      defer { frozen.close() }
      try expectEqual(try frozen.fetch(Item.all.sorted(by: \.id)).map(\.rank), [10, 21])
      try expectConflict(first) { _ in }
    },
  ].map { $0.only(.many) }
}
