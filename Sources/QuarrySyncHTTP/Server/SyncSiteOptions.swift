#if HTTP
  public import Hummingbird
  public import QuarryCore
  public import QuarrySync

  /// How a served store answers: who its clients are, what they may change, and its limits.
  ///
  /// ```swift
  /// var options = SyncSiteOptions()
  /// options.accept(token, as: SyncPrincipal("anna", claims: ["team": "red"]))
  /// options.authorize = { change, who in change.touches(Price.self) ? .refuse("prices are ours") : .accept }
  /// try router.addQuarrySync(hub, options)
  /// ```
  public struct SyncSiteOptions: Sendable {
    /// Who sends a request, by its headers; nil for a request that is refused with 401. It is asked before the tokens of
    /// ``accept(_:as:)``.
    public var principal: (@Sendable (Request) async throws -> SyncPrincipal?)?
    /// Of a hub: whether it takes a transaction of a client. See `StoreSync.authorize(_:)`.
    public var authorize: (@Sendable (SyncChange, SyncPrincipal?) -> SyncDecision)?
    /// Of a hub: the part of its objects that each principal receives; empty where each client receives all.
    ///
    /// A hub that gives parts refuses a client without a principal.
    public var parts = SyncParts()
    /// The limits of sizes, times and numbers.
    public var limits = SyncServerLimits()
    /// The lowest version of a client's models, as programs count them, that receives changes. Clients below it only send theirs.
    public var minimumSchema: Int?
    /// The number of objects of a model that one push may delete where that is half of them, and more than 100.
    public var allowedDeletes = 0

    /// A bearer token that all clients share. Such a client has no principal. Nil for no shared token.
    public var shared: SyncToken?

    private var tokens: [(token: SyncToken, principal: SyncPrincipal)] = []

    /// Options that refuse all requests until a token or a closure is given.
    public init() {}

    /// Accepts a bearer token as a principal's. A principal may have several tokens.
    public mutating func accept(_ token: SyncToken, as principal: SyncPrincipal) { tokens.append((token, principal)) }

    /// Declares which objects of a model a principal receives: `SyncParts.part(_:_:)`.
    public mutating func part<M: Model>(
      _ type: M.Type, _ choose: @escaping @Sendable (SyncPrincipal) throws -> Query<M>?
    ) {
      parts.part(type, choose)
    }

    /// Who sends a request.
    func sender(of request: Request) async throws -> SyncSite.Sender {
      if let principal, let who = try await principal(request) { return .principal(who) }
      let token = SyncSite.token(of: request)
      // All are compared, so that the time does not tell which is right.
      var who: SyncPrincipal?
      for known in tokens where known.token.matches(token) { who = known.principal }
      let isShared = shared?.matches(token) ?? false
      return who.map { .principal($0) } ?? (isShared ? .anybody : .nobody)
    }
  }
#endif
