#if HTTP
  import Foundation
  package import Hummingbird
  package import HummingbirdCore
  import Logging
  import NIOCore
  import QuarryBackend
  import ServiceLifecycle

  /// A server that ends in order: it takes no new requests, answers those under way, and stops.
  package struct OrderlyServer: Sendable {
    /// The longest time for the requests under way. systemd kills a process after 90 seconds.
    static let mostSecondsOfEnding = 45

    private let label: String
    private let address: String
    private let port: Int
    private let builder: HTTPServerBuilder
    private let connections: Int?

    /// A server that does not run yet.
    ///
    /// - Parameters:
    ///   - label: The name in the log, which has errors alone.
    ///   - address: The address to listen on.
    ///   - port: The port; a free one when 0.
    ///   - builder: The protocol.
    ///   - connections: The most connections; nil for no limit.
    package init(
      label: String, address: String, port: Int, builder: HTTPServerBuilder, connections: Int? = nil
    ) {
      self.label = label
      self.address = address
      self.port = port
      self.builder = builder
      self.connections = connections
    }

    /// Answers requests until the task is cancelled or the process gets SIGINT or SIGTERM.
    ///
    /// - Parameters:
    ///   - router: The routes.
    ///   - onStart: Receives the port when the server listens.
    /// - Throws: `inUse` when the port is taken; `io`.
    package func run(
      _ router: Router<BasicRequestContext>, onStart: @escaping @Sendable (Int) -> Void
    ) async throws {
      var logger = Logger(label: label)
      logger.logLevel = .error
      let most = connections.map { MaximumAvailableConnections($0, logger: logger) }
      let application = Application(
        router: router, server: builder,
        configuration: .init(address: .hostname(address, port: port), availableConnectionsDelegate: most),
        onServerRunning: { channel in
          if let port = channel.localAddress?.port { onStart(port) }
        }, logger: logger)
      do {
        try await Self.run(application, logger)
      } catch let error as StorageError {
        throw error
      } catch let error as IOError where error.errnoCode == EADDRINUSE {
        throw StorageError(.inUse, "another program listens on port \(port): choose another port", cause: error)
      } catch {
        throw StorageError(.io, "the server ended: \(error)", cause: error)
      }
    }

    /// Runs the application. The end of the task is one in order too, as after a signal.
    private static func run(_ application: some ApplicationProtocol, _ logger: Logger) async throws {
      var configuration = ServiceGroupConfiguration(
        services: [application], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
      configuration.maximumGracefulShutdownDuration = .seconds(mostSecondsOfEnding)
      let group = ServiceGroup(configuration: configuration)
      let running = Task { try await group.run() }
      try await withTaskCancellationHandler {
        try await running.value
      } onCancel: {
        Task { await group.triggerGracefulShutdown() }
      }
    }
  }
#endif
