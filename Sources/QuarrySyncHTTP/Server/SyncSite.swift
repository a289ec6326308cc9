#if HTTP
  import HTTPTypes
  import Hummingbird
  import Logging
  import NIOCore
  import QuarryBackend
  import QuarryCore
  import QuarrySync
  import ServiceLifecycle

  /// Answers the requests of replicas. It keeps nothing between two requests: each has all that its answer depends on.
  struct SyncSite: Sendable {
    let store: Store
    let options: SyncSiteOptions
    /// Whether a request is answered, and whose it is.
    let sender: @Sendable (Request) async throws -> Sender

    /// Who sends a request.
    enum Sender: Sendable {
      case nobody
      /// Somebody with the one token that all share.
      case anybody
      case principal(SyncPrincipal)

      var principal: SyncPrincipal? { if case .principal(let who) = self { who } else { nil } }
    }
    /// How long a request waits for its turn, and how long one that has waited for changes.
    private static let patience = Duration.milliseconds(500)
    private static let longPatience = Duration.seconds(15)

    private let working: SlotCount
    private let waiting: SlotCount
    private let bell: SyncBell

    private var limits: SyncServerLimits { options.limits }

    init(_ store: Store, _ options: SyncSiteOptions, _ sender: @escaping @Sendable (Request) async throws -> Sender) {
      self.store = store
      self.options = options
      self.sender = sender
      let limits = options.limits
      working = SlotCount(limits.requests)
      waiting = SlotCount(limits.waiting)
      bell = SyncBell(store)
    }

    func response(to request: Request, _ call: SyncCall?, _ logger: Logger) async -> Response {
      let answer = await checkedAnswer(request, call, logger)
      guard Gzip.isWorth(answer.body), Gzip.isAccepted(in: request.headers[.acceptEncoding]),
        let response = try? await Store.onThread({ answer.response(isCompressed: true) })
      else { return answer.response(isCompressed: false) }
      return response
    }

    private func checkedAnswer(_ request: Request, _ call: SyncCall?, _ logger: Logger) async -> SyncAnswer {
      do {
        return try await answer(request, call)
      } catch let refusal as SyncRefusal {
        logger.debug("sync: \(refusal.status) \(refusal.text)")
        return refusal.answer
      } catch let error as StorageError {
        logger.error("sync: \(error)")
        return SyncRefusal(using: error).answer
      } catch is CancellationError {
        return SyncRefusal.busy.answer
      } catch {
        logger.error("sync: \(error)")
        return SyncRefusal(using: StorageError(.io, "the request failed", cause: error)).answer
      }
    }

    private func answer(_ request: Request, _ call: SyncCall?) async throws -> SyncAnswer {
      let who = try await sender(request)
      if case .nobody = who { throw SyncRefusal.token }
      guard Self.field(SyncHeaders.version, of: request) == SyncHeaders.currentVersion else {
        throw SyncRefusal.version
      }
      guard let call else { throw SyncRefusal.unknown }
      guard try await working.take(within: Self.patience) else { throw SyncRefusal.busy }
      var isWorking = true
      defer { if isWorking { working.giveBack() } }
      let body = try await body(of: request, upTo: call == .push ? limits.bodyBytes : SyncLimits.frame)
      let sync = try await ready(for: request, call)
      switch call {
      case .models:
        return SyncAnswer(
          type: "text/plain; charset=utf-8", Array(try sync.models().joined(separator: "\n").utf8))
      case .push: return try await push(body, sync, who.principal)
      case .hello: return try await greet(body, sync, who.principal)
      case .digest:
        try checkSchema(request)
        return try await summarize(body, sync, who.principal)
      case .pull:
        try checkSchema(request)
        let hello = try await admitted(body, sync, who.principal)
        if let time = try Self.wait(of: request) {
          isWorking = false
          working.giveBack()
          guard try await waits(for: hello, min(time, limits.wait), sync) else { return SyncAnswer(status: 204, []) }
          guard try await working.take(within: Self.longPatience) else { throw SyncRefusal.busy }
          isWorking = true
        }
        return try await pull(hello, request, sync, who.principal)
      }
    }

    // MARK: The requests

    /// The hello of a peer that may exchange changes with the store.
    private func admitted(_ body: [UInt8], _ sync: StoreSync, _ who: SyncPrincipal?) async throws -> SyncHello {
      let hello = try Self.hello(of: body)
      try await Store.onThread {
        try sync.follow(hello, isServed: true)
        try sync.admit(hello, of: who)
        if who == nil, try sync.givesParts { throw SyncDenial.noPrincipal.error }
      }
      return hello
    }

    private func checkSchema(_ request: Request) throws {
      guard let minimum = options.minimumSchema else { return }
      let schema = Self.field(SyncHeaders.schema, of: request).flatMap { Int($0) }
      guard let schema, schema >= minimum else { throw SyncRefusal.schema(minimum) }
    }

    private func greet(_ body: [UInt8], _ sync: StoreSync, _ who: SyncPrincipal?) async throws -> SyncAnswer {
      let hello = try await admitted(body, sync, who)
      return try await Store.onThread {
        try sync.meet(hello)
        return SyncAnswer(try SyncFrame.hello(sync.hello()).encoded())
      }
    }

    private func pull(
      _ hello: SyncHello, _ request: Request, _ sync: StoreSync, _ who: SyncPrincipal?
    ) async throws -> SyncAnswer {
      let asked = request.uri.queryParameters["bytes"].flatMap { Int($0) } ?? limits.partBytes
      let bytes = max(1, min(asked, limits.partBytes))
      return try await Store.onThread {
        try sync.meet(hello)
        let part = try sync.part(for: hello, bytes: bytes, SyncTerms(principal: who))
        return SyncAnswer(part.bytes, part.hasMore ? [(SyncHeaders.more, "1")] : [])
      }
    }

    private func push(_ body: [UInt8], _ sync: StoreSync, _ who: SyncPrincipal?) async throws -> SyncAnswer {
      let end = ContinuousClock.now + limits.workTime
      let terms = SyncTerms(deletes: options.allowedDeletes, principal: who)
      let (answer, taken) = try await Store.onThread {
        let messages: [NumberedMessage]
        do throws(StorageError) {
          messages = try StoreSync.messages(of: body)
        } catch {
          throw SyncRefusal(reading: error)
        }
        let intake = try take(messages, terms, sync) { ContinuousClock.now > end }
        let refused = intake.reason.map { [(SyncHeaders.refused, $0.rawValue)] } ?? []
        return (SyncAnswer(try SyncFrame.hello(sync.hello()).encoded(), refused), intake.taken)
      }
      // What is held changes no table, and is no commit that observers see.
      if taken > 0 { bell.ring() }
      return answer
    }

    /// Takes a push. A principal with a part is not told how many objects a model has.
    private func take(
      _ messages: [NumberedMessage], _ terms: SyncTerms, _ sync: StoreSync, until isOver: () -> Bool
    ) throws -> SyncIntake {
      do {
        return try sync.take(messages, terms, until: isOver)
      } catch let error as StorageError where error.cause is MassDeletion {
        guard try sync.givesParts else { throw error }
        throw SyncRefusal(
          status: 409, problem: .deletes,
          text: "Stopped: the changes delete more objects than the server takes without asking.")
      }
    }

    private func summarize(_ body: [UInt8], _ sync: StoreSync, _ who: SyncPrincipal?) async throws -> SyncAnswer {
      let hello = try await admitted(body, sync, who)
      return try await Store.onThread {
        try sync.meet(hello)
        let summary = try sync.summary(for: hello, SyncTerms(principal: who))
        return SyncAnswer(
          try SyncFrame.hello(summary.hello).encoded(),
          [(SyncHeaders.digest, summary.digest.description), (SyncHeaders.held, String(summary.held))])
      }
    }

    /// Waits until there is something that the client does not know.
    ///
    /// - Returns: Whether there is.
    private func waits(for hello: SyncHello, _ time: Duration, _ sync: StoreSync) async throws -> Bool {
      guard waiting.take() else { throw SyncRefusal.busy }
      defer { waiting.giveBack() }
      // The bell is heard before the store is looked at: no change is missed in between.
      let rings = bell.rings()
      defer { rings.end() }
      let timer = Task {
        try? await Task.sleep(for: time)
        rings.end()
      }
      defer { timer.cancel() }
      // The asker's own entries come from itself, while it waits.
      let hasNews: @Sendable () async throws -> Bool = {
        try await Store.onThread { try sync.hasNews(for: hello.knowledge, but: hello.names) }
      }
      // A server that shuts down waits for its requests.
      return try await withGracefulShutdownHandler {
        if try await hasNews() { return true }
        for await _ in rings.stream {
          if try await hasNews() { return true }
        }
        return try await hasNews()
      } onGracefulShutdown: {
        rings.end()
      }
    }

    // MARK: Reading requests

    /// The sync of the store, where the client has the same models.
    private func ready(for request: Request, _ call: SyncCall) async throws -> StoreSync {
      guard let sync = store.sync else { throw SyncRefusal.notSynced }
      guard call != .models else { return sync }
      let hash = try await Store.onThread { try sync.modelsHash() }
      guard Self.field(SyncHeaders.models, of: request) == hash else { throw SyncRefusal.models }
      return sync
    }

    private func body(of request: Request, upTo limit: Int) async throws -> [UInt8] {
      if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > limit {
        throw SyncRefusal.tooLarge(limit)
      }
      let packed = try await collected(request.body, upTo: limit)
      let coding = request.headers[.contentEncoding]?.lowercased() ?? "identity"
      switch coding {
      case "identity": return packed
      case Gzip.coding:
        return try await Store.onThread {
          do throws(Gzip.Failure) {
            return try Gzip.inflated(packed, upTo: limit)
          } catch {
            switch error {
            case .tooLarge: throw SyncRefusal.tooLarge(limit)
            case .damaged:
              throw SyncRefusal(status: 400, problem: .malformed, text: "The bytes of the request are damaged.")
            }
          }
        }
      default: throw SyncRefusal.coding
      }
    }

    private func collected(_ body: RequestBody, upTo limit: Int) async throws -> [UInt8] {
      let time = limits.bodyTime
      return try await withThrowingTaskGroup(of: [UInt8].self) { group in
        group.addTask {
          do {
            return Array(buffer: try await body.collect(upTo: limit))
          } catch is NIOTooManyBytesError {
            throw SyncRefusal.tooLarge(limit)
          } catch {
            try Task.checkCancellation()
            throw SyncRefusal(status: 400, problem: .noConnection, text: "The body of the request was cut.")
          }
        }
        group.addTask {
          try await Task.sleep(for: time)
          throw SyncRefusal.late
        }
        defer { group.cancelAll() }
        return try await group.next() ?? []
      }
    }

    private static func hello(of body: [UInt8]) throws -> SyncHello {
      do throws(StorageError) {
        return try StoreSync.hello(of: body)
      } catch {
        throw SyncRefusal(reading: error)
      }
    }

    private static func wait(of request: Request) throws -> Duration? {
      guard let text = request.uri.queryParameters["wait"] else { return nil }
      guard let seconds = Int(text), seconds >= 0 else {
        throw SyncRefusal(status: 400, problem: .malformed, text: "The time to wait is not a number of seconds.")
      }
      return .seconds(min(seconds, 86_400))
    }

    private static func field(_ name: String, of request: Request) -> String? {
      HTTPField.Name(name).flatMap { request.headers[$0] }
    }

    static func token(of request: Request) -> String? {
      guard let text = request.headers[.authorization] else { return nil }
      let words = text.split(separator: " ", omittingEmptySubsequences: true)
      guard words.count == 2, words[0].lowercased() == "bearer" else { return nil }
      return String(words[1])
    }
  }
#endif
