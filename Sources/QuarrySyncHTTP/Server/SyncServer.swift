#if HTTP
  import Hummingbird
  import HummingbirdCore
  import HummingbirdTLS
  import NIOSSL
  import QuarryBackend
  public import QuarryCore
  import QuarryServing

  /// Sync of one store as a server of its own.
  public enum SyncServer {
    /// The files of a certificate and of its key, both PEM.
    public struct Certificate: Sendable {
      /// The path of the certificate and of those that lead to its authority.
      public var chain: String
      /// The path of the private key.
      public var key: String

      /// A certificate by its two files.
      public init(chain: String, key: String) {
        self.chain = chain
        self.key = key
      }
    }

    /// Serves a store until the task is cancelled or the process gets SIGINT or SIGTERM.
    ///
    /// Requests under way are answered before it ends.
    ///
    /// Without a certificate the server speaks plain HTTP: on another address than the loopback interface, a proxy with TLS
    /// stands before it.
    ///
    /// - Parameters:
    ///   - store: A store for which `enableSync` was called.
    ///   - address: The address to listen on.
    ///   - port: The port; a free one when 0.
    ///   - path: Where the requests are.
    ///   - token: What each request must have.
    ///   - certificate: The certificate for HTTPS; nil for plain HTTP.
    ///   - limits: The limits of sizes, times and numbers.
    ///   - onStart: Receives the URL for clients when the server listens.
    /// - Throws: `inUse` when the port is taken; `invalidValue` for a certificate that cannot be used; `notFound` for a store
    ///   that is not synced; `io`.
    public static func run(
      _ store: Store, address: String = "127.0.0.1", port: Int = 0, path: String = "/sync", token: SyncToken,
      certificate: Certificate? = nil, limits: SyncServerLimits = SyncServerLimits(),
      onStart: @escaping @Sendable (String) -> Void
    ) async throws {
      let router = Router()
      try router.addQuarrySync(store, path: path, limits: limits) { token.matches($0) }
      try await run(router, address, port, path, certificate, limits, onStart)
    }

    /// Serves a store to the clients of several principals, until the task is cancelled or the process gets SIGINT or SIGTERM.
    ///
    /// - Parameters:
    ///   - store: A store for which `enableSync` was called, `as: .hub` where a program decides.
    ///   - options: Who the clients are, what they may change, and the limits.
    ///   - address: The address to listen on.
    ///   - port: The port; a free one when 0.
    ///   - path: Where the requests are.
    ///   - certificate: The certificate for HTTPS; nil for plain HTTP.
    ///   - onStart: Receives the URL for clients when the server listens.
    /// - Throws: `inUse` when the port is taken; `invalidValue` for a certificate that cannot be used; `notFound` for a store
    ///   that is not synced; `unsupported` for `authorize` in a store that is no hub; `io`.
    public static func run(
      _ store: Store, _ options: SyncSiteOptions, address: String = "127.0.0.1", port: Int = 0, path: String = "/sync",
      certificate: Certificate? = nil, onStart: @escaping @Sendable (String) -> Void
    ) async throws {
      let router = Router()
      try router.addQuarrySync(store, options, path: path)
      try await run(router, address, port, path, certificate, options.limits, onStart)
    }

    private static func run(
      _ router: Router<BasicRequestContext>, _ address: String, _ port: Int, _ path: String,
      _ certificate: Certificate?, _ limits: SyncServerLimits, _ onStart: @escaping @Sendable (String) -> Void
    ) async throws {
      // Longer than a client waits for changes.
      let idle = limits.wait.components.seconds + 60
      var builder = HTTPServerBuilder.http1(configuration: .init(idleTimeout: .seconds(idle)))
      if let certificate { builder = try .tls(builder, tlsConfiguration: configuration(certificate)) }
      let scheme = certificate == nil ? "http" : "https"
      let host = address.contains(":") ? "[\(address)]" : address
      let server = OrderlyServer(
        label: "quarry.sync", address: address, port: port, builder: builder,
        connections: limits.waiting + 4 * limits.requests)
      try await server.run(router) { number in onStart("\(scheme)://\(host):\(number)\(path)") }
    }

    private static func configuration(_ certificate: Certificate) throws(StorageError) -> TLSConfiguration {
      do {
        let chain = try NIOSSLCertificate.fromPEMFile(certificate.chain).map {
          NIOSSLCertificateSource.certificate($0)
        }
        let key = try NIOSSLPrivateKey(file: certificate.key, format: .pem)
        return .makeServerConfiguration(certificateChain: chain, privateKey: .privateKey(key))
      } catch {
        throw StorageError(.invalidValue, "the certificate or its key cannot be read", cause: error)
      }
    }
  }
#endif
