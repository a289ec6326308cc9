import QuarryBackend
import QuarryKeyValue

enum KeyValueEntryCases<Engine: KeyValueEngine> {
  typealias Stage = KeyValueStage<Engine>

  static var all: [String: @Sendable (Stage) throws -> Void] {
    [
      "get-missing": { stage in
        try stage.read { tx in try expect(try tx.value(1, "a") == nil) }
        try stage.fill(["b"])
        try stage.read { tx in
          for key in ["a", "", "ba", "c"] { try expect(try tx.value(1, key) == nil, key) }
        }
      },
      "put-get": { stage in
        try stage.write { tx in
          try stage.expectKnown(try tx.put(1, "a", "1"), true, "a new key is new")
          try expectEqual(try tx.value(1, "a"), "1")
        }
        try stage.read { tx in try expectEqual(try tx.value(1, "a"), "1") }
      },
      "put-replaces": { stage in
        try stage.write { tx in
          try tx.put(1, "a", "1")
          try stage.expectKnown(try tx.put(1, "a", "longer than before"), false, "a key that was there is not new")
        }
        try stage.write { tx in try stage.expectKnown(try tx.put(1, "a", "2"), false) }
        try stage.read { tx in
          try expectEqual(try tx.value(1, "a"), "2")
          try expectEqual(try tx.count(1, .all), 1)
        }
      },
      "insert-keeps": { stage in
        try stage.write { tx in
          try expect(try tx.insert(1, "a", "1"))
          try expect(try !tx.insert(1, "a", "2"))
          try expectEqual(try tx.value(1, "a"), "1")
        }
      },
      "delete": { stage in
        try stage.fill(["a", "b"])
        try stage.write { tx in
          try stage.expectKnown(try tx.delete(1, "a"), true)
          try stage.expectKnown(try tx.delete(1, "a"), false)
          try stage.expectKnown(try tx.delete(1, "c"), false)
        }
        try stage.read { tx in try expectEqual(try tx.texts(), ["b"]) }
      },
      "delete-and-put-again": { stage in
        try stage.fill(["a"])
        try stage.write { tx in
          try tx.delete(1, "a")
          try stage.expectKnown(try tx.put(1, "a", "again"), true)
        }
        try stage.read { tx in try expectEqual(try tx.value(1, "a"), "again") }
      },
      "delete-in-missing-tree": { stage in
        try stage.write { tx in
          try stage.expectKnown(try tx.delete(77, "a"), false)
          try stage.expectKnown(try tx.delete(77, in: .all), 0)
        }
      },
      "trees-are-apart": { stage in
        try stage.write { tx in
          for tree: TreeID in [0, 1, 2, 255, 256, .max] { try tx.put(tree, "k", "\(tree)") }
        }
        try stage.write { tx in try tx.delete(2, "k") }
        try stage.read { tx in
          for tree: TreeID in [0, 1, 255, 256, .max] { try expectEqual(try tx.value(tree, "k"), "\(tree)") }
          try expect(try tx.value(2, "k") == nil)
          try expectEqual(try tx.count(3, .all), 0)
        }
      },
      "with-value": { stage in
        try stage.fill(["a"])
        for (key, isThere) in [("a", true), ("b", false), ("", false)] {
          var found: [UInt8]?
          let result = try lend(Array(key.utf8)) { (bytes) throws(StorageError) in
            try stage.engine.withValue(1, bytes) { value throws(StorageError) in found = Array(value) }
          }
          try expectEqual(result, isThere, key)
          try expectEqual(found, isThere ? Array("a".utf8) : nil, key)
        }
      },
      "with-value-version": { stage in
        for key in ["a", "b", "c"] {
          try stage.fill([key])
          let newest = try stage.read { $0.version }
          for key in [key, "missing"] {
            var version = CommitVersion(.max)
            var inside = CommitVersion(.max)
            let result = try lend(Array(key.utf8)) { (bytes) throws(StorageError) in
              try stage.engine.withValue(1, bytes, version: &version) { _ throws(StorageError) in inside = newest }
            }
            try expectEqual(version, newest, "the version of the state that is read")
            try expectEqual(inside == newest, result, key)
            try expectEqual(result, key != "missing", key)
          }
        }
      },
      "with-value-throws": { stage in
        try stage.fill(["a"])
        try expectError(.conflict) {
          try lend(Array("a".utf8)) { (bytes) throws(StorageError) in
            try stage.engine.withValue(1, bytes) { _ throws(StorageError) in throw StorageError(.conflict, "mine") }
          }
        }
        try stage.fill(["b"])
        try stage.read { tx in try expectEqual(try tx.texts(), ["a", "b"]) }
      },
      "lent-bytes-survive-reads": { stage in
        try stage.fill((0..<200).map { "k\($0)" })
        try stage.read { tx in
          let first = try lend(Array("k7".utf8)) { (bytes) throws(StorageError) in try tx.get(1, bytes) }
          for number in 0..<200 { _ = try tx.value(1, "k\(number)") }
          try expectEqual(first.map { Array($0) }, Array("7k".utf8))
        }
      },
      "lent-values-stay": { stage in
        // As many as the rule says, of several trees, while cursors move and ranges are counted.
        let count = KeyValueEngineProperties.lentValues
        let keys = (0..<count).map { "k\($0)" }
        try stage.fill(keys)
        try stage.write { tx in for key in keys { try tx.put(2, key, "two " + key) } }
        func look(_ tx: some KeyValueReadTransaction) throws {
          var lent: [UnsafeRawBufferPointer] = []
          var cursor = try tx.cursor(1, .all, descending: false)
          for (place, key) in keys.enumerated() {
            let tree: TreeID = place % 2 == 0 ? 1 : 2
            lent.append(try unwrap(lend(Array(key.utf8)) { key throws(StorageError) in try tx.get(tree, key) }))
            if place % 100 == 0 { _ = try cursor.next() }
            if place % 300 == 0 { try expectEqual(try tx.count(2, .all), count) }
          }
          for (place, key) in keys.enumerated() {
            let due = place % 2 == 0 ? String(decoding: key.utf8.reversed(), as: UTF8.self) : "two " + key
            try expectEqual(String(decoding: lent[place], as: UTF8.self), due, "\(place) of \(count)")
          }
        }
        try stage.read { tx in try look(tx) }
        try stage.write { tx in
          try tx.put(3, "written")
          try look(tx)
        }
      },
      "lent-batches-stay": { stage in
        // What a cursor lent stays while others move and keys are looked up, until it moves itself.
        let keys = (1_000..<2_000).map { "\($0)" }
        try stage.fill(keys)
        func look(_ tx: some KeyValueReadTransaction) throws {
          var cursor = try tx.cursor(1, .all, descending: false)
          let batch = UnsafeMutableBufferPointer<UnsafeRawBufferPointer>.allocate(capacity: 100)
          defer { batch.deallocate() }
          var seen: [String] = []
          while case let count = try cursor.fill(batch), count > 0 {
            var other = try tx.cursor(1, .all, descending: true)
            for _ in 0..<20 { _ = try other.next() }
            for key in keys.prefix(50) { _ = try tx.value(1, key) }
            let first = try unwrap(try other.next())
            seen += batch[..<count].map { String(decoding: $0, as: UTF8.self) }
            try expectEqual(String(decoding: first.key, as: UTF8.self), "1979")
          }
          try expectEqual(seen, keys.map { String(decoding: $0.utf8.reversed(), as: UTF8.self) })
        }
        try stage.read { tx in try look(tx) }
        try stage.write { tx in
          try tx.put(2, "written")
          try look(tx)
        }
      },
      "values-are-copied": { stage in
        var value: [UInt8] = [1, 2, 3]
        try stage.write { tx in
          try tx.put(1, [9], value)
          value[0] = 100
          try expectEqual(try tx.value(1, [9]), [1, 2, 3])
        }
        try stage.read { tx in try expectEqual(try tx.value(1, [9]), [1, 2, 3]) }
      },
      "many": { stage in
        var random = SeededGenerator(seed: 5)
        let numbers = (0..<5000).shuffled(using: &random)
        try stage.write { tx in
          for number in numbers { try tx.put(1, "\(number)", "v\(number)") }
        }
        try stage.read { tx in
          try expectEqual(try tx.count(1, .all), 5000)
          try expectEqual(
            try tx.texts(), (0..<5000).map { "\($0)" }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
          for number in stride(from: 0, to: 5000, by: 37) {
            try expectEqual(try tx.value(1, "\(number)"), "v\(number)")
          }
        }
      },
      "many-deleted": { stage in
        try stage.fill((0..<3000).map { "\($0)" })
        try stage.write { tx in
          for number in 0..<3000 where number % 3 != 0 {
            try stage.expectKnown(try tx.delete(1, "\(number)"), true, "\(number)")
          }
        }
        try stage.read { tx in
          try expectEqual(try tx.count(1, .all), 1000)
          try expectEqual(try tx.keys(1).count, 1000)
        }
        try stage.write { tx in for number in 0..<3000 { try tx.delete(1, "\(number)") } }
        try stage.read { tx in try expectEqual(try tx.keys(1), []) }
      },
      "random-against-dictionary": { stage in
        var random = SeededGenerator(seed: 11)
        var model: [[UInt8]: [UInt8]] = [:]
        for _ in 0..<40 {
          try stage.write { tx in
            for _ in 0..<50 {
              let key = (0..<Int.random(in: 1...3, using: &random)).map { _ in UInt8.random(in: 0...4, using: &random) }
              if Int.random(in: 0..<3, using: &random) == 0 {
                let isThere = try lend(key) { (bytes) throws(StorageError) in try tx.delete(1, bytes) }
                try stage.expectKnown(isThere, model.removeValue(forKey: key) != nil)
              } else {
                let value = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                  UInt8.random(in: .min ... .max, using: &random)
                }
                try stage.expectKnown(try tx.put(1, key, value), model.updateValue(value, forKey: key) == nil)
              }
            }
          }
          try stage.read { tx in
            let keys = model.keys.sorted { $0.lexicographicallyPrecedes($1) }
            try expectEqual(try tx.keys(1), keys)
            try expectEqual(try tx.values(1, batch: 7), keys.compactMap { model[$0] })
          }
        }
      },
    ]
  }
}
