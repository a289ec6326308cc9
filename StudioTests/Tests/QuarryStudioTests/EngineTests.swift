import Foundation
import QuarryBackend
import QuarryCore
import QuarryEncryption
import QuarryEngines
import Testing

@testable import QuarryStudio

#if PostgreSQL
  import QuarryPrivateServer
#endif

/// All pages on each engine, encrypted too.
@Suite struct EngineTests {
  private static let forms = [
    "memory:", "file:", "sqlite:", "lmdb:", "sqlite: encrypted", "lmdb: encrypted", "file: encrypted",
  ]

  #if PostgreSQL
    /// A store on the private server of the tests, in a schema of its own.
    static func postgres() throws -> StoreURL {
      let schema = "studio\(UUID().uuidString.prefix(8).lowercased())"
      return try StoreURL(parsing: "postgres:\(PostgreSQLCluster.connection())?schema=\(schema)")
    }

    @Test func everyPageIsShownOnPostgreSQL() async throws {
      let store = try Store(opening: Self.postgres())
      try Shop.fill(store)
      try await showEveryPage(of: store)
      try store.destroy()
    }
  #endif

  private func withStore(_ form: String, _ body: (Store) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "studio-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let engine = form.prefix { $0 != ":" }
    let url = try StoreURL(parsing: engine == "memory" ? "memory:" : "\(engine):\(folder.path)/shop")
    let key = try EncryptionKey([UInt8](repeating: 7, count: 32))
    let store = try Store(opening: url, encryption: form.hasSuffix("encrypted") ? Encryption(key) : nil)
    try Shop.fill(store)
    try await body(store)
    try store.close()
  }

  @Test(arguments: forms) func everyPageIsShown(form: String) async throws {
    try await withStore(form) { store in try await showEveryPage(of: store) }
  }

  private func showEveryPage(of store: Store) async throws {
    let browser = try await Browser.entered(store, writes: true)
    for page in [
      "/", "/grid?model=Order&where=amount+%3E+100&sort=-amount", "/object?model=Customer&key=1", "/schema",
      "/explain?model=Order&where=amount+%3D%3D+100", "/groups?model=Order&by=customer&function=sum&of=amount",
      "/groups?model=Order&by=id&function=sum&of=amount&chart=line", "/check?run=1", "/edit?model=Order&key=1",
      "/groups?model=Order&by=customer.name&function=p90&of=amount", "/history", "/held",
      "/new?model=Order", "/delete?model=Customer&key=1", "/import", "/export?model=Order&format=csv",
    ] {
      let answer = try await browser.get(page)
      #expect(answer.status == 200, "\(page): \(answer.body)")
      if page == "/check?run=1" { #expect(answer.body.contains("The store is sound.")) }
    }
    let form = try await browser.get("/edit?model=Order&key=1").body
    let fields = ["token", "model", "key", "digest", "b2", "o2"].map { ($0, Browser.hidden($0, in: form)) }
    #expect(try await browser.post("/save", fields + [("f2", "77")]).status == 303)
    #expect(try Shop.value("amount", of: 1, in: "Order", store) == 77)
    // The same form again: the object has changed meanwhile.
    #expect(try await browser.post("/save", fields + [("f2", "78")]).status == 409)
  }
}
