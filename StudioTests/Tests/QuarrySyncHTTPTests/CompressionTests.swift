import AsyncHTTPClient
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import QuarryBackend
import QuarryCore
import Synchronization
import Testing

@testable import QuarrySync
@testable import QuarrySyncHTTP

/// Bodies that are compressed, on the line and at both ends.
@Suite struct CompressionTests {
  /// Counts the bytes of bodies, and may be a server of an earlier version.
  private final class Line: RouterMiddleware {
    typealias Context = BasicRequestContext

    /// Whether the server knows nothing of compressed bodies.
    let isOld: Bool
    private let state = Mutex((sent: 0, received: 0, packed: 0, refused: 0))

    init(isOld: Bool = false) { self.isOld = isOld }

    var bytes: Int { state.withLock { $0.sent + $0.received } }
    /// The bodies that were compressed, in both directions.
    var packed: Int { state.withLock { $0.packed } }
    var refused: Int { state.withLock { $0.refused } }

    func handle(
      _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
      var request = request
      let body = try await request.collectBody(upTo: 64 << 20)
      let isPacked = request.headers[.contentEncoding] != nil
      state.withLock { state in
        state.received += body.readableBytes
        state.packed += isPacked ? 1 : 0
      }
      if isOld {
        var head = request.head
        for name in [HTTPField.Name.contentEncoding, .acceptEncoding] { head.headerFields[name] = nil }
        request = Request(head: head, body: RequestBody(buffer: body))
      }
      var response = try await next(request, context)
      if isOld { response.headers[.acceptEncoding] = nil }
      let packs = response.headers[.contentEncoding] != nil
      state.withLock { state in
        state.sent += response.body.contentLength ?? 0
        state.packed += packs ? 1 : 0
        state.refused += response.status == .badRequest ? 1 : 0
      }
      return response
    }
  }

  /// Serves a store while the body runs, over a line that counts.
  private func serving(
    _ place: Place, _ line: Line, _ body: @escaping @Sendable (SyncRemote) async throws -> Void
  ) async throws {
    let router = Router()
    router.add(middleware: line)
    let token = try SyncToken(Served.token)
    try router.addQuarrySync(place.store) { token.matches($0) }
    let host = try await Served(place)
    try await host.serving(router) { url in try await body(try .http(url, token: token)) }
    await host.stop()
  }

  /// Writes a note in each transaction.
  private static func fill(_ place: Place, _ range: Range<Int>) throws {
    var random = Seeded(UInt64(range.lowerBound) + 1)
    let words = ["red", "blue", "gold", "pink", "milk", "bread", "letters", "apples", "Monday", "paint"]
    for number in range {
      let text = (0..<6).compactMap { _ in words.randomElement(using: &random) }.joined(separator: " ")
      try place.note(number, "\(text) \(UInt32.random(in: 0...UInt32.max, using: &random))")
    }
  }

  /// Ten thousand changes, to a server that compresses and to one that does not.
  @Test func changesTakeLessBytes() async throws {
    var bytes: [Int] = []
    for isOld in [true, false] {
      let (a, b) = (try Place("memory"), try Place("memory"))
      try Self.fill(a, 0..<5_000)
      try Self.fill(b, 20_000..<25_000)
      let line = Line(isOld: isOld)
      try await serving(b, line) { remote in
        let report = try await a.store.sync(with: remote)
        #expect(report.isEqual)
      }
      #expect(isOld == (line.packed == 0))
      bytes.append(line.bytes)
    }
    print("10,000 changes: \(bytes[0]) bytes of plain bodies, \(bytes[1]) of compressed ones")
    #expect(bytes[1] * 2 < bytes[0])
  }

  /// Alternates.
  private final class Turn: Sendable {
    private let number = Atomic(0)

    func next() -> Bool { number.wrappingAdd(1, ordering: .relaxed).oldValue % 2 == 0 }
  }

  /// A client that has met a newer server behind the same address.
  @Test func serversOfTwoVersionsWork() async throws {
    let (a, b) = (try Place("sqlite"), try Place("memory"))
    let (old, new) = (Line(isOld: true), Line())
    try Self.fill(a, 0..<3_000)
    try Self.fill(b, 10_000..<13_000)
    let host = try await Served(b)
    try await serving(b, old) { first in
      try await self.serving(b, new) { second in
        // Requests go to the two by turns.
        let turn = Turn()
        let front = Router()
        front.on("/sync/**", method: .post) { request, _ in
          let target = turn.next() ? second.url : first.url
          return try await Balancer.forward(request, to: target + request.uri.string.dropFirst("/sync".count))
        }
        try await host.serving(front) { url in
          let report = try await a.store.sync(with: .http(url, token: SyncToken(Served.token)))
          #expect(report.isEqual)
        }
      }
    }
    await host.stop()
    // A compressed body has met the old server, and was sent again as it is.
    #expect(old.refused == 1 && new.refused == 0)
    #expect(try a.sync.digest() == b.sync.digest())
  }

