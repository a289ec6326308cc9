import Foundation
import QuarryBackend
import QuarryCore
import QuarryEncryption
import QuarryEngines
import Testing

@testable import QuarryStudio

/// What happens to a store while its Studio is open: a page says it in a sentence, and a form keeps what was typed.
@Suite struct BadDayTests {
  private func withStore(
    _ engine: String, encrypted: Bool = false, wait: Double = 5,
    _ body: (Store, StoreURL, String) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "studio-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = "\(folder.path)/shop"
    let url = try StoreURL(parsing: "\(engine):\(path)")
    var options = OpenOptions()
    options.busyTimeout = wait
    if encrypted { options.encryption = Encryption(try Self.key(7)) }
    let store = try Store(opening: url, options: options)
    try Shop.fill(store)
    try await body(store, url, path)
    try? store.close()
  }

  private static func key(_ byte: UInt8) throws -> EncryptionKey {
    try EncryptionKey([UInt8](repeating: byte, count: 32))
  }

  /// The form of an order, with a note typed.
  private func typed(_ browser: Browser, _ page: String = "/edit?model=Order&key=1") async throws -> [(String, String)]
  {
    let form = try await browser.get(page).body
    let names = ["token", "model", "key", "digest", "properties", "b1", "o1", "b2", "o2", "b3", "o3"]
    return names.map { ($0, FormText.unescaped(Browser.hidden($0, in: form))) }
      + [("f1", "2"), ("f2", "10"), ("f3", "a typed note")]
  }

  @Test(arguments: ["sqlite", "lmdb", "file"]) func aStoreThatWasMovedIsSaid(engine: String) async throws {
    try await withStore(engine) { store, _, path in
      let browser = try await Browser.entered(store, writes: true)
      let form = try await typed(browser)
      try FileManager.default.moveItem(atPath: path, toPath: path + "-elsewhere")
      for page in ["/", "/grid?model=Order", "/object?model=Order&key=1", "/edit?model=Order&key=1", "/schema"] {
        let answer = try await browser.get(page)
        #expect(answer.status == 503, "\(page)")
        #expect(answer.body.contains("was removed or replaced while it was open. Start Studio again"), "\(page)")
      }
      let saved = try await browser.post("/save", form)
      #expect(saved.status == 503)
      #expect(saved.body.contains("was removed or replaced"))
      #expect(saved.body.contains("a typed note"))
      // Another file at its place is not taken for it.
      try FileManager.default.createDirectory(atPath: path + "-other", withIntermediateDirectories: true)
      let other = try Store(opening: StoreURL(parsing: "\(engine):\(path)"))
      try Shop.fill(other)
      try other.close()
      #expect(try await browser.get("/grid?model=Order").status == 503)
      #expect(try await browser.post("/save", form).status == 503)
    }
  }

  @Test func aMigrationMeanwhileKeepsWhatWasTyped() async throws {
    let store = try Shop.store()
    let browser = try await Browser.entered(store, writes: true)
    let form = try await typed(browser)
    try Shop.write(store) { tx in
      try tx.apply(.addProperty(ModelID(2), PropertySchema(name: "place", type: .string, isOptional: true)))
    }
    let answer = try await browser.post("/save", form)
    #expect(answer.status == 409)
    #expect(answer.body.contains("The model was migrated since you opened this form. Nothing was saved."))
    #expect(answer.body.contains("value=\"a typed note\""))
    #expect(try Shop.value("note", of: 1, in: "Order", store) == .null)
    // Saved again, it is stored.
    let names = ["token", "model", "key", "digest", "properties", "b3", "o3"]
    let again = names.map { ($0, FormText.unescaped(Browser.hidden($0, in: answer.body))) } + [("f3", "a typed note")]
    #expect(try await browser.post("/save", again).status == 303)
    #expect(try Shop.value("note", of: 1, in: "Order", store) == "a typed note")
  }

