package import QuarryCore
import Synchronization

/// The order of calls and what came of them.
package final class HistoryRecorder: Sendable {
  private let clock: @Sendable () -> Int
  private let transactions = Mutex<[History.Transaction]>([])

  /// Creates an empty recorder.
  ///
  /// - Parameter clock: Returns a number at least as great as the last one, and at least as great as one that another recorder of the
  ///   same history has received before. Nil for a clock of the recorder's own.
  package init(clock: (@Sendable () -> Int)? = nil) {
    let counter = Counter()
    self.clock = clock ?? { counter.next() }
  }

  private final class Counter: Sendable {
    private let last = Atomic(0)
    func next() -> Int { last.add(1, ordering: .sequentiallyConsistent).newValue }
  }

  package func tick() -> Int { clock() }
  package func add(_ transaction: History.Transaction) { transactions.withLock { $0.append(transaction) } }
  package var history: History { History(transactions: transactions.withLock { $0 }) }
}

/// Random transactions of several clients, which read lists under keys and append to them.
package struct HistoryWorkload: Sendable {
  /// The keys of the lists, which the store has.
  package let keys: Range<Int>

  package init(keys: Range<Int>) { self.keys = keys }

  /// What one client does in one transaction, decided before it begins.
  package struct Plan: Sendable {
    package enum Step: Sendable {
      case read(Int)
      case append(Int, Int)
      /// An append in a savepoint that is undone.
      case undone(Int, Int)
    }

    package var steps: [Step] = []
    package var isWrite = true
    package var isAbandoned = false
    var isFrozen = false

    package init(_ keys: Range<Int>, _ random: inout some RandomNumberGenerator, _ nextValue: () -> Int) {
      isWrite = Int.random(in: 0..<10, using: &random) < 6
      isAbandoned = isWrite && Int.random(in: 0..<6, using: &random) == 0
      isFrozen = !isWrite && Bool.random(using: &random)
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let key = Int.random(in: keys, using: &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0...3 where isWrite: steps.append(.append(key, nextValue()))
        case 4 where isWrite: steps.append(.undone(key, nextValue()))
        default: steps.append(.read(key))
        }
      }
    }
  }

  /// What a transaction has done, and what savepoints in it have undone.
  package typealias Outcome = (done: [History.Operation], undone: [History.Operation])

  private func read(_ tx: ReadTransaction, _ key: Int) throws -> [Int] {
    try unwrap(tx.get(Plain.self, key), "the list \(key)").tags.compactMap { Int($0) }
  }

  private func append(_ tx: WriteTransaction, _ key: Int, _ value: Int) throws {
    _ = try tx.update(Plain.self, key) { $0.tags.append("\(value)") }
  }

  /// Does the steps of a plan.
  package func execute(_ plan: Plan, _ tx: ReadTransaction) throws -> Outcome {
    var outcome: Outcome = ([], [])
    let writer = tx as? WriteTransaction
    for step in plan.steps {
      switch step {
      case .read(let key): outcome.done.append(.read(key: key, list: try read(tx, key)))
      case .append(let key, let value):
        try append(try unwrap(writer), key, value)
        outcome.done.append(.append(key: key, value: value))
      case .undone(let key, let value):
        let writer = try unwrap(writer)
        do {
          try writer.savepoint {
            try append(writer, key, value)
            throw Abandoned()
          }
        } catch is Abandoned {}
        outcome.undone.append(.append(key: key, value: value))
      }
    }
    return outcome
  }

  /// Runs one transaction and writes it down.
  ///
  /// - Returns: How often its body ran.
  @discardableResult
  package func run(_ plan: Plan, _ store: Store, _ client: Int, _ recorder: HistoryRecorder) throws -> Int {
    let begin = recorder.tick()
    var outcome: Outcome = ([], [])
    var isCommitted = true
    var attempts = 0
    do {
      if plan.isWrite {
        try store.write(timeout: 30) { tx in
          attempts += 1
          outcome = try execute(plan, tx)
          if plan.isAbandoned { throw Abandoned() }
        }
      } else if plan.isFrozen {
        attempts += 1
        let frozen = try store.freeze()
        defer { frozen.close() }
        outcome = try frozen.read { try execute(plan, $0) }
      } else {
        outcome = try store.read { tx in
          attempts += 1
          return try execute(plan, tx)
        }
      }
    } catch is Abandoned {
      isCommitted = false
    }
    let end = recorder.tick()
    recorder.add(.init(client: client, begin: begin, end: end, isCommitted: isCommitted, outcome.done))
    // What a savepoint undid is a transaction of its own that was rolled back.
    if !outcome.undone.isEmpty {
      recorder.add(.init(client: client, begin: begin, end: end, isCommitted: false, outcome.undone))
    }
    return attempts
  }

  /// Looks at every list.
  package func readAll(_ store: Store, _ recorder: HistoryRecorder) throws {
    let begin = recorder.tick()
    let lists = try store.read { tx in
      try keys.map { History.Operation.read(key: $0, list: try read(tx, $0)) }
    }
    recorder.add(.init(client: 99, begin: begin, end: recorder.tick(), lists))
  }
}
