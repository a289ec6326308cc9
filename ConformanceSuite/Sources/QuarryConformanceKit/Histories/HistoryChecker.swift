/// Finds what serializable transactions never show in a history of appends and reads, after Elle: versions of a key are
/// in the order of its longest list, transactions depend on each other by them, and a cycle of dependencies is an
/// anomaly that its kinds of dependency name.
package struct HistoryChecker {
  private struct Place: Hashable {
    let key: Int
    let value: Int
  }

  private let history: History
  /// The transaction that appended a value.
  private var writers: [Place: Int] = [:]
  private var anomalies: [HistoryAnomaly] = []
  /// The order of the values of each key, as far as it was seen.
  private var orders: [Int: [Int]] = [:]
  /// The first read of each key in each committed transaction, without what the transaction appended before it.
  private var reads: [(transaction: Int, key: Int, list: [Int])] = []

  /// Everything that is wrong with the history, nothing when it may have come from serializable transactions that
  /// respect the order of time.
  package static func anomalies(_ history: History) -> [HistoryAnomaly] {
    var checker = HistoryChecker(history)
    checker.check()
    return checker.anomalies
  }

  private init(_ history: History) {
    self.history = history
  }

  private mutating func report(_ kind: HistoryAnomaly.Kind, _ message: String, _ transactions: [Int]) {
    var seen: Set<Int> = []
    let lines = transactions.filter { seen.insert($0).inserted }.map { "\n  " + history.describe($0) }
    anomalies.append(HistoryAnomaly(kind: kind, description: "\(kind.rawValue): \(message)\(lines.joined())"))
  }

  private mutating func check() {
    for (number, transaction) in history.transactions.enumerated() {
      for case .append(let key, let value) in transaction.operations {
        if let other = writers.updateValue(number, forKey: Place(key: key, value: value)) {
          report(.phantomValue, "\(value) is appended to \(key) twice", [other, number])
        }
      }
    }
    for number in history.transactions.indices where history.transactions[number].isCommitted {
      checkInside(number)
    }
    for read in reads { checkValues(read.transaction, read.key, read.list) }
    order()
    checkLostUpdates()
    checkCycles()
  }

  // MARK: One transaction

  private mutating func checkInside(_ number: Int) {
    var known: [Int: [Int]] = [:]
    var appended: [Int: [Int]] = [:]
    for operation in history.transactions[number].operations {
      switch operation {
      case .append(let key, let value):
        known[key]?.append(value)
        appended[key, default: []].append(value)
      case .read(let key, let list):
        if let expected = known[key] {
          if expected != list { report(.internal, "read \(key) as \(list) where \(expected) must be", [number]) }
          continue
        }
        let own = appended[key] ?? []
        guard Array(list.suffix(own.count)) == own else {
          report(.internal, "read \(key) as \(list) without its own \(own)", [number])
          continue
        }
        known[key] = list
        reads.append((number, key, Array(list.dropLast(own.count))))
      }
    }
  }

  private mutating func checkValues(_ number: Int, _ key: Int, _ list: [Int]) {
    if Set(list).count != list.count { report(.phantomValue, "a value twice in \(list) of \(key)", [number]) }
    for value in list {
      guard let writer = writers[Place(key: key, value: value)] else {
        report(.phantomValue, "\(value) in \(key), which nobody appended", [number])
        continue
      }
      if !history.transactions[writer].isCommitted {
        report(.abortedRead, "\(value) in \(key) was rolled back", [writer, number])
      }
    }
    guard let last = list.last, let writer = writers[Place(key: key, value: last)], writer != number else { return }
    let appended = history.transactions[writer].operations.compactMap { operation -> Int? in
      guard case .append(key, let value) = operation else { return nil }
      return value
    }
    if appended.last != last {
      report(.intermediateRead, "\(list) of \(key) ends in the middle of a transaction", [writer, number])
    }
  }

  // MARK: Versions

  private mutating func order() {
    for read in reads where read.list.count > orders[read.key]?.count ?? 0 { orders[read.key] = read.list }
    for read in reads {
      let order = orders[read.key] ?? []
      if Array(order.prefix(read.list.count)) != read.list {
        report(.incompatibleOrder, "\(read.list) and \(order) of \(read.key)", [read.transaction])
      }
      let seen = Set(read.list)
      for (place, writer) in writers where place.key == read.key && !seen.contains(place.value) {
        let transaction = history.transactions[writer]
        if transaction.isCommitted, transaction.end < history.transactions[read.transaction].begin {
          report(.lostAppend, "\(place.value) is not in \(read.list) of \(read.key)", [writer, read.transaction])
        }
      }
    }
  }

  private mutating func checkLostUpdates() {
    struct Version: Hashable {
      let key: Int
      let length: Int
    }
    var updates: [Version: Int] = [:]
    for read in reads {
      let appends = history.transactions[read.transaction].operations.contains { operation in
        if case .append(read.key, _) = operation { return true }
        return false
      }
      guard appends else { continue }
      if let other = updates.updateValue(read.transaction, forKey: Version(key: read.key, length: read.list.count)) {
        report(.lostUpdate, "both read \(read.list) of \(read.key) and appended", [other, read.transaction])
      }
    }
  }

  // MARK: Cycles

  private func graph() -> DependencyGraph {
    var graph = DependencyGraph(count: history.transactions.count)
    for (key, order) in orders {
      let writers = order.map { self.writers[Place(key: key, value: $0)] }
      for (first, second) in zip(writers, writers.dropFirst()) {
        if let first, let second { graph.add(first, .writeWrite, second) }
      }
      for read in reads where read.key == key {
        if read.list.count > 0, read.list.count <= writers.count, let writer = writers[read.list.count - 1] {
          graph.add(writer, .writeRead, read.transaction)
        }
        if read.list.count < writers.count, let next = writers[read.list.count] {
          graph.add(read.transaction, .readWrite, next)
        }
      }
    }
    // Only to those that begin before another one could lie between: the others follow from these.
    let committed = history.transactions.indices.filter { history.transactions[$0].isCommitted }
    for first in committed {
      let end = history.transactions[first].end
      let later = committed.filter { history.transactions[$0].begin > end }
      let soonest = later.map { history.transactions[$0].end }.min() ?? 0
      for second in later where history.transactions[second].begin <= soonest { graph.add(first, .realtime, second) }
    }
    return graph
  }

  private mutating func checkCycles() {
    let graph = graph()
    let kinds: [(kind: HistoryAnomaly.Kind, around: Set<DependencyGraph.Reason>, through: DependencyGraph.Reason)] = [
      (.dirtyWrite, [.writeWrite], .writeWrite), (.circularFlow, [.writeWrite, .writeRead], .writeRead),
      (.singleAntiDependency, [.writeWrite, .writeRead], .readWrite),
      (.antiDependency, [.writeWrite, .writeRead, .readWrite], .readWrite),
      (.realtime, [.writeWrite, .writeRead, .readWrite, .realtime], .realtime),
    ]
    // A group of transactions is named by the simplest cycle in it.
    var named: Set<Int> = []
    for (kind, around, through) in kinds {
      for component in graph.components(around.union([through])) where named.isDisjoint(with: component) {
        guard let cycle = shortestCycle(graph, Set(component), around, through) else { continue }
        named.formUnion(component)
        let text = cycle.map { " -\($0.reason.rawValue)-> T\($0.to)" }.joined()
        report(kind, "T\(cycle.last?.to ?? 0)\(text)", cycle.map(\.to))
      }
    }
  }

  /// The shortest cycle that goes once through an edge of one kind and else along edges of others.
  private func shortestCycle(
    _ graph: DependencyGraph, _ component: Set<Int>, _ around: Set<DependencyGraph.Reason>,
    _ through: DependencyGraph.Reason
  ) -> [(reason: DependencyGraph.Reason, to: Int)]? {
    var best: [(reason: DependencyGraph.Reason, to: Int)]?
    for node in component.sorted() {
      for edge in graph.edges[node] where edge.reason == through && component.contains(edge.to) {
        guard let back = graph.path(edge.to, node, around, inside: component), back.count + 1 < best?.count ?? .max
        else { continue }
        best = [(edge.reason, edge.to)] + back
      }
    }
    return best
  }
}
