import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// What deletions and changes of each kind leave behind, and how small a compacted store is.
enum CompactedSizeCases {
  /// Brings a store from its first items to others.
  private struct Way {
    let name: String
    let summary: String
    let needs: Set<Capability>
    let change: @Sendable (Store, [Item]) throws -> [Item]

    init(
      _ name: String, _ summary: String, needs: Set<Capability> = [],
      _ change: @escaping @Sendable (Store, [Item]) throws -> [Item]
    ) {
      self.name = name
      self.summary = summary
      self.needs = needs
      self.change = change
    }
  }

  static let all: [ConformanceCase] =
    ways.map(sized) + [droppedModel, droppedIndexedModel, droppedIndex, longKeys, freed, encrypted]

  private static func items(_ count: Int, _ kit: ConformanceContext) -> [Item] {
    var random = kit.random(12)
    return (0..<count).map { id in
      Item(
        id, code: "\(id)", rank: id % 7, name: (0..<8).map { _ in String(random.next(), radix: 36) }.joined(),
        score: Double(id), tags: ["t\(id % 3)"])
    }
  }

  /// Compares with a store that never had anything else.
  private static func sized(_ way: Way) -> ConformanceCase {
    ConformanceCase(
      "CARE.compact-\(way.name)", ["CARE-4"], way.summary, needs: way.needs.union([.compact, .check]),
      without: [.insideTransaction], within: .seconds(60)
    ) { kit in
      let store = try kit.store(Item.self)
      let first = items(2_000, kit)
      try store.insert(contentsOf: first)
      let left = try way.change(store, first)
      let version = try store.read { try $0.version }
      try store.compact()
      try expect(try store.read { try $0.version } >= version, "the version went back")
      try expectSame(store, left)
      let fresh = try kit.store(Item.self)
      try fresh.insert(contentsOf: left)
      try fresh.compact()
      try expectSmall(store, beside: fresh)
    }
  }

  /// Throws unless the store has these items, in its rows and in each of its indexes.
  private static func expectSame(_ store: Store, _ items: [Item]) throws {
    try expectEqual(try store.fetch(Item.all), items)
    try expectEqual(try store.check(), [])
    try expectEqual(try store.fetch(Item.where { $0.rank == 2 }), items.filter { $0.rank == 2 })
    for item in items.prefix(3) {
      try expectEqual(try store.keys(Item.where { $0.code == item.code }), [item.id])
      try expectError(.uniqueViolation) { try store.insert(Item(100_000, code: item.code)) }
    }
    let names = items.map(\.name).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    try expectEqual(try store.fetch(Item.all.sorted(by: \.name)).map(\.name), names)
  }

  private static func expectSmall(_ store: Store, beside fresh: Store) throws {
    guard let bytes = try store.statistics().bytes, let least = try fresh.statistics().bytes else { return }
    try expect(Double(bytes) <= 1.2 * Double(least), "\(bytes) bytes, and a fresh store takes \(least)")
  }

  private static let ways: [Way] = [
    Way("scattered", "Nine of each ten objects went, and their space goes back all the same.", needs: [.deleteWhere]) {
      store, items in
      try store.delete(Item.where { $0.rank != 3 })
      try store.delete(Item.self, keys: items.lazy.map(\.id).filter { $0 % 2 == 0 })
      return items.filter { $0.rank == 3 && $0.id % 2 != 0 }
    },
    Way("first-deleted", "The first nine tenths went in one statement.", needs: [.deleteWhere]) { store, items in
      try store.delete(Item.where { $0.id < 1_800 })
      return Array(items[1_800...])
    },
    Way("keys-deleted", "Nine of ten objects went by their keys.") { store, items in
      try store.delete(Item.self, keys: items.lazy.map(\.id).filter { $0 % 10 != 4 })
      return items.filter { $0.id % 10 == 4 }
    },
    Way("deleted-in-parts", "Objects went in many transactions.") { store, items in
      for start in stride(from: 0, to: 1_800, by: 60) {
        try store.write { tx in for id in start..<start + 60 { try tx.delete(Item.self, id) } }
      }
      return Array(items[1_800...])
    },
    Way("all-deleted", "All objects went, and a few came.") { store, items in
      try store.delete(Item.all)
      try store.insert(contentsOf: items.prefix(40))
      return Array(items.prefix(40))
    },
    Way("emptied", "All objects went.") { store, _ in
      try store.delete(Item.all)
      return []
    },
    Way("shortened", "Long values became short ones.", needs: [.updateWhere]) { store, items in
      let long = String(repeating: "x", count: 700)
      try store.assign(Item.all) { $0.note = long }
      try store.assign(Item.all) { $0.note = nil }
      return items
    },
    Way("large-values", "Values of many pages went.") { store, items in
      let note = String(repeating: "y", count: 60_000)
      try store.insert(contentsOf: (10_000..<10_040).map { Item($0, note: note) })
      try store.delete(Item.self, keys: 10_000..<10_039)
      return items + [Item(10_039, note: note)]
    },
    Way("upserted", "Objects were replaced many times.", needs: [.upsert]) { store, items in
      for round in 0..<3 {
        try store.upsert(
          contentsOf: items.lazy.map { item in
            var changed = item
            changed.name += String(repeating: "z", count: 40 * round)
            return changed
          })
      }
      try store.upsert(contentsOf: items)
      return items
    },
    Way("shuffled", "Objects came and went in another order than that of their keys.") { store, items in
      try store.delete(Item.all)
      for part in stride(from: 0, to: 2_000, by: 250) {
        try store.insert(contentsOf: items[part..<part + 250].sorted { $0.id * 97 % 251 < $1.id * 97 % 251 })
        try store.delete(Item.self, keys: items[part..<part + 250].lazy.map(\.id).filter { $0 % 4 != 0 })
      }
      return items.filter { $0.id % 4 == 0 }
    },
    Way("rolled-back", "What was rolled back leaves no room behind.") { store, items in
      struct Undone: Error {}
      try expectThrows(Undone.self) {
        try store.write { tx in
          try tx.insert(contentsOf: (10_000..<11_500).map { Item($0, name: String(repeating: "r", count: 300)) })
          throw Undone()
        }
      }
      return items
    },
    Way("between-changes", "Compactions between deletions and insertions give the space of each back.") {
      store, items in
      for part in 0..<4 {
        try store.delete(Item.self, keys: part * 400..<(part + 1) * 400)
        try store.compact()
        try store.insert(contentsOf: (0..<50).map { Item(20_000 + part * 50 + $0) })
        try store.compact()
      }
      return Array(items[1_600...]) + (0..<200).map { Item(20_000 + $0) }
    },
  ]

