/// The terms on which a store takes a peer's answer.
package struct SyncTerms: Sendable {
  /// The most objects of a model that the answer may delete without asking, where that is half of them: SYNC-38.
  package var deletes: Int
  /// Of a hub: to whom the peer belongs; nil in one process, where the program is trusted.
  package var principal: SyncPrincipal?

  package init(deletes: Int = 0, principal: SyncPrincipal? = nil) {
    self.deletes = deletes
    self.principal = principal
  }
}
