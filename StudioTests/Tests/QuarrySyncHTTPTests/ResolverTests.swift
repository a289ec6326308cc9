import Foundation
import QuarryBackend
import QuarryCore
import QuarrySync
import QuarrySyncHTTP
import Testing

/// A model whose amount a hub resolves.
private struct Purse: Model {
  let id: UUID
  var amount: Int

  static let modelDefinition = ModelDefinition<Purse>(
    name: "Purse",
    properties: [
      PropertyDefinition("id", \Purse.id, UUID.self), PropertyDefinition("amount", \Purse.amount, Int.self),
    ],
    primaryKey: "id")

  struct Columns: ModelColumns {
    var id = Column<UUID>("id", 0)
    var amount = Column<Int>("amount", 1)
  }

  var primaryKeyValue: UUID { id }

  init(id: UUID, amount: Int) {
    self.id = id
    self.amount = amount
  }

  init(reading row: ModelReader) throws(StorageError) {
    id = try row.get(0)
    amount = try row.get(1)
  }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, amount)
  }
}

/// Served hubs that resolve conflicts: SYNC-69.
@Suite struct ResolverTests {
  private struct TooMuch: Error {}

  private func put(_ purse: Purse, into place: Place) throws { try place.store.insert(purse) }

  private func add(_ amount: Int, to key: UUID, in place: Place) throws {
    try place.store.update(Purse.self, key) { $0.amount += amount }
  }

  private func amount(of key: UUID, in place: Place) throws -> Int? { try place.store.get(Purse.self, key)?.amount }

  private func messages(of place: Place) throws -> [String?] { try place.store.held(Purse.self).map(\.item.message) }

  @Test(arguments: Place.schemes) func theServedHubAddsUp(_ scheme: String) async throws {
    let hub = try Place(scheme, for: Purse.self)
    try hub.store.enableSync(as: .hub)
    try hub.sync.resolve(Purse.self) { base, theirs, mine in
      let amount = theirs.amount + mine.amount - base.amount
      guard amount < 1_000 else { throw TooMuch() }
      return Purse(id: mine.id, amount: amount)
    }
    let served = try await Served(hub)
    let key = UUID()
    try put(Purse(id: key, amount: 100), into: hub)
    let clients = [try Place("memory", for: Purse.self), try Place("sqlite", for: Purse.self)]
    for client in clients { #expect(try await client.store.sync(with: served.remote()).isEqual) }
    for round in 1...3 {
      for client in clients {
        for amount in [10, 5 * round, -1] { try add(amount, to: key, in: client) }
      }
      for client in clients + clients { _ = try await client.store.sync(with: served.remote()) }
      let wanted = 100 + (1...round).reduce(0) { $0 + 2 * (9 + 5 * $1) }
      for place in clients + [hub] { #expect(try amount(of: key, in: place) == wanted) }
    }
    for client in clients { try add(500, to: key, in: client) }
    for client in clients + clients { _ = try await client.store.sync(with: served.remote()) }
    #expect(try messages(of: clients[1]) == ["TooMuch()"])
    for place in clients + [hub] { #expect(try amount(of: key, in: place) == 714) }
    await served.stop()
  }
}
