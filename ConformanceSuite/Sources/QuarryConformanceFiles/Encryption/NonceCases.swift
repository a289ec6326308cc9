import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryEncryption
import Synchronization

/// What an engine does with the ciphers that it is given: no nonce comes twice with one key, and none of its own.
enum NonceCases {
  private static func nonces(
    _ name: String, _ summary: String, needs: Set<Capability> = [], within limit: Duration = .seconds(60),
    file: String = #fileID, line: Int = #line,
    _ body: @escaping @Sendable (SealedScene, SealLog, (SealedScene) throws -> Store) throws -> Void
  ) -> ConformanceCase {
    .sealed("nonce-\(name)", ["ENC-3", "ENC-4"], summary, needs: needs, within: limit, file: file, line: line) {
      scene in
      let log = SealLog()
      let open: (SealedScene) throws -> Store = { scene in
        var options = OpenOptions()
        options.encryption = Encryption(WatchedKey(inner: try ConformanceKey.key(1), log: log))
        return try scene.kit.open([Item.self], at: scene.place, options: options)
      }
      try body(scene, log, open)
      try log.expectSound()
    }
  }

  static let all: [ConformanceCase] = [
    nonces("commits", "Commits seal with nonces that never come twice.") { scene, log, open in
      let store = try open(scene)
      for id in 0..<200 { try store.insert(Item(id, name: "n\(id)")) }
      try expect(log.count >= 200, "only \(log.count) pieces were sealed by 200 commits")
      try store.close()
    },
    nonces("reopened", "Openings go on with nonces that were not used before.") { scene, log, open in
      for round in 0..<12 {
        let store = try open(scene)
        try store.insert(contentsOf: (0..<5).map { Item(round * 10 + $0) })
        try store.close()
      }
      try expectEqual(try open(scene).count(Item.all), 60)
    },
    nonces("rolled-back", "What is rolled back and done again is sealed with other nonces.") { scene, _, open in
      struct Stop: Error {}
      let store = try open(scene)
      for round in 0..<20 {
        try? store.write { tx in
          try tx.insert(contentsOf: (0..<200).map { Item($0, name: String(repeating: "x", count: 100)) })
          throw Stop()
        }
        try store.upsert(Item(round))
      }
      try store.close()
    },
    nonces("restored", "A store that is put back, and written to again, is sealed with other nonces.") {
      scene, _, open in
      let store = try open(scene)
      try store.insert(contentsOf: SealedScene.items)
      try store.close()
      let files = try scene.files()
      for _ in 0..<4 {
        let again = try open(scene)
        try again.insert(Item(100, name: "the same"))
        try again.close()
        try scene.put(files)
      }
      try expectEqual(try open(scene).fetch(Item.all), SealedScene.items)
    },
    nonces("compacted", "Compactions, backups and changes of the key seal with other nonces.", needs: [.compact]) {
      scene, log, open in
      let store = try open(scene)
      try store.insert(contentsOf: SealedScene.items)
      for _ in 0..<3 {
        try store.compact()
        try store.upsert(Item(1, name: "again"))
        try store.rekey(to: WatchedKey(inner: ConformanceKey.key(1), log: log))
      }
      try expectEqual(try store.count(Item.all), SealedScene.items.count)
      try store.close()
    },
    nonces("many", "Some ten thousand pieces are sealed with as many nonces.", within: .seconds(120)) {
      scene, log, open in
      let store = try open(scene)
      for round in 0..<40 {
        try store.write { tx in
          try tx.upsert(contentsOf: (0..<200).map { Item($0, name: "\(round) " + String(repeating: "y", count: 120)) })
        }
      }
      try store.close()
      try expect(log.count > 40, "\(log.count) pieces")
    },
    .sealed(
      "associated", ["ENC-4"],
      "What is sealed is bound to its place: two pieces of one content are bound to different things."
    ) { scene in
      let log = SealLog()
      var options = OpenOptions()
      options.encryption = Encryption(WatchedKey(inner: try ConformanceKey.key(1), log: log))
      let store = try scene.kit.open([Item.self], at: scene.place, options: options)
      for id in 0..<50 { try store.insert(Item(id, name: String(repeating: "z", count: 300))) }
      try store.close()
      try log.expectBound()
    },
    .sealed("refused-seal", ["ENC-1"], "A cipher that fails fails the commit, and loses nothing.", within: .seconds(60))
    {
      scene in
      try scene.fill(1)
      let log = SealLog()
      var options = OpenOptions()
      options.encryption = Encryption(WatchedKey(inner: try ConformanceKey.key(1), log: log))
      let store = try scene.kit.open([Item.self], at: scene.place, options: options)
      log.refuses(after: 0)
      try expectError(.io) { try store.insert(Item(900)) }
      log.refuses(after: nil)
      try? store.close()
      try scene.expectItems(1)
    },
  ]
}

