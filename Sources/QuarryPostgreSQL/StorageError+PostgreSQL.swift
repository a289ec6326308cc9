#if PostgreSQL
  import QuarryBackend

  /// The error of the server underneath a ``StorageError``: its code alone, because its messages have values of rows in them.
  public struct PostgreSQLError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The SQLSTATE, five characters; empty where the connection was lost without one.
    public let state: String

    public var description: String { state.isEmpty ? "no SQLSTATE" : "SQLSTATE \(state)" }
  }

  extension StorageError {
    /// The error for a statement that the server refused.
    init(sqlState state: String) {
      let (code, message) = Self.meaning(of: state)
      self.init(code, "\(message) (SQLSTATE \(state))", cause: PostgreSQLError(state: state))
    }

    /// The connection ended, or the server did not answer.
    static func connectionLost(_ state: String = "") -> StorageError {
      StorageError(.io, "the connection to the server was lost", cause: PostgreSQLError(state: state))
    }

    /// The connection ended before the commit of its transaction was sent.
    static func connectionLost(isReachable: Bool, _ state: String) -> StorageError {
      let cause = PostgreSQLError(state: state)
      guard isReachable else {
        return StorageError(.unavailable, "the connection was lost, and the server cannot be reached", cause: cause)
      }
      return StorageError(
        .conflict, "the connection to the server was lost, and nothing of the transaction is stored; run it again",
        cause: cause)
    }

    /// The connection ended while a commit was under way, and the server cannot be asked what became of it.
    static var lostWhileCommitting: StorageError {
      StorageError(
        .commitUnknown,
        "the connection to the server was lost during the commit, which may or may not have taken effect",
        cause: PostgreSQLError(state: ""))
    }

    /// The connection that held a snapshot has ended, and the server no longer has the state.
    static var snapshotLost: StorageError {
      StorageError(.io, "the connection that held the snapshot was lost", cause: PostgreSQLError(state: ""))
    }

    /// The server reported no error for a row, and did not store, change or remove it.
    static var rejectedRow: StorageError { StorageError(.invalidValue, rejection) }

    private static var rejection: String {
      "a trigger, rule or row policy that Quarry did not create rejected the row"
    }

    /// The tables of the store are gone.
    static func removed(_ schema: String) -> StorageError { removedOrReplaced("the schema \(schema)") }

    /// The SQLSTATE underneath; nil for errors of other causes.
    var sqlState: String? { (cause as? PostgreSQLError)?.state }

    /// Another transaction committed what this one does not see.
    static var overtaken: StorageError { StorageError(sqlState: "40001") }

    private static func meaning(of state: String) -> (Code, String) {
      switch state {
      case "40001", "40P01": (.conflict, "another transaction conflicted with this one; run this one again")
      case "40003": (.commitUnknown, "the server does not know whether the commit has taken effect")
      case "23505": (.uniqueViolation, "another object has this value in a unique index")
      // Quarry itself refuses nil in a property that is not optional, before anything is sent.
      case "23502", "23503", "23514", "23P01", "23000":
        (.invalidValue, "a constraint that Quarry did not create rejected the row")
      case "P0001": (.invalidValue, rejection)
      case "25006": (.readOnly, "the server does not accept writes")
      case "42501": (.io, "the role lacks a privilege that this needs")
      case "3D000", "3F000": (.notFound, "there is no such database or schema")
      // A value in the binary form of one type that a column of another type receives is 22P03.
      case "42P01", "42703", "42P07", "42704", "42804", "42883", "22P03":
        (.corrupt, "the tables are not those of the store's schema")
      case "XX001", "XX002": (.corrupt, "the server found damage")
      case "53100": (.full, "the server's disk is full")
      case "53200", "54000", "54001", "54011", "54023", "22001": (.limitExceeded, "a limit of the server was exceeded")
      case "53300": (.busy, "the server accepts no more connections")
      case "55P03": (.busy, "a lock was held for longer than the timeout")
      case "57014": (.busy, "the statement took longer than its timeout, or was cancelled")
      case "55006": (.iterationActive, "the table is in use by an open cursor")
      case "2BP01": (.inUse, "other objects of the database depend on what is to be removed")
      default: other(state)
      }
    }

    private static func other(_ state: String) -> (Code, String) {
      switch state.prefix(2) {
      case "08", "57": (.io, "the connection to the server was lost")
      case "22", "23": (.invalidValue, "the server refused a value")
      case "28": (.io, "the server refused the role or its password")
      case "42": (.corrupt, "the tables are not those of the store's schema")
      default: (.io, "the server failed")
      }
    }
  }
#endif
