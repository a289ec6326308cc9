#if PostgreSQL
  import QuarryBackend

  /// What answers at the other end of a connection. Other servers speak the protocol of PostgreSQL and say so in `version()`.
  ///
  /// Everything about them is from their documentation, and not run. A server that cannot keep the contract is refused when a store
  /// is opened, before anything is made. Citus is PostgreSQL: a schema of it is on one node.
  enum ServerKind: String, CaseIterable {
    case postgreSQL = "PostgreSQL"
    case cockroachDB = "CockroachDB"
    case yugabyteDB = "YugabyteDB"
    case greenplum = "Greenplum"
    case redshift = "Redshift"

    /// - Parameter version: What `SELECT version()` returns.
    init(version: String) {
      self =
        if version.hasPrefix("CockroachDB") {
          .cockroachDB
        } else if version.contains("-YB-") {
          .yugabyteDB
        } else if version.contains("Greenplum Database") {
          .greenplum
        } else if version.contains("Redshift") {
          .redshift
        } else {
          .postgreSQL
        }
    }

    /// What the server lacks that stores need; nil for one that has everything.
    var lack: String? {
      switch self {
      case .postgreSQL: nil
      case .cockroachDB: "its transactions do not undo changes of tables, and it orders NaN before all numbers"
      case .yugabyteDB: "it has no LOCK TABLE, which keeps the writers in order"
      case .greenplum, .redshift: "it has no serializable transactions over all of its nodes"
      }
    }

    /// Throws `unsupported` for a server that lacks something.
    func check() throws(StorageError) {
      guard let lack else { return }
      throw StorageError(.unsupported, "a store cannot be on \(rawValue): \(lack)")
    }
  }
#endif
