#if PostgreSQL
  import QuarryBackend

  extension PostgreSQLSettings {
    static let wrongPort = "the port is not a number from 1 to 65535"
    static func unknown(_ option: String) -> String { "\(option) has a value that libpq does not know" }

    /// The values that libpq knows.
    private static let values: [String: Set<String>] = [
      "sslmode": ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"],
      "target_session_attrs": ["any", "read-write", "read-only", "primary", "standby", "prefer-standby"],
    ]

    /// Checks options of a connection string with which no connection can be made.
    ///
    /// - Throws: `invalidValue`, without a part of the string.
    static func check(_ options: [String: String]) throws(StorageError) {
      for (name, known) in values {
        if let value = options[name], !value.isEmpty, !known.contains(value) {
          throw StorageError(.invalidValue, unknown(name))
        }
      }
      let ports = parts(options["port"])
      for port in ports where !port.isEmpty {
        guard let number = Int(port), (1...65_535).contains(number) else {
          throw StorageError(.invalidValue, wrongPort)
        }
      }
      let hosts = parts(options["hostaddr"] ?? options["host"])
      guard ports.count <= 1 || ports.count == max(1, hosts.count) else {
        throw StorageError(.invalidValue, "the connection string has \(hosts.count) hosts and \(ports.count) ports")
      }
      if let timeout = options["connect_timeout"], Int(timeout) == nil {
        throw StorageError(.invalidValue, "connect_timeout is not a number of seconds")
      }
    }

    private static func parts(_ list: String?) -> [Substring] {
      guard let list, !list.isEmpty else { return [] }
      return list.split(separator: ",", omittingEmptySubsequences: false).map { part in
        let trimmed = part.drop { $0 == " " }
        return trimmed.prefix { $0 != " " }
      }
    }
  }
#endif
