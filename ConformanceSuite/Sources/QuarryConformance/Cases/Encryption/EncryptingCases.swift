import Foundation
import QuarryBackend
import QuarryCore
import QuarryEncryption

/// Plain stores that are sealed, and sealed ones that become plain.
enum EncryptingCases {
  private static func encrypt(_ scene: SealedScene, _ key: UInt8) throws {
    func encrypt(_ place: some BackendProvider) throws {
      try Store.encrypt(place, with: ConformanceKey.key(key))
    }
    try encrypt(scene.kit.undecorated(scene.place))
  }

  private static func decrypt(_ scene: SealedScene, _ key: UInt8) throws {
    func decrypt(_ place: some BackendProvider) throws {
      try Store.decrypt(place, with: ConformanceKey.key(key))
    }
    try decrypt(scene.kit.undecorated(scene.place))
  }

  /// Nothing of the items' names is in the place's folder.
  private static func expectSealed(_ scene: SealedScene, _ about: String = "") throws {
    for (path, data) in try scene.everything() {
      for text in ["name 17", "note 42"] where data.range(of: Data(text.utf8)) != nil {
        throw ConformanceFailure(
          message: "\(about): \(text) is in the clear in \((path as NSString).lastPathComponent)", file: #fileID,
          line: #line)
      }
    }
  }

  static let all: [ConformanceCase] =
    [
      .sealed("encrypt", ["ENC-6"], "A plain store is sealed: the same objects, and nothing plain is left.") { scene in
        try scene.fill(nil)
        try encrypt(scene, 1)
        try expectSealed(scene)
        try scene.expectOnly(1, 2)
      },
      .sealed("decrypt", ["ENC-6"], "A sealed store becomes a plain one with the same objects.") { scene in
        try scene.fill(1)
        try decrypt(scene, 1)
        try scene.expectUntouched(.notEncrypted) { try scene.open(1) }
        try scene.expectItems(nil)
      },
      .sealed("encrypt-decrypt", ["ENC-6"], "A store is sealed, becomes plain, and is sealed with another key.") {
        scene in
        try scene.fill(nil)
        try encrypt(scene, 1)
        try decrypt(scene, 1)
        try encrypt(scene, 2)
        try expectSealed(scene)
        try scene.expectOnly(2, 1)
      },
      .sealed("encrypt-empty", ["ENC-6"], "A store without objects is sealed.") { scene in
        try scene.open(nil).close()
        try encrypt(scene, 1)
        try scene.expectUntouched(.keyRequired) { try scene.open(nil) }
        try expectEqual(try scene.open(1).count(Item.self), 0)
      },
      .sealed("encrypt-everything", ["ENC-6"], "Every kind of value, the models and their version are as before.") {
        scene in
        let plain = try scene.open(nil, [Everything.self, Item.self, Plain.self])
        try plain.insert(contentsOf: (0..<40).map { Everything($0) })
        try plain.insert(contentsOf: SealedScene.items)
        let (models, objects) = (try plain.models(), try plain.fetch(Everything.self))
        try plain.close()
        try encrypt(scene, 1)
        let sealed = try scene.open(1, [Everything.self, Item.self, Plain.self])
        try expectEqual(try sealed.models().map(\.name).sorted(), models.map(\.name).sorted())
        try expectEqual(try sealed.fetch(Everything.self).map(\.id), objects.map(\.id))
        try expectEqual(try sealed.fetch(Item.self), SealedScene.items)
        try expectEqual(try sealed.check(), [])
        try sealed.close()
        try decrypt(scene, 1)
        let again = try scene.open(nil, [Everything.self, Item.self, Plain.self])
        try expectEqual(try again.fetch(Everything.self).map(\.id), objects.map(\.id))
        try expectEqual(try again.check(), [])
      },
      .sealed(
        "encrypt-large", ["ENC-6"], "A store of some megabytes is sealed and becomes plain again.", within: .seconds(60)
      ) {
        scene in
        let items = (0..<1_500).map { Item($0, name: String(repeating: "\($0) ", count: 300)) }
        let plain = try scene.open(nil)
        try plain.insert(contentsOf: items)
        try plain.close()
        try encrypt(scene, 1)
        let sealed = try scene.open(1)
        try expectEqual(try sealed.fetch(Item.self), items)
        try sealed.close()
        try decrypt(scene, 1)
        try expectEqual(try scene.open(nil).fetch(Item.self), items)
      },
      .sealed("encrypt-open", ["ENC-6"], "A store that somebody has open is neither sealed nor made plain.") { scene in
        try scene.fill(nil)
        let plain = try scene.open(nil)
        try expectError(.inUse) { try encrypt(scene, 1) }
        try expectEqual(try plain.fetch(Item.self), SealedScene.items)
        try plain.close()
        try encrypt(scene, 1)
        let sealed = try scene.open(1)
        try expectError(.inUse) { try decrypt(scene, 1) }
        try expectEqual(try sealed.fetch(Item.self), SealedScene.items)
        try sealed.close()
        try scene.expectOnly(1, 2)
      },
      .sealed("encrypt-sealed", ["ENC-6"], "A store that is sealed is not sealed again.") { scene in
        try scene.fill(1)
        try scene.expectUntouched(.keyRequired) { try encrypt(scene, 1) }
        try scene.expectUntouched(.keyRequired) { try encrypt(scene, 2) }
        try scene.expectOnly(1, 2)
      },
      .sealed("decrypt-plain", ["ENC-6"], "A plain store is not made plain.") { scene in
        try scene.fill(nil)
        try scene.expectUntouched(.notEncrypted) { try decrypt(scene, 1) }
        try scene.expectItems(nil)
      },
      .sealed("decrypt-wrong-key", ["ENC-6", "ENC-2"], "A store is not made plain with another key.") { scene in
        try scene.fill(1)
        try scene.expectUntouched(.wrongKey) { try decrypt(scene, 2) }
        try scene.expectOnly(1, 2)
      },
      .sealed("encrypt-nothing", ["ENC-6"], "Where there is no store, none is sealed.") { scene in
        try expectError(.notFound) { try encrypt(scene, 1) }
        try expectError(.notFound) { try decrypt(scene, 1) }
        try expectEqual(try scene.everything().keys.sorted(), [])
      },
      .sealed("encrypt-damaged", ["ENC-6", "ENC-4"], "A damaged sealed store is not made plain, and stays as it is.") {
        scene in
        try scene.fill(1)
        let (path, data) = try scene.main()
        var changed = data
        for place in stride(from: 4_200, to: data.count, by: 300) { changed[place] ^= 0x55 }
        try changed.write(to: URL(fileURLWithPath: path))
        try scene.expectUntouched(.corrupt) { try decrypt(scene, 1) }
        try data.write(to: URL(fileURLWithPath: path))
        try scene.expectItems(1)
      },
      .sealedProcesses(
        "encrypt-killed", ["ENC-6"],
        "Killed at any moment, a process that seals a store leaves it plain or sealed, and whole.",
        within: .seconds(180)
      ) { scene in
        try killed(scene, "encrypt 1", 61) { isDone, about in
          let store: Store
          do {
            store = try scene.open(1)
          } catch let error as StorageError where error.code == .notEncrypted {
            try expect(!isDone, "\(about): it was sealed, and is plain")
            try scene.expectItems(nil, about)
            try encrypt(scene, 1)
            return try scene.expectOnly(1, 2, about: about)
          }
          try store.close()
          try expectSealed(scene, about)
          try scene.expectOnly(1, 2, about: about)
        } reset: {
          try? decrypt(scene, 1)
        } fill: {
          try scene.fill(nil)
        }
      },
      .sealedProcesses(
        "decrypt-killed", ["ENC-6"],
        "Killed at any moment, a process that makes a sealed store plain leaves it sealed or plain, and whole.",
        within: .seconds(180)
      ) { scene in
        try killed(scene, "decrypt 1", 62) { isDone, about in
          do {
            try scene.open(1).close()
            try expect(!isDone, "\(about): it was made plain, and is sealed")
            try scene.expectOnly(1, 2, about: about)
          } catch let error as StorageError where error.code == .notEncrypted {
            try scene.expectItems(nil, about)
          }
        } reset: {
          try? encrypt(scene, 1)
        } fill: {
          try scene.fill(1)
        }
      },
    ]
    + [("full", 63), ("wrapping", 64)].map { extent, number in
      .sealedProcesses(
        "rekey-killed-\(extent)", ["ENC-5"],
        "Killed at any moment of a change of the key (\(extent)), a process leaves a store that one of the two keys opens.",
        within: .seconds(180)
      ) { scene in
        try killed(scene, "rekey 1 2 \(extent)", number) { isDone, about in
          var isNew = true
          do {
            try scene.open(2).close()
          } catch let error as StorageError where error.code == .wrongKey {
            isNew = false
          }
          if isDone { try expect(isNew, "\(about): the key was changed, and is the old one") }
          if isNew { try scene.expectOnly(2, 1, about: about) } else { try scene.expectOnly(1, 2, about: about) }
        } reset: {
          if let store = try? scene.open(2) {
            try store.rekey(to: ConformanceKey.key(1))
            try store.close()
          }
        } fill: {
          try scene.fill(1)
        }
      }
    }

  /// Kills processes that are about to change the store's key.
  ///
  /// - Parameters:
  ///   - judge: Looks at what is left; is told whether the process had said that it was done.
  ///   - reset: Brings the store back to where it was, for the next.
  private static func killed(
    _ scene: SealedScene, _ command: String, _ number: Int,
    judge: (_ isDone: Bool, _ about: String) throws -> Void, reset: () throws -> Void, fill: () throws -> Void
  ) throws {
    var random = scene.kit.random(number)
    try fill()
    let first = try scene.kit.secondProcess(at: scene.place)
    let start = ContinuousClock.now
    try first.expect(command, "done")
    let window = UInt32(clamping: max(2_000, Int((ContinuousClock.now - start) / .microseconds(1))))
    first.kill()
    try judge(true, "not killed")
    for kill in 0..<scene.kit.kills {
      try reset()
      let child = try scene.kit.secondProcess(at: scene.place)
      child.tell(command)
      usleep(UInt32.random(in: 0...window, using: &random))
      child.kill()
      let isDone = try child.remainingLines().contains("done")
      try judge(isDone, "kill \(kill) of seed \(scene.kit.seed)")
    }
  }
}
