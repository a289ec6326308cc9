import QuarryBackend

/// The statements of one connection by their text, of which the least recently used goes first.
///
/// A statement that is in use is not in the cache, so that two cursors of one shape have a statement each.
struct SQLiteStatementCache {
  private var statements: [ByteString: (statement: SQLiteStatement, use: UInt64)] = [:]
  private var uses: UInt64 = 0
  let capacity: Int

  init(capacity: Int) {
    self.capacity = capacity
  }

  /// Takes the statement out.
  mutating func take(_ sql: ByteString) -> SQLiteStatement? {
    statements.removeValue(forKey: sql)?.statement
  }

  /// Puts a statement in, which was reset.
  ///
  /// - Complexity: O(1), O(capacity) when another has to go.
  mutating func put(_ statement: SQLiteStatement) {
    uses += 1
    statements[statement.sql] = (statement, uses)
    if statements.count > capacity, let oldest = statements.min(by: { $0.value.use < $1.value.use }) {
      statements.removeValue(forKey: oldest.key)
    }
  }

  mutating func removeAll() {
    statements.removeAll()
  }

  var count: Int { statements.count }
}
