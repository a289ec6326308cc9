/// What several clients did to lists under keys, and what they saw: the input of ``HistoryChecker``.
///
/// Every value is appended once in a history, so that a value names its transaction (Kingsbury and Alvaro, "Elle",
/// VLDB 2020).
package struct History: Sendable {
  package enum Operation: Sendable, Hashable, Codable {
    case append(key: Int, value: Int)
    /// A read that gave the list.
    case read(key: Int, list: [Int])
  }

  package struct Transaction: Sendable, Codable {
    /// The client that ran it.
    package var client: Int
    /// A clock of the history's own, which each begin and each end advances.
    var begin: Int
    var end: Int
    package var isCommitted: Bool
    package var operations: [Operation]

    package init(client: Int = 0, begin: Int, end: Int, isCommitted: Bool = true, _ operations: [Operation]) {
      self.client = client
      self.begin = begin
      self.end = end
      self.isCommitted = isCommitted
      self.operations = operations
    }
  }

  package var transactions: [Transaction]

  package init(transactions: [Transaction]) {
    self.transactions = transactions
  }

  /// The transaction in one line.
  func describe(_ number: Int) -> String {
    let transaction = transactions[number]
    let operations = transaction.operations.map { operation in
      switch operation {
      case .append(let key, let value): "append \(key) \(value)"
      case .read(let key, let list): "read \(key) \(list)"
      }
    }
    let end = transaction.isCommitted ? "committed" : "rolled back"
    return "T\(number) (client \(transaction.client), \(transaction.begin)-\(transaction.end), \(end)): "
      + operations.joined(separator: ", ")
  }

  /// The history as Jepsen writes it, to look at it with other checkers.
  var edn: String {
    var events: [(time: Int, text: String)] = []
    for transaction in transactions {
      func text(_ type: String, _ isDone: Bool) -> String {
        let operations = transaction.operations.map { operation in
          switch operation {
          case .append(let key, let value): "[:append \(key) \(value)]"
          case .read(let key, let list):
            "[:r \(key) \(isDone ? "[\(list.map(String.init).joined(separator: " "))]" : "nil")]"
          }
        }
        return "{:type \(type), :f :txn, :process \(transaction.client), "
          + ":value [\(operations.joined(separator: " "))]}"
      }
      events.append((transaction.begin, text(":invoke", false)))
      events.append((transaction.end, text(transaction.isCommitted ? ":ok" : ":fail", transaction.isCommitted)))
    }
    return events.sorted { $0.time < $1.time }.map { $0.text + "\n" }.joined()
  }
}
