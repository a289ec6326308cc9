#if PostgreSQL
  public import QuarryBackend

  extension EngineDescription {
    /// The PostgreSQL engine, which is experimental: `postgres:CONNECTION`, with a connection string of libpq.
    ///
    /// `schema` is the schema that has the store, and `connections` the most connections that are used at once. `writers=many`
    /// creates a store with many writers at once, and `pooled=true` goes through a pooler in transaction mode. A
    /// URL has no password: it is named by `passfile`, or in a service file.
    public static let postgreSQL = EngineDescription(
      name: "postgresql", scheme: "postgres", purpose: "servers that several machines share; experimental",
      manifest: PostgreSQLConfiguration.manifest, path: .connection, keepsAllInMemory: false, isReadByOthers: true,
      fileSuffix: nil, variants: [.postgreSQLManyWriters, .postgreSQLPooled],
      modules: ["QuarryPostgreSQL", "QuarrySQL"],
      options: ["connections", "pooled", "schema", "writers"]
    ) { path, options throws(StorageError) in
      // `postgres://host/database` is a URI of libpq's, whose scheme is the engine's.
      let connection = path.hasPrefix("//") ? "postgresql:" + path : path
      let given = try PostgreSQLSettings.options(of: connection)
      guard given["password"] == nil, given["sslpassword"] == nil, given["oauth_client_secret"] == nil else {
        throw StorageError(
          .invalidValue, "the URL of a store cannot contain a password: name a password file with passfile")
      }
      var configuration = PostgreSQLConfiguration(connection)
      if let text = options.take("schema") { configuration.schema = text }
      if let text = options.take("connections") {
        configuration.connections = try options.number(text, of: "connections")
      }
      if let text = options.take("pooled") {
        guard let pooled = Bool(text) else {
          throw StorageError(.invalidValue, "the option pooled must be true or false")
        }
        configuration.pooled = pooled
      }
      if let text = options.take("writers") {
        guard let writers = BackendManifest.Writers(rawValue: text) else {
          throw StorageError(.invalidValue, "the option writers must be one or many")
        }
        configuration.writers = writers
      }
      try configuration.checkSchema()
      return configuration
    }
  }

  extension EngineDescription.Variant {
    /// Stores with many writers at once.
    public static let postgreSQLManyWriters = EngineDescription.Variant(
      name: "postgresql-many", options: "writers=many")
    /// Stores behind a pooler.
    public static let postgreSQLPooled = EngineDescription.Variant(name: "postgresql-pooled", options: "pooled=true")
  }
#endif
