#if PostgreSQL
  import CPostgreSQL
  import QuarryBackend

  extension PostgreSQLConnection {
    /// What a connection that could not be made failed by.
    ///
    /// libpq keeps no code of it, and its text has names of hosts, roles and databases. So the server's codes are asked for by a
    /// second try, and only a few words of the text are looked for.
    ///
    /// - Returns: The error; nil where the second try has made the connection.
    static func failure(toConnect handle: OpaquePointer) -> StorageError? {
      let text = String(cString: PQerrorMessage(handle))
      // A caller may wait for a free connection by many tries.
      if let full = PostgreSQLRefusal.full(text) { return full }
      guard text.contains(PostgreSQLRefusal.mark) else { return PostgreSQLRefusal.error(text, states: "") }
      _ = PQsetErrorVerbosity(handle, PQERRORS_SQLSTATE)
      defer { _ = PQsetErrorVerbosity(handle, PQERRORS_DEFAULT) }
      PQreset(handle)
      guard PQstatus(handle) != CONNECTION_OK else { return nil }
      return PostgreSQLRefusal.error(text, states: String(cString: PQerrorMessage(handle)))
    }
  }

  /// The errors of connections that could not be made. What can never work is no `unavailable`, which asks programs to try again.
  enum PostgreSQLRefusal {
    /// What a server's own error begins with.
    static let mark = "FATAL:"

    /// The error of a server, a role or a database that has no connection left.
    static func full(_ text: String) -> StorageError? {
      let words = [
        "too many clients", "too many connections", "remaining connection slots", "no more connections allowed",
      ]
      return words.contains { text.contains($0) } ? error(ofState: "53300", text) : nil
    }

    /// The error of a text of libpq.
    ///
    /// - Parameters:
    ///   - text: Of each host that was tried there is a line, or several.
    ///   - states: The same with the server's codes alone; empty where no server has answered.
    static func error(_ text: String, states: String) -> StorageError {
      var found: [StorageError] = []
      for line in text.split(separator: "\n") where !line.contains(mark) {
        if let cause = causes.first(where: { line.contains($0.words) }) {
          found.append(StorageError(cause.code, cause.message, cause: PostgreSQLError(state: "")))
        }
      }
      for line in states.split(separator: "\n") {
        guard let place = line.range(of: mark) else { continue }
        let state = line[place.upperBound...].drop { $0 == " " }.prefix(5)
        found.append(error(ofState: String(state), text))
      }
      // Another host of the list may still be starting.
      return found.first { $0.code == .unavailable || $0.code == .busy } ?? found.first
        ?? StorageError(.unavailable, "no connection to the server", cause: PostgreSQLError(state: ""))
    }

    private typealias Cause = (words: String, code: StorageError.Code, message: String)

    /// Stable words of libpq, which speaks English unless the program has chosen another language.
    private static let causes: [Cause] = [
      ("could not translate host name", .unavailable, "the name of the host cannot be resolved"),
      ("could not parse network address", .invalidValue, "hostaddr is not a network address"),
      ("invalid port number", .invalidValue, PostgreSQLSettings.wrongPort),
      ("for connection option \"port\"", .invalidValue, PostgreSQLSettings.wrongPort),
      ("invalid sslmode value", .invalidValue, PostgreSQLSettings.unknown("sslmode")),
      ("invalid target_session_attrs value", .invalidValue, PostgreSQLSettings.unknown("target_session_attrs")),
      ("definition of service", .invalidValue, "the service file does not have the service"),
      ("service file", .invalidValue, "there is no service file"),
      ("does not match host name", .io, "the server's certificate is for another host name"),
      // libpq does not say which.
      (
        "certificate verify failed", .io,
        "the server's certificate cannot be verified: it has expired, or no certificate in sslrootcert has signed it"
      ),
      ("root certificate file", .io, "sslrootcert has no root certificates to verify the server by"),
      ("server does not support SSL", .io, "the server offers no SSL, which sslmode requires"),
      ("invalid response to SSL negotiation", .io, "the host and port are not those of a PostgreSQL server"),
      ("expected authentication request", .io, "the host and port are not those of a PostgreSQL server"),
      ("server is not in hot standby mode", .unavailable, "no server of the connection string is a standby"),
      ("session is not read-only", .unavailable, "no server of the connection string is read-only"),
      ("session is read-only", .unavailable, "no server of the connection string takes writes"),
      ("server is in hot standby mode", .unavailable, "no server of the connection string takes writes"),
      ("timeout expired", .unavailable, "the server did not answer in time"),
      ("timed out", .unavailable, "the server did not answer in time"),
      ("Connection refused", .unavailable, "no server listens at the host and port"),
      ("No such file or directory", .unavailable, "no server listens at the host and port"),
    ]

    /// - Parameter text: What libpq has said, for what has the same code.
    private static func error(ofState state: String, _ text: String) -> StorageError {
      let (code, message): (StorageError.Code, String) =
        switch state {
        case "53300": (.busy, "the server accepts no more connections")
        case "3D000": (.notFound, "there is no such database")
        case "28P01": (.io, "the server refused the password of the role")
        case "28000": (.io, refusalOfRole(text))
        case "42501" where text.contains("parameter"): (.invalidValue, "the role may not change a setting in options")
        case "42501": (.io, "the role may not connect to the database")
        case "55000": (.io, "the database allows no connections")
        case "42704", "22023", "42601", "42602", "55P02":
          (.invalidValue, "the server does not accept a setting in options")
        case "0A000": (.unsupported, "the server does not speak the protocol of this libpq")
        // A server that is starting or stopping cannot be reached.
        case "57P01", "57P02", "57P03", "57P05": (.unavailable, "the server is starting or stopping")
        default: (.io, "the server refused the connection")
        }
      return StorageError(code, message, cause: PostgreSQLError(state: state))
    }

    private static func refusalOfRole(_ text: String) -> String {
      if text.contains("not permitted to log in") { return "the role may not log in" }
      if text.contains("role"), text.contains("does not exist") { return "the server has no such role" }
      if text.contains("pg_hba.conf") { return "the server's pg_hba.conf does not let the role in from here" }
      return "the server refused the role or its password"
    }
  }
#endif
