import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import QuarryCore
import QuarryStudio
import Synchronization

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

  private func send(
    _ method: HTTPRequest.Method, _ path: String, host: String?, headers: [String: String], body: String?
  ) async throws -> Answer {
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
    let response = try await responder.respond(to: request, context: context)
    let collector = Collector()
    try await response.body.write(collector)
    return Answer(
      status: response.status.code, headers: response.headers, body: String(buffer: collector.buffer.withLock { $0 }))
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
  let buffer = Mutex(ByteBuffer())

  func write(_ part: ByteBuffer) async throws {
    buffer.withLock { _ = $0.writeImmutableBuffer(part) }
  }

  func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
