import Foundation
import Synchronization
import Testing

@testable import QuarryCore

@Suite struct UUIDGeneratorTests {
  private func bytes(_ id: UUID) -> [UInt8] { withUnsafeBytes(of: id.uuid) { Array($0) } }

  private func time(_ id: UUID) -> UInt64 { bytes(id).prefix(6).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }

  @Test func aClockThatIsSetBackMakesNoSmallerOnes() {
    let clock = ClockStub()
    let generator = UUIDGenerator(clock: { clock.now.withLock { $0 } })
    var last = generator.next()
    for now: UInt64 in [1000, 1000, 999, 5, 1001, 1001, 0, 2000] {
      clock.now.withLock { $0 = now }
      let next = generator.next()
      #expect(bytes(last).lexicographicallyPrecedes(bytes(next)))
      last = next
    }
    #expect(time(last) == 2000)
  }

  @Test func manyInOneMillisecondStayInOrder() {
    let generator = UUIDGenerator(clock: { 7 })
    var last = generator.next()
    for _ in 0..<100_000 {
      let next = generator.next()
      #expect(bytes(last).lexicographicallyPrecedes(bytes(next)))
      #expect(time(next) == 7)
      last = next
    }
  }

  @Test func twoGeneratorsDiffer() {
    let ids = (0..<1000).map { _ in UUIDGenerator(clock: { 7 }).next() }
    #expect(Set(ids).count == 1000)
  }

  private final class ClockStub: Sendable {
    let now = Mutex<UInt64>(1000)
  }
}
