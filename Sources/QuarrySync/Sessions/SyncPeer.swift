import QuarryBackend

/// A replica that several tasks use: it answers peers, and runs sessions over a transport.
package actor SyncPeer {
  package private(set) var replica: SyncReplica

  package init(_ replica: SyncReplica) {
    self.replica = replica
  }

  /// Answers a peer's request: ``SyncReplica/answer(_:_:part:)``.
  package func answer(_ request: SyncRequest, _ body: [UInt8]) throws -> [UInt8] {
    try replica.answer(request, body)
  }

  /// Changes the replica, by a local transaction for example.
  package func with<R: Sendable>(_ body: @Sendable (inout SyncReplica) throws -> R) rethrows -> R {
    try body(&replica)
  }

  /// One pull and one push.
  ///
  /// - Throws: The errors of the transport, and those of a peer's answer that is refused.
  package func sync(over transport: some SyncTransport) async throws -> SyncSession.Summary {
    var session = SyncSession()
    while let (request, body) = try session.request(&replica) {
      let answer = try await transport.exchange(request, body)
      try session.take(answer, &replica)
    }
    return session.summary
  }
}