  // MARK: Changes of the schema

  private static let title = ModelSchema.migrating("Title", .string("name"))
  private static let titles = (0..<1_200).map {
    Record(["id": .int(Int64($0)), "name": .string(String(repeating: "n", count: 90) + "\($0)")])
  }

  private static let droppedModel = ConformanceCase(
    "CARE.compact-dropped-model", ["CARE-4", "MIG-3"], "The space of a model that was dropped goes back.",
    needs: [.compact, .check, .schemaDropModel], requiresPersistence: true, within: .seconds(30)
  ) { kit in
    let other = ModelSchema.migrating("Other", .int("number"))
    let place = try kit.makePlace()
    let store = try kit.open(program: [title, other], at: place)
    try store.write { tx in
      try tx.records.insert(into: "Title", titles)
      try tx.records.insert(into: "Other", [Record(["id": .int(1), "number": .int(2)])])
    }
    try store.close()
    let second = try kit.open(program: [other], at: place, migration: .dropping("Title"))
    try second.compact()
    let rows = try second.read { try $0.records.fetch(QueryTree(model: "Other")) }
    try expectEqual(rows, [Record(["id": .int(1), "number": .int(2)])])
    try expectEqual(try second.check(), [])
    let fresh = try kit.open(program: [other], at: kit.makePlace())
    try fresh.write { try $0.records.insert(into: "Other", rows) }
    try fresh.compact()
    guard let bytes = try second.statistics().bytes, let least = try fresh.statistics().bytes else { return }
    // The records of an empty store are a page or two, which 1.2 times of it are not.
    try expect(bytes <= least + 1 << 14, "\(bytes) bytes, and a fresh store takes \(least)")
  }

  private static let droppedIndexedModel = ConformanceCase(
    "CARE.compact-dropped-indexed-model", ["CARE-4", "MIG-3"],
    "The space of a model that was dropped goes back with that of its indexes.",
    needs: [.compact, .check, .schemaDropModel], requiresPersistence: true, within: .seconds(30)
  ) { kit in
    var indexed = title
    indexed.indexes = [
      IndexSchema(name: "name", columns: [.init(slot: 1)]),
      IndexSchema(name: "again", columns: [.init(slot: 1, isDescending: true), .init(slot: 0)]),
    ]
    let other = ModelSchema.migrating("Other", .int("number"))
    let place = try kit.makePlace()
    let store = try kit.open(program: [indexed, other], at: place)
    try store.write { try $0.records.insert(into: "Title", titles) }
    try store.close()
    let second = try kit.open(program: [other], at: place, migration: .dropping("Title"))
    try second.compact()
    try expectEqual(try second.check(), [])
    let fresh = try kit.open(program: [other], at: kit.makePlace())
    try fresh.compact()
    guard let bytes = try second.statistics().bytes, let least = try fresh.statistics().bytes else { return }
    // The records of an empty store are a page or two, which 1.2 times of it are not.
    try expect(bytes <= least + 1 << 14, "\(bytes) bytes, and a fresh store takes \(least)")
  }

