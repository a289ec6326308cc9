#if PostgreSQL
  import QuarryBackend
  import Synchronization

  /// A committed state that is pinned by the transaction of one connection, and read on others.
  ///
  /// Sendable unchecked for the connection, which is used under the lock only.
  final class PostgreSQLSnapshot: BackendSnapshot, @unchecked Sendable {
    let version: CommitVersion
    private let backend: PostgreSQLBackend
    private let state: PostgreSQLSchemaState
    /// The server's name of the snapshot.
    private let name: String
    private let closed = Atomic<Bool>(false)
    private let start = ContinuousClock.now
    private let exporter: Mutex<PostgreSQLConnection?>

    init(
      _ backend: PostgreSQLBackend, _ connection: sending PostgreSQLConnection, _ state: PostgreSQLSchemaState,
      _ version: CommitVersion, name: String
    ) {
      self.backend = backend
      self.state = state
      self.version = version
      self.name = name
      exporter = Mutex(connection)
    }

    deinit {
      close()
    }

    var isClosed: Bool { closed.load(ordering: .acquiring) }

    func beginRead() throws(StorageError) -> any BackendReadTransaction {
      if backend.isClosed { throw .storeClosed }
      if isClosed { throw .snapshotClosed }
      do throws(StorageError) {
        let (connection, state, _) = try backend.beginOnConnection(
          backend.server.readGate(backend.place), snapshot: name)
        return PostgreSQLReadTransaction(backend, connection, state, base: .version(version), snapshot: self)
      } catch {
        if isClosed { throw .snapshotClosed }
        switch error.sqlState {
        // The server forgets the name of a snapshot when the transaction that has it ends.
        case "22023", "42704", "55000": throw .snapshotLost
        default: throw error
        }
      }
    }

    func close() {
      guard !closed.exchange(true, ordering: .acquiringAndReleasing) else { return }
      let connection = exporter.withLock { connection in
        defer { connection = nil }
        return connection
      }
      backend.snapshots.subtract(1, ordering: .relaxed)
      backend.pool.reporter?.report(.snapshotEnded(seconds: (ContinuousClock.now - start) / .seconds(1)))
      guard let connection else { return }
      connection.sendEnd()
      backend.pool.give(connection)
    }
  }
#endif
