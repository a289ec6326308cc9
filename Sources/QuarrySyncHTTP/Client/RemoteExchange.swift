#if HTTP
  import QuarryBackend
  import QuarryCore
  import QuarrySync

  /// The client's side: pulls and pushes in parts, until both know the same or nothing moves any more.
  struct RemoteExchange: Sendable {
    let sync: StoreSync
    let wire: HTTPWire
    var terms = SyncTerms()
    /// Where others go on writing, two stores never know the same: the exchange ends there.
    private static let mostRounds = 16
    /// The bytes of a push, where it has more than one message.
    private static let partBytes = 1 << 20
    /// Clocks that differ by more are a problem: SYNC-3.
    private static let tolerance: Int64 = 300_000

    /// The result of an exchange that was not cut.
    struct Outcome: Sendable {
      var taken = (a: 0, b: 0)
      var refused = 0
      var rounds = 0
      var agrees = false
      /// The server at the end.
      var theirs: SyncHello
      /// Why changes were not taken; nil where all were.
      var problem: SyncProblem?
    }

    func run() async throws -> Outcome {
      let models = try await Store.onThread { [sync] in try sync.modelsHash() }
      do {
        return try await run(models)
      } catch let problem as SyncProblem where problem.kind == .models {
        throw try await named(problem, models)
      } catch let error as StorageError {
        throw SyncProblem(error) ?? error
      }
    }

    private func run(_ models: String) async throws -> Outcome {
      var outcome = Outcome(theirs: try await greet(models))
      // Each entry that a hub refuses takes a round, because those behind it change.
      let mostRounds = Self.mostRounds + (try await pending(outcome.theirs))
      while !outcome.agrees, outcome.rounds < mostRounds {
        outcome.rounds += 1
        let before = try await place()
        let known = outcome.theirs
        outcome.problem = nil
        do {
          outcome.refused = try await pull(models, &outcome)
        } catch let problem as SyncProblem where problem.kind == .upgrade {
          outcome.problem = problem
          _ = try await push(models, &outcome)
          return outcome
        }
        if outcome.rounds > 1 || outcome.taken.a > 0 { outcome.theirs = try await greet(models) }
        let pushed = outcome.taken.b
        outcome.refused += try await push(models, &outcome)
        outcome.agrees = try await meet(outcome.theirs)
        // What became of own objects may not be in the part: the hub has still to say so.
        if outcome.taken.b > pushed, try await place().place != nil { outcome.agrees = false }
        // Nothing has moved on either side, and so it would be with the next round.
        if try await place() == before, Self.place(outcome.theirs) == Self.place(known) { break }
      }
      return outcome
    }

    /// The server's state, with the digest of its objects.
    func summary() async throws -> (hello: SyncHello, digest: SyncDigest, held: Int) {
      let (models, body) = try await Store.onThread { [sync] in
        (try sync.modelsHash(), try SyncFrame.hello(sync.hello()).encoded())
      }
      guard let answer = try await wire.send(.digest, body, models: models), let digest = answer.digest else {
        throw damaged
      }
      return (try hello(of: answer.body), digest, answer.held)
    }

    /// What came to a client that waited.
    struct News: Sendable {
      /// What the server knows for certain.
      var vector: VersionVector
      /// Whether that was everything.
      var isComplete: Bool
      /// Whether the client knows more now.
      var hasMoved: Bool
    }

    /// Waits at the server for changes, and takes them.
    ///
    /// - Returns: What came; nil where the time is over.
    func poll(seconds: Int) async throws -> News? {
      let (models, greeting) = try await Store.onThread { [sync] in (try sync.modelsHash(), try sync.hello()) }
      let body = try SyncFrame.hello(greeting).encoded()
      guard let answer = try await wire.send(.pull, body, models: models, wait: seconds) else { return nil }
      let messages = try messages(of: answer)
      let before = try await place()
      _ = try await take(messages, greeting.session)
      return News(
        vector: StoreSync.vector(in: messages), isComplete: !answer.hasMore, hasMoved: try await place() != before)
    }

    // MARK: The steps

    private func greet(_ models: String) async throws -> SyncHello {
      let body = try await Store.onThread { [sync] in try SyncFrame.hello(sync.hello()).encoded() }
      guard let answer = try await wire.send(.hello, body, models: models) else { throw damaged }
      let theirs = try hello(of: answer.body)
      try await Store.onThread { [sync] in try sync.follow(theirs) }
      return theirs
    }

    private func pending(_ theirs: SyncHello) async throws -> Int {
      try await Store.onThread { [sync] in try sync.pending(for: theirs.knowledge) }
    }

    /// - Returns: The number of refused messages and entries.
    private func pull(_ models: String, _ outcome: inout Outcome) async throws -> Int {
      while true {
        let greeting = try await Store.onThread { [sync] in try sync.hello() }
        let body = try SyncFrame.hello(greeting).encoded()
        guard let answer = try await wire.send(.pull, body, models: models) else { throw damaged }
        let intake = try await take(messages(of: answer), greeting.session)
        outcome.taken.a += intake.taken
        if intake.refused > 0 { outcome.problem = problem(intake.reason, outcome.theirs, isOurs: true) }
        guard intake.refused == 0, answer.hasMore, try await place() != Self.place(greeting) else {
          return intake.refused
        }
      }
    }

    /// - Returns: The number of messages that the server did not take.
    private func push(_ models: String, _ outcome: inout Outcome) async throws -> Int {
      var bytes = Self.partBytes
      while true {
        let (theirs, limit) = (outcome.theirs, bytes)
        let part = try await Store.onThread { [sync] in try sync.part(for: theirs, bytes: limit) }
        guard part.count > 0 else { return 0 }
        let refusal: RefusedChanges?
        do {
          guard let answer = try await wire.send(.push, part.bytes, models: models) else { throw damaged }
          outcome.theirs = try hello(of: answer.body)
          refusal = answer.refusal
        } catch let problem as SyncProblem where problem.kind == .tooLarge && part.count > 1 {
          bytes = min(bytes, part.bytes.count) / 4
          continue
        }
        guard Self.place(outcome.theirs) != Self.place(theirs) else {
          outcome.problem = outcome.problem ?? problem(refusal, outcome.theirs, isOurs: false)
          return part.count
        }
        // A server under a new opening or a new name has not taken it. It is sent again.
        if outcome.theirs.session == theirs.session { outcome.taken.b += part.count }
      }
    }

    private func messages(of answer: WireAnswer) throws -> [NumberedMessage] {
      do throws(StorageError) {
        return try StoreSync.messages(of: answer.body, isAnswer: true)
      } catch {
        throw problem(error)
      }
    }

    private func take(_ messages: [NumberedMessage], _ session: UInt64) async throws -> SyncIntake {
      try await Store.onThread { [sync, terms] in try sync.take(messages, session: session, terms) }
    }

    private func meet(_ theirs: SyncHello) async throws -> Bool {
      try await Store.onThread { [sync] in try sync.meet(theirs) }
    }

    private func place() async throws -> SyncHello {
      Self.place(try await Store.onThread { [sync] in try sync.hello() })
    }

    /// A hello without the time.
    private static func place(_ hello: SyncHello) -> SyncHello {
      var place = hello
      place.time = 0
      return place
    }

    // MARK: Problems

    private func hello(of body: [UInt8]) throws -> SyncHello {
      do throws(StorageError) {
        return try StoreSync.hello(of: body)
      } catch {
        throw problem(error)
      }
    }

    private var damaged: SyncProblem { SyncProblem(.malformed, "The answer of \(wire.remote.host) is damaged.") }

    private func problem(_ error: StorageError) -> SyncProblem {
      switch error.code {
      case .schemaTooNew: SyncProblem(.version, "\(wire.remote.host) uses a newer version of the sync protocol.")
      case .limitExceeded:
        SyncProblem(.tooLarge, "The answer of \(wire.remote.host) has a message that is too large.")
      default: damaged
      }
    }

    /// What a refusal is to people.
    ///
    /// - Parameters:
    ///   - reason: Why changes were refused; nil where the server does not say it.
    ///   - isOurs: Whether this store has refused them.
    private func problem(_ reason: RefusedChanges?, _ theirs: SyncHello, isOurs: Bool) -> SyncProblem {
      let host = wire.remote.host
      let difference = Int64(clamping: sync.now) - Int64(clamping: theirs.time)
      guard reason == nil || reason == .clock, difference.magnitude > Self.tolerance.magnitude else {
        guard let reason else {
          return SyncProblem(.refused, "\(host) has not taken some changes, and does not say why; they wait.")
        }
        let (receiver, sender) = isOurs ? ("This store", host) : (host, "this store")
        return SyncProblem(
          reason == .clock ? .clock : .refused, reason.sentence(receiver: receiver, sender: sender))
      }
      let minutes = difference.magnitude / 60_000
      let sense = difference > 0 ? "ahead of" : "behind"
      return SyncProblem(
        .clock, "The clock of this device is \(minutes) minutes \(sense) that of \(wire.remote.host); changes wait.")
    }

    /// The problem with the name of a model that differs.
    private func named(_ problem: SyncProblem, _ models: String) async throws -> SyncProblem {
      guard let answer = try await wire.send(.models, [], models: models) else { return problem }
      let lines = String(decoding: answer.body, as: UTF8.self).split(separator: "\n").map(String.init)
      do {
        try await Store.onThread { [sync] in try sync.requireSameModels(lines) }
      } catch let error as StorageError {
        return SyncProblem(.models, "\(error.model ?? "A model"): \(error.message).")
      }
      return problem
    }
  }
#endif
