#if PostgreSQL
  import Foundation
  import QuarryBackend

  /// The connections of a store: those that are idle, and how many are leased.
  ///
  /// Sendable unchecked: all that changes is used under the condition's lock.
  final class PostgreSQLPool: @unchecked Sendable {
    private let settings: PostgreSQLSettings
    private let limit: Int
    /// What each new connection with a session of its own begins with. Its last result is the run of the server.
    private let greeting: String
    /// What the first connection has found at its other end.
    private var found: ServerKind?
    private let condition = MonotonicCondition()
    private var idle: [PostgreSQLConnection] = []
    private var leased = 0
    private var isClosed = false
    /// The trips of the connections that were given back.
    private var trips = 0
    /// Receives connections, waits and trips.
    let reporter: (any StoreReporter)?
    /// How many callers wait for a lease.
    private var waiters = 0
    /// How many connections were lost and not yet replaced.
    private var lost = 0
    /// Connections that may wait for a lock.
    private var waiting: [ObjectIdentifier: PostgreSQLCanceller] = [:]
    static let mostIdle = 16

    /// - Parameters:
    ///   - limit: How many connections are leased at most.
    ///   - greeting: What each new connection begins with.
    init(
      _ settings: PostgreSQLSettings, limit: Int, greeting: String,
      reporter: (any StoreReporter)? = nil
    ) {
      self.reporter = reporter
      self.settings = settings
      self.limit = limit
      self.greeting = greeting
    }

    /// Leases a connection that is in no transaction.
    ///
    /// - Parameter deadline: The end of the wait for another lease to end, and for a server that has no connection free.
    /// - Throws: `closed`, `busy`, `unavailable`, `io`.
    func take(_ deadline: Deadline) throws(StorageError) -> PostgreSQLConnection {
      var isFirst = true
      var hasWaited = false
      let begin = ContinuousClock.now
      defer {
        if hasWaited { reporter?.report(.waited(.connection, seconds: (ContinuousClock.now - begin) / .seconds(1))) }
      }
      while true {
        let start = ContinuousClock.now
        while let found = try lease(deadline, &hasWaited) {
          allow(found, deadline)
          // An end that was sent by its last user is read here.
          if found.settle() {
            reportCount()
            return found
          }
          found.close()
          condition.withLock { leased -= 1 }
          noteLoss()
        }
        do throws(StorageError) {
          return try made(deadline)
        } catch {
          if error.code == .unavailable, isFirst, ContinuousClock.now - start < .seconds(1), settings.isReachable {
            // The connection ended before it was made.
            isFirst = false
            continue
          }
          guard error.sqlState == "53300", !deadline.hasPassed else { throw error }
          hasWaited = true
          condition.withLock { _ = condition.wait(until: Deadline(after: Self.pause).instant) }
        }
      }
    }

    /// The seconds between two tries of a server that accepts no more connections.
    private static let pause = 0.02

    /// Makes a connection for a lease, which ends when that fails.
    private func made(_ deadline: Deadline) throws(StorageError) -> PostgreSQLConnection {
      let start = ContinuousClock.now
      do throws(StorageError) {
        let connection = try PostgreSQLConnection(settings, deadline, reporter: reporter)
        do throws(StorageError) {
          allow(connection, deadline)
          let server = try kind(connection)
          // Without it, the frame of each write asks for the run.
          if server.presence == .sessionLock { connection.serverRun = try connection.run(greeting).text(0, 0) }
        } catch {
          throw connection.isLost ? loss(error) : error
        }
        noteConnection(after: (ContinuousClock.now - start) / .seconds(1))
        return connection
      } catch {
        giveTurn()
        throw error
      }
    }

    /// What the store is on: the first connection asks.
    var server: ServerKind { condition.withLock { found } ?? .postgreSQL }

    private func kind(_ connection: PostgreSQLConnection) throws(StorageError) -> ServerKind {
      if let found = condition.withLock({ found }) { return found }
      var server = try ServerKind.of(connection)
      if settings.isPooled { server.loseSessions() }
      condition.withLock { [server] in found = server }
      return server
    }

    private var isOver: Bool { condition.withLock { isClosed } }

    /// Gives a lease the time in which a pooler has to find a session: a little longer than the call has, so that the server's own
    /// answer comes first.
    private func allow(_ connection: PostgreSQLConnection, _ deadline: Deadline) {
      guard settings.isPooled else { return }
      let left = deadline.secondsLeft
      connection.sessionWait = (
        Deadline(after: left + (left > 0 ? 2 : 1)), { [weak self] in self?.isOver ?? true }
      )
    }

    /// Waits for a turn.
    ///
    /// - Parameter hasWaited: Becomes true where there was no turn at once.
    /// - Returns: An idle connection; nil where one has to be made.
    private func lease(_ deadline: Deadline, _ hasWaited: inout Bool) throws(StorageError) -> PostgreSQLConnection? {
      try condition.withLock { () throws(StorageError) in
        waiters += 1
        defer { waiters -= 1 }
        while leased >= limit {
          hasWaited = true
          guard !isClosed else { throw .storeClosed }
          guard condition.wait(until: deadline.instant) else {
            throw StorageError(.busy, "all \(limit) connections were in use for longer than the timeout")
          }
        }
        guard !isClosed else { throw .storeClosed }
        leased += 1
        return idle.popLast()
      }
    }

    /// The error of a transaction whose connection ended before its commit was sent, so that nothing of it is stored.
    ///
    /// - Parameter error: What the server said, or libpq.
    /// - Returns: `conflict` where a server can be reached, else `unavailable`; the error itself where the server ended the
    ///   connection because it was idle for too long.
    func loss(_ error: StorageError) -> StorageError {
      let state = error.sqlState ?? ""
      guard state.isEmpty || state.hasPrefix("08") || ["57P01", "57P02", "57P03"].contains(state) else { return error }
      return .connectionLost(isReachable: settings.isReachable, state)
    }

    /// Gives a leased connection back. One that is lost, or still in a transaction, is ended.
    func give(_ connection: PostgreSQLConnection) {
      let isKept = condition.withLock {
        leased -= 1
        trips &+= connection.takeTrips()
        condition.signal()
        guard !isClosed, !connection.isLost, idle.count < Self.mostIdle else { return false }
        idle.append(connection)
        return true
      }
      let isLost = connection.isLost
      if !isKept { connection.close() }
      if isLost { noteLoss() }
      reportCount()
    }

    // MARK: Reports, made without the lock

    private func reportCount() {
      guard let reporter else { return }
      let count = condition.withLock {
        StoreEvent.Connections(used: leased, idle: idle.count, waiting: waiters, limit: limit)
      }
      reporter.report(.connections(count))
    }

    private func noteConnection(after seconds: Double) {
      guard let reporter else { return }
      let isAgain = condition.withLock {
        defer { lost = max(0, lost - 1) }
        return lost > 0
      }
      reporter.report(.connected(seconds: seconds, isAgain: isAgain))
      reportCount()
    }

    private func noteLoss() {
      guard let reporter else { return }
      condition.withLock { lost += 1 }
      reporter.report(.connectionLost)
    }

    // MARK: Trips

    /// How often the transactions that have ended since the last call waited for an answer of the server.
    func takeTrips() -> Int {
      condition.withLock {
        defer { trips = 0 }
        return trips
      }
    }

    private func giveTurn() {
      condition.withLock {
        leased -= 1
        condition.signal()
      }
    }

    /// Calls the body, whose statement is cancelled when the pool is closed meanwhile.
    func cancelledByClosing<R>(
      _ connection: PostgreSQLConnection, _ body: () throws(StorageError) -> R
    ) throws(StorageError) -> R {
      guard let canceller = connection.canceller else { return try body() }
      let id = ObjectIdentifier(connection)
      try condition.withLock { () throws(StorageError) in
        guard !isClosed else { throw .storeClosed }
        waiting[id] = canceller
      }
      defer { condition.withLock { waiting[id] = nil } }
      return try body()
    }

    /// Ends the idle connections.
    func closeIdle() {
      let old = condition.withLock {
        defer { idle = [] }
        return idle
      }
      for connection in old { connection.close() }
    }

    /// Ends the idle connections, and each leased one when it is given back. Waits for locks end.
    func close() {
      let (old, waits) = condition.withLock {
        isClosed = true
        condition.broadcast()
        defer { idle = [] }
        return (idle, Array(waiting))
      }
      for connection in old { connection.close() }
      for (id, canceller) in waits { Thread.detachNewThread { self.end(id, canceller) } }
    }

    /// Cancels a wait until it has ended: a server that has not received the statement yet has nothing to cancel.
    private func end(_ id: ObjectIdentifier, _ canceller: PostgreSQLCanceller) {
      while condition.withLock({ waiting[id] === canceller }) {
        // It connects to the server, which may take long.
        canceller.cancel()
        Thread.sleep(forTimeInterval: 0.05)
      }
    }
  }
#endif
