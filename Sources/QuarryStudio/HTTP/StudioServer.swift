#if HTTP
  import Foundation
  import Hummingbird
  import Logging
  import NIOCore
  import QuarryBackend
  public import QuarryCore

  /// Studio as a server of its own, on the loopback interface alone.
  public enum StudioServer {
    /// Serves a store until the task is cancelled or the process gets SIGINT or SIGTERM.
    ///
    /// - Parameters:
    ///   - options: The settings; the path stays empty and the port is the one below.
    ///   - port: The port; a free one when 0.
    ///   - onStart: Receives the address that opens a session, when the server listens.
    /// - Throws: `inUse` when the port is taken; `io`.
    public static func run(
      _ store: Store, options: StudioOptions, port: Int = 0, onStart: @escaping @Sendable (String) -> Void
    ) async throws {
      var options = options
      options.path = ""
      options.hosts = StudioOptions.loopback
      let router = Router()
      let studio = try router.addQuarryStudio(store, options: options)
      var logger = Logger(label: "quarry.studio")
      logger.logLevel = .error
      let application = Application(
        router: router, server: .http1(configuration: .init(idleTimeout: .seconds(60))),
        configuration: .init(address: .hostname("127.0.0.1", port: port)),
        onServerRunning: { channel in
          guard let number = channel.localAddress?.port else { return }
          studio.site.guardian.listens(on: number)
          onStart("http://127.0.0.1:\(number)\(studio.entry ?? "/")")
        }, logger: logger)
      do {
        try await application.runService()
      } catch let error as StorageError {
        throw error
      } catch let error as IOError where error.errnoCode == EADDRINUSE {
        throw StorageError(.inUse, "another program listens on port \(port): choose another port", cause: error)
      } catch {
        throw StorageError(.io, "the server ended: \(error)", cause: error)
      }
    }
  }
#endif
