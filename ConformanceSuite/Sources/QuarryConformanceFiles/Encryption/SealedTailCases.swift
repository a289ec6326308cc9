import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryEncryption

/// What was put aside of a store whose end could not be read, when the store gets another key, is sealed or made plain.
enum SealedTailCases {
  /// A store with an end that was put aside.
  private struct Tailed {
    let scene: SealedScene
    /// Where the end is.
    let path: String
    /// What of it the store's file had.
    let end: Data

    /// - Parameter key: Nil for a plain store.
    /// - Returns: Nil for an engine that puts nothing aside.
    init?(_ kit: ConformanceContext, _ key: UInt8?) throws {
      let first = try SealedScene(kit)
      let store = try first.open(key)
      try store.insert(contentsOf: SealedScene.items)
      let border = try first.main().data.count
      try store.insert(contentsOf: (100..<140).map { Item($0, name: "name 17 of \($0)", note: "note 42") })
      // As a process leaves it that is killed now.
      let (_, data) = try first.main()
      try store.close()
      guard let wasClosed = try Self.wasClosed(first, key), wasClosed, data.count > border else { return nil }
      scene = try SealedScene(kit)
      try scene.open(key).close()
      var damaged = data
      damaged[border + (data.count - border) / 2] ^= 1
      try damaged.write(to: URL(fileURLWithPath: scene.main().path))
      let opened = try scene.open(key)
      path = try unwrap(opened.openingReport.tail?.path, "where the end is")
      end = damaged.suffix(from: border)
      try expectEqual(try opened.fetch(Item.all), SealedScene.items)
      try opened.close()
    }

    private static func wasClosed(_ scene: SealedScene, _ key: UInt8?) throws -> Bool? {
      let store = try scene.open(key)
      defer { try? store.close() }
      return store.openingReport.wasClosed
    }

    var content: Data { get throws { try Data(contentsOf: URL(fileURLWithPath: path)) } }

    /// The slots of a key in the file with the end.
    func slots() throws -> [EnvelopeSlot] {
      let content = [UInt8](try content)
      return try content.indices.dropLast(EnvelopeSlot.byteCount - 1).compactMap { place in
        guard EnvelopeSlot.isSlot(content[place...]) else { return nil }
        return try EnvelopeSlot(Array(content[place..<place + EnvelopeSlot.byteCount]))
      }
    }

    /// The end is there as it was, a key opens it and another does not, and check tells of it.
    func expectKept(_ key: UInt8, not other: UInt8?, _ about: String, line: Int = #line) throws {
      try expect(try content.range(of: end) != nil, "\(about): the end is not what it was", line: line)
      let slots = try slots()
      try expect(!slots.isEmpty, "\(about): the end has no slot of a key", line: line)
      for slot in slots {
        do throws(StorageError) { _ = try ConformanceKey.key(key).unwrap(slot) } catch {
          throw ConformanceFailure(message: "\(about): key \(key): \(error)", file: #fileID, line: line)
        }
        guard let other else { continue }
        try expectError(.wrongKey, "\(about): key \(other)", line: line) { try ConformanceKey.key(other).unwrap(slot) }
      }
    }

    func expectTold(_ key: UInt8?, _ about: String, line: Int = #line) throws {
      let store = try scene.open(key)
      defer { try? store.close() }
      try expectEqual(try store.fetch(Item.all), SealedScene.items, about, line: line)
      try expect(try store.check().contains { $0.contains(path) }, "\(about): check says nothing", line: line)
    }
  }

  private static func tail(
    _ name: String, _ clauses: [String], _ summary: String, line: Int = #line, from key: UInt8?,
    _ body: @escaping @Sendable (Tailed) throws -> Void
  ) -> ConformanceCase {
    .sealed("tail-\(name)", clauses, summary, needs: [.openReadOnly], line: line) { scene in
      guard let tailed = try Tailed(scene.kit, key) else { return }
      try body(tailed)
    }
  }

