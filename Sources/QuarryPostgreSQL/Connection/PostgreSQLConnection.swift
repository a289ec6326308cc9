#if PostgreSQL
  import CPostgreSQL
  import Foundation
  import QuarryBackend

  /// A connection to a server. One thread at a time uses it.
  final class PostgreSQLConnection {
    private let handle: OpaquePointer
    /// Receives each trip.
    let reporter: (any StoreReporter)?
    /// The names of the statements that the server keeps for this connection.
    private var prepared: Set<String> = []
    private static let mostPrepared = 500
    /// Whether the server, or the way to it, is gone.
    private(set) var isLost = false
    /// Whether a command was sent whose result is not yet read.
    private var isAnswerDue = false
    /// Whether a pooler may keep that command back.
    private var isSentToPooler = false
    /// Whether statements outside of transactions go to any session, so that nothing of a session can be used.
    private let isPooled: Bool
    /// Where a pooler is between: the end of the wait for a session, and whether to wait no longer.
    var sessionWait: (end: Deadline, isOver: () -> Bool)?
    /// The version of the schema that the prepared statements were made for.
    var schemaVersion: UInt64?
    /// Which run of the server the connection was made in: see ``PostgreSQLPlace/runSQL``.
    var serverRun: String?
    /// How often an answer of the server was waited for.
    private(set) var trips = 0
    /// How many statements of the last pipeline were done.
    private(set) var done = 0
    /// The number of cursors that were named so far.
    private(set) var cursors = 0
    /// Ends the statement that the connection waits for, from other threads.
    private(set) var canceller: PostgreSQLCanceller?

    /// Connects.
    ///
    /// - Parameters:
    ///   - settings: What libpq is given, by its keywords.
    ///   - deadline: The end of the wait for the server; libpq waits for two seconds at least.
    ///   - reporter: Receives each trip.
    /// - Throws: `unavailable`, `io`, `busy`, `notFound`, `invalidValue`, `unsupported`; never with a part of the connection string in it.
    init(
      _ settings: PostgreSQLSettings, _ deadline: Deadline = .never, reporter: (any StoreReporter)? = nil
    ) throws(StorageError) {
      guard let handle = settings.connect(deadline) else {
        throw StorageError(.limitExceeded, "there is no memory for a connection")
      }
      self.handle = handle
      isPooled = settings.isPooled
      self.reporter = reporter
      // Notices have values of rows in them, and would be written to standard error.
      _ = PQsetNoticeProcessor(handle, { _, _ in }, nil)
      if PQstatus(handle) != CONNECTION_OK, let error = Self.failure(toConnect: handle) {
        close()
        throw error
      }
      canceller = PostgreSQLCanceller(handle)
      // A client that is gone without a word keeps its locks until the server's system notices: often only after two hours.
      if !isPooled, let host = PQhost(handle).map({ String(cString: $0) }), !host.hasPrefix("/"), !host.hasPrefix("@") {
        _ = try? run("SET tcp_keepalives_idle = 30; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3")
      }
    }

    deinit {
      if !isFinished { PQfinish(handle) }
    }

    private var isFinished = false

    /// Ends the connection, whatever it was doing.
    func close() {
      guard !isFinished else { return }
      isFinished = true
      isLost = true
      PQfinish(handle)
    }

    // MARK: What the server is

    var serverVersion: Int { Int(PQserverVersion(handle)) }

    /// The number of the server's process for the connection.
    var process: Int32 { PQbackendPID(handle) }

    func setting(_ name: String) -> String? { PQparameterStatus(handle, name).map { String(cString: $0) } }

    /// Whether the server follows another one, and takes no writes.
    var isStandby: Bool { setting("in_hot_standby") == "on" }

    var isInTransaction: Bool {
      let status = PQtransactionStatus(handle)
      return status == PQTRANS_INTRANS || status == PQTRANS_INERROR
    }

    /// Whether the server refuses all statements until the transaction, or a savepoint, is rolled back.
    var isInError: Bool { PQtransactionStatus(handle) == PQTRANS_INERROR }

    /// The number of a new cursor.
    func nextCursor() -> Int {
      cursors &+= 1
      return cursors
    }

    // MARK: Commands

    /// Runs commands without parameters, one after the other, in one trip; their results come as text.
    ///
    /// - Returns: The result of the last one.
    @discardableResult
    func run(_ sql: String) throws(StorageError) -> PostgreSQLResult {
      try finishSent()
      try requireConnection()
      return try reported({ PostgreSQLStatement.word(of: sql) }, rows: \.count) { () throws(StorageError) in
        let needsSession = isPooled && !isInTransaction
        guard PQsendQuery(handle, sql) == 1 else { throw lost() }
        trips &+= 1
        if needsSession { try waitForSession() }
        return try results()
      }
    }

    /// Returns ``trips``, and counts from 0 again.
    func takeTrips() -> Int {
      defer { trips = 0 }
      return trips
    }

    /// Sends the end of a transaction whose result nothing waits for.
    func sendEnd() {
      // What was sent before has to be read first.
      do throws(StorageError) { try finishSent() } catch { return }
      send("COMMIT")
    }

    /// Sends a command whose result is read before the next one is sent.
    func send(_ sql: String) {
      guard !isLost, !isAnswerDue else { return }
      isSentToPooler = isPooled && !isInTransaction
      if PQsendQuery(handle, sql) == 1 { isAnswerDue = true } else { isLost = true }
    }

    /// Reads what became of a command that was sent.
    func finishSent() throws(StorageError) {
      guard isAnswerDue else { return }
      isAnswerDue = false
      if isSentToPooler { try waitForSession() }
      _ = try results()
    }

    /// Whether the transaction that was begun has been left, so that another can begin.
    func settle() -> Bool {
      do throws(StorageError) { try finishSent() } catch { return false }
      return !isLost && !isInTransaction
    }

    private func results() throws(StorageError) -> PostgreSQLResult {
      var copied = 0
      return try results(copied: &copied)
    }

    /// Reads the results of commands that were sent.
    ///
    /// - Parameter copied: Becomes the number of rows that the first of them has changed.
    private func results(copied: inout Int) throws(StorageError) -> PostgreSQLResult {
      var last: PostgreSQLResult?
      var failure: StorageError?
      while let result = PQgetResult(handle) {
        let status = PQresultStatus(result)
        if status == PGRES_COPY_IN {
          // The caller sends what is copied.
          return PostgreSQLResult(result)
        }
        if Self.isSound(status) {
          let sound = PostgreSQLResult(result)
          if last == nil { copied = sound.changes }
          last = sound
        } else {
          if failure == nil { failure = self.failure(result) }
          PQclear(result)
        }
      }
      noteEnd()
      if let failure { throw failure }
      guard let last else { throw lost() }
      return last
    }

    private static func isSound(_ status: ExecStatusType) -> Bool {
      status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_EMPTY_QUERY
    }

    // MARK: Statements with parameters

    /// Runs a statement.
    ///
    /// - Returns: Its result, whose fields are in the server's binary form.
    func query(_ statement: PostgreSQLStatement) throws(StorageError) -> PostgreSQLResult {
      let results = try pipeline([statement])
      guard let result = results.last else { throw lost() }
      return result
    }

    /// Sends statements in one trip. What comes after one that fails is not done.
    ///
    /// - Returns: The result of each.
    /// - Throws: The error of the first that failed.
    func pipeline(_ statements: [PostgreSQLStatement]) throws(StorageError) -> [PostgreSQLResult] {
      try finishSent()
      try requireConnection()
      return try reported(
        { statements.map(\.withoutValues).joined(separator: "; ") }, rows: { $0.reduce(0) { $0 + $1.count } },
        { () throws(StorageError) in try piped(statements) })
    }

    private func piped(_ statements: [PostgreSQLStatement]) throws(StorageError) -> [PostgreSQLResult] {
      let needsSession = isPooled && !isInTransaction
      guard PQenterPipelineMode(handle) == 1 else { throw lost() }
      // The results that each call of libpq has, and the name of what it prepares.
      var expected: [(isResult: Bool, name: String?)] = []
      for statement in statements {
        let name = statement.isPrepared && !isPooled ? statement.name : nil
        if let name, !prepared.contains(name), !expected.contains(where: { $0.name == name }) {
          guard send(preparing: statement, name) else { throw lost() }
          expected.append((false, name))
        }
        guard send(statement, name) else { throw lost() }
        expected.append((true, nil))
      }
      guard PQpipelineSync(handle) == 1 else { throw lost() }
      trips &+= 1
      if needsSession { try waitForSession() }
      done = 0
      var results: [PostgreSQLResult] = []
      var failure: StorageError?
      for (isResult, name) in expected {
        guard let result = PQgetResult(handle) else { throw lost() }
        let status = PQresultStatus(result)
        if Self.isSound(status) {
          if let name { prepared.insert(name) }
          if isResult { results.append(PostgreSQLResult(result)) } else { PQclear(result) }
          done = results.count
        } else {
          if failure == nil { failure = self.failure(result) }
          PQclear(result)
        }
        if isLost { throw failure ?? lost() }
        // Each statement's results end with none.
        while let more = PQgetResult(handle) { PQclear(more) }
        noteEnd()
        if isLost { throw failure ?? lost() }
      }
      guard let end = PQgetResult(handle) else { throw lost() }
      let isEnd = PQresultStatus(end) == PGRES_PIPELINE_SYNC
      PQclear(end)
      guard isEnd, PQexitPipelineMode(handle) == 1 else { throw lost() }
      if let failure { throw failure }
      return results
    }

    private func send(preparing statement: PostgreSQLStatement, _ name: String) -> Bool {
      PQsendPrepare(handle, name, statement.sql, Int32(statement.parameters.count), statement.parameters.types) == 1
    }

    private func send(_ statement: PostgreSQLStatement, _ name: String?) -> Bool {
      let parameters = statement.parameters
      let count = Int32(parameters.count)
      return parameters.withPointers { pointers in
        if let name {
          return PQsendQueryPrepared(handle, name, count, pointers, parameters.lengths, parameters.formats, 1) == 1
        }
        return PQsendQueryParams(
          handle, statement.sql, count, parameters.types, pointers, parameters.lengths, parameters.formats, 1) == 1
      }
    }

    /// Lets the server forget the prepared statements of another schema, and of too many queries. To be called between
    /// transactions.
    func forgetStatements(unlessOf version: UInt64) throws(StorageError) {
      if schemaVersion == version, prepared.count < Self.mostPrepared { return }
      if !prepared.isEmpty {
        prepared = []
        try run("DEALLOCATE ALL")
      }
      schemaVersion = version
    }

    /// Lets the server forget all prepared statements, whose tables have changed.
    func forgetStatementsInTransaction() throws(StorageError) {
      guard !prepared.isEmpty else { return }
      prepared = []
      try run("DEALLOCATE ALL")
    }

    // MARK: Copies

    /// Copies rows into a table.
    ///
    /// - Parameters:
    ///   - sql: Commands of which one begins the copy.
    ///   - next: Returns the next bytes of the copy; nil at its end.
    /// - Returns: The number of rows that the server has stored.
    func copy(_ sql: String, _ next: () throws(StorageError) -> [UInt8]?) throws(StorageError) -> Int {
      _ = try run(sql)
      var failure: StorageError?
      do throws(StorageError) {
        while let bytes = try next() {
          let isSent = bytes.withUnsafeBytes { bytes in
            PQputCopyData(handle, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count)) == 1
          }
          guard isSent else { throw lost() }
        }
      } catch {
        if isLost { throw error }
        failure = error
      }
      guard PQputCopyEnd(handle, failure == nil ? nil : "left") == 1 else { throw lost() }
      trips &+= 1
      do throws(StorageError) {
        var copied = 0
        _ = try reported({ "COPY" }, rows: \.count) { () throws(StorageError) in try results(copied: &copied) }
        return copied
      } catch {
        throw failure ?? error
      }
    }

    // MARK: Failures

    /// Gives up the connection to a server that takes no writes.
    ///
    /// - Returns: The error to throw.
    func left() -> StorageError {
      isLost = true
      return StorageError(sqlState: "25006")
    }

    /// Waits until a pooler has found a session for what was sent, and the server answers.
    ///
    /// - Throws: `busy` at the end of the wait: the pooler keeps what was sent, so that the connection is given up.
    private func waitForSession() throws(StorageError) {
      guard let sessionWait else { return }
      var socket = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
      // What closing sends to the server does not end the wait for a session.
      while poll(&socket, 1, 20) == 0 {
        guard sessionWait.end.hasPassed || sessionWait.isOver() else { continue }
        isLost = true
        throw StorageError(
          .busy, "the pooler had no connection to the server for longer than the timeout",
          cause: PostgreSQLError(state: "53300"))
      }
    }

    private func requireConnection() throws(StorageError) {
      if isLost { throw .connectionLost() }
    }

    /// The error of a result.
    private func failure(_ result: OpaquePointer) -> StorageError {
      let state = PQresultErrorField(result, Int32(UInt8(ascii: "C"))).map { String(cString: $0) } ?? ""
      // The severity that is not translated. After these two the server ends the connection, which libpq may not have seen yet.
      let severity = PQresultErrorField(result, Int32(UInt8(ascii: "V"))).map { String(cString: $0) } ?? ""
      if severity == "FATAL" || severity == "PANIC" { isLost = true }
      // A server that takes no writes any more is left, for the one that has taken its place.
      if state == "25006" { isLost = true }
      noteEnd()
      guard !state.isEmpty else {
        isLost = true
        return .connectionLost()
      }
      return StorageError(sqlState: state)
    }

    /// Takes note of an end that libpq has seen, also when it came after another error.
    private func noteEnd() {
      if PQstatus(handle) != CONNECTION_OK { isLost = true }
    }

    /// The connection is of no more use: what libpq has to say is not in the error.
    private func lost() -> StorageError {
      isLost = true
      return .connectionLost()
    }
  }
#endif
