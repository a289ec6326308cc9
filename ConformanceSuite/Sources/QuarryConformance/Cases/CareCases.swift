import QuarryBackend
import QuarryCore

enum CareCases {
  static let all: [ConformanceCase] = [
    ConformanceCase("CARE.sound", ["CARE-1"], "A check finds nothing after writes, rollbacks and schema changes.",
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
          _ = try transaction.deleteAll(Everything.self)
          try transaction.insert(Item(150))
        }
      } catch {
        try expectEqual((error as? StorageError)?.code, .duplicateKey)
      }
      try expectEqual(try store.check(), [])
      try expectEqual(try store.count(Everything.self), 20)
    }
  ]
}
