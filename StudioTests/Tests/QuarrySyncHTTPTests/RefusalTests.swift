import AsyncHTTPClient
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import QuarryBackend
import QuarryCore
import QuarrySync
import QuarrySyncHTTP
import Synchronization
import Testing

/// What a server refuses, and what a client says of it.
@Suite struct RefusalTests {
  private func problem(_ a: Place, _ remote: SyncRemote) async -> SyncProblem.Kind? {
    do {
      try await a.store.sync(with: remote, attempts: 1)
      return nil
    } catch {
      return (error as? SyncProblem)?.kind
    }
  }

  @Test func tokens() async throws {
    let (a, b) = (try Place("memory"), try Place("memory"))
    try b.note(1, "secret")
    let served = try await Served(b)
    #expect(await problem(a, try served.remote("another-token-of-this-kind")) == .token)
    #expect(await problem(a, try .http(served.url, token: nil)) == .token)
    #expect(try a.count("Note") == 0)
    for header in ["", "Bearer", "Basic \(Served.token)", "Bearer \(Served.token) x", "Bearer \(Served.token)x"] {
      let answer = try await served.send("hello", nil, headers: ["Authorization": header], token: nil)
      #expect(answer.status == 401 && answer.headers["www-authenticate"] == "Bearer")
      #expect(answer.headers["quarry-sync-problem"] == "token")
    }
    // A token that has run out is asked for once more.
    let asked = Mutex(0)
    let remote = try SyncRemote.http(served.url) {
      let count = asked.withLock { asked in
        asked += 1
        return asked
      }
      return try SyncToken(count == 1 ? "an-old-token-of-before" : Served.token)
    }
    #expect(await problem(a, remote) == nil)
    #expect(try a.count("Note") == 1)
    #expect(throws: StorageError.self) { try SyncToken("short") }
    #expect(throws: StorageError.self) { try SyncToken("with spaces in its middle") }
    let token = try SyncToken(Served.token)
    #expect("\(token) \(String(reflecting: token))".contains("horse") == false)
    #expect(
      token.matches(Served.token) && !token.matches(nil) && !token.matches("") && !token.matches(Served.token + "x"))
  }

  @Test func urls() throws {
    let token = try SyncToken(Served.token)
    for url in [
      "ftp://a/sync", "http:///sync", "sync", "https://me@a/sync", "https://a/sync?x=1", "http://example.org/sync",
    ] {
      #expect(throws: StorageError.self, "\(url)") { try SyncRemote.http(url, token: token) }
    }
    for url in ["https://example.org/sync", "http://localhost:1/sync", "http://[::1]:1/sync", "http://127.0.0.9:1/"] {
      _ = try SyncRemote.http(url, token: token)
    }
    _ = try SyncRemote.http("http://example.org/sync", token: token, allowsPlainText: true)
    #expect(throws: StorageError.self) { try SyncRemote.http("http://127.example.org/sync", token: token) }
  }

  @Test func paths() async throws {
    let place = try Place("memory")
    for path in ["", "/", "sync", "/sync/", "/:name", "/a*", "/{x}", "/a b", "/é"] {
      #expect(throws: StorageError.self, "\(path)") {
        try Router().addQuarrySync(place.store, path: path) { _ in true }
      }
    }
    try Router().addQuarrySync(place.store, path: "/v1/notes-2.sync") { _ in true }
    try place.store.endSync()
    #expect(throws: StorageError.self) { try Router().addQuarrySync(place.store) { _ in true } }
  }

  @Test func versions() async throws {
    let (a, b) = (try Place("memory"), try Place("memory"))
    let served = try await Served(b)
    for version in ["2", ""] {
      let answer = try await served.send("hello", nil, headers: ["Quarry-Sync": version])
      #expect(answer.status == 426 && answer.headers["quarry-sync"] == "1")
      #expect(String(decoding: answer.body, as: UTF8.self).contains("version 1 of the sync protocol"))
    }
    // A server of a later version, and one that is something else.
    for (headers, kind): (HTTPFields, SyncProblem.Kind) in [
      ([HTTPField.Name("Quarry-Sync")!: "2"], .version), ([:], .malformed),
    ] {
      let router = Router()
      router.post("/sync/**") { _, _ in Response(status: .ok, headers: headers) }
      try await served.serving(router) { url in
        let remote = try SyncRemote.http(url, token: SyncToken(Served.token))
        #expect(await problem(a, remote) == kind)
      }
    }
    // The version in a hello, with a right checksum.
    var hello = try await captured(a, b).first { $0.call == "hello" }?.body ?? []
    hello[10] = 3
    Frames.seal(&hello)
    let hash = try await captured(a, b).first?.headers["quarry-sync-models"] ?? ""
    let answer = try await served.send("hello", .bytes(hello), headers: ["Quarry-Sync-Models": hash])
    #expect(answer.status == 426)
  }

  @Test func modelsThatDiffer() async throws {
    let (a, b) = (try Place("memory"), try Place("memory", models: [NoteModels.folder]))
    let served = try await Served(b)
    let error = await #expect(throws: SyncProblem.self) { try await a.store.sync(with: served.remote()) }
    #expect(error?.kind == .models && error?.description.contains("Note") == true)
    #expect(try await served.send("pull", nil).status == 409)
  }

  @Test func requestsThatAreNone() async throws {
    let served = try await Served(Place("memory"))
    #expect(try await served.send("nothing", nil).status == 404)
    #expect(try await served.send("hello/more", nil).status == 404)
    #expect(try await served.send("hello", nil, method: "GET").status == 404)
    let exchanges = try await captured(try Place("memory"), try Place("memory"))
    let hello = try #require(exchanges.first)
    let models = ["Quarry-Sync-Models": hello.headers["quarry-sync-models"] ?? ""]
    for wait in ["x", "-1", "1.5"] {
      #expect(try await served.send("pull?wait=\(wait)", .bytes(hello.body), headers: models).status == 400)
    }
    for bytes in ["0", "-7", "x", "99999999999999999999"] {
      #expect(try await served.send("pull?bytes=\(bytes)", .bytes(hello.body), headers: models).status == 200)
    }
    #expect(try await served.send("pull?wait=0", .bytes(hello.body), headers: models).status == 204)
  }

  @Test func sizesAndTimes() async throws {
    var limits = SyncServerLimits()
    limits.bodyBytes = 1_000
    limits.bodyTime = .milliseconds(1_500)
    limits.requests = 1
    let place = try Place("memory")
    let served = try await Served(place, limits: limits)
    let large = [UInt8](repeating: 1, count: 2_000)
    #expect(try await served.send("push", .bytes(large)).status == 413)
    // Without a length.
    let parts = AsyncStream<ByteBuffer> { continuation in
      for _ in 0..<20 { continuation.yield(ByteBuffer(bytes: large)) }
      continuation.finish()
    }
    #expect(try await served.send("push", .stream(parts, length: .unknown)).status == 413)
    // A body that does not come. Meanwhile the one place is taken.
    let slow = AsyncStream<ByteBuffer> { continuation in
      continuation.yield(ByteBuffer(bytes: [1]))
      Task {
        try await Task.sleep(for: .seconds(4))
        continuation.finish()
      }
    }
    async let late = served.send("push", .stream(slow, length: .unknown)).status
    try await Task.sleep(for: .milliseconds(100))
    let busy = try await served.send("hello", .bytes([1]))
    #expect(busy.status == 503 && busy.headers["retry-after"] == "1")
    let status = try? await late
    #expect(status == 408 || status == nil)
    #expect(try await served.send("hello", .bytes([1])).status == 409)
  }

  /// `QUARRY_SYNC_HTTP_FUZZ` is the number of damaged bodies for each seed, 400 when left out.
  private static let bodies = ProcessInfo.processInfo.environment["QUARRY_SYNC_HTTP_FUZZ"].flatMap(Int.init) ?? 400

  @Test(arguments: [1, 2, 3] as [UInt64]) func damagedBodiesAreRefused(_ seed: UInt64) async throws {
    let (a, b) = (try Place("memory"), try Place("sqlite"))
    try a.folder(1, "red")
    for number in 1...5 { try a.note(number, "note", folder: 1) }
    let exchanges = try await captured(a, b)
    let served = try await Served(b)
    var random = Seeded(seed)
    var statuses: [Int: Int] = [:]
    for _ in 0..<Self.bodies {
      guard let exchange = exchanges.randomElement(using: &random) else { break }
      var body = exchange.body
      if Int.random(in: 0..<8, using: &random) == 0 {
        body = (0..<Int.random(in: 0...200, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      } else {
        Frames.damage(&body, &random)
        if Bool.random(using: &random) { Frames.seal(&body) }
      }
      let call = Int.random(in: 0..<10, using: &random) == 0 ? "digest" : exchange.call
      let headers = ["Quarry-Sync-Models": exchange.headers["quarry-sync-models"] ?? ""]
      let answer = try await served.send(call, .bytes(body), headers: headers)
      statuses[answer.status, default: 0] += 1
      #expect((400..<500).contains(answer.status) || answer.status == 200, "\(call) \(answer.status)")
    }
    #expect(statuses[400] ?? 0 > 100)
    #expect(try b.sync.check() == [])
    // It still serves.
    #expect(try await a.store.sync(with: served.remote()).agrees)
  }

  /// The requests of an exchange between two stores.
  private func captured(_ a: Place, _ b: Place) async throws -> [Faults.Exchange] {
    let faults = Faults(seed: 1)
    let served = try await Served(b, faults: faults)
    for _ in 0..<20 where !faults.seen.contains(where: { $0.call == "push" }) {
      _ = try? await a.store.sync(with: served.remote(), attempts: 3)
      try a.note(60, "again")
    }
    return faults.seen
  }
}
