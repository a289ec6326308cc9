#if HTTP
  import AsyncHTTPClient
  import NIOCore
  import NIOHTTP1
  import QuarryBackend
  import QuarryCore
  import QuarrySync
  import Synchronization

  /// An answer of the server.
  struct WireAnswer: Sendable {
    var body: [UInt8]
    var hasMore = false
    /// Why a push was not taken whole.
    var refusal: RefusedChanges?
    var digest: SyncDigest?
    var held = 0
  }

  /// Carries requests to the server. Each may be sent again: the server keeps nothing between two of them.
  struct HTTPWire: Sendable {
    let client: HTTPClient
    let remote: SyncRemote
    /// How often a request is sent that finds no server, or a busy one.
    let attempts: Int
    private let codings = Codings()
    init(client: HTTPClient, remote: SyncRemote, attempts: Int) {
      self.client = client
      self.remote = remote
      self.attempts = attempts
    }

    /// Whether the server reads compressed bodies. It says so in each answer, and an older one does not.
    private final class Codings: Sendable {
      private enum State { static let (unknown, accepted, refused) = (0, 1, 2) }
      private let state = Atomic(State.unknown)

      var isAccepted: Bool { state.load(ordering: .relaxed) == State.accepted }

      /// Sends no more compressed bodies: among the servers behind the address there is an older one.
      func refuse() { state.store(State.refused, ordering: .relaxed) }

      func note(_ isAccepted: Bool) {
        guard state.load(ordering: .relaxed) != State.refused else { return }
        state.store(isAccepted ? State.accepted : State.unknown, ordering: .relaxed)
      }
    }

    /// The most bytes of an answer: a message, and what comes with it.
    private static let answerBytes = SyncLimits.entry + 16 << 20
    /// The time for an answer, besides that for waiting.
    private static let patience: TimeAmount = .seconds(60)

    /// Sends a request, and again where that may help.
    ///
    /// - Parameters:
    ///   - models: The hash of the synced models.
    ///   - wait: The seconds that the server may wait for changes.
    /// - Returns: The answer; nil where there is nothing after the wait.
    func send(_ call: SyncCall, _ body: [UInt8], models: String, wait: Int? = nil) async throws -> WireAnswer? {
      var attempt = 1
      while true {
        do {
          return try await sendOnce(call, body, models, wait)
        } catch let problem as SyncProblem where problem.passes && attempt < attempts {
          try await Task.sleep(for: Backoff.pause(attempt, longest: .seconds(30)))
          attempt += 1
        }
      }
    }

    private func sendOnce(
      _ call: SyncCall, _ body: [UInt8], _ models: String, _ wait: Int?
    ) async throws -> WireAnswer? {
      let token = try await remote.token()
      do {
        return try await exchange(call, body, models, wait, token)
      } catch let problem as SyncProblem where problem.kind == .token {
        // The token may have run out meanwhile.
        let fresh = try await remote.token()
        guard let fresh, fresh.text != token?.text else { throw problem }
        return try await exchange(call, body, models, wait, fresh)
      }
    }

    private func exchange(
      _ call: SyncCall, _ body: [UInt8], _ models: String, _ wait: Int?, _ token: SyncToken?
    ) async throws -> WireAnswer? {
      guard codings.isAccepted, Gzip.isWorth(body),
        let packed = try await Store.onThread({ Gzip.compressed(body) })
      else {
        return try await exchange(call, body, nil, models, wait, token)
      }
      do {
        return try await exchange(call, packed, Gzip.coding, models, wait, token)
      } catch let problem as SyncProblem where problem.kind == .malformed {
        codings.refuse()
        return try await exchange(call, body, nil, models, wait, token)
      }
    }

    private func exchange(
      _ call: SyncCall, _ body: [UInt8], _ coding: String?, _ models: String, _ wait: Int?, _ token: SyncToken?
    ) async throws -> WireAnswer? {
      var request = HTTPClientRequest(url: "\(remote.url)/\(call.rawValue)" + (wait.map { "?wait=\($0)" } ?? ""))
      request.method = .POST
      request.headers.add(name: "Content-Type", value: SyncHeaders.contentType)
      request.headers.add(name: SyncHeaders.version, value: SyncHeaders.currentVersion)
      request.headers.add(name: SyncHeaders.models, value: models)
      if let schema = remote.schema { request.headers.add(name: SyncHeaders.schema, value: String(schema)) }
      request.headers.add(name: "Accept-Encoding", value: Gzip.coding)
      if let coding { request.headers.add(name: "Content-Encoding", value: coding) }
      if let token { request.headers.add(name: "Authorization", value: "Bearer \(token.text)") }
      request.body = .bytes(ByteBuffer(bytes: body))
      let status: Int
      let headers: HTTPHeaders
      let packed: [UInt8]
      do {
        let response = try await client.execute(request, timeout: Self.patience + .seconds(Int64(wait ?? 0)))
        (status, headers) = (Int(response.status.code), response.headers)
        packed = Array(buffer: try await response.body.collect(upTo: Self.answerBytes))
      } catch is NIOTooManyBytesError {
        throw tooLarge
      } catch {
        try Task.checkCancellation()
        throw SyncProblem(connecting: error, to: remote.host)
      }
      let bytes = try await content(packed, headers.first(name: "Content-Encoding"))
      try check(status, headers, bytes)
      codings.note(Gzip.isAccepted(in: headers.first(name: "Accept-Encoding")))
      guard status == 200 else { return nil }
      return WireAnswer(
        body: bytes, hasMore: headers.first(name: SyncHeaders.more) == "1",
        refusal: headers.first(name: SyncHeaders.refused).flatMap { RefusedChanges(rawValue: $0) },
        digest: headers.first(name: SyncHeaders.digest).flatMap { SyncDigest($0) },
        held: headers.first(name: SyncHeaders.held).flatMap { Int($0) } ?? 0)
    }

    private var tooLarge: SyncProblem {
      SyncProblem(.tooLarge, "The answer of \(remote.host) is larger than this version of Quarry takes.")
    }

    /// The content of a body in some coding.
    private func content(_ body: [UInt8], _ coding: String?) async throws -> [UInt8] {
      guard let coding = coding?.lowercased(), coding != "identity" else { return body }
      let damaged = SyncProblem(.malformed, "The answer of \(remote.host) is damaged.")
      guard coding == Gzip.coding else { throw damaged }
      do {
        return try await Store.onThread { try Gzip.inflated(body, upTo: Self.answerBytes) }
      } catch let failure as Gzip.Failure {
        throw failure == .tooLarge ? tooLarge : damaged
      }
    }

    /// Refuses everything but an answer of sync in this version.
    private func check(_ status: Int, _ headers: HTTPHeaders, _ body: [UInt8]) throws {
      let version = headers.first(name: SyncHeaders.version)
      if status == 426, headers.first(name: SyncHeaders.problem) == SyncProblem.Kind.upgrade.rawValue {
        throw SyncProblem(
          .upgrade, "\(remote.host) needs a newer version of this program; changes are sent, and none are received.")
      }
      if status == 426 || version != nil && version != SyncHeaders.currentVersion {
        throw SyncProblem(
          .version, "\(remote.host) uses another version of the sync protocol: the older side needs an update.")
      }
      if status == 200 || status == 204, version != nil { return }
      if let kind = headers.first(name: SyncHeaders.problem).flatMap({ SyncProblem.Kind(rawValue: $0) }), version != nil
      {
        let line = String(decoding: body.prefix(300), as: UTF8.self).prefix { $0 != "\n" }
        let text = line.filter { $0.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control } }
        throw SyncProblem(kind, "\(remote.host) answers: \(text)")
      }
      switch status {
      case 401, 403: throw SyncProblem(.token, "\(remote.host) refuses the token.")
      case 429, 502, 503, 504: throw SyncProblem(.busy, "\(remote.host) cannot answer now (\(status)).")
      case 413: throw SyncProblem(.tooLarge, "A request is larger than \(remote.host) takes.")
      default: throw SyncProblem(.malformed, "There is no sync at \(remote.url) (\(status)).")
      }
    }
  }

  /// Growing pauses, so that many clients do not come back at one moment.
  enum Backoff {
    /// The pause after some failures, with a random part.
    static func pause(_ failures: Int, longest: Duration) -> Duration {
      let full = min(0.25 * Double(1 << min(max(0, failures - 1), 20)), Double(longest.components.seconds))
      return .seconds(full * Double.random(in: 0.5...1))
    }
  }

  extension SyncProblem {
    /// What a connection that failed is to people.
    init(connecting error: any Error, to host: String) {
      let text = String(describing: error)
      if ["CERTIFICATE_VERIFY_FAILED", "failedToValidateHostname", "unableToValidateCertificate"].contains(
        where: text.contains)
      {
        self.init(.certificate, "The certificate of \(host) is not trusted, or is another host's.")
        return
      }
      let known: [HTTPClientError] = [.connectTimeout, .deadlineExceeded, .readTimeout]
      let reason: String
      if let error = error as? HTTPClientError, known.contains(error) {
        reason = "it does not answer in time"
      } else if error as? HTTPClientError == .remoteConnectionClosed {
        reason = "the connection was cut"
      } else {
        reason = error is IOError ? "there is no connection" : "the connection failed (\(type(of: error)))"
      }
      self.init(.noConnection, "\(host) cannot be reached: \(reason).")
    }
  }
#endif