/// What was sealed, by whose key.
final class SealLog: Sendable {
  private struct State {
    var nonces: Set<[UInt8]> = []
    var associated: Set<[UInt8]> = []
    var count = 0
    var repeated = 0
    var withoutPlace = 0
    var remaining: Int?
    var madeKeys = 0
    var wrappedKeys = 0
  }
  private let state = Mutex(State())

  var count: Int { state.withLock { $0.count } }

  /// How many data keys were made, and how many were wrapped by a key without being made.
  var keys: (made: Int, wrapped: Int) { state.withLock { ($0.madeKeys, $0.wrappedKeys) } }

  func noteKey(isNew: Bool) {
    state.withLock { if isNew { $0.madeKeys += 1 } else { $0.wrappedKeys += 1 } }
  }

  /// Lets so many more be sealed, and refuses then; nil to refuse none.
  func refuses(after count: Int?) { state.withLock { $0.remaining = count } }

  func mayGoOn() throws(StorageError) {
    let isRefused = state.withLock { state in
      guard let remaining = state.remaining else { return false }
      state.remaining = max(0, remaining - 1)
      return remaining == 0
    }
    if isRefused { throw StorageError(.io, "the cipher refuses, as it was told to") }
  }

  func note(_ key: [UInt8], _ nonce: [UInt8], _ associated: [UInt8]) {
    state.withLock { state in
      state.count += 1
      if !state.nonces.insert(key + nonce).inserted { state.repeated += 1 }
      if associated.isEmpty { state.withoutPlace += 1 }
      state.associated.insert(key + associated)
    }
  }

  func expectSound() throws {
    let (count, repeated) = state.withLock { ($0.count, $0.repeated) }
    try expect(count > 0, "nothing was sealed with the cipher of the key")
    try expectEqual(repeated, 0, "nonces that came twice with one key, of \(count)")
  }

  /// Of what was sealed, most is bound to something, and not all to the same.
  func expectBound() throws {
    let (count, withoutPlace, different) = state.withLock { ($0.count, $0.withoutPlace, $0.associated.count) }
    try expect(count > 0, "nothing was sealed with the cipher of the key")
    try expectEqual(withoutPlace, 0, "pieces that are bound to nothing, of \(count)")
    try expect(different > 4, "\(count) pieces are bound to \(different) different things")
  }
}

/// A key whose ciphers tell what they seal.
struct WatchedKey: WrappingKey {
  let inner: EncryptionKey
  let log: SealLog

  func makeDataKey(
    for identity: [UInt8], generation: UInt64
  ) throws(StorageError) -> (EnvelopeSlot, any DataKey) {
    let (slot, key) = try inner.makeDataKey(for: identity, generation: generation)
    log.noteKey(isNew: true)
    return (slot, WatchedDataKey(inner: key, number: slot.identity + slot.wrapped, log: log))
  }

  func unwrap(_ slot: EnvelopeSlot) throws(StorageError) -> any DataKey {
    WatchedDataKey(inner: try inner.unwrap(slot), number: slot.identity + slot.wrapped, log: log)
  }

  func wrap(
    _ key: any DataKey, for identity: [UInt8], generation: UInt64
  ) throws(StorageError) -> EnvelopeSlot {
    log.noteKey(isNew: false)
    return try inner.wrap((key as? WatchedDataKey)?.inner ?? key, for: identity, generation: generation)
  }
}

private struct WatchedDataKey: DataKey {
  let inner: any DataKey
  /// What tells the data key from others.
  let number: [UInt8]
  let log: SealLog

  func cipher(for purpose: String, salt: [UInt8]) throws(StorageError) -> any StoreCipher {
    WatchedCipher(try inner.cipher(for: purpose, salt: salt), number + Array(purpose.utf8) + [0] + salt, log)
  }
}

private final class WatchedCipher: StoreCipher {
  private let inner: any StoreCipher
  private let key: [UInt8]
  private let log: SealLog

  init(_ inner: any StoreCipher, _ key: [UInt8], _ log: SealLog) {
    self.inner = inner
    self.key = key
    self.log = log
  }

  func seal(
    _ content: UnsafeRawBufferPointer, _ associated: UnsafeRawBufferPointer, into sealed: UnsafeMutableRawBufferPointer,
    trailer: UnsafeMutableRawBufferPointer
  ) throws(StorageError) {
    try log.mayGoOn()
    try inner.seal(content, associated, into: sealed, trailer: trailer)
    log.note(key, Array(trailer[..<StoreCipherFormat.nonceBytes]), Array(associated))
  }

  func open(
    _ sealed: UnsafeRawBufferPointer, _ associated: UnsafeRawBufferPointer, trailer: UnsafeRawBufferPointer,
    into content: UnsafeMutableRawBufferPointer
  ) throws(StorageError) -> Bool {
    try inner.open(sealed, associated, trailer: trailer, into: content)
  }
}
