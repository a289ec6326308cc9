import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryEncryption

/// Changes of a store's key.
enum RekeyCases {
  private static let extents: [(name: String, extent: RekeyExtent)] = [("full", .full), ("wrapping", .wrappingOnly)]

  /// A case for both extents.
  private static func rekey(
    _ name: String, _ summary: String, clauses: [String] = ["ENC-5"], needs: Set<Capability> = [],
    within limit: Duration = .seconds(30), file: String = #fileID, line: Int = #line,
    _ body: @escaping @Sendable (SealedScene, RekeyExtent) async throws -> Void
  ) -> [ConformanceCase] {
    extents.map { kind in
      .sealed(
        "rekey-\(name)-\(kind.name)", clauses, "\(summary) (\(kind.name))", needs: needs, within: limit, file: file,
        line: line
      ) { try await body($0, kind.extent) }
    }
  }

  /// The keys that a store with key 1 gets: some on the way, then the one that alone opens it.
  private static let changes: [(name: String, summary: String, way: [UInt8], key: UInt8, others: [UInt8])] = [
    ("plain", "After a change of the key the new one opens the store, and no other.", [], 2, [1, 3]),
    ("twice", "A key is changed twice while the store is open.", [2], 3, [1, 2]),
    ("back", "A key is changed and changed back.", [2], 1, [2]),
    ("same", "A store is given the key that it has.", [], 1, [2]),
  ]

  static let all: [ConformanceCase] =
    changes.flatMap { change in
      rekey(change.name, change.summary) { scene, extent in
        try scene.fill(1)
        let store = try scene.open(1)
        for key in change.way + [change.key] { try store.rekey(to: ConformanceKey.key(key), extent) }
        try expectEqual(try store.fetch(Item.all), SealedScene.items)
        try expectEqual(try store.check(), [])
        try store.close()
        try scene.expectOnly(change.key, change.others)
      }
    } + others

