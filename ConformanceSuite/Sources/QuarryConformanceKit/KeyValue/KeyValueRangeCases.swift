import QuarryBackend
import QuarryKeyValue

enum KeyValueRangeCases<Engine: KeyValueEngine> {
  typealias Stage = KeyValueStage<Engine>

  /// Ranges over the keys a to e, with what is in them.
  private static var ranges: [(name: String, range: KeyRange, keys: [String])] {
    [
      ("all", .all, ["a", "b", "c", "d", "e"]), ("from-key", .texts("b", nil), ["b", "c", "d", "e"]),
      ("from-between", .texts("bb", nil), ["c", "d", "e"]), ("to-key", .texts(nil, "c"), ["a", "b"]),
      ("to-between", .texts(nil, "cc"), ["a", "b", "c"]), ("between", .texts("b", "d"), ["b", "c"]),
      ("one", .texts("c", "c\0"), ["c"]), ("empty", .texts("c", "c"), []), ("turned-round", .texts("d", "b"), []),
      ("before-all", .texts("", "a"), []), ("after-all", .texts("f", nil), []),
      ("whole-by-bounds", .texts("", "z"), ["a", "b", "c", "d", "e"]),
      ("from-empty", .texts("", nil), ["a", "b", "c", "d", "e"]),
    ]
  }

  static var all: [String: @Sendable (Stage) throws -> Void] {
    var cases = fixed
    for (name, range, keys) in ranges {
      cases["range-\(name)-ascending"] = { stage in
        try stage.fill(["c", "a", "e", "b", "d"])
        try stage.read { tx in try expectEqual(try tx.texts(1, range), keys) }
      }
      cases["range-\(name)-descending"] = { stage in
        try stage.fill(["c", "a", "e", "b", "d"])
        try stage.read { tx in try expectEqual(try tx.texts(1, range, descending: true), keys.reversed()) }
      }
      cases["range-\(name)-count"] = { stage in
        try stage.fill(["c", "a", "e", "b", "d"])
        try stage.read { tx in try expectEqual(try tx.count(1, range), keys.count) }
      }
      cases["range-\(name)-delete"] = { stage in
        try stage.fill(["c", "a", "e", "b", "d"])
        try stage.write { tx in try stage.expectKnown(try tx.delete(1, in: range), keys.count) }
        try stage.read { tx in
          try expectEqual(try tx.texts(), ["a", "b", "c", "d", "e"].filter { !keys.contains($0) })
        }
      }
      cases["range-\(name)-own-writes"] = { stage in
        try stage.write { tx in
          for key in ["c", "a", "e", "x", "b", "d"] { try tx.put(1, key) }
          try tx.delete(1, "x")
          try expectEqual(try tx.texts(1, range), keys)
          try expectEqual(try tx.count(1, range), keys.count)
        }
      }
    }
    return cases
  }

