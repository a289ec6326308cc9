import Foundation
import QuarryBackend
import QuarryCore
import QuarryQuery

/// Commands with keys of the kit, by their numbers.
extension ChildInterpreter {
  static let encryption: [String: Command] = [
    // sealed-open KEY
    "sealed-open": { child, words in
      child.take(try sealed(child, words, 0))
      return "open"
    },
    "sealed-insert": { child, words in
      try child.store().insert(Item(try number(words, 0)))
      return "inserted"
    },
    // sealed-insert-large ID: an object of some kilobytes.
    "sealed-insert-large": { child, words in
      let id = try number(words, 0)
      try child.store().insert(Item(id, name: String(repeating: "\(id) ", count: 1_000)))
      return "inserted"
    },
    // sealed-batches KEY [existing]: opens the store for batches.
    "sealed-batches": { child, words in
      var options = try options(words, 0)
      options.createsIfMissing = !words.contains("existing")
      child.take(try Store(models: BatchWorkload.models, in: child.place, options: options))
      return "open"
    },
    // sealed-verify: that the batches are whole; says whether check finds something beside, or the last of them.
    "sealed-verify": { child, _ in
      let last = try child.store().read { try BatchWorkload.verify($0) }
      return try child.store().check().isEmpty ? "\(last)" : "defects"
    },
    // sealed-last: the last of the batches, which are whole.
    "sealed-last": { child, _ in "\(try child.store().read { try BatchWorkload.verify($0) })" },
    // judge KEY: opens the store and says whether it has the items of a SealedScene; it is closed again.
    "judge": { child, words in
      let store = try sealed(child, words, 0)
      defer { try? store.close() }
      let items = try store.fetch(Item.all)
      let ranked = try store.fetch(Item.where { $0.rank == 3 })
      let named = try store.fetch(Item.where { $0.name == "name 17" })
      guard items == SealedScene.items, ranked == SealedScene.items.filter({ $0.rank == 3 }),
        named == SealedScene.items.filter({ $0.name == "name 17" })
      else { return "other: \(items.count) items" }
      return try store.check().isEmpty ? "same" : "defects"
    },
    // canaries KEY: stores canaries for ever.
    "canaries": { child, words in
      let store = try Store(program: [Canary.model], in: child.place, options: try options(words, 0))
      say("started")
      var id = try store.records.fetch(QueryTree(model: Canary.model.name)).count
      while true {
        try store.records.insert(
          into: Canary.model.name, (id..<id + 20).map { Canary.record($0, bytes: $0 % 7 == 0 ? 3_000 : 80) })
        id += 20
      }
    },
    // rekey OLD NEW full|wrapping
    "rekey": { child, words in
      let store = try sealed(child, words, 0)
      try store.rekey(to: try key(words, 1), words.last == "full" ? .full : .wrappingOnly)
      try store.close()
      return "done"
    },
    // rekey-open NEW full|wrapping: changes the key of the open store.
    "rekey-open": { child, words in
      try child.store().rekey(to: try key(words, 0), words.last == "full" ? .full : .wrappingOnly)
      return "done"
    },
    // key-slot: the bytes of the slot that the open store says that it has.
    "key-slot": { child, _ in
      try child.store().keySlot().map { Data($0.bytes).base64EncodedString() } ?? "none"
    },
    "encrypt": { child, words in
      func encrypt(_ place: some BackendProvider) throws { try Store.encrypt(place, with: try key(words, 0)) }
      try encrypt(child.place)
      return "done"
    },
    "decrypt": { child, words in
      func decrypt(_ place: some BackendProvider) throws { try Store.decrypt(place, with: try key(words, 0)) }
      try decrypt(child.place)
      return "done"
    },
  ]

  private static func key(_ words: [String], _ place: Int) throws -> some WrappingKey {
    try ConformanceKey.key(UInt8(clamping: try number(words, place)))
  }

  private static func options(_ words: [String], _ place: Int) throws -> OpenOptions {
    try SealedScene.options(UInt8(clamping: try number(words, place))) { $0.busyTimeout = 10 }
  }

  private static func sealed(_ child: ChildInterpreter, _ words: [String], _ place: Int) throws -> Store {
    var options = try options(words, place)
    options.createsIfMissing = false
    return try Store(models: [Item.self], in: child.place, options: options)
  }
}
