import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import QuarryCore
import QuarryStudio
import Synchronization
import Testing

/// A browser that asks a Studio's router directly, without a socket.
struct Browser {
  static let host = "127.0.0.1:8080"

  private let responder: RouterResponder<BasicRequestContext>
  let studio: Studio
  /// The cookie of the session.
  var cookie: String?

  struct Answer {
    var status: Int
    var headers: HTTPFields
    var body: String

    func header(_ name: String) -> String? { HTTPField.Name(name).flatMap { headers[$0] } }
  }

  init(_ store: Store, options: StudioOptions) throws {
    let router = Router()
    studio = try router.addQuarryStudio(store, options: options)
    responder = router.buildResponder()
  }

  /// A browser that has opened the printed address.
  static func entered(
    _ store: Store, writes: Bool = false, path: String = "", queryTime: Double = 60, bodyBytes: Int = 2 << 20
  ) async throws -> Browser {
    let options = StudioOptions(
      title: "the store", allowsWriting: writes, path: path, port: 8080, queryTime: queryTime, bodyBytes: bodyBytes)
    var browser = try Browser(store, options: options)
    let answer = try await browser.get(browser.studio.entry ?? "")
    browser.cookie = answer.header("Set-Cookie")?.split(separator: ";").first.map(String.init)
    return browser
  }

  func get(_ path: String, host: String? = host, headers: [String: String] = [:]) async throws -> Answer {
    try await send(.get, path, host: host, headers: headers, body: nil)
  }

  /// Sends a form as a page of the Studio would; headers replace those of a browser, and empty ones leave them out.
  func post(
    _ path: String, _ fields: [(String, String)], host: String? = host, headers: [String: String] = [:]
  ) async throws -> Answer {
    var all = [
      "Origin": "http://\(Self.host)", "Sec-Fetch-Site": "same-origin",
      "Content-Type": "application/x-www-form-urlencoded",
    ]
    all.merge(headers) { $1 }
    let body = fields.map { "\(Self.encoded($0.0))=\(Self.encoded($0.1))" }.joined(separator: "&")
    return try await send(.post, path, host: host, headers: all, body: body)
  }

  /// Sends a file as the script of the page of imports does; headers replace those of the script.
  func upload(_ text: String, name: String, token: String, headers: [String: String] = [:]) async throws -> Answer {
    var all = [
      "Origin": "http://\(Self.host)", "Sec-Fetch-Site": "same-origin", "Content-Type": "application/octet-stream",
      "X-Studio-Token": token, "Accept": "application/json",
    ]
    all.merge(headers) { $1 }
    return try await send(.post, "/upload?name=\(Self.encoded(name))", host: Self.host, headers: all, body: text)
  }

  /// Reads the stream of events until it has sent a text.
  func events(_ path: String, until text: String, headers: [String: String] = [:], _ body: @Sendable () throws -> Void)
    async throws -> String
  {
    let response = try await respond(.get, path, host: Self.host, headers: headers, body: nil)
    #expect(response.headers[.contentType] == "text/event-stream; charset=utf-8")
    let collector = Collector(endsAt: text)
    let reading = Task {
      do { try await response.body.write(collector) } catch is Collector.Ended {}
    }
    // Observation has begun when the first bytes are there.
    for _ in 0..<500 where collector.buffer.withLock({ $0.readableBytes }) == 0 {
      try await Task.sleep(for: .milliseconds(10))
    }
    try await Task.sleep(for: .milliseconds(100))
    try body()
    let limit = Task {
      try await Task.sleep(for: .seconds(20))
      reading.cancel()
    }
    try await reading.value
    limit.cancel()
    return String(buffer: collector.buffer.withLock { $0 })
  }

  private func send(
    _ method: HTTPRequest.Method, _ path: String, host: String?, headers: [String: String], body: String?
  ) async throws -> Answer {
    let response = try await respond(method, path, host: host, headers: headers, body: body)
    let collector = Collector()
    try await response.body.write(collector)
    return Answer(
      status: response.status.code, headers: response.headers, body: String(buffer: collector.buffer.withLock { $0 }))
  }

  private func respond(
    _ method: HTTPRequest.Method, _ path: String, host: String?, headers: [String: String], body: String?
  ) async throws -> Response {
    var fields = HTTPFields()
    if let cookie { fields[.cookie] = cookie }
    for (name, value) in headers {
      if let name = HTTPField.Name(name) { fields[name] = value.isEmpty ? nil : value }
    }
    let request = Request(
      head: HTTPRequest(method: method, scheme: "http", authority: host, path: path, headerFields: fields),
      body: RequestBody(buffer: ByteBuffer(string: body ?? "")))
    var logger = Logger(label: "test")
    logger[metadataKey: "hb.request.id"] = "1"
    let context = BasicRequestContext(
      source: ApplicationRequestContextSource(channel: EmbeddedChannel(), logger: logger))
    return try await responder.respond(to: request, context: context)
  }

  static func encoded(_ text: String) -> String {
    text.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        return String(UnicodeScalar(byte))
      default:
        let digits = String(byte, radix: 16)
        return digits.count == 1 ? "%0\(digits)" : "%\(digits)"
      }
    }.joined()
  }

  /// The value of a hidden field of a page.
  static func hidden(_ name: String, in page: String) -> String {
    guard let start = page.range(of: "name=\"\(name)\" value=\"") else { return "" }
    return String(page[start.upperBound...].prefix { $0 != "\"" })
  }
}

/// Takes the body of a response.
private final class Collector: ResponseBodyWriter, Sendable {
  /// Ends a stream whose text was found.
  struct Ended: Error {}

  let buffer = Mutex(ByteBuffer())
  private let end: String?

  init(endsAt end: String? = nil) {
    self.end = end
  }

  func write(_ part: ByteBuffer) async throws {
    let text = buffer.withLock { buffer in
      buffer.writeImmutableBuffer(part)
      return end == nil ? "" : String(buffer: buffer)
    }
    if let end, text.contains(end) { throw Ended() }
  }

  func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
