#if PostgreSQL
  public import QuarryBackend

  extension PostgreSQLConfiguration: SeedingProvider {
    /// Runs the body with a store of the same engine in a schema of its own, which is removed when the body ends.
    ///
    /// - Throws: The errors of the body; `unsupported` behind a pooler; `unavailable` when the server cannot be reached; `notFound`, `busy`, `io`;
    ///   `invalidValue` for a connection string that libpq does not accept.
    public func withScratch<R>(_ body: (any BackendProvider) throws -> R) throws -> R {
      // The next opening would remove it, because nothing says that it is in use.
      guard !pooled else { throw StorageError(.unsupported, "a copy of a store needs a connection without a pooler") }
      do {
        let connection = try PostgreSQLConnection(try settings())
        defer { connection.close() }
        PostgreSQLPlace(schema: schema).removeLeftovers(connection)
      }
      var place = self
      place.schema = PostgreSQLPlace(schema: schema).scratch(Self.scratchName)
      defer {
        var options = OpenOptions()
        options.createsIfMissing = false
        try? place.open(options).destroy()
      }
      return try body(place)
    }

    /// The names of the database's schemas that begin so, in their order.
    package func schemas(startingWith beginning: String) throws(StorageError) -> [String] {
      let connection = try PostgreSQLConnection(try settings())
      defer { connection.close() }
      let names = try connection.run(
        "SELECT nspname FROM pg_namespace WHERE starts_with(nspname, \(PostgreSQLName.literal(beginning))) "
          + "ORDER BY nspname")
      return (0..<names.count).compactMap { names.text($0, 0) }
    }

    /// Gives the schema of a scratch store the name of this place, unless there is a schema of that name.
    ///
    /// - Throws: `unavailable` when the server cannot be reached; `notFound`, `busy`, `io`; `invalidValue` for a connection
    ///   string that libpq does not accept.
    public func take(_ scratch: any BackendProvider) throws(StorageError) -> Bool {
      guard let scratch = scratch as? PostgreSQLConfiguration else { return false }
      let connection = try PostgreSQLConnection(try settings())
      defer { connection.close() }
      do throws(StorageError) {
        try connection.run(
          "ALTER SCHEMA \(PostgreSQLName.quoted(scratch.schema)) RENAME TO \(PostgreSQLName.quoted(schema))")
        return true
      } catch {
        // There is one, or the role may make none: the opening says what is the matter.
        guard ["42P06", "42501"].contains(error.sqlState) else { throw error }
        return false
      }
    }
  }
#endif
