import Foundation
import Quarry
import QuarryEngines
import QuarrySync

// The code of docs/guide/sync.md, in places where it compiles and runs.

@Model struct Reminder {
  let id: UUID
  var title: String
}

@Model(synced: true)
struct Stall {
  let id: UUID
  var title: String
  @Merge(.counter) var visits = 0
  @Merge(.set) var goods: [String] = []
  @Merge(.max) var record: Int?
  @Merge(.row("price")) var amount: Decimal
  @Merge(.row("price")) var currency: String
  var helpers: Links<Helper>
}

@Model(synced: true)
struct Helper {
  let id: UUID
  var name: String
}

@Model(synced: true)
struct Account {
  let id: UUID
  @Attribute(.unique) var owner: String
  var balance: Int
}

struct Overdrawn: Error {}

enum GuideSync {
  static func resolve(_ hub: Store) throws {
    try hub.sync?.resolve(Account.self) { base, theirs, mine in
      var result = mine
      result.balance = theirs.balance + mine.balance - base.balance
      if result.balance < 0 { throw Overdrawn() }
      return result
    }
  }

  static func visit(_ store: Store, _ id: UUID) throws {
    try store.update(Stall.self, id) {
      $0.visits += 1
      $0.goods.append("figs")
    }
  }

  static func beginning(_ folder: String) throws -> (Store, Store, ReplicationReport) {
    let a = try Store(for: Reminder.self, in: .sqlite(at: folder + "/a.db"))
    let b = try Store(for: Reminder.self, in: .lmdb(at: folder + "/b"))
    try a.enableSync(Reminder.self)
    try b.enableSync(Reminder.self)
    try a.insert(Reminder(id: UUID(), title: "Milk"))
    try b.insert(Reminder(id: UUID(), title: "Bread"))
    let report = try Store.replicate(a, b)
    print(report.isEqual, report.digests.a)
    return (a, b, report)
  }

  static func held(_ a: Store) throws {
    for item in try a.enableSync().held() {
      print(item.object, item.reason, item.values, item.waitsFor)
    }
  }

  static func decide(_ a: Store) throws {
    for held in try a.held(Reminder.self) {
      if held.mine == nil { try held.discard() } else { try held.edit { $0.title += " (2)" } }
    }
  }

  static func hub(_ folder: String, _ client: Store) throws -> (Store, ReplicationReport) {
    let hub = try Store(for: Reminder.self, in: .sqlite(at: folder + "/hub.db"))
    try hub.enableSync(Reminder.self, as: .hub)
    hub.sync?.authorize { change, who in
      change.objects.contains { $0.after?["title"] == "" } ? .refuse("a title is needed") : .accept
    }
    let report = try Store.replicate(client, hub)
    return (hub, report)
  }

  static func part(_ hub: Store, _ client: Store) throws -> ReplicationReport {
    var parts = SyncParts()
    parts.part(Reminder.self) { who in Reminder.where { $0.title == who["title"] ?? "" } }
    parts.part(Stall.self) { _ in Stall.all }
    try hub.sync?.declare(parts)
    let anna = SyncPrincipal("anna", claims: ["title": "Milk"])
    let report = try Store.replicate(client, hub, as: anna)
    return report
  }

  static func status(_ a: Store) throws -> SyncStatus {
    let status = try a.enableSync().status()
    print(status.replica, status.pending, status.held, status.peers.map(\.lastMet))
    return status
  }
}
