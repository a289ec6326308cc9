import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryEncryption

/// Plain stores that are sealed, and sealed ones that become plain.
enum EncryptingCases {
  static let all: [ConformanceCase] =
    [
      .sealed("encrypt", ["ENC-6"], "A plain store is sealed: the same objects, and nothing plain is left.") { scene in
        try scene.fill(nil)
        try scene.encrypt(1)
        try scene.expectSealed()
        try scene.expectOnly(1, 2)
      },
      .sealed("decrypt", ["ENC-6"], "A sealed store becomes a plain one with the same objects.") { scene in
        try scene.fill(1)
        try scene.decrypt(1)
        try scene.expectUntouched(.notEncrypted) { try scene.open(1) }
        try scene.expectItems(nil)
      },
      .sealed("encrypt-decrypt", ["ENC-6"], "A store is sealed, becomes plain, and is sealed with another key.") {
        scene in
        try scene.fill(nil)
        try scene.encrypt(1)
        try scene.decrypt(1)
        try scene.encrypt(2)
        try scene.expectSealed()
        try scene.expectOnly(2, 1)
      },
      .sealed("encrypt-files", ["ENC-6"], "A store that was sealed or made plain has the files of any closed store.") {
        scene in
        try scene.fill(nil)
        let names = try scene.everything().keys.sorted()
        try scene.encrypt(1)
        try expectEqual(try scene.everything().keys.sorted(), names, "sealed")
        try scene.decrypt(1)
        try expectEqual(try scene.everything().keys.sorted(), names, "made plain")
        try scene.expectItems(nil)
        try expectEqual(try scene.everything().keys.sorted(), names, "opened and closed")
      },
      .sealed("encrypt-empty", ["ENC-6"], "A store without objects is sealed.") { scene in
        try scene.open(nil).close()
        try scene.encrypt(1)
        try scene.expectUntouched(.keyRequired) { try scene.open(nil) }
        try expectEqual(try scene.open(1).count(Item.all), 0)
      },
      .sealed("encrypt-everything", ["ENC-6"], "Every kind of value, the models and their version are as before.") {
        scene in
        let plain = try scene.open(nil, [Everything.self, Item.self, Plain.self])
        try plain.insert(contentsOf: (0..<40).map { Everything($0) })
        try plain.insert(contentsOf: SealedScene.items)
        let (models, objects) = (try plain.models(), try plain.fetch(Everything.all))
        try plain.close()
        try scene.encrypt(1)
        let sealed = try scene.open(1, [Everything.self, Item.self, Plain.self])
        try expectEqual(try sealed.models().map(\.name).sorted(), models.map(\.name).sorted())
        try expectEqual(try sealed.fetch(Everything.all).map(\.id), objects.map(\.id))
        try expectEqual(try sealed.fetch(Item.all), SealedScene.items)
        try expectEqual(try sealed.check(), [])
        try sealed.close()
        try scene.decrypt(1)
        let again = try scene.open(nil, [Everything.self, Item.self, Plain.self])
        try expectEqual(try again.fetch(Everything.all).map(\.id), objects.map(\.id))
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
        try scene.encrypt(1)
        let sealed = try scene.open(1)
        try expectEqual(try sealed.fetch(Item.all), items)
        try sealed.close()
        try scene.decrypt(1)
        try expectEqual(try scene.open(nil).fetch(Item.all), items)
      },
      .sealed("encrypt-open", ["ENC-6"], "A store that somebody has open is neither sealed nor made plain.") { scene in
        try scene.fill(nil)
        let plain = try scene.open(nil)
        try expectError(.inUse) { try scene.encrypt(1) }
        try expectEqual(try plain.fetch(Item.all), SealedScene.items)
        try plain.close()
        try scene.encrypt(1)
        let sealed = try scene.open(1)
        try expectError(.inUse) { try scene.decrypt(1) }
        try expectEqual(try sealed.fetch(Item.all), SealedScene.items)
        try sealed.close()
        try scene.expectOnly(1, 2)
      },
      .sealed("encrypt-sealed", ["ENC-6"], "A store that is sealed is not sealed again.") { scene in
        try scene.fill(1)
        try scene.expectUntouched(.keyRequired) { try scene.encrypt(1) }
        try scene.expectUntouched(.keyRequired) { try scene.encrypt(2) }
        try scene.expectOnly(1, 2)
      },
      .sealed("decrypt-plain", ["ENC-6"], "A plain store is not made plain.") { scene in
        try scene.fill(nil)
        try scene.expectUntouched(.notEncrypted) { try scene.decrypt(1) }
        try scene.expectItems(nil)
      },
      .sealed("decrypt-wrong-key", ["ENC-6", "ENC-2"], "A store is not made plain with another key.") { scene in
        try scene.fill(1)
        try scene.expectUntouched(.wrongKey) { try scene.decrypt(2) }
        try scene.expectOnly(1, 2)
      },
      .sealed("encrypt-nothing", ["ENC-6"], "Where there is no store, none is sealed.") { scene in
        try expectError(.notFound) { try scene.encrypt(1) }
        try expectError(.notFound) { try scene.decrypt(1) }
        try expectEqual(try scene.everything().keys.sorted(), [])
      },
      .sealed("encrypt-damaged", ["ENC-6", "ENC-4"], "A damaged sealed store is not made plain, and stays as it is.") {
        scene in
        try scene.fill(1)
        let (path, data) = try scene.main()
        var changed = data
        for place in stride(from: 4_200, to: data.count, by: 300) { changed[place] ^= 0x55 }
        try changed.write(to: URL(fileURLWithPath: path))
        try scene.expectUntouched(.corrupt) { try scene.decrypt(1) }
        try data.write(to: URL(fileURLWithPath: path))
        try scene.expectItems(1)
      },
    ]
}
