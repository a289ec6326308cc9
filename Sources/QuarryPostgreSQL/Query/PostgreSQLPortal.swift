#if PostgreSQL
  /// A cursor of the server, as its transaction knows it.
  final class PostgreSQLPortal {
    /// Greater than the numbers of all that the connection made before.
    let number: Int
    /// Whether the savepoint in which it was made was rolled back, and the server has ended it.
    var isLost = false
    /// Whether the server has it; not where all rows came at once.
    var isOnServer = true

    init(_ number: Int) {
      self.number = number
    }

    var name: String { "q\(number)" }
  }
#endif
