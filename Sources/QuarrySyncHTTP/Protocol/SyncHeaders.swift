#if HTTP
  /// The names of the protocol: `docs/formats/sync.md`.
  enum SyncHeaders {
    /// The version of the protocol, in each request and each answer.
    static let version = "Quarry-Sync"
    /// A hash of the synced models, in each request.
    static let models = "Quarry-Sync-Models"
    /// The version of the client's models, as its program counts them.
    static let schema = "Quarry-Sync-Schema"
    /// Whether there is more than the answer has.
    static let more = "Quarry-Sync-More"
    /// The kind of a refusal.
    static let problem = "Quarry-Sync-Problem"
    /// Why a push was not taken whole, as ``RefusedChanges`` names it.
    static let refused = "Quarry-Sync-Refused"
    /// The digest of a store's objects.
    static let digest = "Quarry-Sync-Digest"
    /// The number of a store's held items.
    static let held = "Quarry-Sync-Held"
    static let contentType = "application/x-quarry-sync"
    static let currentVersion = "1"
  }

  /// What a client asks.
  enum SyncCall: String, CaseIterable {
    case hello, pull, push, digest, models
  }
#endif
