import QuarryBackend
import QuarryCore

extension StoreSync {
  /// The longest reason of a refusal that travels.
  static let longestReason = 300

  /// Sets the program of a hub, which accepts or refuses each transaction of a client as a whole.
  ///
  /// The hub calls it inside its own write, perhaps more than once for a transaction. It must be quick, depend on its arguments
  /// alone and not use the store. It is asked after the hub's own rules: unique values and `deny`. It stays until the store is
  /// closed, and a later call replaces it.
  ///
  /// - Parameter decide: The change, and the principal of the client; nil in one process, where the program is trusted.
  public func authorize(_ decide: @escaping @Sendable (SyncChange, SyncPrincipal?) -> SyncDecision) {
    keeper.setProgram(decide)
  }

  /// Notes that the store was put back from a backup, or is a copy. Call it before the store meets another one.
  ///
  /// The store goes on under a new identity. A hub takes back from its clients what it has lost, without judging it, and also what
  /// they write in the next 5 minutes.
  ///
  /// - Throws: `notFound` when sync was ended in the store; `reentrant` inside a transaction of the store; the errors of a write.
  public func restored() throws {
    let session = try changing { work in
      try work.run { replica throws(StorageError) in
        replica.restored()
        return replica.session
      }
    }
    keeper.note(session: session)
  }

  /// What the store is among its replicas.
  package var role: SyncRole { get throws { try reading { $0.state.role } } }

  /// The program of the hub for the entries of one client.
  func program(
    for principal: SyncPrincipal?, _ schema: StoredSchema
  ) -> (@Sendable (SyncEntry, (ObjectID) -> SyncRow?, (ObjectID) -> SyncRow?) -> String?)? {
    guard let decide = keeper.program else { return nil }
    return { entry, before, after in
      let change = SyncChange(entry, schema, before, after)
      guard !change.objects.isEmpty, case .refuse(let reason) = decide(change, principal) else { return nil }
      return String(reason.prefix(Self.longestReason))
    }
  }
}

extension StoreSync {
  /// Compares the roles of this store and a peer before they exchange changes. A store that meets a hub becomes its client.
  ///
  /// - Parameter isServed: Whether the peer has asked this store. A hub answers, and asks none.
  /// - Throws: `unsupported` where the two cannot exchange changes: two hubs, a client and another store than its hub, a hub that
  ///   is known to have been put back and does not say so. Its cause is a ``SyncDenial``.
  package func follow(_ theirs: SyncHello, isServed: Bool = false) throws {
    guard !isServed || theirs.role != .hub else { throw SyncDenial.hubAsks.error }
    let (state, known) = try reading { work in (work.state, try work.peer(theirs.replica)) }
    switch (state.role, theirs.role) {
    case (.peer, .peer), (.hub, .peer), (.hub, .client): return
    case (.hub, .hub): throw SyncDenial.twoHubs.error
    case (.client, .peer), (.client, .client): throw SyncDenial.hasHub.error
    case (.peer, .client): throw SyncDenial.otherHasHub.error
    case (.peer, .hub), (.client, .hub): break
    }
    if theirs.replica == state.hubs.first {
      // Of the hub's own entries, those under its present name count that were taken. A clock that was ahead may have made others.
      var floors = known?.knowledge.vector.floors.filter { !theirs.names.contains($0.key) } ?? [:]
      floors[theirs.replica] = state.knowledge.vector[theirs.replica]?.hlc
      // Entries that it knows to exist and cannot read are not lost.
      guard floors.allSatisfy({ $0.value <= theirs.knowledge.mark($0.key).hlc }) else {
        throw SyncDenial.wentBack.error
      }
      return
    }
    guard !state.hubs.contains(theirs.replica) else { throw SyncDenial.earlierHub.error }
    if let hub = state.hubs.first, !hub.hasPlace(of: theirs.replica) { throw SyncDenial.anotherHub.error }
    let session = keeper.environment.random()
    try changing { work in
      // Another thread may have met it meanwhile.
      guard work.state.hubs.first != theirs.replica else { return }
      work.state.role = .client
      work.state.hubs.insert(theirs.replica, at: 0)
      try work.run { _ in }
    }
    // Answers to what the hub was before are not taken any more: SYNC-23.
    if state.hubs.first != nil { keeper.note(session: session) }
  }
}

extension ReplicaID {
  /// Whether the other one is this replica under another name: SYNC-4.
  fileprivate func hasPlace(of other: ReplicaID) -> Bool { high == other.high && low >> 32 == other.low >> 32 }
}
