import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryEncryption

/// Keys and stores that do not go together: four errors, and nothing is changed.
enum KeyErrorCases {
  static let all: [ConformanceCase] = combinations + keys + passphrases + rest

  /// Ways to open a store that could make, change or write something.
  private static let ways: [(name: String, change: @Sendable (inout OpenOptions) -> Void)] = [
    ("writing", { _ in }),
    ("reading", { $0.isReadOnly = true }),
    ("existing", { $0.createsIfMissing = false }),
    ("compacting", { $0.compaction = .when { _, _ in true } }),
    ("waiting", { $0.busyTimeout = 0 }),
  ]

  /// A key that a store has, one that it is opened with, and what that is.
  private static let mistakes: [(name: String, has: UInt8?, given: UInt8?, code: StorageError.Code)] = [
    ("none", 1, nil, .keyRequired), ("other", 1, 2, .wrongKey), ("needless", nil, 1, .notEncrypted),
  ]

  private static let combinations: [ConformanceCase] = mistakes.flatMap { mistake in
    ways.map { way in
      .sealed(
        "\(way.name)-key-\(mistake.name)", ["ENC-2"],
        "Opened for \(way.name), a store \(mistake.has == nil ? "without" : "with") a key that is given "
          + "\(mistake.given == nil ? "none" : mistake.has == nil ? "one" : "another") is \(mistake.code), and untouched.",
        needs: [.openReadOnly]
      ) { scene in
        try scene.fill(mistake.has)
        try scene.expectUntouched(mistake.code) { try scene.open(mistake.given, [Item.self], way.change) }
        try scene.expectItems(mistake.has)
      }
    }
  }

  // MARK: Keys

