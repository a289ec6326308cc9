import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import Synchronization

/// Copies of a store that are made while it is used.
enum BackupCases {
  /// What is in the folder of a path.
  private static func neighbours(_ path: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: URL(fileURLWithPath: path).deletingLastPathComponent().path)
  }

  private static func backup(
    _ name: String, _ summary: String, within limit: Duration = .seconds(10),
    _ body: @escaping @Sendable (ConformanceContext) async throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      "CARE.backup-\(name)", ["CARE-7", "CARE-8"], summary, needs: [.backup, .check], requiresPersistence: true,
      within: limit, body)
  }

  static let all: [ConformanceCase] = content + places + inside + beside + progress

  // MARK: What is in it

  private static let content: [ConformanceCase] = [
    backup("equal", "A backup has the rows, the models, the indexes and the versions of the store.") { kit in
      let store = try kit.store(Item.self, Everything.self)
      try store.insert(contentsOf: (0..<300).map { Item($0, rank: $0 % 7) })
      try store.insert(contentsOf: (0..<40).map { Everything($0) })
      try store.delete(Item.where { $0.rank == 3 })
      guard let copy = try CopyScene.copy(store, kit, [Item.self, Everything.self]) else { return }
      try expectEqual(try copy.fetch(Item.all), try store.fetch(Item.all))
      try expectEqual(try copy.fetch(Everything.all).count, 40)
      try expectEqual(try copy.models(), try store.models())
      try expectEqual(copy.schemaVersion, store.schemaVersion)
      try expectEqual(try copy.read { try $0.version }, try store.read { try $0.version })
      try expectEqual(try copy.fetch(Item.where { $0.rank == 5 }), try store.fetch(Item.where { $0.rank == 5 }))
      try expectEqual(try copy.check(), [])
      try expectError(.uniqueViolation) { try copy.insert(Item(1000, code: try unwrap(store.get(Item.self, 1)).code)) }
    },
    backup("empty", "A backup of a store without objects is such a store.") { kit in
      let store = try kit.store(Item.self)
      guard let copy = try CopyScene.copy(store, kit) else { return }
      try expectEqual(try copy.count(Item.all), 0)
      try expectEqual(try copy.check(), [])
      try copy.insert(Item(1))
      try expectEqual(try store.count(Item.all), 0)
    },
    backup("large", "A backup of large rows, which fill many pages, is whole.", within: .seconds(30)) { kit in
      let store = try kit.store(Item.self)
      let items = (0..<120).map { Item($0, name: String(repeating: "\($0) ", count: 4_000 + $0)) }
      try store.insert(contentsOf: items)
      guard let copy = try CopyScene.copy(store, kit) else { return }
      try expectEqual(try copy.fetch(Item.all), items)
      try expectEqual(try copy.check(), [])
    },
    backup("apart", "What is written to a store or to its backup afterwards is in that one alone.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: (0..<20).map { Item($0) })
      guard let copy = try CopyScene.copy(store, kit) else { return }
      try store.insert(Item(100))
      try copy.delete(Item.where { $0.id < 10 })
      try copy.insert(Item(200))
      try expectEqual(try store.fetch(Item.all).map(\.id), Array(0..<20) + [100])
      try expectEqual(try copy.fetch(Item.all).map(\.id), Array(10..<20) + [200])
      try expectEqual(try store.check() + copy.check(), [])
    },
    backup("of-a-backup", "A backup of a backup has what the first store has.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: (0..<50).map { Item($0) })
      guard let first = try CopyScene.copy(store, kit), let second = try CopyScene.copy(first, kit) else { return }
      try expectEqual(try second.fetch(Item.all), try store.fetch(Item.all))
      try expectEqual(try second.check(), [])
    },
    backup("version", "The versions of a backup go on from those of the store.") { kit in
      let store = try kit.store(Item.self)
      for id in 0..<5 {
        try store.insert(Item(id))
        guard let copy = try CopyScene.copy(store, kit) else { return }
        let version = try copy.read { try $0.version }
        try expectEqual(version, try store.read { try $0.version })
        for more in 0..<3 { try copy.insert(Item(100 + more)) }
        try expect(try copy.read { try $0.version } > version)
        try expectEqual(try copy.count(Item.all), id + 4)
        try expectEqual(try copy.check(), [])
      }
    },
    backup("owner", "Nobody but the owner may read a backup.") { kit in
      let store = try kit.store(Item.self)
      guard let (_, path) = try CopyScene.target(kit) else { return }
      try store.backup(to: path)
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
      try expectEqual(try unwrap(mode).intValue & 0o077, 0)
    },
  ]

  // MARK: Where it is put

  private static let places: [ConformanceCase] = [
    backup("over-a-file", "A backup replaces nothing: it is inUse, and what is there stays.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(1))
      try CopyScene.inFolder { path in
        try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
        try expectError(.inUse) { try store.backup(to: path) }
        try expectEqual(try Data(contentsOf: URL(fileURLWithPath: path)), Data("mine".utf8))
        try expectEqual(try neighbours(path), ["copy"])
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try expectError(.inUse) { try store.backup(to: path) }
        try expectEqual(try neighbours(path), ["copy"])
      }
      try expectEqual(try store.fetch(Item.all), [Item(1)])
    },
    backup("onto-itself", "A backup onto the store itself, or onto a file of it, is inUse.") { kit in
      guard let (place, path) = try CopyScene.target(kit) else { return }
      let store = try kit.open([Item.self], at: place)
      try store.insert(Item(1))
      for path in [path] + kit.files(at: place) { try expectError(.inUse, path) { try store.backup(to: path) } }
      try expectEqual(try store.fetch(Item.all), [Item(1)])
      try expectEqual(try store.check(), [])
      try store.insert(Item(2))
    },
    backup("twice", "A second backup to one place is inUse, and the first stays as it is.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(1))
      guard let (place, path) = try CopyScene.target(kit) else { return }
      try store.backup(to: path)
      try store.insert(Item(2))
      try expectError(.inUse) { try store.backup(to: path) }
      try expectEqual(try kit.open([Item.self], at: place).fetch(Item.all), [Item(1)])
      guard let other = try CopyScene.copy(store, kit) else { return }
      try expectEqual(try other.count(Item.all), 2)
    },
    backup("nowhere", "A backup into a folder that is not there is notFound, and makes nothing.") { kit in
      let store = try kit.store(Item.self)
      try CopyScene.inFolder { path in
        try expectError(.notFound) { try store.backup(to: path + "/there/at-all") }
        try expectEqual(try neighbours(path), [])
      }
      try expectError(.invalidValue) { try store.backup(to: "") }
      try expectError(.invalidValue) { try store.backup(to: "a\0b") }
      try expectError(.limitExceeded) { try store.backup(to: "/tmp/" + String(repeating: "n", count: 300)) }
      try store.insert(Item(1))
    },
  ]

  // MARK: Inside and beside

  private static let inside: [ConformanceCase] = [
    backup("inside-read", "A backup inside a read has the newest committed state.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(1))
      let made = try store.read { tx in
        try expectEqual(try tx.count(Item.all), 1)
        return try CopyScene.copy(store, kit)
      }
      try expectEqual(try made?.fetch(Item.all) ?? [Item(1)], [Item(1)])
    },
    backup("inside-write", "A backup inside a write has what is committed, and not what the write wrote.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: (0..<10).map { Item($0) })
      let made = try store.write { tx in
        try tx.insert(Item(100))
        try tx.delete(Item.self, 1)
        let made = try CopyScene.copy(store, kit)
        try tx.insert(Item(101))
        return made
      }
      try expectEqual(try store.fetch(Item.all).map(\.id), [0] + Array(2..<10) + [100, 101])
      guard let made else { return }
      try expectEqual(try made.fetch(Item.all).map(\.id), Array(0..<10))
      try expectEqual(try made.check(), [])
    },
    backup("old-snapshots", "A backup beside older snapshots has the newest state.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(1))
      let frozen = try store.freeze()
      try store.insert(Item(2))
      try store.delete(Item.self, 1)
      guard let copy = try CopyScene.copy(store, kit) else { return }
      try expectEqual(try copy.fetch(Item.all).map(\.id), [2])
      try expectEqual(try frozen.fetch(Item.all).map(\.id), [1])
    },
    backup("read-only", "A store that is opened for reading alone is backed up, too.") { kit in
      let place = try kit.makePlace()
      let first = try kit.open([Item.self], at: place)
      try first.insert(contentsOf: (0..<20).map { Item($0) })
      try first.close()
      var options = OpenOptions()
      options.isReadOnly = true
      let store = try kit.open([Item.self], at: place, options: options)
      guard let copy = try CopyScene.copy(store, kit) else { return }
      try expectEqual(try copy.count(Item.all), 20)
      try copy.insert(Item(100))
      try expectEqual(try copy.check(), [])
    },
    backup("closed", "A store that was closed is not backed up.") { kit in
      let store = try kit.store(Item.self)
      try store.close()
      try CopyScene.inFolder { path in
        try expectError(.closed) { try store.backup(to: path) }
        try expectEqual(try neighbours(path), [])
      }
    },
  ]

  private static let beside: [ConformanceCase] = [
    backup("beside-writer", "Backups beside a writer have whole commits, one state each.", within: .seconds(60)) {
      kit in
      let store = try kit.store(Item.self)
      let goesOn = Atomic(true)
      let copies = Mutex<[Store]>([])
      let targets = try (0..<4).compactMap { _ in try CopyScene.target(kit) }
      try onThreads(2) { number in
        defer { goesOn.store(false, ordering: .sequentiallyConsistent) }
        if number == 0 {
          for batch in 0..<400 where goesOn.load(ordering: .sequentiallyConsistent) {
            try store.insert(contentsOf: (0..<10).map { Item(batch * 10 + $0) })
          }
        } else {
          for (place, path) in targets {
            try store.backup(to: path)
            let copy = try kit.open([Item.self], at: place)
            copies.withLock { $0.append(copy) }
          }
        }
      }
      var least = 0
      for copy in copies.withLock({ $0 }) {
        let ids = try copy.fetch(Item.all).map(\.id)
        try expectEqual(ids.count % 10, 0)
        try expectEqual(ids, Array(0..<ids.count))
        try expect(ids.count >= least, "a later backup has less")
        least = ids.count
        try expectEqual(try copy.check(), [])
      }
      try expectEqual(try store.check(), [])
    },
    backup("async", "The asynchronous form does the same.") { kit in
      let store = try kit.store(Item.self)
      try await store.insert(Item(1))
      guard let (place, path) = try CopyScene.target(kit) else { return }
      try await store.backup(to: path)
      let count = try await kit.open([Item.self], at: place).count(Item.all)
      try expectEqual(count, 1)
    },
  ]

  // MARK: Progress

  private static let progress: [ConformanceCase] = [
    backup("progress", "The progress of a backup ends at its total.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: (0..<200).map { Item($0) })
      let progress = Progress(totalUnitCount: -1)
      let made = try CopyScene.copy(store, kit) { try $0.backup(to: $1, progress: progress) }
      guard let made else { return }
      try expect(progress.totalUnitCount > 0)
      try expectEqual(progress.completedUnitCount, progress.totalUnitCount)
      try expectEqual(try made.count(Item.all), 200)
    },
    backup("cancelled", "A backup that is cancelled leaves nothing, and the store as it is.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: (0..<200).map { Item($0) })
      let progress = Progress(totalUnitCount: -1)
      progress.cancel()
      try CopyScene.inFolder { path in
        try expectThrows(CancellationError.self) { try store.backup(to: path, progress: progress) }
        try expectEqual(try neighbours(path), [])
        try store.backup(to: path)
        try expectEqual(try neighbours(path), ["copy"])
      }
      try expectEqual(try store.count(Item.all), 200)
    },
  ]
}