  private static let others: [ConformanceCase] = [
    rekey("empty", "A store without objects changes its key.") { scene, extent in
      let store = try scene.open(1)
      try store.rekey(to: ConformanceKey.key(2), extent)
      try store.insert(contentsOf: SealedScene.items)
      try store.close()
      try scene.expectOnly(2, 1)
    },
    rekey("written-after", "What is written after a change of the key is there.") { scene, extent in
      try scene.fill(1)
      let store = try scene.open(1)
      try store.rekey(to: ConformanceKey.key(2), extent)
      try store.insert(Item(700))
      try store.close()
      try expectError(.wrongKey) { try scene.open(1) }
      let again = try scene.open(2)
      try expectEqual(try again.count(Item.all), SealedScene.items.count + 1)
      try again.delete(Item.self, 700)
      try again.close()
      try scene.expectOnly(2, 1)
    },
    rekey("passphrase", "A key becomes a passphrase, and a key again.") { scene, extent in
      try scene.fill(1)
      let store = try scene.open(1)
      try store.rekey(to: EncryptionKey.passphrase("a passphrase", logN: 14), extent)
      try expectEqual(try store.keySlot()?.derivation, .scrypt(logN: 14, r: 8, p: 1))
      try store.close()
      try expectError(.wrongKey) { try scene.open(1) }
      var options = OpenOptions()
      options.encryption = Encryption(try EncryptionKey.passphrase("a passphrase"))
      let again = try scene.kit.open([Item.self], at: scene.place, options: options)
      try again.rekey(to: ConformanceKey.key(2), extent)
      try again.close()
      try scene.expectOnly(2, 1)
    },
    rekey("generation", "The slot after a change has a later generation, another salt and another wrapped key.") {
      scene, extent in
      try scene.fill(1)
      let store = try scene.open(1)
      let before = try unwrap(store.keySlot())
      try store.rekey(to: ConformanceKey.key(2), extent)
      let after = try unwrap(store.keySlot())
      try expect(after.wrapped != before.wrapped && after.salt != before.salt && after.nonce != before.nonce)
      if extent == .wrappingOnly { try expect(after.generation > before.generation, "the generation") }
      // The old slot is in no file.
      let slot = Data(before.bytes.suffix(60))
      try store.close()
      if extent == .wrappingOnly || scene.kit.manifest.sharing == .oneProcess {
        try expect(try !scene.main().data.prefix(8_192).contains(slot), "the old slot is there")
      }
    },
    rekey("snapshot", "A snapshot that is open goes on while the key is changed, or the change is refused.") {
      scene, extent in
      try scene.fill(1)
      let store = try scene.open(1)
      let frozen = try store.freeze()
      try refusable([.inUse, .busy]) {
        try store.rekey(to: ConformanceKey.key(2), extent)
      } done: { changed in
        try expectEqual(try frozen.fetch(Item.all), SealedScene.items)
        frozen.close()
        try store.close()
        try scene.expectOnly(changed ? 2 : 1, changed ? 1 : 2)
      }
    },
    rekey("snapshot-at-once", "A change that is refused because of a snapshot does not wait for it.") {
      scene, extent in
      try scene.fill(1)
      let store = try scene.open(1) { $0.busyTimeout = 40 }
      let frozen = try store.freeze()
      let start = ContinuousClock.now
      try refusable([.inUse, .busy]) {
        try store.rekey(to: ConformanceKey.key(2), extent)
      } done: { changed in
        try expect(ContinuousClock.now - start < .seconds(30), "it waited for the snapshot")
        frozen.close()
        try store.close()
        try scene.expectOnly(changed ? 2 : 1, changed ? 1 : 2)
      }
    },
    rekey("second-store", "A store that is open twice changes its key for both, or the change is refused.") {
      scene, extent in
      try scene.fill(1)
      let (first, second) = (try scene.open(1), try scene.open(1))
      try refusable([.inUse, .busy]) {
        try first.rekey(to: ConformanceKey.key(2), extent)
      } done: { changed in
        try expectEqual(try first.fetch(Item.all), SealedScene.items)
        do {
          try expectEqual(try second.fetch(Item.all), SealedScene.items)
        } catch let error as StorageError {
          try expect(changed && error.code == .wrongKey, "\(error)")
        }
        try first.close()
        try second.close()
        try scene.expectOnly(changed ? 2 : 1, changed ? 1 : 2)
      }
    },
    rekey("reading", "A store that was opened for reading does not change its key.") { scene, extent in
      try scene.fill(1)
      let store = try scene.open(1) { $0.isReadOnly = true }
      try scene.expectUntouched(.readOnly) { try store.rekey(to: ConformanceKey.key(2), extent) }
      try store.close()
      try scene.expectOnly(1, 2)
    },
    rekey("plain-store", "A plain store has no key to change.") { scene, extent in
      try scene.fill(nil)
      let store = try scene.open(nil)
      try scene.expectUntouched(.notEncrypted) { try store.rekey(to: ConformanceKey.key(2), extent) }
      try store.close()
      try scene.expectItems(nil)
    },
    rekey("inside", "Inside a transaction of the store its key is not changed.") { scene, extent in
      try scene.fill(1)
      let store = try scene.open(1)
      try store.write { tx in
        try expectError(.reentrant) { try store.rekey(to: ConformanceKey.key(2), extent) }
        try tx.insert(Item(800))
      }
      _ = try store.read { _ in
        try expectError(.reentrant) { try store.rekey(to: ConformanceKey.key(2), extent) }
      }
      try store.delete(Item.self, 800)
      try store.close()
      try scene.expectOnly(1, 2)
    },
    rekey("closed", "A store that was closed does not change its key.") { scene, extent in
      try scene.fill(1)
      let store = try scene.open(1)
      try store.close()
      try expectError(.closed) { try store.rekey(to: ConformanceKey.key(2), extent) }
      try scene.expectOnly(1, 2)
    },
    rekey("large", "A store of some megabytes changes its key.", within: .seconds(60)) { scene, extent in
      let store = try scene.open(1)
      let items = (0..<1_500).map { Item($0, name: String(repeating: "\($0) ", count: 300)) }
      try store.insert(contentsOf: items)
      try store.rekey(to: ConformanceKey.key(2), extent)
      try expectEqual(try store.fetch(Item.all), items)
      try store.close()
      try expectError(.wrongKey) { try scene.open(1) }
      let again = try scene.open(2)
      try expectEqual(try again.fetch(Item.all), items)
      try expectEqual(try again.check(), [])
    },
    rekey("backup", "A backup of before opens with the old key, one of after with the new.", needs: [.backup]) {
      scene, extent in
      try scene.fill(1)
      let store = try scene.open(1)
      let (before, after) = (try SealedScene(scene.kit), try SealedScene(scene.kit))
      func path(_ scene: SealedScene) throws -> String {
        try unwrap(scene.kit.harness.secondProcess?.address(scene.kit.undecorated(scene.place)), "a path")
      }
      try store.backup(to: path(before))
      try store.rekey(to: ConformanceKey.key(2), extent)
      try store.backup(to: path(after))
      try store.close()
      try before.expectOnly(1, 2)
      try after.expectOnly(2, 1)
    },
    rekey("compacted", "A store is compacted before and after its key is changed.", needs: [.compact]) {
      scene, extent in
      try scene.fill(1)
      let store = try scene.open(1)
      try store.compact()
      try store.rekey(to: ConformanceKey.key(2), extent)
      try store.compact()
      try expectEqual(try store.fetch(Item.all), SealedScene.items)
      try store.close()
      try scene.expectOnly(2, 1)
    },
    rekey("short", "A key that is too short changes nothing.", clauses: ["ENC-5", "ENC-9"]) { scene, extent in
      try scene.fill(1)
      let store = try scene.open(1)
      try expectError(.invalidValue) { try store.rekey(to: EncryptionKey([1, 2, 3]), extent) }
      try store.close()
      try scene.expectOnly(1, 2)
    },
    [
      .sealed(
        "rekey-full-old-bytes", ["ENC-5"],
        "After a full change of the key nothing of the old bytes is in the store's file.",
        needs: [.compact]
      ) { scene in
        try scene.fill(1)
        let zeros = Data(repeating: 0, count: 64)
        let old = try Set(scene.main().data.dropFirst(4_096).blocks(of: 64)).subtracting([zeros])
        let store = try scene.open(1)
        let log = SealLog()
        try store.rekey(to: WatchedKey(inner: ConformanceKey.key(2), log: log))
        try expectEqual(log.keys.made, 1, "data keys that were made")
        // An engine whose pages are freed and not written over gives them back so.
        try store.compact()
        try store.close()
        let new = try scene.main().data.dropFirst(4_096).blocks(of: 64)
        let kept = new.count { old.contains($0) }
        try expect(kept * 20 <= new.count, "\(kept) of \(new.count) blocks are as they were")
        try scene.expectOnly(2, 1)
      },
      .sealed(
        "rekey-wrapping-keeps-pages", ["ENC-5"], "A change of the wrapping alone leaves the objects where they are."
      ) { scene in
        let store = try scene.open(1)
        try store.insert(contentsOf: (0..<2_000).map { Item($0, name: String(repeating: "x", count: 200)) })
        try store.close()
        let before = try scene.main().data.blocks(of: 512)
        let again = try scene.open(1)
        let log = SealLog()
        let watched = WatchedKey(inner: try ConformanceKey.key(2), log: log)
        try again.rekey(to: watched, .wrappingOnly)
        try expectEqual(log.keys.made, 0, "data keys that were made")
        try expect(log.keys.wrapped > 0, "the data key was not wrapped by the new key")
        try again.close()
        let after = try Set(scene.main().data.blocks(of: 512))
        let kept = before.count { after.contains($0) }
        try expect(kept * 10 >= before.count * 8, "\(kept) of \(before.count) blocks are as they were")
        try expectError(.wrongKey) { try scene.open(1) }
        try expectEqual(try scene.open(2).count(Item.all), 2_000)
      },
    ],
  ].flatMap { $0 }

  /// Does what an engine may refuse, and says whether it was done.
  private static func refusable(
    _ codes: Set<StorageError.Code>, _ body: () throws -> Void, done: (Bool) throws -> Void
  ) throws {
    var changed = true
    do {
      try body()
    } catch let error as StorageError where codes.contains(error.code) {
      ProvokedErrors.note(error.code)
      changed = false
    }
    try done(changed)
  }
}
