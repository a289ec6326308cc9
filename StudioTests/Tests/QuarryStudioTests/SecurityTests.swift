import Foundation
import QuarryBackend
import QuarryCore
import Testing

@testable import QuarryStudio

/// Attacks on each rule of the guard.
@Suite struct SecurityTests {
  private static let pages = [
    "/", "/models.json", "/grid?model=Order", "/grid.json?model=Order", "/object?model=Order&key=1", "/schema",
    "/schema.svg", "/explain?model=Order", "/groups?model=Order&by=amount", "/check?run=1", "/help",
    "/value?model=Customer&key=1&property=name", "/edit?model=Order&key=1", "/delete?model=Order&key=1",
    "/new?model=Order", "/nothing", "/import", "/export?model=Order&format=csv",
  ]

  @Test(arguments: pages) func withoutASessionNothingIsShown(page: String) async throws {
    var browser = try await Browser.entered(try Shop.store(), writes: true)
    browser.cookie = nil
    let answer = try await browser.get(page)
    #expect(answer.status == 401)
    for word in ["Order", "Customer", "Ada", "the store"] { #expect(!answer.body.contains(word)) }
  }

  @Test(arguments: pages) func anotherNameOfThisMachineIsRefused(page: String) async throws {
    let browser = try await Browser.entered(try Shop.store(), writes: true)
    let hosts: [String?] = [
      "evil.example:8080", "127.0.0.1.evil.example:8080", "evil.example", nil, "", "127.0.0.1:8081", "127.0.0.1",
      "localhost:8080@evil.example", "127.0.0.1:", "127.0.0.1:x", "[::1", "127.0.0.1:8080:8080",
    ]
    for host in hosts {
      let answer = try await browser.get(page, host: host)
      #expect(answer.status == 421, "\(host ?? "none")")
      #expect(!answer.body.contains("Order"))
    }
    for host in ["localhost:8080", "LOCALHOST:8080", "[::1]:8080"] {
      #expect(try await browser.get("/", host: host).status == 200, "\(host)")
    }
  }

  @Test func theTokenOpensOneSession() async throws {
    var browser = try Browser(try Shop.store(), options: StudioOptions(title: "s", port: 8080))
    let entry = try #require(browser.studio.entry)
    let wrong = try await browser.get("/?token=" + String(repeating: "0", count: 64))
    #expect(wrong.status == 401)
    #expect(wrong.header("Set-Cookie") == nil)
    let first = try await browser.get(entry)
    #expect(first.status == 303)
    // The token is gone from the address.
    #expect(first.header("Location") == "/")
    let cookie = try #require(first.header("Set-Cookie"))
    #expect(cookie.contains("HttpOnly"))
    #expect(cookie.contains("SameSite=Strict"))
    #expect(!cookie.contains(entry.suffix(64)))
    #expect(browser.studio.entry == nil)
    let second = try await browser.get(entry)
    #expect(second.status == 401)
    #expect(second.header("Set-Cookie") == nil)
    browser.cookie = "other=1; " + String(cookie.prefix { $0 != ";" })
    #expect(try await browser.get("/").status == 200)
    // The beginning of a cookie, and a cookie of another name, open nothing.
    browser.cookie = String(cookie.prefix { $0 != ";" }.dropLast())
    #expect(try await browser.get("/").status == 401)
    browser.cookie = "x" + String(cookie.prefix { $0 != ";" })
    #expect(try await browser.get("/").status == 401)
  }

  private static let attacks: [[String: String]] = [
    ["Origin": "http://evil.example"], ["Origin": "null"], ["Origin": "http://127.0.0.1:9999"],
    ["Origin": "http://127.0.0.1"], ["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "same-site"],
    ["Sec-Fetch-Site": "none"], ["Origin": "", "Sec-Fetch-Site": ""], ["Content-Type": "text/plain"],
    ["Content-Type": "multipart/form-data; boundary=x"], ["Content-Type": ""],
    ["Origin": "http://127.0.0.1:8080.evil.example"],
  ]

  @Test(arguments: attacks) func aChangeFromElsewhereIsRefused(headers: [String: String]) async throws {
    let store = try Shop.store()
    let browser = try await Browser.entered(store, writes: true)
    let page = try await browser.get("/delete?model=Order&key=1").body
    let fields = [
      ("model", "Order"), ("key", "1"), ("digest", Browser.hidden("digest", in: page)),
      ("token", Browser.hidden("token", in: page)),
    ]
    #expect(try await browser.post("/delete", fields, headers: headers).status == 403)
    #expect(try Shop.value("amount", of: 1, in: "Order", store) == 10)
    // The same from a page of the Studio.
    #expect(try await browser.post("/delete", fields).status == 303)
    #expect(try Shop.value("amount", of: 1, in: "Order", store) == nil)
  }

  @Test(arguments: ["", "0", String(repeating: "0", count: 64)])
  func aChangeNeedsTheTokenOfTheForm(token: String) async throws {
    let store = try Shop.store()
    let browser = try await Browser.entered(store, writes: true)
    let fields = [("model", "Order"), ("key", "1"), ("token", token)]
    for page in ["/delete", "/save", "/insert", "/import"] {
      #expect(try await browser.post(page, fields).status == 403)
    }
    #expect(try Shop.value("amount", of: 1, in: "Order", store) == 10)
  }

  @Test func aChangeNeedsTheSession() async throws {
    let store = try Shop.store()
    var browser = try await Browser.entered(store, writes: true)
    let token = Browser.hidden("token", in: try await browser.get("/delete?model=Order&key=1").body)
    browser.cookie = nil
    #expect(try await browser.post("/delete", [("model", "Order"), ("key", "1"), ("token", token)]).status == 401)
    #expect(try Shop.value("amount", of: 1, in: "Order", store) == 10)
  }

  @Test func eventsNeedTheSession() async throws {
    var browser = try await Browser.entered(try Shop.store(), writes: true)
    #expect(try await browser.get("/events?since=0", host: "evil.example:8080").status == 421)
    browser.cookie = nil
    #expect(try await browser.get("/events?since=0").status == 401)
  }

  private static let uploadAttacks: [[String: String]] =
    attacks.filter { $0["Content-Type"] == nil } + [
      ["Content-Type": "text/plain"], ["Content-Type": "application/x-www-form-urlencoded"], ["Content-Type": ""],
      ["Content-Type": "multipart/form-data; boundary=x"], ["X-Studio-Token": ""], ["X-Studio-Token": "0"],
      ["X-Studio-Token": String(repeating: "0", count: 64)],
    ]

  @Test(arguments: uploadAttacks) func anUploadFromElsewhereIsRefused(headers: [String: String]) async throws {
    let browser = try await Browser.entered(try Shop.store(), writes: true)
    let token = browser.studio.site.guardian.formToken
    #expect(try await browser.upload("a\n1\n", name: "x.csv", token: token, headers: headers).status == 403)
    #expect(try await browser.upload("a\n1\n", name: "x.csv", token: token).status == 200)
  }

  @Test func anUploadNeedsTheSessionAndWriting() async throws {
    let store = try Shop.store()
    var browser = try await Browser.entered(store, writes: true)
    let token = browser.studio.site.guardian.formToken
    browser.cookie = nil
    #expect(try await browser.upload("a\n1\n", name: "x.csv", token: token).status == 401)
    let reader = try await Browser.entered(store)
    let other = reader.studio.site.guardian.formToken
    #expect(try await reader.upload("a\n1\n", name: "x.csv", token: other).status == 403)
    #expect(try await reader.get("/import").status == 403)
    #expect(try await reader.post("/import", [("upload", "x"), ("token", other)]).status == 403)
  }

  @Test func anUploadThatIsTooLargeIsRefused() async throws {
    let options = StudioOptions(title: "s", allowsWriting: true, port: 8080, uploadBytes: 1_000)
    var browser = try Browser(try Shop.store(), options: options)
    let answer = try await browser.get(browser.studio.entry ?? "")
    browser.cookie = answer.header("Set-Cookie")?.split(separator: ";").first.map(String.init)
    let token = browser.studio.site.guardian.formToken
    let large = try await browser.upload(String(repeating: "x", count: 1_001), name: "x.csv", token: token)
    #expect(large.status == 413)
    #expect(try await browser.upload(String(repeating: "x", count: 1_000), name: "x.csv", token: token).status == 200)
  }

  @Test func noChangeIsMadeByAnAddress() async throws {
    let store = try Shop.store()
    let browser = try await Browser.entered(store, writes: true)
    let token = Browser.hidden("token", in: try await browser.get("/delete?model=Order&key=1").body)
    // Of a GET the token is one of the entry, which is used.
    for page in ["delete", "save", "insert"] {
      _ = try await browser.get("/\(page)?model=Order&key=1&token=\(token)")
      _ = try await browser.get("/\(page)?model=Order&key=1")
    }
    #expect(try Shop.value("amount", of: 1, in: "Order", store) == 10)
  }

  @Test(arguments: ["/delete", "/save", "/insert"]) func withoutWritingNoChangeIsMade(page: String) async throws {
    let store = try Shop.store()
    let browser = try await Browser.entered(store)
    let fields = [("model", "Order"), ("key", "1"), ("token", browser.studio.site.guardian.formToken), ("f2", "7")]
    #expect(try await browser.post(page, fields).status == 403)
    #expect(try Shop.value("amount", of: 1, in: "Order", store) == 10)
    for form in ["/edit?model=Order&key=1", "/delete?model=Order&key=1", "/new?model=Order"] {
      let answer = try await browser.get(form)
      #expect(answer.status == 403)
      #expect(!answer.body.contains(browser.studio.site.guardian.formToken))
    }
    #expect(!(try await browser.get("/object?model=Order&key=1").body.contains("/edit?")))
  }

  @Test(arguments: pages + ["/studio.css", "/studio.js", "/favicon.svg"])
  func everyAnswerHasTheHeaders(page: String) async throws {
    let store = try Shop.store()
    var browser = try await Browser.entered(store, writes: true)
    for cookie in [browser.cookie, nil] {
      browser.cookie = cookie
      let answer = try await browser.get(page)
      let policy = answer.header("Content-Security-Policy") ?? ""
      #expect(policy.contains("default-src 'self'"))
      #expect(policy.contains("frame-ancestors 'none'"))
      #expect(!policy.contains("unsafe"))
      #expect(answer.header("X-Content-Type-Options") == "nosniff")
      #expect(answer.header("Cache-Control") == "no-store")
      #expect(answer.header("Referrer-Policy") == "same-origin")
      #expect(answer.header("Access-Control-Allow-Origin") == nil)
    }
  }

  /// The policy forbids both, so that nothing that gets into a page by mistake is run.
  @Test(arguments: pages) func noPageHasAScriptOrAStyleOfItsOwn(page: String) async throws {
    let browser = try await Browser.entered(try Shop.store(), writes: true)
    let body = try await browser.get(page).body
    #expect(!body.contains("<style"))
    #expect(!body.contains(" style=\""))
    #expect(body.components(separatedBy: "<script").count <= 2)
    #expect(!body.contains("javascript:"))
    #expect(body.range(of: " on[a-z]+=\"", options: .regularExpression) == nil)
  }

  @Test func aBodyThatIsTooLargeIsRefused() async throws {
    let store = try Shop.store()
    let browser = try await Browser.entered(store, writes: true, bodyBytes: 1_000)
    let answer = try await browser.post("/save", [("f2", String(repeating: "x", count: 2_000))])
    #expect(answer.status == 413)
    #expect(answer.header("X-Content-Type-Options") == "nosniff")
  }

  @Test func aQueryThatTakesTooLongIsAnswered() async throws {
    let browser = try await Browser.entered(try Shop.store(), queryTime: -1)
    let answer = try await browser.get("/grid?model=Order")
    #expect(answer.status == 503)
    #expect(answer.body.contains("takes"))
  }

  @Test func slowQueriesDoNotPileUp() async throws {
    let threads = QueryThreads()
    let gate = DispatchGate()
    for _ in 0..<QueryThreads.most {
      await #expect(throws: StorageError.self) { try await threads.run(0.01) { _ in gate.wait() } }
    }
    // They still run, and no other begins.
    let error = await #expect(throws: StorageError.self) { try await threads.run(5) { _ in } }
    #expect(error?.code == .busy)
    gate.open()
    for _ in 0..<200 {
      if (try? await threads.run(5) { _ in }) != nil { return }
      try await Task.sleep(for: .milliseconds(20))
    }
    Issue.record("the queries have ended, and no other can begin")
  }

  @Test func aStudioIsMountedBelowAPath() async throws {
    let browser = try await Browser.entered(try Shop.store(), path: "/debug/studio")
    #expect(browser.cookie != nil)
    let page = try await browser.get("/debug/studio/")
    #expect(page.status == 200)
    #expect(page.body.contains("href=\"/debug/studio/grid?model=Order\""))
    #expect(try await browser.get("/debug/studio/grid?model=Order").status == 200)
    for path in ["studio", "/studio/"] {
      #expect(throws: StorageError.self) {
        try Browser(try Shop.store(), options: StudioOptions(title: "s", path: path))
      }
    }
  }
}

/// Keeps threads waiting until it is opened.
private final class DispatchGate: Sendable {
  private let group = DispatchGroup()

  init() { group.enter() }

  func wait() { group.wait() }
  func open() { group.leave() }
}
