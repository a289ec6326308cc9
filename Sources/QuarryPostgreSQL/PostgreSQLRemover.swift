#if PostgreSQL
  import QuarryBackend
  import Synchronization

  /// Removes schemas by one connection. What makes many stores, such as tests, opens none of them again to remove it.
  package final class PostgreSQLRemover: Sendable {
    private let connection = Mutex<PostgreSQLConnection?>(nil)

    package init() {}

    /// Removes the schema of the place with all that is in it. One that is in use stays, and so does all where no server answers.
    package func remove(_ place: PostgreSQLConfiguration) {
      connection.withLock { connection in
        if connection?.isLost != false {
          connection = try? PostgreSQLConnection(try place.settings())
          _ = try? connection?.run("SET lock_timeout = 500")
        }
        _ = try? connection?.run("DROP SCHEMA IF EXISTS \(PostgreSQLPlace(schema: place.schema).quoted) CASCADE")
      }
    }
  }
#endif
