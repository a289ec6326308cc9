import QuarryBackend
public import QuarryCore

/// Money that moves between accounts, in several processes at once: its sum never changes.
public enum AccountWorkload {
  public static let models: [any Model.Type] = [Counter.self]
  private static let accounts = 8
  private static let amount = 1_000
  /// The key of the number of transfers.
  private static let transfers = 100

  public static func prepare(_ store: Store) throws {
    try store.insert(contentsOf: (1...accounts).map { Counter($0, amount) } + [Counter(transfers, 0)])
  }

  /// Moves an amount, and counts.
  static func transfer(_ store: Store, from: Int, to: Int, _ amount: Int) throws {
    let (from, to) = (from % accounts + 1, to % accounts + 1)
    try store.write(timeout: 60) { tx in
      try tx.update(Counter.self, from) { $0.value -= amount }
      try tx.update(Counter.self, to) { $0.value += amount }
      try tx.update(Counter.self, transfers) { $0.value += 1 }
    }
  }

  /// The number of transfers.
  ///
  /// - Throws: ``BatchWorkload/Damage`` when the sum is not what it was at first.
  public static func verify(_ store: some Reading) throws -> Int {
    try store.read { tx in
      let query = Counter.where { $0.id <= accounts }
      let (sum, list) = (try tx.sum(query, of: \.value), try tx.fetch(query))
      let added = list.reduce(0) { $0 + $1.value }
      guard sum == accounts * amount, added == accounts * amount else {
        throw BatchWorkload.Damage(description: "the sum is \(sum ?? 0), added up \(added)")
      }
      return try tx.get(Counter.self, transfers)?.value ?? -1
    }
  }
}
