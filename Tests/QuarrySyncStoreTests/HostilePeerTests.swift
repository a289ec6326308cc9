import HostilePeer
import QuarrySync
import Testing

/// A peer that sends what no store sends. `scripts/sync-hostile` tries many more inputs.
@Suite struct HostilePeerTests {
  /// Each engine meets each kind, in a role that changes with both.
  @Test(arguments: HostileKind.allCases, HostileStore.schemes)
  func aHostilePeerBreaksNoLaw(_ kind: HostileKind, _ scheme: String) throws {
    let kinds = HostileKind.allCases
    let number = (kinds.firstIndex(of: kind) ?? 0) + (HostileStore.schemes.firstIndex(of: scheme) ?? 0)
    let role = SyncRole.allCases[number % SyncRole.allCases.count]
    var round = try HostileRound(kind, on: scheme, as: role, number: 0)
    #expect(try round.run(inputs: 30).inputs >= 30)
  }
}
