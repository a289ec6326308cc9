import Testing

@testable import QuarryConformance
@testable import QuarryConformanceKit

private func call(_ begin: Int, _ end: Int, _ operation: Linearizability.Call.Operation) -> Linearizability.Call {
  Linearizability.Call(client: 0, begin: begin, end: end, operation: operation)
}

@Suite struct LinearizabilityTests {
  @Test func acceptsNothing() {
    #expect(Linearizability.order([]) == [])
  }

  @Test func findsTheOrderOfCallsThatOverlap() {
    let calls = [call(1, 6, .write(1)), call(2, 3, .read(nil)), call(4, 5, .read(1))]
    #expect(Linearizability.order(calls) == [1, 0, 2])
  }

  @Test func acceptsWritesThatOverlapInEitherOrder() {
    let writes = [call(1, 4, .write(1)), call(2, 3, .write(2))]
    #expect(Linearizability.order(writes + [call(5, 6, .read(1))]) == [1, 0, 2])
    #expect(Linearizability.order(writes + [call(5, 6, .read(2))]) == [0, 1, 2])
  }

  @Test func followsExchangesAndRemovals() {
    let calls = [
      call(1, 2, .remove(false)), call(3, 4, .write(1)), call(5, 6, .exchange(old: 1, new: 2, true)),
      call(7, 8, .exchange(old: 1, new: 3, false)), call(9, 10, .remove(true)), call(11, 12, .read(nil)),
    ]
    #expect(Linearizability.order(calls) == [0, 1, 2, 3, 4, 5])
  }

  @Test(arguments: [
    // A read that misses a write that had returned.
    [call(1, 2, .write(1)), call(3, 4, .read(nil))],
    // A read of what is written later.
    [call(1, 2, .read(1)), call(3, 4, .write(1))],
    // Two reads in a row that go back in time.
    [call(1, 10, .write(1)), call(2, 3, .read(1)), call(4, 5, .read(nil))],
    // Two that both exchange one value.
    [call(1, 2, .write(0)), call(3, 6, .exchange(old: 0, new: 1, true)), call(4, 5, .exchange(old: 0, new: 2, true))],
    // Two that both remove one object.
    [call(1, 2, .write(0)), call(3, 6, .remove(true)), call(4, 5, .remove(true))],
    // An exchange that says that it did not happen, where the value was there all the time.
    [call(1, 2, .write(0)), call(3, 4, .exchange(old: 0, new: 1, false))],
  ])
  func rejects(_ calls: [Linearizability.Call]) {
    #expect(Linearizability.order(calls) == nil)
  }

  @Test func searchesSixtyFourCallsThatAllOverlap() {
    let calls = (0..<64).map { call($0, 1000 + $0, $0 % 2 == 0 ? .write($0 % 8) : .read(($0 - 1) % 8)) }
    #expect(Linearizability.order(calls) != nil)
  }
}
