package import QuarryBackend

/// One pull and one push, as a machine of states that does no input and output.
///
/// The driver asks for the next request, sends it, and gives the answer back. The replica changes in ``take(_:_:)`` alone, so
/// that it may be used by others while a request is under way. A session that was cut is dropped; nothing is lost.
package struct SyncSession: Sendable {
  /// The state of a session.
  package enum Phase: Sendable, Hashable {
    case pulling, greeting, pushing, done
  }

  /// The result of a session that was not cut.
  package struct Summary: Sendable, Hashable {
    /// Messages and entries of the peer that were refused.
    package var refused = 0
    /// Whether the peer knew all entries of this replica at the end, and this replica those of the peer.
    package var agrees = false
  }

  package private(set) var phase = Phase.pulling
  package private(set) var summary = Summary()
  /// The session of the replica that the pull belongs to.
  private var asked: UInt64 = 0
  private var peer: SyncHello?

  package init() {}

  /// The next request; nil when the session is done.
  package mutating func request(_ replica: inout SyncReplica) throws(StorageError) -> (SyncRequest, [UInt8])? {
    switch phase {
    case .pulling:
      asked = replica.session
      return (.pull, try SyncFrame.hello(replica.hello()).encoded())
    case .greeting:
      return (.hello, try SyncFrame.hello(replica.hello()).encoded())
    case .pushing:
      guard let peer else { return nil }
      return (.push, try SyncFrame.encode(replica.serve(peer)))
    case .done:
      return nil
    }
  }

  /// Takes the peer's answer.
  ///
  /// - Throws: `corrupt`, `schemaTooNew` or `limitExceeded` for an answer that is refused before any effect. The session ends.
  package mutating func take(_ answer: [UInt8], _ replica: inout SyncReplica) throws(StorageError) {
    let before = phase
    phase = .done
    let frames = try SyncFrame.decode(answer)
    switch before {
    case .pulling:
      summary.refused += replica.receive(asked, try SyncReplica.messages(frames), batch: 64)
      phase = .greeting
    case .greeting:
      let hello = try SyncReplica.onlyHello(frames)
      replica.learn(hello.rules)
      peer = hello
      phase = .pushing
    case .pushing:
      let hello = try SyncReplica.onlyHello(frames)
      summary.agrees = hello.knowledge == replica.knowledge
    case .done: break
    }
  }
}
