import Foundation
import HTTPTypes
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

  private static func account(for header: String?) async throws -> SyncPrincipal? { nil }

  static func decide(_ hub: Store, _ router: Router<BasicRequestContext>, _ annasToken: SyncToken) throws {
    var options = SyncSiteOptions()
    options.accept(annasToken, as: SyncPrincipal("anna", claims: ["team": "red"]))
    options.principal = { request in try await account(for: request.headers[.authorization]) }
    options.authorize = { change, who in
      let prices = change.objects.filter { $0.model == "Price" }
      return prices.isEmpty || who?["team"] == "sales" ? .accept : .refuse("prices are of sales")
    }
    options.minimumSchema = 4
    try router.addQuarrySync(hub, options)
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
