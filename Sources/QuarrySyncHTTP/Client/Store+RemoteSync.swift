#if HTTP
  import AsyncHTTPClient
  import QuarryBackend
  public import QuarryCore
  public import QuarrySync

  extension Store {
    /// Exchanges changes with a store that is served over HTTP, until both know the same.
    ///
    /// ```swift
    /// let server = try SyncRemote.http("https://notes.example.org/sync", token: token)
    /// let report = try await store.sync(with: server)
    /// ```
    ///
    /// The exchange goes in parts of about a megabyte, and each part is stored when it comes. When the call throws, these parts
    /// stay, and the next call continues behind them.
    ///
    /// - Parameters:
    ///   - remote: The served store.
    ///   - attempts: How often each request is sent that finds no server or a busy one, with growing pauses.
    ///   - deletes: The number of objects that an answer may delete of a model where that is half of them, and more than 100.
    /// - Returns: The report: a is this store, b the served one.
    /// - Throws: ``SyncProblem``; `notFound` for a store that is not synced; the errors of reading and writing.
    /// - Complexity: O(n) for n objects, because of the digests; the exchange itself O(m) for m entries in the logs.
    @discardableResult
    public func sync(
      with remote: SyncRemote, attempts: Int = 5, allowingDeletes deletes: Int = 0
    ) async throws -> ReplicationReport {
      guard let sync else { throw StorageError.notSynced }
      return try await HTTPClient.withHTTPClient(configuration: remote.configuration()) { client in
        let exchange = RemoteExchange(
          sync: sync, wire: HTTPWire(client: client, remote: remote, attempts: Swift.max(1, attempts)),
          terms: SyncTerms(deletes: deletes))
        return try await exchange.report()
      }
    }
  }

  extension RemoteExchange {
    /// The digests belong together where both know the same, which another client may change in between.
    private static let mostTries = 4

    fileprivate func report() async throws -> ReplicationReport {
      var taken = (a: 0, b: 0)
      var rounds = 0
      var tries = 0
      while true {
        let outcome = try await run()
        if let problem = outcome.problem, problem.kind == .upgrade { throw problem }
        taken = (taken.a + outcome.taken.a, taken.b + outcome.taken.b)
        rounds += outcome.rounds
        tries += 1
        let theirs = try await summary()
        let mine = try await Store.onThread { [sync] in try sync.summary() }
        let agrees = mine.hello.knowledge == theirs.hello.knowledge
        guard agrees || !outcome.agrees || tries == Self.mostTries else { continue }
        return ReplicationReport(
          taken: taken, refused: outcome.refused, problem: outcome.problem?.description, rounds: rounds, agrees: agrees,
          held: (mine.held, theirs.held),
          digests: (mine.digest, theirs.digest))
      }
    }
  }
#endif