  private static var fixed: [String: @Sendable (Stage) throws -> Void] {
    [
      "order-by-bytes": { stage in
        let keys: [[UInt8]] = [
          [0], [0, 0], [0, 1], [0, 0xFF], [1], [0x61], [0x61, 0], [0x61, 0x61], [0x7F], [0x80], [0xFF], [0xFF, 0],
          [0xFF, 0xFF],
        ]
        var random = SeededGenerator(seed: 3)
        try stage.write { tx in for key in keys.shuffled(using: &random) { try tx.put(1, key, key) } }
        try stage.read { tx in
          try expectEqual(try tx.keys(1), keys)
          try expectEqual(try tx.keys(1, descending: true), keys.reversed())
        }
      },
      "prefix": { stage in
        try stage.write { tx in
          for key: [UInt8] in [
            [1], [1, 0], [1, 0xFF], [1, 0xFF, 0xFF], [2], [0xFF], [0xFF, 0xFF], [0xFF, 0xFF, 1],
          ] {
            try tx.put(1, key, [])
          }
          try expectEqual(try tx.keys(1, .prefix([1])), [[1], [1, 0], [1, 0xFF], [1, 0xFF, 0xFF]])
          try expectEqual(try tx.keys(1, .prefix([1, 0xFF])), [[1, 0xFF], [1, 0xFF, 0xFF]])
          try expectEqual(try tx.keys(1, .prefix([0xFF, 0xFF])), [[0xFF, 0xFF], [0xFF, 0xFF, 1]])
          try expectEqual(try tx.count(1, .prefix([])), 8)
        }
      },
      "batches": { stage in
        try stage.fill((0..<130).map { "\($0 + 1000)" })
        try stage.read { tx in
          let values = try tx.values(1, batch: 1)
          for batch in [2, 63, 64, 65, 130, 200] {
            try expectEqual(try tx.values(1, batch: batch), values, "batches of \(batch)")
            try expectEqual(
              try tx.values(1, descending: true, batch: batch), values.reversed(), "descending batches of \(batch)")
          }
          try expectEqual(values.count, 130)
        }
      },
      "cursor-at-end-stays": { stage in
        try stage.fill(["a"])
        try stage.read { tx in
          var cursor = try tx.cursor(1, .all, descending: false)
          _ = try cursor.next()
          for _ in 0..<3 { try expect(try cursor.next() == nil) }
        }
      },
      "next-then-fill": { stage in
        try stage.fill(["a", "b", "c"])
        try stage.read { tx in
          var cursor = try tx.cursor(1, .all, descending: false)
          try expectEqual(try cursor.next().map { Array($0.key) }, Array("a".utf8))
          let pointers = UnsafeMutableBufferPointer<UnsafeRawBufferPointer>.allocate(capacity: 10)
          defer { pointers.deallocate() }
          try expectEqual(try cursor.fill(pointers), 2)
          try expectEqual(Array(pointers[0]), Array("b".utf8))
        }
      },
      "two-cursors": { stage in
        try stage.fill(["a", "b", "c"])
        try stage.read { tx in
          var up = try tx.cursor(1, .all, descending: false)
          var down = try tx.cursor(1, .all, descending: true)
          var seen: [String] = []
          while let first = try up.next().map({ String(decoding: $0.key, as: UTF8.self) }),
            let last = try down.next().map({ String(decoding: $0.key, as: UTF8.self) })
          {
            seen.append(first + last)
          }
          try expectEqual(seen, ["ac", "bb", "ca"])
        }
      },
      "cursor-ended-by-write": { stage in
        try stage.fill(["a", "b", "c"])
        try stage.write { tx in
          for change in 0..<4 {
            var cursor = try tx.cursor(1, .all, descending: false)
            _ = try cursor.next()
            switch change {
            case 0: try tx.put(1, "x")
            case 1: try tx.delete(1, "x")
            case 2: _ = try tx.insert(1, "y")
            default: _ = try tx.delete(1, in: .texts("y", nil))
            }
            try expectError(.transactionEnded, "change \(change)") { _ = try cursor.next() }
          }
        }
      },
      "cursor-outlives-write-to-other-tree": { stage in
        try stage.fill(["a", "b", "c"])
        try stage.write { tx in
          var cursor = try tx.cursor(1, .all, descending: false)
          _ = try cursor.next()
          try tx.put(2, "x")
          try expectEqual(try cursor.next().map { Array($0.key) }, Array("b".utf8))
        }
      },
      "cursor-ended-by-savepoint-rollback": { stage in
        try stage.fill(["a", "b"])
        try stage.write { tx in
          try tx.savepoint()
          try tx.put(1, "c")
          var cursor = try tx.cursor(1, .all, descending: false)
          _ = try cursor.next()
          try tx.rollbackSavepoint()
          try expectError(.transactionEnded) { _ = try cursor.next() }
        }
      },
      "cursor-after-end": { stage in
        try stage.fill(["a", "b"])
        let tx = try stage.engine.beginRead()
        var cursor = try tx.cursor(1, .all, descending: false)
        tx.end()
        try expectError(.transactionEnded) { _ = try cursor.next() }
      },
      "tree-statistics": { stage in
        try stage.fill((0..<500).map { "k\($0)" })
        try stage.read { tx in
          try expectEqual(try tx.statistics(of: 1).entries, 500)
          try expectEqual(try tx.statistics(of: 9).entries, 0)
          if let bytes = try tx.statistics(of: 1).bytes { try expect(bytes > 500, "\(bytes) bytes") }
        }
      },
    ]
  }
}