  @Test func smallBodiesAndOldClientsGetPlainOnes() async throws {
    let place = try Place("memory")
    try Self.fill(place, 0..<2_000)
    let served = try await Served(place)
    let other = try Place("memory")
    let models = try other.sync.modelsHash()
    let hello = try SyncFrame.hello(other.sync.hello()).encoded()
    func ask(_ call: String, _ coding: String) async throws -> [String: String] {
      try await served.send(
        call, .bytes(ByteBuffer(bytes: hello)), headers: ["Quarry-Sync-Models": models, "Accept-Encoding": coding]
      ).headers
    }
    for coding in ["identity", "br", "gzip;q=0", "deflate"] {
      let headers = try await ask("pull", coding)
      #expect(headers["content-encoding"] == nil && headers["accept-encoding"] == "gzip", "\(coding)")
    }
    for coding in ["gzip", "br, GZIP;q=0.5", "*"] {
      #expect(try await ask("pull", coding)["content-encoding"] == "gzip", "\(coding)")
    }
    #expect(try await ask("hello", "gzip")["content-encoding"] == nil)
    await served.stop()
  }

  /// Bytes that become far more than the server takes, and bytes that are no whole gzip.
  @Test func badBodiesAreRefused() async throws {
    let place = try Place("memory")
    let served = try await Served(place)
    let other = try Place("memory")
    try Self.fill(other, 0..<1_000)
    let models = try other.sync.modelsHash()
    let push = try other.sync.part(for: place.sync.hello(), bytes: 1 << 20).bytes
    let good = try #require(Gzip.compressed(push))
    func send(_ call: String, _ body: [UInt8], _ coding: String = "gzip") async throws -> (
      status: Int, problem: String?
    ) {
      let answer = try await served.send(
        call, .bytes(ByteBuffer(bytes: body)),
        headers: ["Quarry-Sync-Models": models, "Content-Encoding": coding])
      return (answer.status, answer.headers["quarry-sync-problem"])
    }
    let bomb = try #require(Gzip.compressed([UInt8](repeating: 0, count: 64 << 20)))
    #expect(bomb.count < 1 << 20)
    for call in ["push", "hello", "pull"] {
      let answer = try await send(call, bomb)
      #expect(answer.status == 413 && answer.problem == "tooLarge", "\(call)")
    }
    for body in [Array(good.dropLast()), Array(good.prefix(20)), good + [0], good + good, push, [], [0x1F, 0x8B]] {
      #expect(try await send("push", body).status == 400)
    }
    for coding in ["br", "gzip, gzip", "deflate", "zstd"] {
      #expect(try await send("push", good, coding).status == 415)
    }
    #expect(try place.count("Note") == 0)
    #expect(try await send("push", push, "identity").status == 200)
    #expect(try place.count("Note") == 1_000)
    await served.stop()
  }

  /// A server that answers with what the client does not take.
  @Test(arguments: ["bomb", "cut", "unknown"]) func badAnswersAreRefused(_ kind: String) async throws {
    let place = try Place("memory")
    try Self.fill(place, 0..<1_000)
    let router = Router()
    router.on("/sync/**", method: .post) { _, _ in
      var fields = HTTPFields()
      for (name, value) in [("Quarry-Sync", "1"), ("Content-Encoding", kind == "unknown" ? "br" : "gzip")] {
        if let name = HTTPField.Name(name) { fields[name] = value }
      }
      let whole = Gzip.compressed([UInt8](repeating: 0, count: kind == "bomb" ? 96 << 20 : 100_000)) ?? []
      let body = kind == "cut" ? Array(whole.dropLast(3)) : whole
      return Response(status: .ok, headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
    }
    let host = try await Served(place)
    try await host.serving(router) { url in
      let remote = try SyncRemote.http(url, token: SyncToken(Served.token))
      let problem = await #expect(throws: SyncProblem.self) { try await place.store.sync(with: remote, attempts: 1) }
      #expect(problem?.kind == (kind == "bomb" ? .tooLarge : .malformed))
    }
    await host.stop()
  }

  /// What is made can be read, up to the limit and no further.
  @Test func contentIsReadUpToALimit() throws {
    var random = Seeded(3)
    for count in [1_024, 1_025, 65_536, 65_537, 200_000] {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0..<16, using: &random) }
      let packed = try #require(Gzip.compressed(bytes))
      #expect(packed.count < bytes.count)
      #expect(try Gzip.inflated(packed, upTo: count) == bytes)
      #expect(throws: Gzip.Failure.tooLarge) { try Gzip.inflated(packed, upTo: count - 1) }
      #expect(throws: Gzip.Failure.tooLarge) { try Gzip.inflated(packed, upTo: 0) }
    }
    #expect(Gzip.compressed([UInt8](repeating: 0, count: 1_023)) == nil)
    // Nothing is saved.
    #expect(Gzip.compressed((0..<10_000).map { _ in UInt8.random(in: 0...255, using: &random) }) == nil)
  }
}