  private static func quarantined(_ name: String, from key: UInt8?) -> ConformanceCase {
    tail(
      name, ["CARE-5", "MIG-11"], "An end that was put aside goes with a store that is quarantined.", from: key
    ) { tailed in
      let (scene, before) = (tailed.scene, try tailed.content)
      let other = ModelSchema.migrating("Item", .int("code"))
      let fresh = try scene.kit.open(
        program: [other], at: scene.place, options: try SealedScene.options(key),
        migration: .startOver(keeping: .quarantine))
      let kept = try unwrap(fresh.openingReport.quarantine, "where the old store is")
      try expectEqual(try fresh.check(), [], "the store that takes its place")
      try fresh.close()
      try expect(!FileManager.default.fileExists(atPath: tailed.path), "the end stayed where the store was")
      let ends = try scene.everything().filter { $0.value == before }.keys.filter { $0 != kept }
      try expectEqual(ends.count, 1, "the ends with that content")
      let end = try unwrap(ends.first)
      try expect(end.hasPrefix(kept + "."), "\(end) does not lie beside \(kept)")
      guard let place = try scene.kit.harness.place(at: kept) else { return }
      let store = try scene.kit.open([Item.self], at: place, options: try SealedScene.options(key))
      try expectEqual(try store.fetch(Item.all), SealedScene.items)
      try expect(try store.check().contains { $0.contains(end) }, "check of the quarantined store says nothing")
      try store.destroy()
      try expect(!FileManager.default.fileExists(atPath: end), "the end stayed when its store was destroyed")
    }
  }

  static let all: [ConformanceCase] =
    [("full", RekeyExtent.full), ("wrapping", .wrappingOnly)].map { name, extent in
      tail(
        "rekeyed-\(name)", ["ENC-5", "ENC-3", "CARE-5"],
        "An end that was put aside has the key that its store gets (\(name)).", from: 1
      ) { tailed in
        try tailed.expectKept(1, not: 2, "before")
        let store = try tailed.scene.open(1)
        try store.rekey(to: ConformanceKey.key(2), extent)
        try tailed.expectKept(2, not: 1, "after the change")
        try store.rekey(to: ConformanceKey.key(3), extent == .full ? .wrappingOnly : .full)
        try store.close()
        try tailed.expectKept(3, not: 2, "after a second change")
        try tailed.expectTold(3, "after a second change")
        try tailed.scene.expectSealed("the end")
      }
    } + [
      tail("compacted", ["ENC-7", "CARE-5"], "A compaction leaves an end that was put aside as it is.", from: 1) {
        tailed in
        let before = try tailed.content
        let store = try tailed.scene.open(1)
        try store.compact()
        try store.close()
        try expect(try tailed.content == before, "the end was changed")
        try tailed.expectTold(1, "compacted")
      },
      tail(
        "encrypted", ["ENC-6", "ENC-3"],
        "A plain store with an end put aside is not sealed, or nothing plain is left beside it.", from: nil
      ) { tailed in
        let before = try tailed.scene.everything()
        do {
          try tailed.scene.encrypt(2)
          try tailed.scene.expectSealed("sealed")
        } catch let error as StorageError {
          ProvokedErrors.note(error.code)
          try expectEqual(error.code, .unsupported)
          try expect(error.message.contains(tailed.path), "\(error) does not name the end")
          let after = try tailed.scene.everything()
          try expectEqual(after.keys.sorted(), before.keys.sorted())
          try tailed.expectTold(nil, "refused")
          // Without it the store is sealed.
          try FileManager.default.removeItem(atPath: tailed.path)
          try tailed.scene.encrypt(2)
        }
        try tailed.scene.expectSealed("sealed")
        try tailed.scene.expectOnly(2, 1)
      },
      tail(
        "decrypted", ["ENC-6", "ENC-3"], "The end of a sealed store that becomes plain stays sealed, with its key.",
        from: 1
      ) { tailed in
        try tailed.scene.decrypt(1)
        try tailed.expectKept(1, not: 2, "decrypted")
        try expect(try tailed.content.range(of: Data("name 17".utf8)) == nil, "the end is in the clear")
        try tailed.expectTold(nil, "decrypted")
      },
      quarantined("quarantined", from: 1), quarantined("quarantined-plain", from: nil),
      tail("destroyed", ["CARE-5"], "The end goes with the store.", from: 1) { tailed in
        try tailed.scene.open(1).destroy()
        try expectEqual(try tailed.scene.everything().keys.sorted(), [])
      },
    ]
}
