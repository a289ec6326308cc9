/// What happens inside an open store that its operators want to know: repetitions, waits, connections, slow statements.
///
/// An event has no stored value, no password and no connection string. The names of models and properties, and the text of
/// statements without their parameters, may be in it. Later versions may add cases: switch with a `default`.
public enum StoreEvent: Sendable, Hashable {
  /// A transaction conflicted with another one, and is run again.
  ///
  /// - Parameter attempt: The number of the run that begins: 2 for the first repetition.
  case retried(Access, attempt: Int)
  /// A transaction conflicted with another one, and is not run again: its call throws `conflict`.
  ///
  /// - Parameter attempts: How often it was run.
  case gaveUp(Access, attempts: Int)
  /// A call has waited, whatever came of it. A call that has not had to wait is not reported.
  case waited(Wait, seconds: Double)
  /// A server has answered one trip.
  case answered(Answer)
  /// A connection to a server was made.
  ///
  /// - Parameter isAgain: Whether it takes the place of one that was lost.
  case connected(seconds: Double, isAgain: Bool)
  /// A connection to a server ended without the store having closed it.
  case connectionLost
  /// The connections of the store were taken or given back.
  case connections(Connections)
  /// A connection was lost during a commit, and the server was asked what became of it.
  case commitResolved(Outcome)
  /// A frozen store was closed.
  ///
  /// - Parameter seconds: How long its state was kept.
  case snapshotEnded(seconds: Double)

  /// What a transaction does.
  public enum Access: String, Sendable, Hashable, CaseIterable {
    /// It only reads.
    case read
    /// It may write.
    case write
  }

  /// What a call waits for.
  public enum Wait: String, Sendable, Hashable, CaseIterable {
    /// The turn to write, which another writer of this store had.
    case turn
    /// A free connection to the server.
    case connection
  }

  /// One trip to a server and back.
  public struct Answer: Sendable, Hashable {
    /// The statements, without the values of their parameters. Of a command that may contain values, the first word.
    public var statement: String
    /// The time from the first statement to the last answer.
    public var seconds: Double
    /// The rows of the answers.
    public var rows: Int
    /// The code of the error; nil where there is none.
    public var error: StorageError.Code?

    /// Creates the report of a trip.
    ///
    /// - Parameters:
    ///   - statement: The statements, without values.
    ///   - seconds: The time until the last answer.
    ///   - rows: The rows of the answers.
    ///   - error: The code of the error; nil where there is none.
    public init(statement: String, seconds: Double, rows: Int = 0, error: StorageError.Code? = nil) {
      self.statement = statement
      self.seconds = seconds
      self.rows = rows
      self.error = error
    }
  }

  /// The connections of a store at one moment.
  public struct Connections: Sendable, Hashable {
    /// The connections in use: one for each open transaction and each frozen store.
    public var used: Int
    /// The connections that are kept for later calls.
    public var idle: Int
    /// The calls that wait for a connection.
    public var waiting: Int
    /// The most connections that may be in use at once.
    public var limit: Int

    /// Creates a count of connections.
    ///
    /// - Parameters:
    ///   - used: The connections in use.
    ///   - idle: The connections that are kept for later calls.
    ///   - waiting: The calls that wait for a connection.
    ///   - limit: The most connections in use at once.
    public init(used: Int, idle: Int, waiting: Int, limit: Int) {
      self.used = used
      self.idle = idle
      self.waiting = waiting
      self.limit = limit
    }
  }

  /// What became of a commit.
  public enum Outcome: String, Sendable, Hashable, CaseIterable {
    /// The commit has taken effect.
    case committed
    /// Nothing of the transaction is stored.
    case undone
    /// The server could not tell: the call throws `commitUnknown`.
    case unknown
  }
}
