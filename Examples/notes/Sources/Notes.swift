import Foundation
import QuarryCore
import QuarryEngines
import QuarrySync
import QuarrySyncHTTP

/// Notes of two people on two engines, and a server between them. Without arguments it plays all three, in processes of their
/// own, and kills the server again and again.
@main
struct Notes {
  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch arguments.first {
    case "serve" where arguments.count == 4:
      try await serve(store(arguments[1]), SyncToken(contentsOf: arguments[2]), Int(arguments[3]) ?? 0)
    case "edit" where arguments.count == 5:
      try await Person(store: store(arguments[1]), server: server(arguments[2], arguments[3]))
        .edit(seconds: Double(arguments[4]) ?? 10)
    case "meet" where arguments.count == 4:
      try await meet(store(arguments[1]), server(arguments[2], arguments[3]))
    default: try await Play(seconds: arguments.first.flatMap(Double.init) ?? 15).run()
    }
  }

  /// A store that is synced. Each opening continues its sync.
  static func store(_ url: String) throws -> Store {
    let store = try Store(for: Note.self, Tag.self, url: url)
    try store.enableSync(Note.self, Tag.self)
    return store
  }

  static func server(_ url: String, _ tokenFile: String) throws -> SyncRemote {
    try SyncRemote.http(url, token: SyncToken(contentsOf: tokenFile))
  }

  /// The server: a store as a peer of all who have the token.
  static func serve(_ store: Store, _ token: SyncToken, _ port: Int) async throws {
    try await SyncServer.run(store, port: port, token: token) { url in
      print(url)
      fflush(nil)
    }
  }

  /// One exchange. Prints the digest of each side, and what is held.
  static func meet(_ store: Store, _ server: SyncRemote) async throws {
    let report = try await store.sync(with: server)
    print(report.digests.a)
    print(report.digests.b)
    for item in try store.sync?.held() ?? [] where item.reason == .unique {
      print("held: \(item.object.model) \(item.values["name"]?.description ?? "") waits for another of the same name")
    }
  }
}
