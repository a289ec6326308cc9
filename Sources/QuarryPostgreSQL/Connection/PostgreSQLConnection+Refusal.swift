#if PostgreSQL
  import CPostgreSQL
  import QuarryBackend

  extension PostgreSQLConnection {
    /// What a refused connection was refused for, as far as the server has told a code. libpq keeps no code of it, and its text
    /// has names of hosts, roles and databases, so that only a few words are looked for.
    static func failure(toConnect handle: OpaquePointer) -> StorageError {
      let text = String(cString: PQerrorMessage(handle))
      // Of the server; of a role or a database; what is left is for others.
      let full = [
        "too many clients", "too many connections", "remaining connection slots", "no more connections allowed",
      ]
      if full.contains(where: {
        text.contains($0)
      }) {
        return StorageError(.busy, "the server accepts no more connections", cause: PostgreSQLError(state: "53300"))
      }
      if text.contains("does not exist"), text.contains("database") {
        return StorageError(.notFound, "there is no such database", cause: PostgreSQLError(state: "3D000"))
      }
      if text.contains("authentication failed") || text.contains("no password supplied") {
        return StorageError(
          .io, "the server refused the role or its password", cause: PostgreSQLError(state: "28000"))
      }
      // A server that answers can be reached. One that is starting or stopping cannot.
      let words = ["starting up", "shutting down", "recovery mode", "accepting connections"]
      if text.contains("FATAL:"), !words.contains(where: { text.contains($0) }) {
        return StorageError(.io, "the server refused the connection", cause: PostgreSQLError(state: ""))
      }
      return StorageError(.unavailable, "no connection to the server", cause: PostgreSQLError(state: ""))
    }
  }
#endif
