import Foundation
import QuarryBackend
import QuarryCore
import QuarryTestSupport
import Testing

@testable import QuarrySync

/// Hubs whose program resolves conflicts: SYNC-11 and SYNC-69.
@Suite struct ResolverTests {
  private struct Full: Error, CustomStringConvertible {
    let description = "the account is full"
  }

  private static let engines = SyncedPlace.schemes.flatMap { hub in [true, false].map { (hub, $0) } }
  private let one = TeamModels.key(1)
  private let two = TeamModels.key(2)

  /// A hub with an account of 100, and clients that have it.
  private func open(
    _ hub: String, _ clients: [String], _ teller: Teller,
    _ result: @escaping @Sendable (SyncConflict) throws -> SyncRow = Teller.sum
  ) throws -> (hub: SyncedPlace, clients: [SyncedPlace]) {
    let hub = try Accounts.place(hub)
    try hub.store.enableSync(as: .hub)
    try teller.serve(hub, result)
    try hub.insert("Account", Accounts.record(one, "Ann", 100))
    let places = try clients.map { try Accounts.place($0) }
    for place in places { try exchange(place, hub) }
    return (hub, places)
  }

  private func exchange(_ client: SyncedPlace, _ hub: SyncedPlace) throws {
    let report = try Store.replicate(client.store, hub.store)
    #expect(report.isEqual, "\(report)")
    #expect(try hub.sync.check() == [] && client.sync.check() == [] && hub.store.check() == [])
  }

  @Test(arguments: engines) func bothOrdersOfTwoClientsAddUp(_ scheme: String, _ isInOrder: Bool) throws {
    let teller = Teller()
    let (hub, clients) = try open(scheme, [scheme == "lmdb" ? "sqlite" : "lmdb", "memory"], teller)
    let (a, b) = (clients[0], clients[1])
    try a.add(one, 10)
    try a.update("Account", one, "note", "a")
    try b.add(one, -30)
    try b.update("Account", one, "visits", 2)
    let (first, second) = isInOrder ? (a, b) : (b, a)
    try exchange(first, hub)
    #expect(teller.asked.isEmpty)
    try exchange(second, hub)
    try exchange(first, hub)
    let conflict = try #require(teller.asked.first)
    let balances = [conflict.base, conflict.theirs, conflict.mine].map { $0["balance"]?.intValue }
    #expect(teller.asked.count == 1 && balances == [100, isInOrder ? 110 : 70, isInOrder ? 70 : 110])
    for row in [conflict.base, conflict.theirs, conflict.mine] {
      #expect(row["owner"] == "Ann" && row["low"] == 0)
    }
    for place in [hub, a, b] {
      #expect(try place.balance(one) == 80 && place.value("Account", one, "note") == "a")
      #expect(try place.value("Account", one, "visits") == 2)
    }
    // Neither its own result nor what comes again is asked about, also after a restart.
    let entries = try hub.sync.status().entries
    try hub.reopen()
    try teller.serve(hub)
    for client in [a, b] {
      try client.reopen()
      try exchange(client, hub)
      let hello = try hub.sync.hello()
      var messages = try client.sync.serve(hello)
      #expect(messages.count == 1)
      messages += try client.sync.reading { work in
        try work.loadAll()
        return work.log.enumerated().map { NumberedMessage(UInt32($0.offset + 1), .log($0.element)) }
      }
      try hub.sync.receive(hello.session, messages)
    }
    #expect(try teller.asked.count == 1 && hub.sync.status().entries == entries && hub.balance(one) == 80)
  }

  @Test(arguments: SyncedPlace.schemes) func whatTheAuthorHadSeenIsNoConflict(_ scheme: String) throws {
    let teller = Teller()
    let (hub, clients) = try open("sqlite", [scheme, "memory"], teller)
    let (a, b) = (clients[0], clients[1])
    try a.add(one, 10)
    try exchange(a, hub)
    try exchange(b, hub)
    try b.add(one, 5)
    try b.add(one, 6)
    try exchange(b, hub)
    #expect(try teller.asked.isEmpty && hub.balance(one) == 121)
    // Properties that only one side has written are no conflict either.
    try a.update("Account", one, "note", "a")
    try b.update("Account", one, "visits", 3)
    try hub.update("Account", one, "visits", 1)
    try exchange(a, hub)
    try exchange(b, hub)
    try exchange(a, hub)
    #expect(try teller.asked.isEmpty && hub.value("Account", one, "visits") == 4)
    #expect(try a.balance(one) == 121)
  }

