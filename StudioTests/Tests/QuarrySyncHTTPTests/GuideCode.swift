import Foundation
import Hummingbird
import QuarryCore
import QuarrySync
import QuarrySyncHTTP

/// The code of docs/guide/sync.md that needs the trait HTTP.
enum GuideCode {
  static func serve(_ notes: Store, _ router: Router<BasicRequestContext>, _ token: SyncToken) throws {
    try notes.enableSync(named: ["Note"])
    try router.addQuarrySync(notes, path: "/sync") { token.matches($0) }
  }

  static func run(_ store: Store, _ token: SyncToken) async throws {
    try store.enableSync(named: ["Note"])
    let server = try SyncRemote.http("https://notes.example.org/sync", token: token)
    let runner = try SyncRunner(store, with: server)
    try await runner.run()
  }

  static func watch(_ runner: SyncRunner) async {
    for await status in runner.statuses() {
      if let problem = status.problem { print(problem) }
      print(status.pending, status.lastAgreed ?? .distantPast)
    }
  }

  static func once(_ store: Store, _ server: SyncRemote) async throws {
    let once = try await store.sync(with: server)
    print(once.isEqual, once.digests.a)
  }
}
