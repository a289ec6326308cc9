import Foundation
import Quarry
import QuarryEngines
import QuarrySync
import Testing

@Suite struct GuideSyncTests {
  @Test func theGuideRuns() throws {
    let folder = try DocumentationTests.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let (a, b, report) = try GuideSync.beginning(folder.path)
    #expect(report.isEqual && report.taken == (1, 1))
    #expect(try a.count(Reminder.all) == 2 && b.count(Reminder.all) == 2)
    try GuideSync.held(a)
    let status = try GuideSync.status(a)
    #expect(status.pending == 0 && status.held == 0 && status.peers.count == 1)
    try a.insert(Reminder(id: UUID(), title: ""))
    let (hub, decided) = try GuideSync.hub(folder.path, a)
    #expect(decided.isEqual)
    #expect(try a.count(Reminder.all) == 2 && a.held(Reminder.self).map(\.item.message) == ["a title is needed"])
    try GuideSync.decide(a)
    #expect(try Store.replicate(a, hub).isEqual)
    #expect(try hub.count(Reminder.where { $0.title == " (2)" }) == 1 && a.held(Reminder.self).isEmpty)
    try hub.close()
    try a.close()
    try b.close()
  }

  @Test func theGuidesResolverAddsUp() throws {
    let stores = try (0..<3).map { _ in try Store(for: Account.self, in: .memory(named: UUID().uuidString)) }
    let (hub, a, b) = (stores[0], stores[1], stores[2])
    try hub.enableSync(as: .hub)
    try GuideSync.resolve(hub)
    for client in [a, b] { try client.enableSync() }
    let (ann, bea) = (UUID(), UUID())
    try hub.insert(Account(id: ann, owner: "Ann", balance: 100))
    try hub.insert(Account(id: bea, owner: "Bea", balance: 10))
    for client in [a, b] { try Store.replicate(client, hub) }
    for (client, amount) in [(a, 30), (b, 45), (b, 40)] {
      try client.update(Account.self, ann) { $0.balance -= amount }
    }
    for client in [a, b, a] { #expect(try Store.replicate(client, hub).isEqual) }
    // The last withdrawal is too much.
    for store in stores { #expect(try store.get(Account.self, ann)?.balance == 25) }
    #expect(try b.held(Account.self).map(\.item.message) == ["Overdrawn()"])
    // A result keeps its key, and takes no value of another object.
    for (owner, words) in [
      ("Cid", "the resolver of Account has changed the primary key"),
      ("Bea", "the resolver of Account takes a unique value of another object"),
    ] {
      try hub.sync?.resolve(Account.self) { _, _, mine in
        Account(id: owner == "Cid" ? bea : mine.id, owner: owner, balance: 1)
      }
      try Store.replicate(b, hub)
      for client in [a, b] { try client.update(Account.self, ann) { $0.balance += 1 } }
      for client in [a, b, a] { #expect(try Store.replicate(client, hub).isEqual) }
      #expect(try b.held(Account.self).map(\.item.message).contains(words))
    }
    for store in stores { try store.close() }
  }
}
