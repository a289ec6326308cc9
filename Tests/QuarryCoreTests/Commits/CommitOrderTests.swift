import QuarryBackend
import Testing

@testable import QuarryCore

/// The order in which commits are handed on that end side by side.
@Suite struct CommitOrderTests {
  private func add(
    _ order: inout CommitOrder<String>, _ name: String, _ version: UInt64, after previous: UInt64?
  ) {
    order.add(name, version: CommitVersion(version), previous: previous.map { CommitVersion($0) })
  }

  private func next(_ order: inout CommitOrder<String>, _ known: UInt64?) -> String? {
    order.next(after: known.map { CommitVersion($0) })
  }

  @Test func aCommitWaitsForAnEarlierOneThatIsUnderWay() {
    var order = CommitOrder<String>()
    let (first, second) = (order.begin(), order.begin())
    order.end(second)
    add(&order, "b", 9, after: 7)
    #expect(next(&order, 4) == nil)
    order.end(first)
    add(&order, "a", 7, after: 4)
    #expect(next(&order, 4) == "a")
    #expect(next(&order, 7) == "b")
    #expect(next(&order, 9) == nil)
    #expect(order.isIdle)
  }

  @Test func aCommitDoesNotWaitForOnesThatBeganAfterIt() {
    var order = CommitOrder<String>()
    let first = order.begin()
    order.end(first)
    add(&order, "a", 9, after: 7)
    _ = order.begin()
    // Another connection has made 7.
    #expect(next(&order, 4) == "a")
    #expect(!order.isIdle)
  }

  @Test func aCommitThatFollowsWhatIsKnownWaitsForNothing() {
    var order = CommitOrder<String>()
    let (_, second) = (order.begin(), order.begin())
    order.end(second)
    add(&order, "b", 9, after: 4)
    #expect(next(&order, 4) == "b")
  }

  @Test func aFailedCommitLetsTheNextGo() {
    var order = CommitOrder<String>()
    let (first, second) = (order.begin(), order.begin())
    order.end(second)
    add(&order, "b", 9, after: 7)
    order.end(first)
    #expect(next(&order, 4) == "b")
  }

  @Test func commitsThatAreKnownAreDropped() {
    var order = CommitOrder<String>()
    add(&order, "a", 3, after: 2)
    add(&order, "b", 4, after: 3)
    add(&order, "c", 5, after: nil)
    #expect(next(&order, 4) == "c")
    add(&order, "d", 6, after: 5)
    order.clear()
    #expect(next(&order, 5) == nil)
  }
}
