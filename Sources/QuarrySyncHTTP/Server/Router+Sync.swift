#if HTTP
  public import Hummingbird
  import QuarryBackend
  public import QuarryCore
  import QuarrySync

  extension RouterMethods {
    /// Lets replicas of a store exchange changes with it over HTTP.
    ///
    /// ```swift
    /// let token = try SyncToken(contentsOf: "/etc/notes.token")
    /// try router.addQuarrySync(store, path: "/sync") { token.matches($0) }
    /// ```
    ///
    /// The store answers as what it is, a peer or a hub. It must be synced, by `enableSync`, for as long as it is served. Each
    /// request is answered by itself. A request that was lost, cut or repeated changes nothing that a later one would not change.
    ///
    /// - Parameters:
    ///   - store: The store, for which `enableSync` was called.
    ///   - path: Where the requests are, with a slash at its beginning and none at its end.
    ///   - limits: The limits of sizes, times and numbers.
    ///   - authorize: Whether a request with this bearer token is answered; nil is a request without one.
    /// - Throws: `invalidValue` for another form of the path; `notFound` for a store that is not synced.
    public func addQuarrySync(
      _ store: Store, path: String = "/sync", limits: SyncServerLimits = SyncServerLimits(),
      authorize: @escaping @Sendable (_ token: String?) async throws -> Bool
    ) throws {
      var options = SyncSiteOptions()
      options.limits = limits
      try addQuarrySync(store, path, options) { request in
        try await authorize(SyncSite.token(of: request)) ? .anybody : .nobody
      }
    }

    /// Lets the clients of several principals exchange changes with a store over HTTP.
    ///
    /// A replica belongs to the principal that first sends its changes. The hub's program decides about each change.
    ///
    /// - Parameters:
    ///   - store: The store, for which `enableSync` was called, `as: .hub` where a program decides.
    ///   - options: Who the clients are, what they may change, and the limits.
    ///   - path: Where the requests are, with a slash at its beginning and none at its end.
    /// - Throws: `invalidValue` for another form of the path; `notFound` for a store that is not synced; `unsupported` for
    ///   `authorize` and parts in a store that is no hub.
    public func addQuarrySync(_ store: Store, _ options: SyncSiteOptions, path: String = "/sync") throws {
      guard let sync = store.sync else { throw StorageError.notSynced }
      if let authorize = options.authorize {
        guard try sync.role == .hub else {
          throw StorageError(.unsupported, "authorize needs a hub: enableSync(as: .hub)")
        }
        sync.authorize(authorize)
      }
      try sync.declare(options.parts)
      try addQuarrySync(store, path, options) { request in try await options.sender(of: request) }
    }

    private func addQuarrySync(
      _ store: Store, _ path: String, _ options: SyncSiteOptions,
      _ sender: @escaping @Sendable (Request) async throws -> SyncSite.Sender
    ) throws {
      // Other characters have a meaning in the paths of a router.
      let isPlain = path.utf8.allSatisfy { byte in
        let letter = byte | 0x20
        return letter >= 0x61 && letter <= 0x7A || byte >= 0x30 && byte <= 0x39 || "/-_.".utf8.contains(byte)
      }
      guard path.hasPrefix("/"), !path.hasSuffix("/"), isPlain else {
        throw StorageError(
          .invalidValue,
          "the path of sync begins with a slash, does not end with one, and has letters, digits, - _ and . between slashes"
        )
      }
      guard store.sync != nil else { throw StorageError.notSynced }
      let site = SyncSite(store, options, sender)
      let length = path.utf8.count
      on(RouterPath("\(path)/**"), method: .post) { request, context in
        let name = String(decoding: request.uri.path.utf8.dropFirst(length + 1), as: UTF8.self)
        return await site.response(to: request, SyncCall(rawValue: name), context.logger)
      }
    }
  }
#endif
