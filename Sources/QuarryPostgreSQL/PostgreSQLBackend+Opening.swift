#if PostgreSQL
  import QuarryBackend

  extension PostgreSQLBackend {
    /// Makes sure that there is a store of a known format on a server that can have one.
    ///
    /// - Returns: What its commits survive.
    static func prepare(
      _ place: PostgreSQLPlace, _ configuration: PostgreSQLConfiguration, _ server: ServerKind, _ options: OpenOptions,
      _ connection: PostgreSQLConnection
    ) throws(StorageError) -> BackendManifest.Durability {
      guard connection.serverVersion >= oldestServer else {
        throw StorageError(.unsupported, "PostgreSQL 14 or newer is needed")
      }
      guard connection.setting("server_encoding") == "UTF8" else {
        throw StorageError(.unsupported, "the database's encoding must be UTF8")
      }
      if configuration.pooled { try checkSessions(connection) }
      if !options.isReadOnly, server.presence == .sessionLock { place.removeLeftovers(connection) }
      switch try PostgreSQLSchemaStore.content(place, connection) {
      case .store: break
      case .other(let error): throw error
      case .missing, .empty:
        guard options.createsIfMissing, !options.isReadOnly else {
          throw StorageError(.notFound, "there is no store in the schema \(place.schema)")
        }
        try PostgreSQLSchemaStore.create(place, configuration.writers ?? .one, server, connection)
      }
      try server.checkPlace(place, connection)
      try PostgreSQLSchemaStore.checkFormat(place, connection)
      let asked = options.durability ?? .powerLoss
      // A server that does not sync loses what it had with the power.
      let isSynced = try connection.run("SHOW fsync").text(0, 0) == "on"
      return asked == .powerLoss && !isSynced ? .processCrash : asked
    }

    /// Throws for sessions behind a pooler that transactions do not set up themselves.
    private static func checkSessions(_ connection: PostgreSQLConnection) throws(StorageError) {
      let found = try connection.run("SELECT pg_is_in_recovery(), current_setting('default_transaction_isolation')")
      guard found.text(0, 0) == "f" else {
        throw StorageError(.unsupported, "a pooler must lead to the primary server")
      }
      // Between transactions a store reads what no serializable transaction may.
      guard found.text(0, 1) == "read committed" else {
        throw StorageError(.unsupported, "behind a pooler, the sessions must have the isolation read committed")
      }
    }
  }
#endif
