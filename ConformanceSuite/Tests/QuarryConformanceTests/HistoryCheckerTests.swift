import Testing

@testable import QuarryConformance
@testable import QuarryConformanceKit

private func transaction(
  _ begin: Int, _ end: Int, _ operations: History.Operation..., isCommitted: Bool = true
) -> History.Transaction {
  History.Transaction(begin: begin, end: end, isCommitted: isCommitted, operations)
}

private func append(_ key: Int, _ value: Int) -> History.Operation { .append(key: key, value: value) }
private func read(_ key: Int, _ list: Int...) -> History.Operation { .read(key: key, list: list) }

/// A history made by hand, and the one kind of anomaly that it must be rejected for.
struct BadHistory: Sendable, CustomTestStringConvertible {
  let kind: HistoryAnomaly.Kind
  let transactions: [History.Transaction]
  var testDescription: String { kind.rawValue }

  static let all: [BadHistory] = [
    BadHistory(kind: .internal, transactions: [transaction(1, 2, append(1, 1), read(1))]),
    BadHistory(
      kind: .internal, transactions: [transaction(1, 2, append(1, 1)), transaction(3, 4, read(1, 1), read(1))]),
    BadHistory(
      kind: .abortedRead,
      transactions: [transaction(1, 4, append(1, 1), isCommitted: false), transaction(2, 3, read(1, 1))]),
    BadHistory(
      kind: .intermediateRead,
      transactions: [transaction(1, 4, append(1, 1), append(1, 2)), transaction(2, 3, read(1, 1))]
    ),
    BadHistory(kind: .phantomValue, transactions: [transaction(1, 2, read(1, 9))]),
    BadHistory(
      kind: .phantomValue, transactions: [transaction(1, 2, append(1, 1)), transaction(3, 4, read(1, 1, 1))]),
    BadHistory(
      kind: .incompatibleOrder,
      transactions: [
        transaction(1, 9, append(1, 1)), transaction(1, 9, append(1, 2)), transaction(1, 9, read(1, 1, 2)),
        transaction(1, 9, read(1, 2)),
      ]),
    BadHistory(
      kind: .lostAppend, transactions: [transaction(1, 2, append(1, 1)), transaction(3, 4, read(1))]),
    BadHistory(
      kind: .lostUpdate,
      transactions: [
        transaction(1, 4, read(1), append(1, 1)), transaction(2, 5, read(1), append(1, 2)),
        transaction(6, 7, read(1, 1, 2)),
      ]),
    // Each overwrites the other in one of two keys.
    BadHistory(
      kind: .dirtyWrite,
      transactions: [
        transaction(1, 4, append(1, 1), append(2, 1)), transaction(2, 5, append(1, 2), append(2, 2)),
        transaction(6, 7, read(1, 1, 2), read(2, 2, 1)),
      ]),
    // Each reads what the other wrote.
    BadHistory(
      kind: .circularFlow,
      transactions: [transaction(1, 4, append(1, 1), read(2, 2)), transaction(2, 5, append(2, 2), read(1, 1))]),
    // The reader sees the first write of the other and misses the second.
    BadHistory(
      kind: .singleAntiDependency,
      transactions: [
        transaction(1, 4, append(1, 1), append(2, 2)), transaction(2, 5, read(1, 1), read(2)),
        transaction(6, 7, read(1, 1), read(2, 2)),
      ]),
    // Write skew: each misses what the other writes.
    BadHistory(
      kind: .antiDependency,
      transactions: [
        transaction(1, 4, read(1), append(2, 1)), transaction(2, 5, read(2), append(1, 2)),
        transaction(6, 7, read(1, 2), read(2, 1)),
      ]),
    // Long fork: two readers see two writes in different orders.
    BadHistory(
      kind: .antiDependency,
      transactions: [
        transaction(1, 9, append(1, 1)), transaction(1, 9, append(2, 2)), transaction(2, 8, read(1, 1), read(2)),
        transaction(2, 8, read(1), read(2, 2)),
      ]),
    // A later transaction comes before an earlier one: the second append was after the end of the first.
    BadHistory(
      kind: .realtime,
      transactions: [
        transaction(1, 2, append(1, 1)), transaction(3, 4, append(1, 2)), transaction(5, 6, read(1, 2, 1)),
      ]),
  ]
}

@Suite struct HistoryCheckerTests {
  @Test(arguments: BadHistory.all) func rejects(_ bad: BadHistory) {
    let kinds = HistoryChecker.anomalies(History(transactions: bad.transactions)).map(\.kind)
    #expect(kinds.contains(bad.kind))
  }

  @Test func everyKindHasABadHistory() {
    #expect(Set(BadHistory.all.map(\.kind)) == Set(HistoryAnomaly.Kind.allCases))
  }

  @Test func acceptsWhatSerializableTransactionsShow() {
    let history = History(transactions: [
      transaction(1, 4, read(1), append(1, 1), read(1, 1)), transaction(2, 3, read(1), read(2)),
      transaction(5, 8, append(1, 2), append(2, 3), append(2, 4)),
      transaction(6, 7, append(1, 9), isCommitted: false),
      transaction(9, 12, read(2, 3, 4), append(2, 5)), transaction(10, 11, read(1, 1, 2), read(2, 3, 4)),
      transaction(13, 14, read(1, 1, 2), read(2, 3, 4, 5)),
    ])
    #expect(HistoryChecker.anomalies(history).isEmpty)
  }

  @Test func acceptsAReadOfTheStateBeforeAWriteThatIsStillOpen() {
    let history = History(transactions: [
      transaction(1, 10, append(1, 1), append(2, 1)), transaction(2, 9, read(1), read(2)),
      transaction(3, 8, read(1, 1), read(2, 1)),
    ])
    #expect(HistoryChecker.anomalies(history).isEmpty)
  }

  @Test func acceptsNothing() {
    #expect(HistoryChecker.anomalies(History(transactions: [])).isEmpty)
  }

  @Test func acceptsTenThousandTransactionsInARow() {
    // A chain this long would use up the stack of a recursive search.
    var transactions = (0..<10_000).map { transaction($0 * 2, $0 * 2 + 1, append($0 / 2, $0)) }
    transactions.append(transaction(50_000, 50_001, read(7, 14, 15)))
    var graph = DependencyGraph(count: transactions.count)
    for place in 1..<transactions.count { graph.add(place - 1, .writeWrite, place) }
    #expect(graph.components([.writeWrite]).isEmpty)
    graph.add(transactions.count - 1, .readWrite, 0)
    #expect(graph.components([.writeWrite, .readWrite]).map(\.count) == [transactions.count])
  }

  @Test func namesTheShortestCycle() throws {
    let history = History(transactions: [
      transaction(1, 4, append(1, 1), read(2, 2)), transaction(2, 5, append(2, 2), read(1, 1)),
      transaction(3, 6, read(1, 1), append(3, 3)),
    ])
    let anomaly = try #require(HistoryChecker.anomalies(history).first)
    #expect(anomaly.kind == .circularFlow)
    #expect(anomaly.description.contains("-wr-> T"))
    #expect(!anomaly.description.contains("T2"))
  }

  @Test func writesWhatOtherCheckersRead() {
    let history = History(transactions: [transaction(1, 2, append(1, 5), read(1, 5))])
    #expect(
      history.edn == """
        {:type :invoke, :f :txn, :process 0, :value [[:append 1 5] [:r 1 nil]]}
        {:type :ok, :f :txn, :process 0, :value [[:append 1 5] [:r 1 [5]]]}

        """)
  }
}
