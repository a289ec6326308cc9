import QuarryBackend
import Testing

/// Waits of any number of seconds.
@Suite struct DeadlineTests {
  @Test(arguments: [0, -0.0, -1, -1e300, -.infinity, .nan, .signalingNaN, -.nan] as [Double])
  func whatIsNoWaitHasPassed(_ seconds: Double) {
    let deadline = Deadline(after: seconds)
    #expect(deadline.hasPassed)
    #expect(deadline.secondsLeft == 0)
    #expect(deadline.millisecondsLeft == 0)
    #expect(Deadline.milliseconds(seconds) == 0)
  }

  @Test(arguments: [1e9, 9.3e18, 1e38, 1e300, .greatestFiniteMagnitude, .infinity] as [Double])
  func whatIsLongestHasNoEnd(_ seconds: Double) {
    let deadline = Deadline(after: seconds)
    #expect(deadline == .never)
    #expect(!deadline.hasPassed && deadline.instant == nil)
    #expect(deadline.secondsLeft == Deadline.longest)
    #expect(deadline.millisecondsLeft == .max)
  }

  @Test(arguments: [.leastNonzeroMagnitude, 1e-9, 0.001, 5, 999_999_999] as [Double])
  func otherWaitsEnd(_ seconds: Double) throws {
    let deadline = Deadline(after: seconds)
    let end = try #require(deadline.instant)
    #expect(end <= .now + .seconds(seconds))
    #expect(deadline.secondsLeft <= seconds)
    #expect(deadline.hasPassed == (deadline.secondsLeft == 0) || seconds < 1)
  }

  @Test func millisecondsAreRoundedUp() {
    #expect(Deadline.milliseconds(0.000_1) == 1)
    #expect(Deadline.milliseconds(2.5) == 2_500)
    #expect(Deadline.milliseconds(1e7) == .max)
  }

  @Test(
    arguments: [
      (.zero, true), (.seconds(-1), true), (.seconds(Int64.min), true), (.seconds(3_600), false),
      (.seconds(Int64.max), false), (.seconds(1e20), false),
    ] as [(Duration, Bool)])
  func durationsOfAnyLengthAreWaits(_ duration: Duration, _ hasPassed: Bool) {
    #expect(Deadline(after: duration).hasPassed == hasPassed)
  }
}
