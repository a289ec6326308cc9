import Synchronization

/// Decides which requests are answered.
///
/// A page of another site in the same browser can send requests to this machine; these rules keep it from reading or changing
/// anything. Another user of the machine does not know the token.
final class StudioGuard: Sendable {
  /// The reason to refuse a request, with the status of the answer.
  struct Refusal: Error, Equatable {
    var status: Int
    var message: String
  }

  /// The name of the cookie, which no other Studio on this machine shares: cookies know no ports.
  let cookieName: String
  /// The secret in every form.
  let formToken: String
  private let session: String
  private let hosts: Set<String>
  private let port: Mutex<Int?>
  private let path: String
  private let entry: Mutex<String?>

  init(_ options: StudioOptions) {
    cookieName = "quarry-studio-\(Self.secret(4))"
    formToken = Self.secret(32)
    session = Self.secret(32)
    hosts = options.hosts
    port = Mutex(options.port)
    path = options.path
    entry = Mutex(Self.secret(32))
  }

  /// The token that opens a session once; nil when it was used.
  var entryToken: String? { entry.withLock { $0 } }

  /// Sets the port that the `Host` header must have.
  func listens(on number: Int) { port.withLock { $0 = number } }

  /// Random bytes of the system, in hexadecimal digits.
  static func secret(_ count: Int) -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in
      let digits = String(UInt8.random(in: .min ... .max, using: &generator), radix: 16)
      return digits.utf8.count == 1 ? "0" + digits : digits
    }.joined()
  }

  /// Refuses a name that is not this server's: a name of another site may lead to this machine (DNS rebinding).
  func checkHost(_ request: StudioRequest) throws(Refusal) {
    guard let host = request.host, let (name, number) = Self.parts(host), hosts.contains(name) else {
      throw Refusal(status: 421, message: "This address is not one of Studio's own.")
    }
    if let port = port.withLock({ $0 }), number != port {
      throw Refusal(status: 421, message: "This port is not Studio's own.")
    }
  }

  /// The name and the port of a `Host` header; 80 where it has none.
  private static func parts(_ host: String) -> (name: String, port: Int)? {
    let host = host.lowercased()
    // The colons inside the brackets of an IPv6 address are none before a port.
    let end = host.hasPrefix("[") ? host.firstIndex(of: "]").map { host.index(after: $0) } : host.firstIndex(of: ":")
    guard let end, end < host.endIndex else { return (host, 80) }
    guard host[end] == ":", let port = Int(host[host.index(after: end)...]), (1...65_535).contains(port) else {
      return nil
    }
    return (String(host[..<end]), port)
  }

  /// Exchanges the token for the session, once.
  ///
  /// - Returns: The `Set-Cookie` header.
  func enter(_ token: String) throws(Refusal) -> String {
    let isRight = entry.withLock { entry in
      guard let secret = entry, Self.areSame(secret, token) else { return false }
      entry = nil
      return true
    }
    guard isRight else { throw Self.noSession }
    return "\(cookieName)=\(session); Path=\(path.isEmpty ? "/" : path); HttpOnly; SameSite=Strict"
  }

  func checkSession(_ request: StudioRequest) throws(Refusal) {
    let cookies = request.cookie?.split(separator: ";") ?? []
    let prefix = cookieName + "="
    for cookie in cookies {
      let cookie = cookie.drop { $0 == " " }
      if cookie.hasPrefix(prefix), Self.areSame(session, cookie.dropFirst(prefix.count)) { return }
    }
    throw Self.noSession
  }

  private static let noSession = Refusal(
    status: 401,
    message: "Open the address that Studio printed when it was started. It works once, in one browser.")

  /// Refuses a change that does not come from a form of this Studio.
  func checkChange(_ request: StudioRequest, _ form: FormText) throws(Refusal) {
    try checkOrigin(request)
    guard request.contentType?.lowercased().hasPrefix("application/x-www-form-urlencoded") == true,
      let token = form["token"], Self.areSame(formToken, token)
    else { throw Self.foreign }
  }

  /// Refuses an upload that does not come from the script of this Studio, before its body is read.
  ///
  /// Its header and its type are none that a form of another site can send.
  func checkUpload(_ request: StudioRequest) throws(Refusal) {
    try checkOrigin(request)
    guard request.contentType?.lowercased() == "application/octet-stream",
      let token = request.uploadToken, Self.areSame(formToken, token)
    else { throw Self.foreign }
  }

  private static let foreign = Refusal(status: 403, message: "This change does not come from a page of Studio.")

  private func checkOrigin(_ request: StudioRequest) throws(Refusal) {
    let refusal = Self.foreign
    if let site = request.fetchSite, site != "same-origin" { throw refusal }
    if let origin = request.origin {
      guard let host = request.host?.lowercased() else { throw refusal }
      guard origin.lowercased() == "http://\(host)" || origin.lowercased() == "https://\(host)" else { throw refusal }
    } else if request.fetchSite == nil {
      throw refusal
    }
  }

  /// Compares in a time that depends on the length alone.
  private static func areSame(_ secret: String, _ text: some StringProtocol) -> Bool {
    let (left, right) = (Array(secret.utf8), Array(text.utf8))
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
