#if HTTP
  import Hummingbird
  public import QuarryCore
  import QuarryServing

  /// Studio as a server of its own, on the loopback interface alone.
  public enum StudioServer {
    /// Serves a store until the task is cancelled or the process gets SIGINT or SIGTERM.
    ///
    /// Requests under way are answered before it ends.
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
      let server = OrderlyServer(
        label: "quarry.studio", address: "127.0.0.1", port: port,
        builder: .http1(configuration: .init(idleTimeout: .seconds(60))))
      try await server.run(router) { number in
        studio.site.guardian.listens(on: number)
        onStart("http://127.0.0.1:\(number)\(studio.entry ?? "/")")
      }
    }
  }
#endif
