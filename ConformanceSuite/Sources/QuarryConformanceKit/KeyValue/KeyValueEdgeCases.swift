import QuarryBackend
import QuarryKeyValue

enum KeyValueEdgeCases<Engine: KeyValueEngine> {
  typealias Stage = KeyValueStage<Engine>

  static var all: [String: @Sendable (Stage) throws -> Void] {
    var cases = fixed
    for count in [0, 1, 7, 8, 255, 256, 511, 512, 1023, 1024, 2047, 2048, 4095, 4096, 4097, 65_535, 65_536, 1 << 20] {
      cases["value-of-\(count)-bytes"] = { stage in
        if let limit = stage.engine.properties.maximumValueBytes, count > limit { return }
        let value = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 31 + $0 >> 8) }
        try stage.write { tx in
          try tx.put(1, "before", "b")
          try tx.put(1, Array("k".utf8), value)
          try tx.put(1, "z", "a")
          try expectEqual(try tx.value(1, Array("k".utf8)), value)
        }
        try stage.read { tx in
          try expectEqual(try tx.value(1, Array("k".utf8)), value)
          try expectEqual(try tx.values(1, batch: 2), [Array("b".utf8), value, Array("a".utf8)])
        }
        try stage.write { tx in try tx.put(1, "k", "short") }
        try stage.read { tx in try expectEqual(try tx.value(1, "k"), "short") }
      }
    }
    for count in [1, 2, 16, 255, 256, 500, 511, 512, 2000, 5000] {
      cases["key-of-\(count)-bytes"] = { stage in
        if let limit = stage.engine.properties.maximumKeyBytes, count > limit { return }
        let base = [UInt8](repeating: 0xFF, count: count - 1)
        try stage.write { tx in for last: UInt8 in [0, 1, 0xFE, 0xFF] { try tx.put(1, base + [last], [last]) } }
        try stage.read { tx in
          for last: UInt8 in [0, 1, 0xFE, 0xFF] { try expectEqual(try tx.value(1, base + [last]), [last]) }
          try expectEqual(try tx.values(1, descending: true, batch: 3), [[0xFF], [0xFE], [1], [0]])
        }
      }
    }
    return cases
  }

  private static var fixed: [String: @Sendable (Stage) throws -> Void] {
    [
      "nul-and-high-bytes": { stage in
        let keys: [[UInt8]] = [[0], [0, 0], [0xC3, 0x28], [0xFF, 0xFE]]
        try stage.write { tx in for key in keys { try tx.put(1, key, key.reversed()) } }
        try stage.read { tx in for key in keys { try expectEqual(try tx.value(1, key), key.reversed()) } }
      },
      "limit-of-keys": { stage in
        guard let limit = stage.engine.properties.maximumKeyBytes else { return }
        try stage.write { tx in
          try tx.put(1, [UInt8](repeating: 1, count: limit), [1])
          try expectError(.limitExceeded) { try tx.put(1, [UInt8](repeating: 1, count: limit + 1), [2]) }
          try expectEqual(try tx.count(1, .all), 1)
        }
        try stage.read { tx in try expectEqual(try tx.count(1, .all), 1) }
      },
      "limit-of-values": { stage in
        guard let limit = stage.engine.properties.maximumValueBytes, limit <= 16 << 20 else { return }
        try stage.write { tx in
          try tx.put(1, [1], [UInt8](repeating: 1, count: limit))
          try expectError(.limitExceeded) { try tx.put(1, [2], [UInt8](repeating: 1, count: limit + 1)) }
        }
        try stage.read { tx in try expectEqual(try tx.count(1, .all), 1) }
      },
      "limit-of-snapshots": { stage in
        let limit = stage.engine.properties.maximumSnapshots
        var snapshots: [Engine.Snapshot] = []
        for _ in 0..<min(limit ?? 200, 200) { snapshots.append(try stage.engine.snapshot()) }
        if let limit, limit <= 200 { try expectError(.limitExceeded) { _ = try stage.engine.snapshot() } }
        for snapshot in snapshots { snapshot.close() }
        try stage.engine.snapshot().close()
      },
      "empty-key": { stage in
        // No key of Quarry's is empty: an engine stores it or refuses it.
        try stage.write { tx in
          let isStored: Bool
          do {
            _ = try tx.put(1, [], [7])
            isStored = try tx.value(1, []) != nil
          } catch is StorageError {
            isStored = false
          }
          try tx.put(1, [0], [8])
          try expectEqual(try tx.count(1, .all), isStored ? 2 : 1)
          try expectEqual(try tx.keys(1), isStored ? [[], [0]] : [[0]])
        }
      },
      "empty-commit": { stage in
        try stage.fill(["a"])
        try stage.write { _ in }
        try stage.read { tx in try expectEqual(try tx.texts(), ["a"]) }
      },
      "empty-value-is-there": { stage in
        try stage.write { tx in try tx.put(1, [1], []) }
        try stage.read { tx in
          try expectEqual(try tx.value(1, [1]), [])
          try expectEqual(try tx.count(1, .all), 1)
        }
      },
    ]
  }
}
