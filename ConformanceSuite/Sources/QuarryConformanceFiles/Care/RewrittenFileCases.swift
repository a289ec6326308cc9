import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Files that a compaction or a change of the key may rewrite: their permissions, and their other names.
enum RewrittenFileCases {
  /// What may rewrite the files of a closed store.
  private struct Rewriting: Sendable {
    /// The beginning of the ids of its cases.
    let id: String
    let name: String
    let clause: String
    let needs: Set<Capability>
    /// The key that the store has before it, and after it; nil for a plain store.
    let key: UInt8?
    let nextKey: UInt8?
    let run: @Sendable (SealedScene) throws -> Void
  }

  private static let rewritings = [
    Rewriting(id: "CARE.compact", name: "A compaction", clause: "CARE-9", needs: [.compact], key: nil, nextKey: nil) {
      scene in
      let store = try scene.open(nil)
      defer { try? store.close() }
      try store.insert(contentsOf: (1_000..<1_300).map { Item($0) })
      try store.delete(Item.where { $0.id >= 1_000 })
      try store.compact()
    },
    Rewriting(
      id: "ENC.encrypt", name: "The encryption of a store", clause: "ENC-6", needs: [], key: nil, nextKey: 1
    ) { try $0.encrypt(1) },
    Rewriting(
      id: "ENC.decrypt", name: "The decryption of a store", clause: "ENC-6", needs: [], key: 1, nextKey: nil
    ) { try $0.decrypt(1) },
    Rewriting(
      id: "ENC.rekey-full", name: "A full change of the key", clause: "ENC-6", needs: [], key: 1, nextKey: 2
    ) { scene in
      let store = try scene.open(1)
      defer { try? store.close() }
      try store.rekey(to: ConformanceKey.key(2), .full)
    },
  ]

  static let all: [ConformanceCase] = rewritings.flatMap { [permissions($0), linked($0)] }

  private static func rewriting(
    _ way: Rewriting, _ name: String, _ clauses: [String], _ summary: String,
    _ body: @escaping @Sendable (ConformanceContext) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      "\(way.id)-\(name)", clauses, "\(way.name) \(summary)", needs: way.needs.union([.check]),
      requiresPersistence: true, without: ConformanceVariant.allButFresh.subtracting([.encrypted]), body
    ).ofFiles()
  }

  private static func permissions(_ way: Rewriting) -> ConformanceCase {
    rewriting(way, "permissions", ["OPEN-4", way.clause], "leaves the files with the permissions that they had.") {
      kit in
      for mode in [0o640, 0o604, 0o600] {
        let scene = try SealedScene(kit)
        try scene.fill(way.key)
        for path in kit.files(at: scene.place) {
          try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        }
        try way.run(scene)
        for path in kit.files(at: scene.place) {
          let found = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
          try expectEqual((found?.intValue ?? 0) & 0o777, mode, "\(String(mode, radix: 8)): \(path)")
        }
        try scene.expectItems(way.nextKey)
      }
    }
  }

  private static func linked(_ way: Rewriting) -> ConformanceCase {
    rewriting(
      way, "linked", [way.clause], "leaves no other name of a file with older content, or is unsupported."
    ) { kit in
      let scene = try SealedScene(kit)
      try scene.fill(way.key)
      try CopyScene.inFolder { path in
        let others = try kit.files(at: scene.place).enumerated().map { number, file in
          try FileManager.default.linkItem(atPath: file, toPath: path + "\(number)")
          return (file: file, other: path + "\(number)")
        }
        var key = way.nextKey
        do {
          try way.run(scene)
        } catch let error as StorageError where error.code == .unsupported {
          ProvokedErrors.note(error.code)
          key = way.key
        }
        for (file, other) in others {
          try expect(
            try Data(contentsOf: URL(fileURLWithPath: file)) == Data(contentsOf: URL(fileURLWithPath: other)),
            "the other name of \(file) has other content")
        }
        try scene.expectItems(key)
        // With one name it is done.
        for (_, other) in others { try FileManager.default.removeItem(atPath: other) }
        if key != way.nextKey || way.key == way.nextKey { try way.run(scene) }
        try scene.expectItems(way.nextKey)
      }
    }
  }
}
