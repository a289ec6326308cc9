#if PostgreSQL
  import QuarryBackend

  /// The connections of a store: those that are idle, and how many are leased.
  ///
  /// Sendable unchecked: all that changes is used under the condition's lock.
  final class PostgreSQLPool: @unchecked Sendable {
    private let settings: PostgreSQLSettings
    private let limit: Int
    /// How long a lease waits for another to end, in seconds.
    private let timeout: Double
    private let condition = MonotonicCondition()
    private var idle: [PostgreSQLConnection] = []
    private var leased = 0
    private var isClosed = false
    private static let mostIdle = 16

    /// - Parameter limit: How many connections are leased at most.
    init(_ settings: PostgreSQLSettings, limit: Int, timeout: Double) {
      self.settings = settings
      self.limit = max(1, limit)
      self.timeout = timeout
    }

    /// Leases a connection that is in no transaction.
    ///
    /// - Throws: `closed`, `busy`, `io`.
    func take() throws(StorageError) -> PostgreSQLConnection {
      let deadline = Deadline(after: timeout)
      while let found = try lease(deadline) {
        // An end that was sent by its last user is read here.
        if found.settle() { return found }
        found.close()
        condition.withLock { leased -= 1 }
      }
      do throws(StorageError) {
        return try PostgreSQLConnection(settings)
      } catch {
        giveTurn()
        throw error
      }
    }

    /// Waits for a turn.
    ///
    /// - Returns: An idle connection; nil where one has to be made.
    private func lease(_ deadline: Deadline) throws(StorageError) -> PostgreSQLConnection? {
      try condition.withLock { () throws(StorageError) in
        while leased >= limit {
          guard !isClosed else { throw .storeClosed }
          guard condition.wait(until: deadline.instant) else {
            throw StorageError(.busy, "all \(limit) connections were in use for longer than \(timeout) s")
          }
        }
        guard !isClosed else { throw .storeClosed }
        leased += 1
        return idle.popLast()
      }
    }

    /// Gives a leased connection back. One that is lost, or still in a transaction, is ended.
    func give(_ connection: PostgreSQLConnection) {
      let isKept = condition.withLock {
        leased -= 1
        condition.signal()
        guard !isClosed, !connection.isLost, idle.count < Self.mostIdle else { return false }
        idle.append(connection)
        return true
      }
      if !isKept { connection.close() }
    }

    private func giveTurn() {
      condition.withLock {
        leased -= 1
        condition.signal()
      }
    }

    /// Ends the idle connections, and each leased one when it is given back.
    func close() {
      let old = condition.withLock {
        isClosed = true
        condition.broadcast()
        defer { idle = [] }
        return idle
      }
      for connection in old { connection.close() }
    }
  }
#endif