  private static let droppedIndex = ConformanceCase(
    "CARE.compact-dropped-index", ["CARE-4", "SCH-5"], "The space of an index that was dropped goes back.",
    needs: [.compact, .check, .schemaCreateIndex, .schemaDropIndex], requiresPersistence: true, within: .seconds(30)
  ) { kit in
    var indexed = title
    indexed.indexes = [
      IndexSchema(name: "name", columns: [.init(slot: 1)]),
      IndexSchema(name: "again", columns: [.init(slot: 1, isDescending: true), .init(slot: 0)]),
    ]
    let place = try kit.makePlace()
    let store = try kit.open(program: [indexed], at: place)
    try store.write { try $0.records.insert(into: "Title", titles) }
    try store.compact()
    let before = try store.statistics().bytes
    try store.close()
    let second = try kit.open(program: [title], at: place)
    try second.compact()
    try expectEqual(try second.read { try $0.records.fetch(QueryTree(model: "Title")) }, titles)
    try expectEqual(try second.check(), [])
    guard let before, let bytes = try second.statistics().bytes else { return }
    try expect(bytes <= before, "\(before) bytes have become \(bytes)")
    let fresh = try kit.open(program: [title], at: kit.makePlace())
    try fresh.write { try $0.records.insert(into: "Title", titles) }
    try fresh.compact()
    try expectSmall(second, beside: fresh)
  }

  private static let longKeys = ConformanceCase(
    "CARE.compact-long-keys", ["CARE-4", "LIM-1"], "Objects with keys and indexed values of any length are compacted.",
    needs: [.compact, .check], requiresPersistence: true, within: .seconds(30)
  ) { kit in
    let word = ModelSchema.migrating(
      "Word", .string("text"), key: .string, indexes: [IndexSchema(name: "text", columns: [.init(slot: 1)])])
    let rows = (0..<60).map { number in
      Record([
        "id": .string(String(repeating: "k", count: number * 23) + "\(number)"),
        "text": .string(String(repeating: "\0", count: number * 31) + "\(number)"),
      ])
    }
    let place = try kit.makePlace()
    let store = try kit.open(program: [word], at: place)
    try store.write { try $0.records.insert(into: "Word", rows) }
    let before = try store.read { try $0.records.fetch(QueryTree(model: "Word")) }
    try store.compact()
    try expectEqual(try store.read { try $0.records.fetch(QueryTree(model: "Word")) }, before)
    try expectEqual(try store.check(), [])
    try store.close()
    let again = try kit.open(program: [word], at: place)
    for row in rows {
      var query = QueryTree(model: "Word")
      query.predicate = .compare(.property(PropertyPath("text")), .equal, .value(row["text"] ?? .null))
      try expectEqual(try again.read { try $0.records.fetch(query) }, [row])
    }
    try expectEqual(try again.check(), [])
  }

  private static let freed = ConformanceCase(
    "CARE.compact-free-bytes", ["CARE-10", "CARE-6"],
    "An engine with compaction tells its bytes and the free ones among them, of which deletion makes many.",
    needs: [.compact, .statistics], without: [.insideTransaction], within: .seconds(30)
  ) { kit in
    let store = try kit.store(Item.self)
    try store.insert(contentsOf: items(2_000, kit))
    try store.compact()
    let full = try store.statistics()
    let (bytes, free) = (try unwrap(full.bytes, "the bytes"), try unwrap(full.freeBytes, "the free bytes"))
    try expect(free >= 0 && free < bytes / 4, "\(free) of \(bytes) bytes are free in a compacted store")
    try store.delete(Item.all)
    // Some engines free pages with the transaction after.
    try store.insert(Item(1))
    let emptied = try store.statistics()
    let (total, left) = (try unwrap(emptied.bytes, "the bytes"), try unwrap(emptied.freeBytes, "the free bytes"))
    try expect(left > total / 3, "\(left) of \(total) bytes are free in a store that was emptied")
    try expect(left <= total, "\(left) of \(total) bytes are free")
    try store.compact()
    let after = try store.statistics()
    try expect(try unwrap(after.bytes, "the bytes") < bytes / 2, "\(bytes) bytes, after all went \(after.bytes ?? 0)")
  }
  // MARK: Encryption

  private static let encrypted = ConformanceCase(
    "CARE.compact-encrypted", ["CARE-4", "ENC-1"],
    "After nine of ten objects went, a compacted encrypted store is about as small as a fresh one.",
    needs: [.compact, .check, .openEncryption], requiresPersistence: true, without: ConformanceVariant.allButFresh,
    within: .seconds(60)
  ) { kit in
    let items = items(2_000, kit)
    let left = items.filter { $0.id % 10 == 4 }
    let store = try SealedScene(kit).open()
    try store.insert(contentsOf: items)
    try store.delete(Item.self, keys: items.lazy.map(\.id).filter { $0 % 10 != 4 })
    try store.compact()
    try expectSame(store, left)
    let fresh = try SealedScene(kit).open()
    try fresh.insert(contentsOf: left)
    try fresh.compact()
    try expectSmall(store, beside: fresh)
  }
}
