#if HTTP
  import QuarryBackend
  import QuarrySync

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
      /// Some changes are not taken for another reason than a clock: a limit is passed, or they contradict what is known.
      case refused
      /// One of the two is a hub, and they do not fit together; or the changes belong to another principal.
      case hub
      /// The changes delete more objects than is allowed without asking.
      case deletes
      /// The server takes changes of this version of the program, and sends none.
      case upgrade
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

    /// What the two stores are to each other, or deletes that wait to be allowed; nil for another error.
    init?(_ error: StorageError) {
      if let denial = error.cause as? SyncDenial {
        self.init(.hub, "\(denial.rawValue.prefix(1).uppercased())\(denial.rawValue.dropFirst()).")
      } else if let deletion = error.cause as? MassDeletion {
        self.init(.deletes, "\(deletion.description.prefix(1).uppercased())\(deletion.description.dropFirst()).")
      } else {
        return nil
      }
    }

    /// An error of this store.
    init(ofStore error: any Error) {
      let error = error as? StorageError
      let message = error?.message ?? ""
      let text =
        switch error?.code {
        case .full: "The disk of this store is full; changes wait until there is room."
        case .busy, .inUse, .conflict: "This store is busy with another transaction or process; changes wait for it."
        case .readOnly: "This store was opened for reading alone, so that it takes no changes."
        case .corrupt: "This store is damaged where changes have to be written: \(message)."
        case .io, .commitUnknown, .unavailable: "This store cannot be read or written now: \(message)."
        case .invalidValue, .missingValue, .schemaMismatch, .limitExceeded:
          "This store cannot take the changes of the other side: \(message)."
        default: "This store cannot exchange changes\(message.isEmpty ? "" : ": \(message)")."
        }
      self.init(.store, text)
    }

    /// Whether the same request may succeed after a while without help.
    var passes: Bool { kind == .noConnection || kind == .busy }
  }
#endif
