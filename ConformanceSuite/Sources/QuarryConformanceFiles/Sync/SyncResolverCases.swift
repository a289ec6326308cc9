import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarrySync

/// Hubs whose programs decide about objects that two sides have changed.
enum SyncResolverCases {
  static let all: [ConformanceCase] = decided + refused + kept

  private static let models: [any Model.Type] = [SyncBank.self, SyncAccount.self]
  private static let names = ["Account", "Bank"]

  private struct Full: Error, CustomStringConvertible {
    let description = "the account is full"
  }

  /// A case with a hub that has an account of 100, and two clients that have it.
  private static func hub(
    _ name: String, _ summary: String,
    _ result: @escaping @Sendable (SyncAccount, inout SyncAccount) throws -> Void = { _, _ in },
    _ body: @escaping @Sendable (_ hub: SyncPeer, _ a: SyncPeer, _ b: SyncPeer, SyncTeller) throws -> Void
  ) -> ConformanceCase {
    SyncScene.syncing("resolver.\(name)", ["SYNC-69"], summary) { kit in
      let clock = SyncClock()
      func peer() throws -> SyncPeer { try SyncPeer(kit.open(models, at: kit.makePlace()), clock, natural: names) }
      let (hub, a, b) = (try peer(), try peer(), try peer())
      try hub.enable(as: .hub)
      let teller = SyncTeller()
      try teller.resolve(hub, result)
      try hub.store.insert(SyncBank("bank"))
      try hub.store.insert(SyncAccount("one", "Ann", 100))
      for client in [a, b] { try exchange(client, hub) }
      try body(hub, a, b, teller)
    }
  }

  private static func exchange(_ client: SyncPeer, _ hub: SyncPeer) throws {
    let report = try Store.replicate(client.store, hub.store)
    try expect(report.isEqual, "the stores differ: \(report)")
    for peer in [client, hub] { try peer.expectSound() }
  }

  private static func add(_ amount: Int, to peer: SyncPeer, _ key: String = "one", note: String? = nil) throws {
    try peer.store.write { tx in
      var account = try unwrap(try tx.get(SyncAccount.self, key))
      account.balance += amount
      if let note { account.note = note }
      try tx.upsert(account)
    }
  }

  private static func balances(_ peers: SyncPeer...) throws -> [Value?] {
    try peers.map { try $0.value("Account", "one", "balance") }
  }

  private static let decided: [ConformanceCase] = [
    hub("decides", "A hub's program decides about an object that two clients have changed apart, once.") {
      hub, a, b, teller in
      try add(10, to: a, note: "a")
      try add(-30, to: b)
      try exchange(a, hub)
      try expectEqual(teller.asked, [])
      let entries = try hub.sync.status().entries
      try exchange(b, hub)
      try exchange(a, hub)
      try expectEqual(teller.asked, [[100, 110, 70]])
      try expectEqual(try balances(hub, a, b), [80, 80, 80])
      // What one side alone has changed is not lost.
      try expectEqual(try b.value("Account", "one", "note"), "a")
      // The client's transaction, and the hub's.
      try expectEqual(try hub.sync.status().entries, entries + 2)
      for client in [a, b] { try exchange(client, hub) }
      try expectEqual(teller.asked.count, 1)
    },
    hub("not-asked", "A program is not asked about what a client had seen, other properties, inserts and deletes.") {
      hub, a, b, teller in
      try add(10, to: a)
      try exchange(a, hub)
      try exchange(b, hub)
      try add(5, to: b)
      try add(6, to: b)
      try exchange(b, hub)
      try exchange(a, hub)
      try a.set("Account", "one", "note", "a")
      try b.set("Account", "one", "owner", "Bea")
      for client in [a, b, a] { try exchange(client, hub) }
      try expectEqual(try balances(hub, a, b), [121, 121, 121])
      try a.store.insert(SyncAccount("two", "Cid", 1))
      try b.store.insert(SyncAccount("two", "Cid", 2))
      try a.delete("Account", "one")
      try add(1, to: b)
      for client in [a, b, a] { try exchange(client, hub) }
      try expectEqual(teller.asked, [])
      try expectEqual(try hub.keys("Account"), ["two"])
      try expectEqual(try a.value("Account", "two", "balance"), 2)
    },
    hub("merged", "A result that is as the merged object writes nothing.", { mine, result in result = mine }) {
      hub, a, b, teller in
      try add(10, to: a)
      try add(-30, to: b)
      try exchange(a, hub)
      let entries = try hub.sync.status().entries
      try exchange(b, hub)
      try exchange(a, hub)
      try expectEqual(teller.asked.count, 1)
      try expectEqual(try hub.sync.status().entries, entries + 1)
      try expectEqual(try balances(hub, a, b), [70, 70, 70])
    },
    hub("pulled-between", "What a client pulls between its change and the next push was not seen by the change.") {
      hub, a, b, teller in
      try add(10, to: a)
      try add(-30, to: b)
      try exchange(a, hub)
      let (session, messages) = try hub.answer(to: b)
      try b.sync.receive(session, messages)
      try exchange(b, hub)
      try exchange(a, hub)
      try expectEqual(teller.asked, [[100, 110, 70]])
      try expectEqual(try balances(hub, a, b), [80, 80, 80])
    },
  ]

