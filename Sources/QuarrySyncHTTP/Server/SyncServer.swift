#if HTTP
  import Foundation
  import Hummingbird
  import HummingbirdCore
  import HummingbirdTLS
  import Logging
  import NIOCore
  import NIOSSL
  import QuarryBackend
  public import QuarryCore
  import QuarrySync
  import ServiceLifecycle

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
      var logger = Logger(label: "quarry.sync")
      logger.logLevel = .error
      // Longer than a client waits for changes.
      let idle = limits.wait.components.seconds + 60
      var server = HTTPServerBuilder.http1(configuration: .init(idleTimeout: .seconds(idle)))
      if let certificate { server = try .tls(server, tlsConfiguration: configuration(certificate)) }
      let scheme = certificate == nil ? "http" : "https"
      let host = address.contains(":") ? "[\(address)]" : address
      let application = Application(
        router: router, server: server,
        configuration: .init(
          address: .hostname(address, port: port),
          availableConnectionsDelegate: MaximumAvailableConnections(
            limits.waiting + 4 * limits.requests, logger: logger)),
        onServerRunning: { channel in
          guard let number = channel.localAddress?.port else { return }
          onStart("\(scheme)://\(host):\(number)\(path)")
        }, logger: logger)
      do {
        try await run(application, logger)
      } catch let error as StorageError {
        throw error
      } catch let error as IOError where error.errnoCode == EADDRINUSE {
        throw StorageError(.inUse, "the port \(port) of \(address) is in use", cause: error)
      } catch {
        throw StorageError(.io, "the server ended: \(error)", cause: error)
      }
    }

    /// Runs the application. When the task is cancelled, requests are answered first, as with a signal.
    private static func run(_ application: some ApplicationProtocol, _ logger: Logger) async throws {
      var configuration = ServiceGroupConfiguration(
        services: [application], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
      configuration.maximumGracefulShutdownDuration = .seconds(45)
      let group = ServiceGroup(configuration: configuration)
      let running = Task { try await group.run() }
      try await withTaskCancellationHandler {
        try await running.value
      } onCancel: {
        Task { await group.triggerGracefulShutdown() }
      }
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
