import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// What is declared as a limit holds on both sides of it; what is not declared goes far.
enum LimitCases {
  private static let keyed = ModelSchema(
    name: "Keyed",
    properties: [PropertySchema(name: "key", type: .string), PropertySchema(name: "text", type: .string)],
    primaryKey: 0)

  private static func row(_ key: String, _ text: String = "") -> Record {
    Record(["key": .string(key), "text": .string(text)])
  }

  private static func wide(_ count: Int) -> ModelSchema {
    ModelSchema(
      name: "Wide",
      properties: [PropertySchema(name: "id", type: .int64)]
        + (1..<count).map { PropertySchema(name: "p\($0)", type: .int64, isOptional: true) }, primaryKey: 0)
  }

  static let all: [ConformanceCase] = [
    ConformanceCase("LIM.key-bytes", ["LIM-1"], "A key at the declared limit works, a longer one is limitExceeded.") {
      kit in
      let store = try kit.store(making: [keyed])
      func insert(_ count: Int) throws {
        try store.write { try $0.records.insert(into: "Keyed", [row(String(repeating: "k", count: count))]) }
      }
      guard let limit = kit.manifest.limits.keyBytes else {
        try insert(100_000)
        return try expectEqual(try store.read { try $0.records.fetch(in: "Keyed").count }, 1)
      }
      try expect(limit > 0, "keys of \(limit) bytes are declared")
      // The key format may take a few bytes more than the text.
      var last = 0
      for count in max(0, limit - 8)...limit {
        do {
          try insert(count)
          last = count
        } catch let error as StorageError where error.code == .limitExceeded {
          break
        }
      }
      try expect(last > 0, "no key near the limit of \(limit) bytes")
      let before = try store.read { try $0.records.fetch(in: "Keyed") }
      let error = try expectError(.limitExceeded) { try insert(limit + 1) }
      try expect(error.message.contains("\(limit)"), error.message)
      try expectEqual(try store.read { try $0.records.fetch(in: "Keyed") }, before)
    },
    ConformanceCase("LIM.key-at-limit", ["LIM-1"], "Keys up to the declared limit are stored and found.") { kit in
      let model = ModelSchema(name: "Keyed", properties: [PropertySchema(name: "key", type: .string)], primaryKey: 0)
      let store = try kit.store(making: [model])
      let longest = min(kit.manifest.limits.keyBytes ?? 4000, 4000)
      try expect(longest > 0, "keys of \(longest) bytes are declared")
      for count in max(1, longest - 20)...longest {
        let key = Value.string(String(repeating: "k", count: count))
        do {
          try store.write { try $0.records.insert(into: "Keyed", [Record(["key": key])]) }
        } catch let error as StorageError where error.code == .limitExceeded {
          // The key format may take a few bytes more than the text.
          try expect(count > longest - 8, "a key of \(count) bytes was refused")
          continue
        }
        try expect(try store.read { try $0.records.get(in: "Keyed", key: key) } != nil, "\(count) bytes")
      }
    },
    ConformanceCase("LIM.row-bytes", ["LIM-1"], "A row beyond the declared limit is limitExceeded, a large one works.")
    {
      kit in
      let store = try kit.store(making: [keyed])
      func insert(_ key: String, _ count: Int) throws {
        try store.write { try $0.records.insert(into: "Keyed", [row(key, String(repeating: "t", count: count))]) }
      }
      // Larger limits are the engine's; to try them would take more memory than a test may.
      let most = 4 << 20
      let limit = kit.manifest.limits.rowBytes ?? .max
      try insert("large", min(most, limit - 200))
      if limit < most {
        let error = try expectError(.limitExceeded) { try insert("larger", limit) }
        try expect(error.message.contains("\(limit)"), error.message)
      }
      try expectEqual(try store.read { try $0.records.fetch(in: "Keyed").count }, 1)
      try expectEqual(
        try store.read { try $0.records.get(in: "Keyed", key: .string("large"))?["text"] },
        .string(String(repeating: "t", count: min(most, limit - 200))))
    },
    ConformanceCase("LIM.properties", ["LIM-1"], "A model of as many properties as declared works, one more does not.")
    {
      kit in
      let limit = min(kit.manifest.limits.properties ?? .max, Schema.maximumProperties)
      let store = try kit.store(Item.self)
      let error = try expectError(.limitExceeded) { try store.write { try $0.apply(.createModel(wide(limit + 1))) } }
      try expect(error.message.contains("\(limit)") && error.message.contains("\(limit + 1)"), error.message)
      try expectEqual(try store.models().count, 1)
      try store.write { tx in
        try tx.apply(.createModel(wide(limit)))
        try tx.records.insert(into: "Wide", [Record(["id": .int(1), "p\(limit - 1)": .int(7)])])
      }
      try expectEqual(try store.read { try $0.records.get(in: "Wide", key: .int(1))?["p\(limit - 1)"] }, .int(7))
    },
    ConformanceCase(
      "LIM.open-snapshots", ["LIM-1", "SNAP-1"], "As many snapshots as declared can be open, one more cannot.",
      needs: [.snapshots], without: [.frozen]
    ) { kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(1, rank: 0))
      let limit = kit.manifest.limits.openSnapshots
      var frozen: [FrozenStore] = []
      defer { for store in frozen { store.close() } }
      for _ in 0..<min(limit ?? 300, 300) { frozen.append(try store.freeze()) }
      if let limit, limit <= 300 {
        let error = try expectError(.limitExceeded) { try store.freeze() }
        try expect(error.message.contains("\(limit)"), error.message)
      }
      try store.update(Item.self, 1) { $0.rank = 1 }
      frozen.removeLast().close()
      let newest = try store.freeze()
      frozen.append(newest)
      try expectEqual(try frozen[0].get(Item.self, 1)?.rank, 0)
      try expectEqual(try newest.get(Item.self, 1)?.rank, 1)
    },
  ]
}
