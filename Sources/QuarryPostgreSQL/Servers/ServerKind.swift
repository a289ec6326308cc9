#if PostgreSQL
  import QuarryBackend

  /// What answers at the other end of a connection, and all in which it differs from PostgreSQL: chosen when a store is opened.
  ///
  /// What is said of another server than PostgreSQL is from its documentation, and not run. A server that cannot keep the contract
  /// is refused before anything is made. Its SQL is written down all the same, and tests compare it with what was recorded, so
  /// that a program that can run the server has a place to begin.
  struct ServerKind: Sendable {
    let name: String
    /// Whether the tests of the engine run on it.
    var isRun = false
    /// The levels of isolation of one writer at a time and of many writers.
    var isolation = (one: "REPEATABLE READ", many: "SERIALIZABLE")
    /// The codes with which the server says that a transaction can only be run again.
    var conflictStates: Set<String> = ["40001", "40P01"]
    /// How transactions keep changes of the schema out, and writers each other.
    var gate = Gate.tableLocks
    /// Whether a conflict goes back to the outermost savepoint, by its name.
    var restartsAtSavepoint = false
    /// How an opening shows other openings that it is there.
    var presence = Presence.sessionLock
    /// How a lost commit is asked for.
    var outcome = Outcome.transactionStatus
    /// What a transaction begins with in addition, so that the planner does what the engine needs.
    var settings = "SET LOCAL enable_seqscan = off; SET LOCAL jit = off"
    /// What stores need and the server lacks; none for a server that stores can be on.
    var lacks: [String] = []
    /// The capabilities that it cannot guarantee.
    var refused: [Capability: String] = [:]

    enum Gate { case tableLocks, rowLocks, descriptors }
    enum Presence { case sessionLock, none }
    enum Outcome { case transactionStatus, tokenRow }

    /// Takes away what needs a session, where a pooler gives each transaction another one.
    mutating func loseSessions() {
      presence = .none
      refused[.destroy] = "behind a pooler nothing says whether a store is open elsewhere"
    }

    // MARK: Refusals

    /// Throws `unsupported` for a server that lacks something.
    func check() throws(StorageError) {
      guard !lacks.isEmpty else { return }
      throw StorageError(.unsupported, "a store cannot be on \(name): \(lacks.joined(separator: ", and "))")
    }

    /// Whether an error says that the transaction can only be run again.
    func isConflict(_ error: StorageError) -> Bool { error.sqlState.map(conflictStates.contains) ?? false }

    // MARK: Statements

    /// Begins a read.
    ///
    /// - Parameter isStandby: Whether the server follows another one: it refuses serializable transactions then.
    func beginRead(isSerializable: Bool, isStandby: Bool) -> String {
      "BEGIN ISOLATION LEVEL \(isSerializable && !isStandby ? isolation.many : isolation.one) READ ONLY; "
    }

    /// Begins a write.
    func beginWrite(_ writers: BackendManifest.Writers) -> String {
      guard writers == .many else { return "BEGIN ISOLATION LEVEL \(isolation.one)" }
      // A scan of a whole table reads what every other writer changes. The cost of avoiding one is no reason to compile a query.
      return "BEGIN ISOLATION LEVEL \(isolation.many)" + (settings.isEmpty ? "" : "; \(settings)")
    }

    /// What a read does before its first look.
    func readGate(_ place: PostgreSQLPlace) -> String {
      switch gate {
      case .tableLocks: place.readLocks
      case .rowLocks: "SELECT 1 FROM \(place.store) FOR KEY SHARE; "
      case .descriptors: ""
      }
    }

    /// What a write does before its first look.
    ///
    /// - Parameters:
    ///   - isAlone: Whether no other writer may be inside.
    ///   - turn: The turn of one of many writers.
    ///   - waits: Whether it waits for another writer.
    func writeGate(_ place: PostgreSQLPlace, isAlone: Bool, turn: PostgreSQLPlace.Turn, waits: Bool) -> String {
      switch gate {
      case .tableLocks: place.writeLocks(isAlone: isAlone, turn: turn, waits: waits)
      case .rowLocks:
        "SELECT 1 FROM \(place.store) FOR \(isAlone ? "UPDATE" : "KEY SHARE")\(waits ? "" : " NOWAIT"); "
      case .descriptors: isAlone ? "SELECT 1 FROM \(place.commit) FOR UPDATE\(waits ? "" : " NOWAIT"); " : ""
      }
    }

    /// The name of a savepoint.
    ///
    /// - Parameter number: Its place among those of the transaction, from 1.
    func savepoint(_ number: Int) -> String {
      // To a savepoint of this name a conflict goes back, and the transaction keeps its place among the others.
      restartsAtSavepoint && number == 1 ? "cockroach_restart" : "s\(number)"
    }

    /// Asks what became of a commit.
    ///
    /// - Parameter number: The server's number of the transaction.
    func outcomeSQL(_ number: UInt64, _ place: PostgreSQLPlace) -> String {
      switch outcome {
      case .transactionStatus:
        // A standby may not have the transaction yet, and would say that there never was one.
        "SELECT pg_is_in_recovery(), CASE WHEN pg_is_in_recovery() THEN NULL "
          + "ELSE pg_xact_status('\(number)'::xid8) END, (\(PostgreSQLPlace.runSQL))"
      case .tokenRow:
        "SELECT false, CASE WHEN EXISTS (SELECT 1 FROM \(place.qualified("_quarry_token")) WHERE token = '\(number)') "
          + "THEN 'committed' ELSE 'aborted' END, NULL"
      }
    }
  }
#endif
