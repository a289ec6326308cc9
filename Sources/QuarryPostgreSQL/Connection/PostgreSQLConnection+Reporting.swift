#if PostgreSQL
  import QuarryBackend

  extension PostgreSQLConnection {
    /// Reports a trip.
    ///
    /// - Parameters:
    ///   - statement: Returns what was sent, without values.
    ///   - body: Sends and waits for the answers.
    func reported<R>(
      _ statement: () -> String, rows: (R) -> Int, _ body: () throws(StorageError) -> R
    ) throws(StorageError) -> R {
      guard let reporter else { return try body() }
      let start = ContinuousClock.now
      func report(_ rows: Int, _ error: StorageError.Code?) {
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        reporter.report(.answered(.init(statement: statement(), seconds: seconds, rows: rows, error: error)))
      }
      do throws(StorageError) {
        let result = try body()
        report(rows(result), nil)
        return result
      } catch {
        report(0, error.code)
        throw error
      }
    }
  }

  extension PostgreSQLStatement {
    /// The first word of a command, whose rest may contain values.
    static func word(of sql: String) -> String { String(sql.prefix { $0.isLetter }) }

    /// The statement without values. What has no parameters may have values in its text.
    var withoutValues: String { isPrepared || parameters.count > 0 ? sql : Self.word(of: sql) }
  }
#endif
