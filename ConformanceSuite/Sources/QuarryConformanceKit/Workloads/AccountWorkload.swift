import QuarryBackend
package import QuarryCore

/// Money that moves between accounts, in several processes at once: its sum never changes.
package enum AccountWorkload {
  package static let models: [any Model.Type] = [Counter.self]
  private static let accounts = 8
  private static let amount = 1_000
  /// The key of the number of transfers.
  private static let transfers = 100

  package static func prepare(_ store: Store) throws {
    try store.insert(contentsOf: (1...accounts).map { Counter($0, amount) } + [Counter(transfers, 0)])
  }

  /// Moves random amounts, and counts each transfer.
  package static func transfer(_ store: Store, _ count: Int, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<count {
      let pair = [Int.random(in: 1...accounts, using: &random), Int.random(in: 1...accounts, using: &random)]
      let moved = Int.random(in: 0..<20, using: &random)
      try store.write(timeout: 60) { tx in
        try tx.update(Counter.self, pair[0]) { $0.value -= moved }
        try tx.update(Counter.self, pair[1]) { $0.value += moved }
        try tx.update(Counter.self, transfers) { $0.value += 1 }
      }
    }
  }

  /// The number of transfers.
  ///
  /// - Throws: A failure when the sum is not what it was at first.
  package static func verify(_ store: some ReadableStore) throws -> Int {
    try store.read { tx in
      let query = Counter.where { $0.id <= accounts }
      let (sum, list) = (try tx.sum(query, of: \.value), try tx.fetch(query))
      try expectEqual(sum, accounts * amount, "the sum of all accounts")
      try expectEqual(list.reduce(0) { $0 + $1.value }, accounts * amount, "all accounts added up")
      return try tx.get(Counter.self, transfers)?.value ?? -1
    }
  }

  /// Looks so many times, and that the number of transfers never goes back.
  package static func audit(_ store: some ReadableStore, _ count: Int) throws {
    var last = 0
    for _ in 0..<count {
      let transfers = try verify(store)
      try expect(transfers >= last, "\(transfers) transfers were seen after \(last)")
      last = transfers
    }
  }
}