  @Test(arguments: SyncedPlace.schemes) func aPullBetweenAnEditAndItsPushIsNotSeen(_ scheme: String) throws {
    let teller = Teller()
    let (hub, clients) = try open(scheme, [scheme, "memory"], teller)
    let (a, b) = (clients[0], clients[1])
    try b.add(one, 7)
    try b.add(one, 1)
    try a.add(one, 10)
    try exchange(a, hub)
    // The client shows the hub's value or its own. The later one wins until the hub has decided.
    let hello = try b.sync.hello()
    try b.sync.receive(hello.session, hub.sync.serve(hello))
    #expect(try b.sync.knowledge().covers(hub.sync.knowledge().vector.floors))
    try b.add(one, 2)
    let seen = try #require(try b.balance(one)) - 2
    try exchange(b, hub)
    try exchange(a, hub)
    let bases = teller.asked.map { $0.base["balance"]?.intValue }
    #expect(bases.prefix(2) == [100, 107] && bases.last == seen)
    for place in [hub, a, b] { #expect(try place.balance(one) == 120) }
  }

  @Test(arguments: SyncedPlace.schemes) func theMergedResultWritesNothing(_ scheme: String) throws {
    let teller = Teller()
    let (hub, clients) = try open(scheme, ["memory", "lmdb"], teller) { $0.mine }
    let (a, b) = (clients[0], clients[1])
    try a.add(one, 10)
    try b.add(one, -30)
    try exchange(a, hub)
    let entries = try hub.sync.status().entries
    try exchange(b, hub)
    try exchange(a, hub)
    #expect(try teller.asked.count == 1 && hub.sync.status().entries == entries + 1)
    #expect(try hub.balance(one) == 70 && a.balance(one) == 70)
  }

  @Test(arguments: SyncedPlace.schemes) func anErrorOfTheResolverRefusesTheTransaction(_ scheme: String) throws {
    let teller = Teller()
    let (hub, clients) = try open(scheme, ["memory", scheme], teller) { conflict in
      guard conflict.mine["balance"] != 13 else { throw Full() }
      return Teller.sum(conflict)
    }
    let (a, b) = (clients[0], clients[1])
    try a.add(one, 10)
    try b.add(one, -87)
    try b.update("Account", one, "note", "b")
    try b.add(one, 1)
    try exchange(a, hub)
    try exchange(b, hub)
    let held = try b.sync.held()
    #expect(held.map(\.reason) == [.refused] && held.first?.message == "the account is full")
    #expect(held.first?.values["balance"] == 13)
    // The refused change is not in the sum. The one behind it is, although its author had seen the refused one.
    #expect(try b.balance(one) == 111 && hub.balance(one) == 111 && b.value("Account", one, "note") == "b")
    try b.sync.edit(held[0], ["balance": 12])
    try exchange(b, hub)
    #expect(try hub.balance(one) == 12 && b.sync.held().isEmpty)
  }

  @Test(arguments: SyncedPlace.schemes) func aResultThatBreaksAConstraintRefusesTheTransaction(_ scheme: String) throws
  {
    let teller = Teller()
    let bank = TeamModels.key(7)
    let (hub, clients) = try open(scheme, ["memory", "sqlite"], teller) { conflict in
      var result = Teller.sum(conflict)
      switch conflict.mine["note"] {
      case "clash": result["owner"] = "Bea"
      case "lost": result["bank"] = TeamModels.key(8)
      case "bank": result["bank"] = bank
      default: break
      }
      return result
    }
    let (a, b) = (clients[0], clients[1])
    try hub.insert("Account", Accounts.record(two, "Bea", 1))
    try hub.insert("Bank", Record(["id": bank, "name": "Bank"]))
    for (note, words) in [
      ("clash", "the resolver of Account takes a unique value of another object"),
      ("lost", "the resolver of Account refers by bank to an object that is not there"), ("bank", nil),
    ] as [(String, String?)] {
      try exchange(a, hub)
      try exchange(b, hub)
      try a.add(one, 10)
      let before = try #require(try hub.balance(one))
      try b.store.records.upsert(
        into: "Account", [Record(["id": one, "balance": .int(Int64(before) + 5), "note": .string(note)])],
        updating: ["balance", "note"])
      try exchange(a, hub)
      try exchange(b, hub)
      #expect(try b.sync.held().map(\.message) == (words.map { [$0] } ?? []))
      #expect(try hub.balance(one) == before + (words == nil ? 15 : 10))
      for item in try b.sync.held() { try b.sync.discard(item) }
    }
    #expect(try hub.value("Account", one, "bank") == bank && hub.value("Account", one, "owner") == "Ann")
  }

  /// Writes of models whose columns are all joined by time take a shorter way, and over a network the exchange is in bytes.
  @Test(arguments: SyncedPlace.schemes) func modelsOfPlainColumnsAreResolvedInBytes(_ scheme: String) throws {
    func send(_ from: SyncedPlace, _ to: SyncedPlace) throws {
      let hello = try StoreSync.hello(of: SyncFrame.hello(to.sync.hello()).encoded())
      let part = try from.sync.part(for: hello, bytes: 1 << 20)
      let intake = try to.sync.take(StoreSync.messages(of: part.bytes))
      #expect(intake.refused == 0 && !part.hasMore)
    }
    let (hub, clients) = try open(scheme, [scheme, "memory"], Teller())
    let (a, b) = (clients[0], clients[1])
    try hub.sync.setResolver(of: "Bank") { _, conflict, _ in
      func name(_ row: SyncRow) -> String { row["name"]?.stringValue ?? "" }
      var result = conflict.theirs
      result["name"] = .string([conflict.base, conflict.theirs, conflict.mine].map(name).joined(separator: "-"))
      return result
    }
    try hub.insert("Bank", Record(["id": two, "name": "0"]))
    for client in [a, b] { try send(hub, client) }
    try a.update("Bank", two, "name", "1")
    try b.update("Bank", two, "name", "2")
    try b.update("Bank", two, "name", "3")
    for client in [a, b] { try send(client, hub) }
    for client in [a, b] { try send(hub, client) }
    for place in [hub, a, b] {
      #expect(try place.value("Bank", two, "name") == "2-0-1-2-3")
      #expect(try place.sync.check() == [])
    }
  }

  @Test func columnsOfAGroupAreOneConflict() throws {
    let teller = Teller()
    let (hub, clients) = try open("lmdb", ["memory", "sqlite"], teller) { conflict in
      var result = conflict.mine
      result["low"] = [conflict.theirs["low"], conflict.mine["low"]].compactMap { $0 }.min { $0.precedes($1) }
      result["high"] = [conflict.theirs["high"], conflict.mine["high"]].compactMap { $0 }.max { $0.precedes($1) }
      return result
    }
    let (a, b) = (clients[0], clients[1])
    try a.update("Account", one, "low", -4)
    try b.update("Account", one, "high", 9)
    try exchange(a, hub)
    try exchange(b, hub)
    #expect(teller.asked.map { [$0.base["low"], $0.theirs["low"], $0.mine["high"]] } == [[0, -4, 9]])
    #expect(try hub.value("Account", one, "low") == -4 && b.value("Account", one, "high") == 9)
  }

  @Test func deletesInsertsAndSeedsAreNoConflict() throws {
    let teller = Teller()
    let (hub, clients) = try open("sqlite", ["memory", "lmdb"], teller)
    let (a, b) = (clients[0], clients[1])
    try a.delete("Account", one)
    try b.add(one, 5)
    try b.insert("Account", Accounts.record(two, "Bea", 3))
    try a.insert("Account", Accounts.record(two, "Cid", 4))
    for place in [a, b, a] { try exchange(place, hub) }
    #expect(try teller.asked.isEmpty && hub.balance(one) == nil && hub.balance(two) == 4)
  }

  @Test func storesWithoutResolversNoteNothing() throws {
    func noted(_ place: SyncedPlace) throws -> Int {
      try place.sync.reading { work in
        try work.loadAll()
        return work.log.count { !$0.seen.isEmpty }
      }
    }
    let teller = Teller()
    let (hub, clients) = try open("sqlite", ["sqlite", "memory"], teller)
    let (a, b) = (clients[0], clients[1])
    try hub.add(one, 1)
    try a.update("Account", one, "note", "a")
    try exchange(a, hub)
    try exchange(b, hub)
    // The hub has it from the client, keeps it not, and passes it on to nobody.
    #expect(try noted(a) == 1 && noted(hub) == 0 && noted(b) == 0)
    // A program of the hub without resolvers ends it.
    try hub.reopen()
    try a.update("Account", one, "note", "still")
    let told = try a.sync.serve(hub.sync.hello()).compactMap { numbered in
      if case .log(let entry) = numbered.message { entry.seen } else { nil }
    }
    #expect(told == [[:]])
    try exchange(a, hub)
    try a.update("Account", one, "note", "not any more")
    #expect(try noted(a) == 2)
    // A store that leaves its hub forgets what that resolves.
    try teller.serve(hub)
    try exchange(a, hub)
    try a.store.enableSync(as: .peer)
    try a.update("Account", one, "note", "alone")
    #expect(try noted(a) == 2)
  }

  @Test func aResolverNeedsAHubThatHasTheModel() throws {
    let peer = try Accounts.place("memory")
    let error = #expect(throws: StorageError.self) { try Teller().serve(peer) }
    #expect(error?.code == .unsupported)
    let hub = try SyncedPlace("memory")
    try hub.store.enableSync(as: .hub)
    let missing = #expect(throws: StorageError.self) { try Teller().serve(hub) }
    #expect(missing?.code == .notFound)
  }

  @Test func aHubThatWasPutBackResolvesNothingAgain() throws {
    let teller = Teller()
    let (hub, clients) = try open("sqlite", ["memory", "lmdb"], teller)
    let (a, b) = (clients[0], clients[1])
    try hub.store.close()
    try FileManager.default.copyItem(atPath: hub.path, toPath: hub.path + ".backup")
    try hub.reopenClosed()
    try teller.serve(hub)
    try a.add(one, 10)
    try b.add(one, -30)
    for place in [a, b, a] { try exchange(place, hub) }
    #expect(try teller.asked.count == 1 && a.balance(one) == 80)
    try hub.store.close()
    try FileManager.default.removeItem(atPath: hub.path)
    try FileManager.default.copyItem(atPath: hub.path + ".backup", toPath: hub.path)
    try hub.reopenClosed()
    try hub.sync.restored()
    try teller.serve(hub)
    for place in [b, a, b] { try exchange(place, hub) }
    #expect(teller.asked.count == 1)
    for place in [hub, a, b] { #expect(try place.balance(one) == 80) }
  }

  /// A copy of a client's file takes a new name, and gives its unsent entries new stamps: what they had seen of each other too.
  @Test func aCopyOfAClientHasSeenItsOwnEntries() throws {
    let teller = Teller()
    let (hub, clients) = try open("memory", ["sqlite", "memory"], teller)
    let a = clients[0]
    let copy = try Accounts.place("sqlite")
    try a.store.close()
    try copy.store.close()
    try FileManager.default.removeItem(atPath: copy.path)
    try FileManager.default.copyItem(atPath: a.path, toPath: copy.path)
    try a.reopenClosed()
    try copy.reopenClosed()
    try a.insert("Account", Accounts.record(two, "Bea", 5))
    try exchange(a, hub)
    try copy.add(one, 1)
    try copy.add(one, 2)
    try exchange(copy, hub)
    #expect(try teller.asked.isEmpty && hub.balance(one) == 103)
    #expect(try copy.sync.reading { $0.state.names.count } == 2)
  }
}
