import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryEncryption

/// What is made of a store whose key has just been changed elsewhere: by another process, or by another opening.
enum ChangedKeyCases {
  private static let extents: [(name: String, extent: RekeyExtent)] = [("full", .full), ("wrapping", .wrappingOnly)]

  private static func path(_ scene: SealedScene) throws -> String {
    try unwrap(scene.kit.harness.secondProcess?.address(scene.kit.undecorated(scene.place)), "a path")
  }

  /// A store that is open here while another process changes its key from 1 to 2.
  ///
  /// - Parameter body: Is given the key that the store has then.
  private static func elsewhere(
    _ name: String, _ summary: String, needs: Set<Capability> = [], line: Int = #line,
    _ body: @escaping @Sendable (SealedScene, Store, _ key: UInt8) throws -> Void
  ) -> [ConformanceCase] {
    extents.map { kind in
      .sealedProcesses(
        "\(name)-rekeyed-elsewhere-\(kind.name)", ["ENC-7", "ENC-10"], "\(summary) (\(kind.name))",
        needs: needs.union([.multipleProcesses]), line: line
      ) { scene in
        try scene.fill(1)
        let store = try scene.open(1)
        try expectEqual(try store.count(Item.all), SealedScene.items.count)
        let child = try scene.kit.secondProcess(at: scene.place)
        var key: UInt8 = 2
        do {
          try child.expect("rekey 1 2 \(kind.name)", "done")
        } catch let error as StorageError where error.code == .inUse || error.code == .busy {
          key = 1
        }
        child.kill()
        try body(scene, store, key)
        try? store.close()
      }
    }
  }

  /// Does something that may be refused because the key was changed.
  ///
  /// - Returns: Whether it was done.
  private static func isDone(_ key: UInt8, _ body: () throws -> Void) throws -> Bool {
    do {
      try body()
      return true
    } catch let error as StorageError where error.code == .wrongKey && key != 1 {
      ProvokedErrors.note(.wrongKey)
      return false
    }
  }

  static let all: [ConformanceCase] =
    elsewhere("backup", "A backup opens with the key that the store has, and no other.", needs: [.backup]) {
      scene, store, key in
      let copy = try SealedScene(scene.kit)
      guard try isDone(key, { try store.backup(to: path(copy)) }) else {
        try expectEqual(try copy.everything().keys.sorted(), [], "what a refused backup leaves")
        return
      }
      try copy.expectOnly(key, 3 - key)
      // And one of after a write, by a store that goes on.
      guard try isDone(key, { try store.upsert(SealedScene.items[0]) }) else { return }
      let second = try SealedScene(scene.kit)
      try store.backup(to: path(second))
      try second.expectOnly(key, 3 - key)
      try store.close()
      try scene.expectOnly(key, 3 - key)
    }
    + elsewhere("compact", "A compacted store has the key that it had, and no other.", needs: [.compact]) {
      scene, store, key in
      do {
        _ = try isDone(key) { try store.compact() }
      } catch let error as StorageError where error.code == .inUse {}
      try store.close()
      try scene.expectOnly(key, 3 - key)
    }
    + elsewhere("rekey", "A key that is changed once more is the last one, or the change is refused.") {
      scene, store, key in
      for extent in [RekeyExtent.wrappingOnly, .full] {
        guard try isDone(key, { try store.rekey(to: ConformanceKey.key(3), extent) }) else {
          try store.close()
          return try scene.expectOnly(key, 3 - key, 3)
        }
      }
      try expectEqual(try store.fetch(Item.all), SealedScene.items)
      try store.close()
      try scene.expectOnly(3, 1, 2)
    }
    + elsewhere("reopen", "A store that is opened beside one which goes on has the new key.") { scene, store, key in
      let second = try scene.open(key)
      try expectEqual(try second.fetch(Item.all), SealedScene.items)
      try expectError(.wrongKey) { try scene.open(3 - key) }
      let frozen = try second.freeze()
      _ = try isDone(key) {
        try store.insert(Item(300))
        try store.delete(Item.self, 300)
      }
      try expectEqual(try frozen.fetch(Item.all), SealedScene.items)
      frozen.close()
      try second.close()
      try store.close()
      try scene.expectOnly(key, 3 - key)
    }
    + extents.map { kind in
      .sealed(
        "backup-by-second-store-\(kind.name)", ["ENC-7", "ENC-5"],
        "What another opening of the store backs up has the key that the first one gave it (\(kind.name)).",
        needs: [.backup]
      ) { scene in
        try scene.fill(1)
        let (first, second) = (try scene.open(1), try scene.open(1))
        var key: UInt8 = 2
        do {
          try first.rekey(to: ConformanceKey.key(2), kind.extent)
        } catch let error as StorageError where error.code == .inUse || error.code == .busy {
          key = 1
        }
        let copy = try SealedScene(scene.kit)
        if try isDone(key, { try second.backup(to: path(copy)) }) { try copy.expectOnly(key, 3 - key) }
        let other = try SealedScene(scene.kit)
        try first.backup(to: path(other))
        try other.expectOnly(key, 3 - key)
        try first.close()
        try second.close()
        try scene.expectOnly(key, 3 - key)
      }
    }
}
