#if PostgreSQL
  import CPostgreSQL
  import Foundation
  import QuarryBackend

  /// What libpq is told of a server: the connection string of the caller, and what goes with it.
  struct PostgreSQLSettings: Sendable {
    private let connection: String
    private let additions: [(keyword: String, value: String)]
    /// Seconds to wait for a server; not positive for a wait without an end.
    private let timeout: Int
    /// The seconds that libpq waits for a server at least.
    private static let leastTimeout = 2
    /// Whether a pooler is between, which gives each transaction the connection of another session.
    let isPooled: Bool
    /// Whether a service file or a variable may name the host, and no one has said how the connection is protected.
    private let isHostElsewhere: Bool

    /// Checks a connection string, of libpq's own forms: `key=value` and URIs.
    ///
    /// - Parameter isReadOnly: Whether a standby will do. Of several hosts one is chosen then that is a standby, if there is one;
    ///   else the one that takes writes. A string that has `target_session_attrs` chooses itself.
    /// - Throws: `invalidValue`, without a part of the string.
    init(_ connection: String, isReadOnly: Bool = false, isPooled: Bool = false) throws(StorageError) {
      self.isPooled = isPooled
      let given = try Self.options(of: connection)
      try Self.check(given)
      self.connection = connection
      var additions = [("fallback_application_name", "quarry"), ("client_encoding", "UTF8")]
      timeout = given["connect_timeout"].flatMap { Int($0) } ?? 10
      if given["keepalives_idle"] == nil { additions.append(("keepalives_idle", "30")) }
      if given["tcp_user_timeout"] == nil { additions.append(("tcp_user_timeout", "30000")) }
      // Where the certificates are is the caller's to say.
      let environment = ProcessInfo.processInfo.environment
      let isOpen = given["sslmode"] == nil && environment["PGSSLMODE"] == nil
      if isOpen, Self.isOfNetwork(given) { additions.append(("sslmode", "verify-full")) }
      let hosts = given["hostaddr"] ?? given["host"] ?? ""
      // A pooler says nothing of the servers behind it.
      if !isPooled, hosts.contains(","), given["target_session_attrs"] == nil,
        environment["PGTARGETSESSIONATTRS"] == nil
      {
        additions.append(("target_session_attrs", isReadOnly ? "prefer-standby" : "read-write"))
      }
      self.additions = additions
      isHostElsewhere =
        isOpen && given["host"] == nil && given["hostaddr"] == nil
        && (given["service"] != nil || ["PGSERVICE", "PGHOST", "PGHOSTADDR"].contains { environment[$0] != nil })
    }

    /// Whether one of the hosts is one of a network, as each is that has a name or an address.
    private static func isOfNetwork(_ options: [String: String]) -> Bool {
      let hosts = options["host"]?.split(separator: ",") ?? []
      return hosts.contains { !$0.hasPrefix("/") && !$0.hasPrefix("@") } || options["hostaddr"] != nil
    }

    /// The options that a connection string sets.
    ///
    /// - Throws: `invalidValue`, without a part of the string.
    static func options(of connection: String) throws(StorageError) -> [String: String] {
      guard !connection.utf8.contains(0) else {
        throw StorageError(.invalidValue, "the connection string contains a NUL character")
      }
      var message: UnsafeMutablePointer<CChar>?
      guard let list = PQconninfoParse(connection, &message) else {
        // The message repeats parts of the string.
        if let message { PQfreemem(message) }
        throw StorageError(.invalidValue, "libpq does not accept the connection string")
      }
      defer { PQconninfoFree(list) }
      return values(list)
    }

    private static func values(_ list: UnsafeMutablePointer<PQconninfoOption>) -> [String: String] {
      var options: [String: String] = [:]
      var option = list
      while let keyword = option.pointee.keyword {
        if let value = option.pointee.val { options[String(cString: keyword)] = String(cString: value) }
        option += 1
      }
      return options
    }

    /// Connects; the connection tells whether that went well.
    ///
    /// - Parameter deadline: The end of the wait for the server.
    func connect(_ deadline: Deadline) -> OpaquePointer? {
      var pairs = pairs(waiting: deadline.secondsLeft)
      if isHostElsewhere, Self.isUnprotected(pairs) { pairs.append((keyword: "sslmode", value: "verify-full")) }
      return Self.withArrays(pairs) { PQconnectdbParams($0, $1, 1) }
    }

    /// Whether a server answers, and takes connections.
    var isReachable: Bool {
      Self.withArrays(pairs(waiting: 0)) { PQpingParams($0, $1, 1) } == PQPING_OK
    }

    /// The keywords and values for a connection that is waited for.
    private func pairs(waiting seconds: Double) -> [(keyword: String, value: String)] {
      let most = timeout > 0 ? Double(timeout) : Deadline.longest
      let seconds = max(Self.leastTimeout, Int(min(seconds, most).rounded(.up)))
      return [(keyword: "dbname", value: connection)] + additions + [
        (keyword: "connect_timeout", value: String(seconds))
      ]
    }

    /// Whether libpq finds a host of a network, and would encrypt or not as that host likes. It is asked by a connection that is
    /// begun and left: nothing else reads its service files.
    private static func isUnprotected(_ pairs: [(keyword: String, value: String)]) -> Bool {
      guard let handle = withArrays(pairs, { PQconnectStartParams($0, $1, 1) }) else { return false }
      defer { PQfinish(handle) }
      guard let list = PQconninfo(handle) else { return true }
      defer { PQconninfoFree(list) }
      let found = values(list)
      return isOfNetwork(found) && (found["sslmode"] ?? "prefer") == "prefer"
    }

    /// Lends keywords and values to a call of libpq.
    private static func withArrays<R>(
      _ pairs: [(keyword: String, value: String)],
      _ body: ([UnsafePointer<CChar>?], [UnsafePointer<CChar>?]) -> R
    ) -> R {
      let texts = pairs.map { ($0.keyword.utf8CString, $0.value.utf8CString) }
      // libpq copies what it keeps.
      let keywords = texts.map { strdup(Array($0.0)) }
      let values = texts.map { strdup(Array($0.1)) }
      defer { for text in keywords + values { free(text) } }
      let keys: [UnsafePointer<CChar>?] = keywords.map { UnsafePointer($0) } + [nil]
      let contents: [UnsafePointer<CChar>?] = values.map { UnsafePointer($0) } + [nil]
      return body(keys, contents)
    }
  }
#endif
