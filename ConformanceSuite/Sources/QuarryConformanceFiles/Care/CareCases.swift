import QuarryBackend
import QuarryConformanceKit
import QuarryCore

enum CareCases {
  static let all: [ConformanceCase] = [
    ConformanceCase(
      "CARE.sound", ["CARE-1"], "A check finds nothing after writes, rollbacks and schema changes.",
      needs: [.check]
    ) { kit in
      let store = try kit.store(Item.self, Everything.self)
      try expectEqual(try store.check(), [])
      try store.insert(contentsOf: (0..<200).map { Item($0) })
      try store.insert(contentsOf: (0..<20).map { Everything($0) })
      try expectEqual(try store.check(), [])
      _ = try store.delete(Item.where { $0.id < 100 })
      do {
        try store.write { transaction in
          _ = try transaction.delete(Everything.all)
          try transaction.insert(Item(150))
        }
      } catch {
        try expectEqual((error as? StorageError)?.code, .duplicateKey)
      }
      try expectEqual(try store.check(), [])
      try expectEqual(try store.count(Everything.all), 20)
    },
    ConformanceCase(
      "CARE.statistics-bytes", ["CARE-6"],
      "Bytes of models, indexes and the store, where they are known, are at least those of what is in them.",
      needs: [.statistics]
    ) { kit in
      let store = try kit.store(Item.self)
      // Random text, which no engine can store in less.
      var random = kit.random(6)
      let items = (0..<400).map { id in
        Item(id, code: "\(id) \(random.next())", name: (0..<20).map { _ in String(random.next()) }.joined())
      }
      try store.insert(contentsOf: items)
      let bytes = items.reduce(0) { $0 + $1.name.utf8.count }
      let codes = items.reduce(0) { $0 + $1.code.utf8.count }
      let statistics = try store.statistics()
      let model = try unwrap(statistics.models.first { $0.name == "Item" })
      if let found = model.bytes { try expect(found >= bytes, "\(found) bytes of rows with \(bytes) of names") }
      for index in model.indexes {
        if let entries = index.entries { try expectEqual(entries, 400, index.name) }
      }
      let index = try unwrap(model.indexes.first { $0.name.contains("code") })
      if let found = index.bytes { try expect(found >= codes, "\(found) bytes of an index with \(codes) of codes") }
      if let found = statistics.bytes { try expect(found >= bytes, "\(found) bytes of a store") }
      if let free = statistics.freeBytes, let all = statistics.bytes { try expect((0...all).contains(free)) }
    },
    ConformanceCase(
      "CARE.statistics-ends", ["CARE-6"],
      "Bytes count large objects at both ends and in the middle of many small ones.", needs: [.statistics]
    ) { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: (0..<3_000).map { Item($0, code: "c\($0)") })
      for place in [0, 1_500, 2_999] {
        var random = kit.random(7)
        var name = ""
        while name.utf8.count < 1 << 20 { name += String(random.next(), radix: 36) }
        try store.update(Item.self, place) { $0.name = name }
        let model = try unwrap(try store.statistics().models.first { $0.name == "Item" })
        try expectEqual(model.rows, 3_000)
        if let found = model.bytes { try expect(found >= 1 << 20, "\(found) bytes with 1 MiB at \(place)") }
        try store.update(Item.self, place) { $0.name = "" }
      }
    },
    ConformanceCase(
      "CARE.changes-nothing", ["CARE-1", "CARE-3"], "A check sees the committed state and changes nothing.",
      needs: [.check], without: [.insideTransaction]
    ) { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: (0..<50).map { Item($0, rank: $0) })
      let before = try store.read { (try $0.fetch(Item.all), try $0.version) }
      try expectEqual(try store.check(), [])
      try store.write { tx in
        try tx.delete(Item.all)
        try onAnotherThread { try expectEqual(try store.check(), []) }
        try expectEqual(try tx.count(Item.all), 0)
        try tx.insert(contentsOf: before.0)
      }
      try expectEqual(try store.check(), [])
      try expectEqual(try store.fetch(Item.all), before.0)
    },
    ConformanceCase(
      "CARE.compact", ["CARE-4"], "Compaction changes no answer, and what is open stays open.", needs: [.compact],
      // It takes turns with writers, and in that variant its read is one.
      without: [.insideTransaction]
    ) { kit in
      let store = try kit.store(Item.self)
      let items = (0..<40).map { Item($0, rank: $0 % 5) }
      try store.insert(contentsOf: items)
      let frozen = try store.freeze()
      try store.assign(Item.where { $0.rank == 1 }) { $0.name = "changed" }
      try store.delete(Item.where { $0.rank == 2 })
      let before = try store.fetch(Item.all)
      try store.read { transaction in
        try store.compact()
        try expectEqual(try transaction.fetch(Item.all), before)
      }
      try expectEqual(try store.fetch(Item.all), before)
      try expectEqual(try store.count(Item.where { $0.rank == 2 }), 0)
      try expectEqual(try frozen.fetch(Item.all), items)
      try store.insert(Item(100))
      try store.compact()
      try expectEqual(try store.count(Item.all), before.count + 1)
    },
  ]
}
