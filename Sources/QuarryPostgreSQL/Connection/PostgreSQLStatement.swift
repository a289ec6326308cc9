#if PostgreSQL
  import QuarryBackend

  /// A statement with its parameters, of which a connection sends several in one trip.
  struct PostgreSQLStatement {
    let sql: String
    var parameters = PostgreSQLParameters()
    /// Whether the server keeps the statement under a name; what is sent once is not worth it.
    var isPrepared = true

    init(_ sql: String, _ parameters: PostgreSQLParameters = PostgreSQLParameters()) {
      self.sql = sql
      self.parameters = parameters
    }

    /// A command that has neither parameters nor a result worth preparing.
    static func command(_ sql: String) -> PostgreSQLStatement {
      var statement = PostgreSQLStatement(sql)
      statement.isPrepared = false
      return statement
    }

    /// The name under which the server keeps it: a hash of the text and the types of the parameters, so that a connection that
    /// another client has used finds the right statement or none.
    var name: String {
      var key = Array(sql.utf8)
      for type in parameters.types { withUnsafeBytes(of: type) { key.append(contentsOf: $0) } }
      return "q" + String(key.withBytes { XXH64.checksum($0) }, radix: 36)
    }
  }
#endif