  private static let refused: [ConformanceCase] = [
    hub(
      "throws", "Where the program throws, the transaction is refused with the words of the error.",
      { mine, _ in if mine.note == "full" { throw Full() } }
    ) { hub, a, b, _ in
      try add(10, to: a)
      try b.store.write { tx in
        try tx.upsert(SyncBank("other"))
        var account = try unwrap(try tx.get(SyncAccount.self, "one"))
        (account.balance, account.note) = (13, "full")
        try tx.upsert(account)
      }
      for client in [a, b, a] { try exchange(client, hub) }
      try expectEqual(try balances(hub, a, b), [110, 110, 110])
      try expectEqual(try a.keys("Bank") + b.keys("Bank"), ["bank", "bank"])
      let items = try b.sync.held()
      try expectEqual(items.map(\.reason), [.refused, .refused])
      try expectEqual(items.map(\.message), ["the account is full", "the account is full"])
      let item = try unwrap(items.first { $0.object.model == "Account" })
      try b.sync.edit(item, ["note": "not full"])
      for client in [b, a] { try exchange(client, hub) }
      try expectEqual(try balances(hub, a, b), [13, 13, 13])
    },
    hub(
      "result-refused", "A result with another key, a taken value or a lost reference refuses the transaction.",
      { mine, result in
        switch mine.note {
        case "key": result.id = "other"
        case "taken": result.owner = "Bea"
        case "lost": result.bank = Ref("nowhere")
        case "good": result.bank = Ref("bank")
        default: break
        }
      }
    ) { hub, a, b, _ in
      try hub.store.insert(SyncAccount("two", "Bea", 1))
      var balance = 100
      for note in ["key", "taken", "lost", "good"] {
        for client in [a, b] { try exchange(client, hub) }
        try add(10, to: a)
        try add(5, to: b, note: note)
        for client in [a, b] { try exchange(client, hub) }
        let isRefused = note != "good"
        balance += isRefused ? 10 : 15
        try expectEqual(try balances(hub, b), [.int(Int64(balance)), .int(Int64(balance))], note)
        try expectEqual(try b.sync.held().map(\.reason), isRefused ? [.refused] : [], note)
        for item in try b.sync.held() { try b.sync.discard(item) }
      }
      try expectEqual(try hub.value("Account", "one", "bank"), "bank")
      try expectEqual(try hub.value("Account", "one", "owner"), "Ann")
    },
    SyncScene.syncing(
      "resolver.where", ["SYNC-69"], "A resolver is set at a hub alone, for a synced model of its program."
    ) { kit in
      let clock = SyncClock()
      let store = try kit.open(models + [Ticket.self], at: kit.makePlace())
      let peer = try SyncPeer(store, clock, natural: names)
      try expectError(.unsupported) { try SyncTeller().resolve(peer) }
      try peer.enable(as: .hub)
      try SyncTeller().resolve(peer)
      try expectError(.notFound) { try peer.sync.resolve(Ticket.self) { _, _, mine in mine } }
      try expectError(.schemaMismatch) { try peer.sync.resolve(Item.self) { _, _, mine in mine } }
    },
  ]

  private static let kept: [ConformanceCase] = [
    SyncScene.syncing(
      "resolver.reopened", ["SYNC-69"], "A resolver stays until its hub is closed.", requiresPersistence: true
    ) { kit in
      let clock = SyncClock()
      let place = try kit.makePlace()
      let a = try SyncPeer(kit.open(models, at: kit.makePlace()), clock, natural: names)
      var hub = try SyncPeer(kit.open(models, at: place), clock, natural: names)
      try hub.enable(as: .hub)
      let teller = SyncTeller()
      try teller.resolve(hub)
      try hub.store.insert(SyncAccount("one", "Ann", 100))
      try exchange(a, hub)
      /// Lets both change the balance, the client later.
      func meet() throws {
        try add(1, to: hub)
        try add(2, to: a)
        for _ in 0..<2 { try exchange(a, hub) }
      }
      try meet()
      try expectEqual(try balances(hub, a), [103, 103])
      try hub.store.close()
      hub = try SyncPeer(kit.open(models, at: place), clock, natural: names)
      try exchange(a, hub)
      // The later one stays.
      try meet()
      try expectEqual(teller.asked.count, 1)
      try expectEqual(try balances(hub, a), [105, 105])
      try teller.resolve(hub)
      try exchange(a, hub)
      try meet()
      try expectEqual(teller.asked.count, 2)
      try expectEqual(try balances(hub, a), [108, 108])
    },
    hub("noted", "Clients send what their changes wrote over to a hub that resolves them, and to no other peer.") {
      hub, a, b, _ in
      try add(10, to: a)
      try b.delete("Bank", "bank")
      try expectEqual(try seen(a, hub), [1])
      try expectEqual(try seen(b, hub), [0])
      try exchange(a, hub)
      try expectEqual(try seen(hub, b).filter { $0 > 0 }, [])
      try add(1, to: b)
      try b.enable(as: .peer)
      try add(1, to: b)
      // It has left its hub before the last one.
      try expectEqual(try seen(b, hub), [0, 1, 0])
    },
    SyncScene.syncing("resolver.none", ["SYNC-69"], "Clients of a hub without resolvers note nothing for it.") { kit in
      let clock = SyncClock()
      func peer() throws -> SyncPeer { try SyncPeer(kit.open(models, at: kit.makePlace()), clock, natural: names) }
      let (hub, a) = (try peer(), try peer())
      try hub.enable(as: .hub)
      try hub.store.insert(SyncAccount("one", "Ann", 100))
      try exchange(a, hub)
      try add(1, to: a)
      try expectEqual(try seen(a, hub), [0])
    },
  ]

  /// For each entry that one store would send to another one, the number of objects of which it says what it wrote over.
  private static func seen(_ peer: SyncPeer, _ other: SyncPeer) throws -> [Int] {
    try peer.answer(to: other).messages.compactMap { numbered in
      if case .log(let entry) = numbered.message { entry.seen.count } else { nil }
    }
  }
}
