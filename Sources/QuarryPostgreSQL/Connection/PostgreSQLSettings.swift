#if PostgreSQL
  import CPostgreSQL
  import Foundation
  import QuarryBackend

  /// What libpq is told of a server: the connection string of the caller, and what goes with it.
  struct PostgreSQLSettings: Sendable {
    private let connection: String
    private let additions: [(keyword: String, value: String)]

    /// Checks a connection string, of libpq's own forms: `key=value` and URIs.
    ///
    /// - Throws: `invalidValue`, without a part of the string.
    init(_ connection: String) throws(StorageError) {
      let given = try Self.options(of: connection)
      self.connection = connection
      var additions = [("fallback_application_name", "quarry"), ("client_encoding", "UTF8")]
      if given["connect_timeout"] == nil { additions.append(("connect_timeout", "10")) }
      if given["keepalives_idle"] == nil { additions.append(("keepalives_idle", "30")) }
      if given["tcp_user_timeout"] == nil { additions.append(("tcp_user_timeout", "30000")) }
      // A host by its name is one of a network. Where the certificates are is the caller's to say.
      let hosts = given["host"]?.split(separator: ",") ?? []
      let isOfNetwork = hosts.contains { !$0.hasPrefix("/") && !$0.hasPrefix("@") } || given["hostaddr"] != nil
      if isOfNetwork, given["sslmode"] == nil, ProcessInfo.processInfo.environment["PGSSLMODE"] == nil {
        additions.append(("sslmode", "verify-full"))
      }
      self.additions = additions
    }

    /// The options that a connection string sets.
    ///
    /// - Throws: `invalidValue`, without a part of the string.
    static func options(of connection: String) throws(StorageError) -> [String: String] {
      guard !connection.utf8.contains(0) else {
        throw StorageError(.invalidValue, "a connection string has a NUL in it")
      }
      var message: UnsafeMutablePointer<CChar>?
      guard let list = PQconninfoParse(connection, &message) else {
        // The message repeats parts of the string.
        if let message { PQfreemem(message) }
        throw StorageError(.invalidValue, "the connection string is none that libpq takes")
      }
      defer { PQconninfoFree(list) }
      var options: [String: String] = [:]
      var option = list
      while let keyword = option.pointee.keyword {
        if let value = option.pointee.val { options[String(cString: keyword)] = String(cString: value) }
        option += 1
      }
      return options
    }

    /// Connects; the connection tells whether that went well.
    func connect() -> OpaquePointer? {
      let pairs = [("dbname", connection)] + additions
      let texts = pairs.map { ($0.0.utf8CString, $0.1.utf8CString) }
      // libpq copies what it keeps.
      let keywords = texts.map { strdup(Array($0.0)) }
      let values = texts.map { strdup(Array($0.1)) }
      defer { for text in keywords + values { free(text) } }
      let keys: [UnsafePointer<CChar>?] = keywords.map { UnsafePointer($0) } + [nil]
      let contents: [UnsafePointer<CChar>?] = values.map { UnsafePointer($0) } + [nil]
      return PQconnectdbParams(keys, contents, 1)
    }
  }
#endif
