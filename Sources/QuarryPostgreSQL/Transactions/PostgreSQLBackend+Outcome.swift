#if PostgreSQL
  import Foundation
  import QuarryBackend

  extension PostgreSQLBackend {
    /// Asks the server what became of a transaction, on another connection.
    ///
    /// - Parameters:
    ///   - number: The server's number of the transaction.
    ///   - process: The server's process that had it.
    ///   - run: The run of the server in which it began.
    func outcome(of number: UInt64?, process: Int32, in run: String?) -> StoreEvent.Outcome {
      guard let number else { return .unknown }
      let deadline = Deadline(after: Double(outcomeTimeout.load(ordering: .relaxed)) / 1_000)
      while true {
        if let outcome = asked(number, process, run, deadline) { return outcome }
        if deadline.hasPassed || isClosed { return .unknown }
        Thread.sleep(forTimeInterval: 0.05)
      }
    }

    /// - Returns: Nil where the server did not answer, or still has the transaction.
    private func asked(_ number: UInt64, _ process: Int32, _ run: String?, _ deadline: Deadline) -> StoreEvent.Outcome?
    {
      guard let connection = try? pool.take(deadline) else { return nil }
      defer { pool.give(connection) }
      do throws(StorageError) {
        let answer = try connection.run(server.outcomeSQL(number, place))
        guard answer.text(0, 0) == "f" else { return nil }
        switch answer.text(0, 1) {
        // In a later run of the server another transaction may have got the number. One that has committed keeps its number, so that
        // it is never found aborted.
        case "committed": return answer.text(0, 2) == run && run != nil ? .committed : .unknown
        case "aborted": return .undone
        case "in progress":
          // A process that was sent no commit, and does not know that the connection has ended, keeps all writers waiting.
          // Behind a pooler the number of the process is the pooler's.
          let isOwn = server.presence == .none ? "" : "pid = \(process) AND "
          try connection.run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE \(isOwn)"
              + "backend_xid = '\(number)'::xid8::xid AND state LIKE 'idle in transaction%'")
          return nil
        // The server has forgotten a number that is so old.
        default: return .unknown
        }
      } catch {
        // No transaction has had this number: a server that took the place of the other one never got the commit.
        return error.sqlState == "22023" ? .undone : nil
      }
    }
  }
#endif
