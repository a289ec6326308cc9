#if PostgreSQL
  public import QuarryBackend

  /// A store in a schema of a PostgreSQL database: `.postgreSQL("service=library", schema: "books")`. Experimental.
  public struct PostgreSQLConfiguration: BackendProvider, Hashable {
    /// The connection string, in one of libpq's own forms: `host=… dbname=…`, `service=…` or `postgresql://…`.
    ///
    /// It is in no error and no description. A password belongs in the file that `passfile` names.
    public var connection: String
    /// The schema that has the store. It is made with the store, and has nothing else in it.
    public var schema: String
    /// How many connections the store uses at once, at most; at least 2. Each open transaction and snapshot has one; further ones wait.
    public var connections: Int
    /// How many transactions write at once, on all machines. Many writers are experimental.
    ///
    /// The number is fixed when the store is created. Nil stands for one writer then, and for the store's own number afterwards.
    public var writers: BackendManifest.Writers?

    /// Whether a pooler such as pgbouncer, in transaction mode, is between the store and the server.
    ///
    /// The store then uses nothing of a session: no prepared statements, no settings and no locks that outlive a transaction.
    /// `destroy`, rehearsals, copies into the store and setting it aside need to know whether it is open elsewhere, and are
    /// `unsupported`. Programs that connect without a pooler do not see that the store is open.
    public var pooled: Bool

    /// The schema that a store has when none is named.
    public static let usualSchema = "quarry"
    /// The default of ``connections``.
    public static let usualConnections = 64

    /// Creates the configuration of a store in PostgreSQL.
    ///
    /// - Parameters:
    ///   - connection: The connection string, in one of libpq's own forms.
    ///   - schema: The schema that has the store: 1 to 63 bytes, not beginning with `pg_`.
    ///   - connections: The most connections that the store uses at once, at least 2. Each open transaction and snapshot has one.
    ///   - writers: How many transactions write at once; nil for one in a new store, and for the store's own number later.
    ///   - pooled: Whether a pooler in transaction mode is between the store and the server.
    public init(
      _ connection: String, schema: String = usualSchema, connections: Int = usualConnections,
      writers: BackendManifest.Writers? = nil, pooled: Bool = false
    ) {
      self.pooled = pooled
      self.connection = connection
      self.schema = schema
      self.connections = connections
      self.writers = writers
    }

    public static func == (left: PostgreSQLConfiguration, right: PostgreSQLConfiguration) -> Bool {
      left.connection.utf8.elementsEqual(right.connection.utf8) && left.schema.utf8.elementsEqual(right.schema.utf8)
        && left.connections == right.connections && left.writers == right.writers && left.pooled == right.pooled
    }

    public func hash(into hasher: inout Hasher) {
      hasher.combine(ByteString(connection))
      hasher.combine(ByteString(schema))
      hasher.combine(connections)
      hasher.combine(writers)
      hasher.combine(pooled)
    }

    /// Opens the store, and creates it with its schema when it does not exist and the options allow.
    ///
    /// - Parameter options: The options of opening.
    /// - Throws: As `BackendProvider.open(_:)`. `unsupported` also for a server before PostgreSQL 14 and for a database whose
    ///   encoding is not UTF-8. `invalidValue` for a name that cannot be a schema's, and for a connection string that libpq does
    ///   not accept, and for fewer than two connections.
    public func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
      try PostgreSQLBackend(self, options)
    }

    /// The options that the engine gives libpq.
    ///
    /// - Throws: `invalidValue`.
    func settings(isReadOnly: Bool = false) throws(StorageError) -> PostgreSQLSettings {
      try PostgreSQLSettings(connection, isReadOnly: isReadOnly, isPooled: pooled)
    }

    /// Throws `invalidValue` for a name that the server would cut or that is its own.
    func checkSchema() throws(StorageError) {
      let bytes = schema.utf8
      guard !bytes.isEmpty, bytes.count <= PostgreSQLName.mostBytes, !bytes.contains(0) else {
        throw StorageError(
          .invalidValue, "the name of a schema must have 1 to \(PostgreSQLName.mostBytes) bytes, and no NUL")
      }
      guard !schema.hasPrefix("pg_"), schema != "information_schema" else {
        throw StorageError(
          .invalidValue, "information_schema, and schemas whose names begin with pg_, are the server's own")
      }
    }

    /// Throws `invalidValue` for so few connections that a snapshot would keep all writes waiting.
    func checkConnections() throws(StorageError) {
      guard connections >= 2 else {
        throw StorageError(
          .invalidValue, "a store needs at least 2 connections, so that it can be written next to a snapshot")
      }
    }
  }

  extension PostgreSQLConfiguration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "postgresql, schema \(schema)" }
    public var debugDescription: String { description }
    /// Without the connection string.
    public var customMirror: Mirror { Mirror(self, children: ["schema": schema, "connections": connections]) }
  }

  extension BackendProvider where Self == PostgreSQLConfiguration {
    /// A store in a schema of a PostgreSQL database. See ``PostgreSQLConfiguration``.
    ///
    /// - Parameters:
    ///   - connection: The connection string, in one of libpq's own forms.
    ///   - schema: The schema that has the store: 1 to 63 bytes, not beginning with `pg_`.
    ///   - writers: How many transactions write at once; nil for one in a new store, and for the store's own number later.
    ///   - pooled: Whether a pooler in transaction mode is between the store and the server.
    public static func postgreSQL(
      _ connection: String, schema: String = PostgreSQLConfiguration.usualSchema,
      writers: BackendManifest.Writers? = nil, pooled: Bool = false
    ) -> PostgreSQLConfiguration {
      PostgreSQLConfiguration(connection, schema: schema, writers: writers, pooled: pooled)
    }
  }
#endif
