#if PostgreSQL
  public import BenchmarkHarness
  import BenchmarkEngines
  import QuarryBackend
  import QuarryPostgreSQL

  /// Quarry on a server of PostgreSQL, with one writer and with many, and libpq from C.
  public enum PostgreSQLEngines {
    /// The server is asked once what it is.
    public static let all: [BenchmarkEngine] = {
      let server = Result { try BenchmarkServer() }
      var (version, obstacle, isSynced): (String, String?, Bool)
      switch server {
      case .success(let server): (version, obstacle, isSynced) = (server.version, nil, server.isSynced)
      case .failure(let error): (version, obstacle, isSynced) = ("", "\(error)", true)
      }
      @Sendable func place(_ folder: String, _ writers: BackendManifest.Writers) throws -> PostgreSQLConfiguration {
        let place = try server.get().place(folder)
        return PostgreSQLConfiguration(place.connection, schema: place.schema, writers: writers)
      }
      let elsewhere = StoresElsewhere(
        remove: { try server.get().remove($0) }, bytes: { try server.get().bytes($0) })
      func quarry(_ name: String, _ summary: String, _ writers: BackendManifest.Writers) -> BenchmarkEngine {
        BenchmarkEngine(
          quarry: name, summary: summary, version: version, durability: isSynced ? .powerLoss : .processCrash,
          peer: "raw-libpq",
          // Another opening asks for the version several times a second: the figure would be that interval.
          unsupported: ["delivery-other"], elsewhere: elsewhere, obstacle: obstacle
        ) { try place($0, writers) }
      }
      func raw(_ name: String, _ summary: String, _ kind: RawPostgreSQLStore.Kind, without: Set<String>)
        -> BenchmarkEngine
      {
        BenchmarkEngine(
          name: name, summary: summary, version: version, isQuarry: false,
          durability: isSynced ? .powerLoss : .processCrash, peer: nil, obstacle: obstacle, unsupported: without,
          elsewhere: elsewhere
        ) { try RawPostgreSQLStore(server.get().place($0), kind) }
      }
      return [
        quarry("postgresql", "Quarry on PostgreSQL, one writer at a time", .one),
        quarry("postgresql-many", "Quarry on PostgreSQL, many writers", .many),
        raw(
          "raw-libpq",
          "libpq from C, to structs; single reads and queries are statements without a transaction; a write takes the lock "
            + "of the writers and numbers its commit, without savepoints and without a check of the schema",
          .ordered, without: ["get-frozen", "scan-frozen"]),
        raw(
          "raw-libpq-serializable",
          "libpq from C, an insert or a read is one serializable statement, without a lock, a number or a transaction block",
          .bare,
          without: Set(Workload.all.map(\.id)).subtracting([
            "insert-single", "insert-single-8", "insert-single-64", "get-single",
          ])),
      ]
    }()
  }
#endif
