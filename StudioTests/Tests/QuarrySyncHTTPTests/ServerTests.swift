import Foundation
import QuarryBackend
import QuarryCore
import QuarrySync
import QuarrySyncHTTP
import Testing

/// The server of its own, with and without a certificate.
@Suite struct ServerTests {
  private struct Running {
    var url: String
    var task: Task<Void, any Error>
  }

  private func start(_ place: Place, port: Int = 0, _ certificate: SyncServer.Certificate? = nil) async throws
    -> Running
  {
    let (urls, continuation) = AsyncStream.makeStream(of: String.self)
    let token = try SyncToken(Served.token)
    let task = Task {
      defer { continuation.finish() }
      try await SyncServer.run(place.store, port: port, token: token, certificate: certificate) {
        continuation.yield($0)
      }
    }
    for await url in urls { return Running(url: url, task: task) }
    try await task.value
    throw StorageError(.io, "the server did not start")
  }

  @Test func plain() async throws {
    let (a, b) = (try Place("memory"), try Place("sqlite"))
    try b.note(1, "one")
    let server = try await start(b)
    #expect(server.url.hasPrefix("http://127.0.0.1:") && server.url.hasSuffix("/sync"))
    let remote = try SyncRemote.http(server.url + "/", token: SyncToken(Served.token))
    #expect(try await a.store.sync(with: remote).isEqual)
    // The port is taken.
    let port = try #require(URL(string: server.url)?.port)
    let error = await #expect(throws: StorageError.self) { try await start(b, port: port) }
    #expect(error?.code == .inUse)
    server.task.cancel()
    try? await server.task.value
    let problem = await #expect(throws: SyncProblem.self) { try await a.store.sync(with: remote, attempts: 2) }
    #expect(problem?.kind == .noConnection)
  }

  @Test func withACertificate() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "sync-tls-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    func files(_ name: String, _ host: String) throws -> SyncServer.Certificate {
      let certificate = SyncServer.Certificate(
        chain: "\(folder.path)/\(name).pem", key: "\(folder.path)/\(name)-key.pem")
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = [
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
        "-subj", "/CN=\(host)", "-addext", "subjectAltName=DNS:\(host)", "-keyout", certificate.key, "-out",
        certificate.chain,
      ]
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      return certificate
    }
    let (a, b) = (try Place("memory"), try Place("lmdb"))
    try a.note(1, "one")
    let token = try SyncToken(Served.token)
    let (own, other) = (try files("own", "localhost"), try files("other", "example.org"))
    for (certificate, authority, isGood) in [(own, own.chain, true), (own, nil, false), (other, other.chain, false)] {
      let server = try await start(b, certificate)
      #expect(server.url.hasPrefix("https://"))
      let url = server.url.replacingOccurrences(of: "127.0.0.1", with: "localhost")
      let remote = try SyncRemote.http(url, token: token, authority: authority)
      if isGood {
        #expect(try await a.store.sync(with: remote).isEqual)
      } else {
        let problem = await #expect(throws: SyncProblem.self) { try await a.store.sync(with: remote, attempts: 1) }
        #expect(problem?.kind == .certificate, "\(problem?.description ?? "")")
      }
      server.task.cancel()
      try? await server.task.value
    }
    let missing = SyncServer.Certificate(chain: "/nowhere", key: "/nowhere")
    let error = await #expect(throws: StorageError.self) { try await start(b, missing) }
    #expect(error?.code == .invalidValue)
  }
}
