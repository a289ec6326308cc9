import Foundation
import Testing

/// `quarry serve` and `quarry sync` with an address.
@Suite struct ToolTests {
  private func quarry(_ arguments: String..., in folder: URL) throws -> (status: Int32, output: String, errors: String)
  {
    try Tool(folder).run(arguments)
  }

  @Test func aServedHubWithPrincipals() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "sync-tool-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    func write(_ text: String, _ name: String) throws { try Data(text.utf8).write(to: folder.appending(path: name)) }
    try write("id,name\na,red\nb,blue\n", "a.csv")
    try write("0123456789abcdef\n", "anna")
    try write("fedcba9876543210\n", "ben")
    for url in ["sqlite:hub.db", "lmdb:a.lmdb"] {
      let made = try quarry("import", "a.csv", "--into", url, "--model", "Team", "--key", "id", in: folder)
      try #require(made.status == 0, "\(made.errors)")
    }
    let (server, output, _) = try Tool(folder).start(
      [
        "serve", "sqlite:hub.db", "--hub", "--restored", "--principal", "anna=anna", "--principal", "ben=ben",
        "--requests", "4", "--wait", "2", "--body-bytes", "100000",
      ])
    defer { server.terminate() }
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    let address = try #require(line.split(separator: " ").last).trimmingCharacters(in: .whitespacesAndNewlines)
    let first = try quarry("sync", "lmdb:a.lmdb", address, "--token-file", "anna", in: folder)
    #expect(first.status == 0, "\(first.errors)")
    #expect(try quarry("sync", "lmdb:a.lmdb", address, "--token-file", "anna", in: folder).status == 0)
    // A client exchanges changes with its hub alone.
    #expect(try quarry("sync", "lmdb:a.lmdb", "sqlite:other.db", in: folder).errors.contains("has a hub"))
    server.terminate()
    server.waitUntilExit()
    #expect(server.terminationReason == .exit && server.terminationStatus == 0)
  }

  @Test func aServedStore() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "sync-tool-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    func write(_ text: String, _ name: String) throws { try Data(text.utf8).write(to: folder.appending(path: name)) }
    try write("id,name\na,red\nb,blue\n", "a.csv")
    try write("id,name\nc,red\nd,gold\n", "b.csv")
    try write("0123456789abcdef\n", "token")
    try write("fedcba9876543210\n", "other")
    for (file, url) in [("a.csv", "sqlite:a.db"), ("b.csv", "lmdb:b.lmdb")] {
      let made = try quarry(
        "import", file, "--into", url, "--model", "Team", "--key", "id", "--unique", "name", in: folder)
      try #require(made.status == 0, "\(made.errors)")
    }
    let (server, output, _) = try Tool(folder).start(["serve", "sqlite:a.db", "--token-file", "token"])
    defer { server.terminate() }
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    let address = try #require(line.split(separator: " ").last).trimmingCharacters(in: .whitespacesAndNewlines)
    #expect(line.hasPrefix("serving at http://127.0.0.1:"))
    let first = try quarry("sync", "lmdb:b.lmdb", address, "--token-file", "token", "--verify", in: folder)
    let lines = first.output.split(separator: "\n")
    #expect(first.status == 0 && lines.first == "taken: 1 by the first store, 1 by the other", "\(first.errors)")
    #expect(lines.last == "verified: the tables of this store are those of its records")
    let refused = try quarry("sync", "lmdb:b.lmdb", address, "--token-file", "other", in: folder)
    #expect(refused.status == 1 && refused.errors.contains("refuses the token"))
    server.terminate()
    server.waitUntilExit()
    #expect(server.terminationReason == .exit && server.terminationStatus == 0)
    // What the server took is stored.
    #expect(try quarry("count", "sqlite:a.db", "Team", in: folder).output.contains("3"))
  }
}
