#if HTTP
  import AsyncHTTPClient
  import Foundation
  import NIOCore
  import NIOSSL
  public import QuarryBackend

  /// A store that is served over HTTP, as a client reaches it.
  public struct SyncRemote: Sendable {
    /// The URL without a slash at its end.
    let url: String
    /// The host with its port, for sentences.
    let host: String
    let token: @Sendable () async throws -> SyncToken?
    let authority: String?
    /// The version of the program's models, as the program counts them, for a server that has a `minimumSchema`; nil to send none.
    public var schema: Int?

    /// A store at a URL.
    ///
    /// - Parameters:
    ///   - url: The URL that `addQuarrySync` was given, `https://notes.example.org/sync` for example.
    ///   - authority: The path of a PEM file with the certificates that are trusted; nil for those of the system.
    ///   - allowsPlainText: Whether plain HTTP is allowed to another machine. Everyone on the way can then read the token.
    ///   - token: The bearer token, asked for each request and once more when the server refuses it.
    /// - Throws: `invalidValue` for another kind of URL, and for plain HTTP that is not allowed.
    public static func http(
      _ url: String, authority: String? = nil, allowsPlainText: Bool = false,
      token: @escaping @Sendable () async throws -> SyncToken?
    ) throws(StorageError) -> SyncRemote {
      let parts = URLComponents(string: url)
      guard let parts, let scheme = parts.scheme?.lowercased(), ["http", "https"].contains(scheme),
        let host = parts.host, !host.isEmpty, parts.user == nil, parts.password == nil, parts.query == nil,
        parts.fragment == nil
      else {
        throw StorageError(
          .invalidValue, "the URL of a served store is http(s)://HOST:PORT/PATH, without a user, a query and a fragment"
        )
      }
      guard scheme == "https" || allowsPlainText || isLoopback(host) else {
        throw StorageError(
          .invalidValue, "plain HTTP to another machine shows the token to everyone on the way: use https, or allow it")
      }
      return SyncRemote(
        url: String(url.reversed().drop { $0 == "/" }.reversed()), host: parts.port.map { "\(host):\($0)" } ?? host,
        token: token, authority: authority)
    }

    /// A store at a URL, with a token that does not change: ``http(_:authority:allowsPlainText:token:)``.
    public static func http(
      _ url: String, token: SyncToken?, authority: String? = nil, allowsPlainText: Bool = false
    ) throws(StorageError) -> SyncRemote {
      try http(url, authority: authority, allowsPlainText: allowsPlainText) { token }
    }

    private static func isLoopback(_ host: String) -> Bool {
      let host = host.lowercased()
      let octets = host.split(separator: ".", omittingEmptySubsequences: false)
      let isFour = octets.count == 4 && octets[0] == "127" && octets.allSatisfy { UInt8($0) != nil }
      return ["localhost", "::1", "[::1]"].contains(host) || isFour
    }

    func configuration() -> HTTPClient.Configuration {
      var configuration = HTTPClient.Configuration()
      // The token goes to this server alone.
      configuration.redirectConfiguration = .disallow
      configuration.timeout = .init(connect: .seconds(10))
      // Whoever asks decides when the next try is.
      configuration.connectionPool.retryConnectionEstablishment = false
      configuration.httpVersion = .http1Only
      if let authority {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .file(authority)
        configuration.tlsConfiguration = tls
      }
      return configuration
    }
  }
#endif