  private static let keys: [ConformanceCase] = [16, 17, 31, 32, 33, 64, 255, 4_096, 65_537, 1 << 20].map { count in
    .sealed(
      "key-of-\(count)", ["ENC-1", "ENC-9"], "A key of \(count) bytes is a key, and each of its bytes counts."
    ) { scene in
      var bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 59 &+ 3) }
      bytes[count / 2] = 0
      func open(_ bytes: [UInt8]) throws -> Store {
        var options = OpenOptions()
        options.encryption = Encryption(try EncryptionKey(bytes))
        return try scene.kit.open([Item.self], at: scene.place, options: options)
      }
      let store = try open(bytes)
      try store.insert(contentsOf: SealedScene.items)
      try store.close()
      for place in Set([0, count / 2, count - 1]) {
        var other = bytes
        other[place] ^= 1
        try expectError(.wrongKey, "byte \(place)") { try open(other) }
      }
      try expectError(.wrongKey, "one byte more") { try open(bytes + [0]) }
      if count > 16 { try expectError(.wrongKey, "one byte less") { try open(bytes.dropLast()) } }
      let again = try open(bytes)
      try expectEqual(try again.fetch(Item.all), SealedScene.items)
    }
  }

  private static let passphrases: [ConformanceCase] = [
    ("plain", "correct horse battery staple", "correct horse battery stapl"),
    ("one-letter", "x", "X"),
    ("nul", "a\0b", "a"),
    ("unicode", "pässwörd", "passwörd"),
    // Two forms of one letter are two passphrases.
    ("decomposed", "\u{e9}", "e\u{301}"),
    ("spaces", " x ", " x"),
  ].map { name, text, other in
    .sealed("passphrase-\(name)", ["ENC-1", "ENC-9"], "A passphrase is a key, to its last byte.") { scene in
      func open(_ text: String) throws -> Store {
        var options = OpenOptions()
        options.encryption = Encryption(try EncryptionKey.passphrase(text, logN: 14))
        return try scene.kit.open([Item.self], at: scene.place, options: options)
      }
      let store = try open(text)
      try store.insert(contentsOf: SealedScene.items)
      try store.close()
      try expectError(.wrongKey) { try open(other) }
      try expectError(.wrongKey, "as raw bytes") {
        var options = OpenOptions()
        options.encryption = Encryption(try EncryptionKey(Array(text.utf8) + [UInt8](repeating: 0, count: 16)))
        return try scene.kit.open([Item.self], at: scene.place, options: options)
      }
      let slot = try unwrap(open(text).keySlot(), "the slot")
      try expectEqual(slot.derivation, .scrypt(logN: 14, r: 8, p: 1))
      try expectEqual(try open(text).fetch(Item.all), SealedScene.items)
    }
  }

  private static let rest: [ConformanceCase] = [
    .sealed("short-key", ["ENC-9"], "A key of fewer than 16 bytes is refused before there is a store.") { scene in
      for count in [0, 1, 8, 15] {
        try expectError(.invalidValue, "\(count) bytes") {
          _ = try EncryptionKey([UInt8](repeating: 1, count: count))
        }
      }
      try expectError(.invalidValue) { _ = try EncryptionKey.passphrase("") }
      try expectEqual(try scene.everything().keys.sorted(), [])
    },
    .sealed(
      "nothing-there", ["ENC-2", "OPEN-2"],
      "What is not there is notFound for those who may not make it, and no key is made.", needs: [.openReadOnly]
    ) { scene in
      for way in ways where ["reading", "existing"].contains(way.name) {
        var options = OpenOptions()
        options.encryption = Encryption(NoNewKey())
        way.change(&options)
        try expectError(.notFound, way.name) {
          try scene.kit.open([Item.self], at: scene.place, options: options)
        }
      }
      try expectEqual(try scene.everything().keys.sorted(), [])
    },
    .sealed(
      "rehearsal-without-keys", ["ENC-3", "ENC-7", "MIG-10"],
      "On a place that knows no keys a sealed store is rehearsed in memory alone."
    ) { scene in
      try scene.fill(1)
      let encryption = try SealedScene.options(1).encryption
      func rehearse(_ durability: BackendManifest.Durability) throws -> MigrationReport {
        let place = KeylessPlace(inner: scene.kit.undecorated(try scene.kit.makePlace()))
        let scratch = NarrowPlace(inner: place) { manifest, _ in manifest.durability = durability }
        return try Store.rehearse(for: Item.self, in: scene.place, encryption: encryption, scratch: scratch)
      }
      let report = try rehearse(.none)
      try expect(report.error == nil, "the rehearsal in memory: \(report.error.debugDescription)")
      let error = try expectError(.unsupported) { try rehearse(.powerLoss) }
      try expectEqual(error.capability, .openEncryption)
      try scene.expectItems(1)
    },
    .sealed(
      "slot-of-no-store", ["ENC-1", "ENC-4", "OPEN-1"],
      "A file whose beginning is destroyed is corrupt when its slot is asked for, and is not taken for a plain store."
    ) { scene in
      let sealed = try SealedScene(scene.kit)
      func slot(_ scene: SealedScene) throws -> EnvelopeSlot? {
        let provider = scene.kit.undecorated(scene.place) as? any EncryptingProvider
        return try unwrap(provider, "a provider that encrypts").envelopeSlot()
      }
      try expectError(.notFound) { try slot(scene) }
      try scene.fill(nil)
      try expect(try slot(scene) == nil, "a plain store has a slot")
      try sealed.fill(1)
      try expect(try slot(sealed) != nil, "a sealed store has no slot")
      var (path, data) = try sealed.main()
      data.replaceSubrange(0..<8_192, with: Data(repeating: UInt8(ascii: "x"), count: 8_192))
      try data.write(to: URL(fileURLWithPath: path))
      try expectError(.corrupt) { try slot(sealed) }
      try expect(FileManager.default.contents(atPath: path) == data, "the file was changed")
    },
    .sealed("text-of-key", ["ENC-9"], "No error and no description has anything of a key.") { scene in
      let text = "SECRETKEYMATERIAL-0123456789"
      let key = try EncryptionKey(Array(text.utf8))
      var options = OpenOptions()
      options.encryption = Encryption(key)
      try scene.fill(1)
      var texts = ["\(key)", "\(options)", "\(Encryption(key))"]
      dump(options, to: &texts[0])
      for provided in [try EncryptionKey(Array(text.utf8)), try EncryptionKey.passphrase(text, logN: 14)] {
        options.encryption = Encryption(provided)
        let error = try expectError(.wrongKey) { try scene.kit.open([Item.self], at: scene.place, options: options) }
        texts += [error.message, "\(error)", error.localizedDescription, String(reflecting: error)]
        dump(error, to: &texts[0])
      }
      let bytes = Array(text.utf8).map(String.init).prefix(4).joined(separator: ", ")
      for text in texts {
        try expect(!text.contains("SECRETKEY") && !text.contains(bytes), "a text has the key: \(text)")
      }
    },
    .sealed("slot", ["ENC-1"], "A sealed store says how it is sealed, and a plain one that it is not.") { scene in
      try scene.fill(1)
      let store = try scene.open(1)
      let slot = try unwrap(store.keySlot(), "the slot of the key")
      try expectEqual(slot.suite, 1)
      try expectEqual(slot.derivation, .hkdf)
      try expectEqual(slot.identity.count, 16)
      try expectEqual(try store.statistics().details["encryption"], slot.description)
      let plain = try SealedScene(scene.kit)
      try plain.fill(nil)
      try expectEqual(try plain.open(nil).keySlot(), nil)
      try expectEqual(try plain.open(nil).statistics().details["encryption"], "none")
    },
    .sealed("identity", ["ENC-1"], "Two stores with one key have two data keys and two identities.") { scene in
      let other = try SealedScene(scene.kit)
      try scene.fill(1)
      try other.fill(1)
      let (first, second) = (try unwrap(scene.open(1).keySlot()), try unwrap(other.open(1).keySlot()))
      try expect(first.identity != second.identity, "the identities are the same")
      try expect(first.salt != second.salt, "the salts are the same")
      try expect(first.wrapped != second.wrapped, "the wrapped keys are the same")
      // The same objects look different: no more is the same than an engine's own page heads.
      let blocks = try Set(scene.main().data.dropFirst(4_096).blocks(of: 64))
      let others = try other.main().data.dropFirst(4_096).blocks(of: 64).filter { $0 != Data(repeating: 0, count: 64) }
      let same = others.count { blocks.contains($0) }
      try expect(same * 20 <= others.count, "\(same) of \(others.count) blocks of two stores are the same")
    },
    .sealed("open-twice", ["ENC-2"], "A store that is open takes its key from each who opens it.") { scene in
      try scene.fill(1)
      let store = try scene.open(1)
      try expectError(.wrongKey) { try scene.open(2) }
      try expectError(.keyRequired) { try scene.open(nil) }
      let second = try scene.open(1)
      try second.insert(Item(100))
      try expectEqual(try store.get(Item.self, 100)?.id, 100)
      try second.close()
      try store.delete(Item.self, 100)
      try store.close()
      try scene.expectItems(1)
    },
    .sealed("plain-open-twice", ["ENC-2"], "A plain store that is open is plain to each who opens it.") { scene in
      try scene.fill(nil)
      let store = try scene.open(nil)
      try expectError(.notEncrypted) { try scene.open(1) }
      try expectEqual(try store.count(Item.all), SealedScene.items.count)
      try store.close()
      try scene.expectItems(nil)
    },
    .sealed("made-then-none", ["ENC-2"], "A store that was only made, without a commit, is sealed.") { scene in
      try scene.open(1, []).close()
      try scene.expectUntouched(.keyRequired) { try scene.open(nil) }
      try scene.expectUntouched(.wrongKey) { try scene.open(2) }
      try scene.fill(1)
      try scene.expectItems(1)
    },
    .sealed("start-over", ["ENC-2", "ENC-7"], "Starting over does not replace a store whose key is not given.") {
      scene in
      try scene.fill(1)
      for (key, code): (UInt8?, StorageError.Code) in [(nil, .keyRequired), (2, .wrongKey)] {
        try scene.expectUntouched(code) {
          try Store(
            models: [Plain.self], in: scene.place, options: try SealedScene.options(key),
            migration: .startOver(keeping: .quarantine))
        }
      }
      try scene.expectItems(1)
    },
    .sealed("not-there", ["ENC-2"], "Where there is no store, a key makes none unless it may.") { scene in
      try expectError(.notFound) { try scene.open(1) { $0.createsIfMissing = false } }
      try expectError(.notFound) { try scene.open(1) { $0.isReadOnly = true } }
      try expectEqual(try scene.everything().keys.sorted(), [])
    },
  ]
}

extension Data {
  /// The whole blocks of a size.
  func blocks(of size: Int) -> [Data] {
    stride(from: 0, through: count - size, by: size).map { Data(self[startIndex + $0..<startIndex + $0 + size]) }
  }
}

/// A key that makes no data key: what keeps it may be far away, and is not to be asked in vain.
private struct NoNewKey: WrappingKey {
  private static let refusal = StorageError(.io, "a data key was asked for")

  func makeDataKey(
    for identity: [UInt8], generation: UInt64
  ) throws(StorageError) -> (EnvelopeSlot, any DataKey) {
    throw Self.refusal
  }

  func unwrap(_ slot: EnvelopeSlot) throws(StorageError) -> any DataKey { throw Self.refusal }

  func wrap(
    _ key: any DataKey, for identity: [UInt8], generation: UInt64
  ) throws(StorageError) -> EnvelopeSlot {
    throw Self.refusal
  }
}

/// A place whose engine knows no keys.
private struct KeylessPlace: BackendProvider {
  let inner: any BackendProvider

  func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
    if options.encryption != nil { throw .unsupported(.openEncryption, "for the case") }
    return try inner.open(options)
  }
}
