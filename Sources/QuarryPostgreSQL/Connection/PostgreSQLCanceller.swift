#if PostgreSQL
  import CPostgreSQL

  /// Ends the statement that a connection is waiting for, from another thread.
  ///
  /// Sendable unchecked: libpq lets any thread use the handle, which has copies of all that it needs of the connection.
  final class PostgreSQLCanceller: @unchecked Sendable {
    private let handle: OpaquePointer

    /// - Parameter connection: A connection of libpq's; nil comes back where it has none to a server.
    init?(_ connection: OpaquePointer) {
      guard let handle = PQgetCancel(connection) else { return nil }
      self.handle = handle
    }

    deinit {
      PQfreeCancel(handle)
    }

    func cancel() {
      // What libpq has to say has names in it.
      var message = [CChar](repeating: 0, count: 256)
      _ = PQcancel(handle, &message, Int32(message.count))
    }
  }
#endif
