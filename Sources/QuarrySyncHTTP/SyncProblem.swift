#if HTTP
  /// What keeps two stores from exchanging changes, as one plain sentence.
  public struct SyncProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of a problem.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
      /// The server could not be reached, or the connection was cut.
      case noConnection
      /// The server's certificate is not trusted, or is another host's.
      case certificate
      /// The server refuses the token.
      case token
      /// The other side has another version of the protocol.
      case version
      /// The synced models differ.
      case models
      /// The clocks differ by more than 5 minutes.
      case clock
      /// The server has too much to do, or cannot use its store now.
      case busy
      /// A message is larger than the other side takes.
      case tooLarge
      /// The bytes of a request or an answer are damaged, or there is no sync at the address.
      case malformed
      /// The server has failed.
      case server
      /// This store has failed.
      case store
    }

    /// The kind, for programs.
    public var kind: Kind
    /// The sentence, for people.
    public var description: String

    init(_ kind: Kind, _ description: String) {
      self.kind = kind
      self.description = description
    }

    /// Whether the same request may succeed after a while without help.
    var passes: Bool { kind == .noConnection || kind == .busy }
  }
#endif
