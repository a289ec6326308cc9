import QuarryBackend
import QuarryKeyValue

enum KeyValueTransactionCases<Engine: KeyValueEngine> {
  typealias Stage = KeyValueStage<Engine>

  static var all: [String: @Sendable (Stage) throws -> Void] {
    [
      "rollback-by-end": { stage in
        try stage.fill(["a"])
        let tx = try stage.engine.beginWrite(timeout: 5)
        try tx.put(1, "b")
        try tx.delete(1, "a")
        tx.end()
        tx.end()
        try stage.read { tx in try expectEqual(try tx.texts(), ["a"]) }
        try stage.fill(["c"])
      },
      "after-commit": { stage in
        let tx = try stage.engine.beginWrite(timeout: 5)
        _ = try tx.commit()
        try expectError(.transactionEnded) { try tx.put(1, "a") }
        try expectError(.transactionEnded) { try tx.value(1, "a") }
        try expectError(.transactionEnded) { try tx.commit() }
        try expectError(.transactionEnded) { try tx.savepoint() }
        tx.end()
      },
      "after-end": { stage in
        let tx = try stage.engine.beginRead()
        tx.end()
        tx.end()
        try expectError(.transactionEnded) { try tx.value(1, "a") }
        try expectError(.transactionEnded) { try tx.count(1, .all) }
        try expectError(.transactionEnded) { _ = try tx.cursor(1, .all, descending: false) }
      },
      "savepoint-released": { stage in
        try stage.write { tx in
          try tx.savepoint()
          try tx.put(1, "a")
          try tx.releaseSavepoint()
          try tx.put(1, "b")
        }
        try stage.read { tx in try expectEqual(try tx.texts(), ["a", "b"]) }
      },
      "savepoint-rolled-back": { stage in
        try stage.fill(["a", "b"])
        try stage.write { tx in
          try tx.put(1, "kept", "1")
          try tx.savepoint()
          try tx.put(1, "kept", "2")
          try tx.put(1, "gone")
          try tx.delete(1, "a")
          _ = try tx.delete(1, in: .texts("b", "c"))
          try tx.put(7, "other tree")
          try tx.rollbackSavepoint()
          try expectEqual(try tx.texts(), ["a", "b", "kept"])
          try expectEqual(try tx.value(1, "kept"), "1")
          try expectEqual(try tx.count(7, .all), 0)
        }
        try stage.read { tx in try expectEqual(try tx.texts(), ["a", "b", "kept"]) }
      },
      "savepoint-and-empty-values": { stage in
        func contents(_ tx: some KeyValueReadTransaction) throws -> [String?] {
          try ["", "a", "b", "c", "d", "new"].map { try tx.value(1, $0) }
        }
        try stage.write { tx in
          for key in ["", "a", "b", "c"] { try tx.put(1, key, "") }
          try tx.put(1, "d", "full")
        }
        let before = try stage.read { tx in try contents(tx) }
        try expectEqual(before, ["", "", "", "", "full", nil])
        try stage.write { tx in
          for _ in 0..<2 {
            try tx.savepoint()
            try stage.expectKnown(try tx.delete(1, "a"), true)
            try stage.expectKnown(try tx.delete(1, ""), true)
            try tx.put(1, "b", "more")
            try tx.put(1, "d", "")
            try tx.put(1, "new", "")
            try tx.savepoint()
            try tx.put(1, "a", "again")
            try tx.delete(1, "d")
            try tx.rollbackSavepoint()
            try expectEqual(try contents(tx), [nil, nil, "more", "", "", ""])
            _ = try tx.delete(1, in: .all)
            try tx.rollbackSavepoint()
            try expectEqual(try contents(tx), before)
          }
          try expectEqual(try tx.texts(), ["", "a", "b", "c", "d"])
        }
        try stage.read { tx in try expectEqual(try contents(tx), before) }
      },
      "savepoints-nest": { stage in
        try stage.write { tx in
          for depth in 0..<30 {
            try tx.savepoint()
            try tx.put(1, "\(depth + 10)")
          }
          for depth in (0..<30).reversed() {
            if depth % 2 == 0 { try tx.releaseSavepoint() } else { try tx.rollbackSavepoint() }
          }
          try expectEqual(try tx.texts(), ["10"])
        }
        try stage.read { tx in try expectEqual(try tx.texts(), ["10"]) }
      },
      "released-inside-rolled-back": { stage in
        try stage.write { tx in
          try tx.savepoint()
          try tx.savepoint()
          try tx.put(1, "a")
          try tx.releaseSavepoint()
          try expectEqual(try tx.texts(), ["a"])
          try tx.rollbackSavepoint()
          try expectEqual(try tx.texts(), [])
        }
      },
      "savepoint-and-many": { stage in
        try stage.fill((0..<1000).map { "\($0)" })
        let before = try stage.read { tx in try tx.keys(1) }
        try stage.write { tx in
          try tx.savepoint()
          for number in 0..<1000 where number % 2 == 0 { try tx.delete(1, "\(number)") }
          for number in 1000..<2000 { try tx.put(1, "\(number)") }
          try tx.rollbackSavepoint()
          try expectEqual(try tx.count(1, .all), 1000)
        }
        try stage.read { tx in try expectEqual(try tx.keys(1), before) }
      },
      "cursors-and-rollback": { stage in
        // The cursors over trees that were written to end; those over others go on where they stand.
        try stage.write { tx in
          for number in 100..<400 {
            try tx.put(1, "\(number)")
            try tx.put(2, "\(number)")
          }
          var other = try tx.cursor(1, .all, descending: false)
          for _ in 0..<10 { _ = try other.next() }
          for round in 0..<3 {
            try tx.savepoint()
            for number in 0..<500 { try tx.put(2, "more \(round) \(number)") }
            var written = try tx.cursor(2, .all, descending: false)
            _ = try written.next()
            var inside = try tx.cursor(1, .all, descending: true)
            _ = try inside.next()
            try tx.rollbackSavepoint()
            try expectError(.transactionEnded) { _ = try written.next() }
            try expectEqual(try inside.next().map { Array($0.key) }, Array("398".utf8))
            for place in 0..<10 {
              try expectEqual(try other.next().map { Array($0.key) }, Array("\(110 + round * 10 + place)".utf8))
            }
          }
          try expectEqual(try tx.count(2, .all), 300)
          var left = 0
          while try other.next() != nil { left += 1 }
          try expectEqual(left, 260)
        }
      },
      "open-savepoint-at-commit": { stage in
        // Whether it is an error or kept is the engine's; half a state is neither.
        let tx = try stage.engine.beginWrite(timeout: 5)
        try tx.put(1, "a")
        try tx.savepoint()
        try tx.put(1, "b")
        let isCommitted = (try? tx.commit()) != nil
        tx.end()
        try stage.read { tx in try expectEqual(try tx.texts(), isCommitted ? ["a", "b"] : []) }
      },
      "versions-rise": { stage in
        var last = try stage.read { $0.version }
        for number in 0..<5 {
          let tx = try stage.engine.beginWrite(timeout: 5)
          try tx.put(1, "\(number)")
          let version = try tx.commit()
          try expect(version > last, "\(version) after \(last)")
          try expectEqual(try stage.read { $0.version }, version)
          last = version
        }
      },
      "version-of-rolled-back": { stage in
        try stage.fill(["a"])
        let before = try stage.read { $0.version }
        let tx = try stage.engine.beginWrite(timeout: 5)
        try tx.put(1, "b")
        tx.end()
        try expectEqual(try stage.read { $0.version }, before)
      },
      "reader-keeps-its-state": { stage in
        try stage.fill(["a"])
        let reader = try stage.engine.beginRead()
        defer { reader.end() }
        try onAnotherThread { try stage.fill(["b", "c"]) }
        try onAnotherThread { try stage.write { tx in _ = try tx.delete(1, "a") } }
        try expectEqual(try reader.texts(), ["a"])
        try expectEqual(try reader.count(1, .all), 1)
        try stage.read { tx in try expectEqual(try tx.texts(), ["b", "c"]) }
      },
      "reader-does-not-see-open-writer": { stage in
        try stage.fill(["a"])
        try stage.write { tx in
          try tx.put(1, "b")
          try onAnotherThread { try stage.read { other in try expectEqual(try other.texts(), ["a"]) } }
        }
      },
      "open-cursor-of-reader": { stage in
        try stage.fill((0..<300).map { "\($0 + 1000)" })
        let reader = try stage.engine.beginRead()
        defer { reader.end() }
        var cursor = try reader.cursor(1, .all, descending: false)
        _ = try cursor.next()
        try onAnotherThread { try stage.write { tx in _ = try tx.delete(1, in: .all) } }
        var count = 1
        while try cursor.next() != nil { count += 1 }
        try expectEqual(count, 300)
      },
      "busy": { stage in
        let tx = try stage.engine.beginWrite(timeout: 5)
        try onAnotherThread { try expectError(.busy) { _ = try stage.engine.beginWrite(timeout: 0.05) } }
        tx.end()
        try onAnotherThread { try stage.fill(["a"]) }
      },
      "writers-wait": { stage in
        try stage.write { tx in try tx.put(1, [1], [0]) }
        try onThreads(4) { _ in
          for _ in 0..<25 {
            try stage.write { tx in
              let value = try unwrap(try tx.value(1, [1]))
              try tx.put(1, [1], [value[0] + 1])
            }
          }
        }
        try stage.read { tx in try expectEqual(try tx.value(1, [1]), [100]) }
      },
      "snapshot": { stage in
        try stage.fill(["a"])
        let snapshot = try stage.engine.snapshot()
        let version = try stage.read { $0.version }
        for number in 0..<20 { try stage.fill(["k\(number)"]) }
        try expectEqual(snapshot.version, version)
        try onThreads(3) { _ in
          let tx = try snapshot.beginRead()
          defer { tx.end() }
          try expectEqual(try tx.texts(), ["a"])
        }
        snapshot.close()
        snapshot.close()
        try expectError(.closed) { _ = try snapshot.beginRead() }
        try stage.read { tx in try expectEqual(try tx.count(1, .all), 21) }
      },
      "snapshots-of-different-age": { stage in
        var snapshots: [Engine.Snapshot] = []
        for number in 0..<5 {
          try stage.fill(["\(number)"])
          snapshots.append(try stage.engine.snapshot())
        }
        try stage.write { tx in _ = try tx.delete(1, in: .all) }
        for (number, snapshot) in snapshots.enumerated() {
          let tx = try snapshot.beginRead()
          try expectEqual(try tx.count(1, .all), number + 1)
          tx.end()
          snapshot.close()
        }
      },
      "closed": { stage in
        try stage.fill(["a"])
        let reader = try stage.engine.beginRead()
        let snapshot = try stage.engine.snapshot()
        try stage.engine.close()
        try stage.engine.close()
        try expectError(.closed) { _ = try stage.engine.beginRead() }
        try expectError(.closed) { _ = try stage.engine.beginWrite(timeout: 0) }
        try expectError(.closed) { _ = try stage.engine.snapshot() }
        try expectError(.closed) { _ = try stage.engine.statistics() }
        try expectError(.closed) { try reader.value(1, "a") }
        try expectError(.closed) { _ = try snapshot.beginRead() }
        reader.end()
        snapshot.close()
      },
      "closed-under-writer": { stage in
        let tx = try stage.engine.beginWrite(timeout: 5)
        try tx.put(1, "a")
        try stage.engine.close()
        try expectError(.closed) { try tx.put(1, "b") }
        try expectError(.closed) { try tx.commit() }
        tx.end()
      },
      "check-and-statistics": { stage in
        try stage.fill((0..<500).map { "\($0)" })
        try stage.write { tx in for number in 0..<250 { try tx.delete(1, "\(number)") } }
        try expectEqual(try stage.engine.check(), [])
        if let bytes = try stage.engine.statistics().bytes { try expect(bytes > 0) }
      },
      "properties": { stage in
        let properties = stage.engine.properties
        try expect(!properties.name.isEmpty && !properties.version.isEmpty && !properties.isReadOnly)
      },
    ]
  }
}
