import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery
import QuarrySync

/// A hub that gives each principal the objects of its color.
struct SyncPartScene {
  let kit: ConformanceContext
  let clock: SyncClock
  let hub: SyncPeer
  let client: SyncPeer

  init(_ kit: ConformanceContext) throws {
    (self.kit, clock) = (kit, SyncClock())
    hub = try SyncPeer(kit, clock)
    client = try SyncPeer(kit, clock)
    try hub.enable(as: .hub)
    try Self.declare(hub)
  }

  /// A case about the part of a client.
  static func part(
    _ name: String, _ clauses: [String], _ summary: String, needs: Set<Capability> = [],
    _ body: @escaping @Sendable (SyncPartScene) throws -> Void
  ) -> ConformanceCase {
    SyncScene.syncing("part.\(name)", clauses, summary, needs: needs) { kit in try body(SyncPartScene(kit)) }
  }

  static func principal(_ color: String) -> SyncPrincipal { SyncPrincipal(color, claims: ["color": color]) }

  /// The hub's program: people by their names, jobs by their titles, badges by their colors, and no teams.
  static func declare(_ hub: SyncPeer) throws {
    var parts = SyncParts()
    for (model, property) in [("Person", "name"), ("Job", "title"), ("Badge", "color")] {
      parts.part(named: model) { who in
        QueryTree(
          model: model, predicate: .compare(.named(property), .equal, .value(.string(who["color"] ?? ""))))
      }
    }
    parts.part(named: "Team") { _ in nil }
    try hub.sync.declare(parts)
  }

  @discardableResult
  func replicate(_ color: String = "blue", _ client: SyncPeer? = nil) throws -> ReplicationReport {
    try Store.replicate((client ?? self.client).store, hub.store, as: Self.principal(color))
  }

  /// Exchanges everything, and throws unless the client has what the hub has in its part.
  func meet(_ color: String = "blue", _ client: SyncPeer? = nil) throws {
    let report = try replicate(color, client)
    try expect(report.isEqual, "the client differs from its part: \(report)")
    for peer in [hub, client ?? self.client] { try peer.expectSound() }
    try expectEqual(try (client ?? self.client).sync.status().pending, 0)
  }

  /// What the hub answers to the client now.
  func answer(_ color: String = "blue") throws -> (session: UInt64, messages: [NumberedMessage]) {
    try client.sync.follow(hub.sync.hello())
    let hello = try client.sync.hello()
    return (hello.session, try hub.sync.answer(hello, SyncTerms(principal: Self.principal(color))).messages)
  }

  /// People of one color in the hub.
  func insert(_ color: String, _ keys: String...) throws {
    try hub.store.records.insert(into: "Person", keys.map { SyncScene.person($0, color) })
  }
}
