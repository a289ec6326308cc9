import QuarryData

/// A request to Studio, without the server that received it.
struct StudioRequest: Sendable {
  enum Method: Sendable { case get, post }

  var method: Method = .get
  /// The path below Studio's own, which begins with a slash.
  var path: String
  var query = FormText()
  /// The `Host` header.
  var host: String?
  /// The `Cookie` header.
  var cookie: String?
  /// The `Origin` header.
  var origin: String?
  /// The `Sec-Fetch-Site` header.
  var fetchSite: String?
  /// The `Accept` header.
  var accept: String?
  /// The `Content-Type` header.
  var contentType: String?
  /// The `Last-Event-ID` header of a stream of events that is opened again.
  var lastEvent: String?
  /// The `X-Studio-Token` header of an upload.
  var uploadToken: String?
  var body: [UInt8] = []
  /// The file of an upload, which has no other body.
  var file: SpooledInput?

  /// Whether the answer is JSON: by the ending of the path, or because nothing else is accepted first.
  var wantsJSON: Bool {
    path.hasSuffix(".json") || accept?.lowercased().hasPrefix("application/json") == true
  }

  /// The name of the page: the path without the slash and without `.json`.
  var page: String {
    let name = path.dropFirst()
    return String(name.hasSuffix(".json") ? name.dropLast(5) : name)
  }
}

/// The answer to a request.
struct StudioResponse: Sendable {
  enum Body: Sendable {
    case bytes([UInt8])
    case file(SpooledInput)
    case events(LiveEvents)
  }

  var status: Int
  var contentType: String
  var headers: [(name: String, value: String)] = []
  var body: Body

  init(_ status: Int, _ contentType: String, _ body: some Sequence<UInt8>) {
    self.status = status
    self.contentType = contentType
    self.body = .bytes(Array(body))
  }

  init(_ contentType: String, _ body: Body) {
    status = 200
    self.contentType = contentType
    self.body = body
  }

  /// Leads the browser to another page.
  static func redirect(to place: String) -> StudioResponse {
    var response = StudioResponse(303, "text/plain; charset=utf-8", "see \(place)\n".utf8)
    response.headers.append(("Location", place))
    return response
  }

  /// The headers of every answer.
  static let fixedHeaders: [(name: String, value: String)] = [
    (
      "Content-Security-Policy",
      "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"), ("Cache-Control", "no-store"),
    // A stricter one would make the Origin of forms "null".
    ("Referrer-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
  ]
}