  @Test func whatWasTypedForAPropertyThatIsGoneIsShown() async throws {
    let store = try Shop.store()
    let browser = try await Browser.entered(store, writes: true)
    let form = try await typed(browser)
    let added = try await typed(browser, "/new?model=Order")
    try Shop.write(store) { tx in
      try tx.apply(.dropProperty(ModelID(2), slot: 3))
      try tx.apply(.addProperty(ModelID(2), PropertySchema(name: "other", type: .string, isOptional: true)))
    }
    for (page, form) in [("/save", form), ("/insert", added)] {
      let answer = try await browser.post(page, form)
      #expect(answer.status == 409)
      #expect(answer.body.contains("<bdi>note</bdi></th><td><bdi>a typed note</bdi>"))
      // It does not stand under a property that it was not typed for.
      #expect(!answer.body.contains("value=\"a typed note\""))
    }
    // Nor is it lost with its model.
    try Shop.write(store) { tx in try tx.apply(.dropModel(ModelID(2))) }
    let answer = try await browser.post("/save", form)
    #expect(answer.status == 400 || answer.status == 404)
    #expect(answer.body.contains("What you typed"))
    #expect(answer.body.contains("a typed note"))
  }

  @Test(arguments: ["sqlite", "lmdb"]) func aStoreThatIsLockedIsSaid(engine: String) async throws {
    try await withStore(engine, wait: 0.3) { store, url, _ in
      let browser = try await Browser.entered(store, writes: true)
      let form = try await typed(browser)
      let other = try Store(opening: url)
      let (began, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let thread = Thread {
        try? other.write { tx in
          try tx.records.upsert(into: "Order", [Record(["id": 2, "amount": 1])], updating: ["amount"])
          began.signal()
          end.wait()
        }
      }
      thread.start()
      await Self.wait(began)
      let saved = try await browser.post("/save", form)
      #expect(saved.status == 503)
      #expect(saved.body.contains("Nothing was saved. Another write transaction was open for longer than 0.3 s"))
      #expect(saved.body.contains("value=\"a typed note\""))
      #expect(try await browser.get("/grid?model=Order").status == 200)
      end.signal()
      var status = 503
      for _ in 0..<50 where status == 503 { status = try await browser.post("/save", form).status }
      #expect(status == 303)
      try other.close()
    }
  }

  private static func wait(_ semaphore: DispatchSemaphore) async {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        semaphore.wait()
        continuation.resume()
      }
    }
  }

  @Test(arguments: ["sqlite", "lmdb", "file"]) func aKeyThatWasChangedMeanwhileIsSaid(engine: String) async throws {
    try await withStore(engine, encrypted: true) { store, url, _ in
      let browser = try await Browser.entered(store, writes: true)
      let form = try await typed(browser)
      // SQLite keeps others from it while the store is open, and openings of one flat file in a process share the new key.
      var isChanged = false
      do {
        let other = try Store(opening: url, encryption: Encryption(try Self.key(7)))
        defer { try? other.close() }
        try other.rekey(to: try Self.key(8), .full)
        isChanged = true
      } catch let error as StorageError {
        #expect(error.code == .inUse)
      }
      let page = try await browser.get("/grid?model=Order")
      let saved = try await browser.post("/save", form)
      #expect(isChanged == (engine != "sqlite"))
      let isLost = engine == "lmdb"
      #expect(page.status == (isLost ? 503 : 200))
      #expect(saved.status == (isLost ? 503 : 303))
      if isLost {
        for answer in [page, saved] { #expect(answer.body.contains("Start Studio again with the new key.")) }
        #expect(saved.body.contains("a typed note"))
      }
    }
  }

  @Test func aClosedStoreKeepsWhatWasTyped() async throws {
    let store = try Shop.store()
    let browser = try await Browser.entered(store, writes: true)
    let form = try await typed(browser)
    try store.close()
    let answer = try await browser.post("/save", form)
    #expect(answer.status == 503)
    #expect(answer.body.contains("a typed note"))
  }
}

extension FormText {
  /// A text of a page without its entities.
  static func unescaped(_ text: String) -> String {
    [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&#10;", "\n"), ("&amp;", "&")]
      .reduce(text) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
  }
}
