import QuarryBackend
import Testing

@testable import QuarryCore

@Suite struct RetryScheduleTests {
  @Test func waitsDoubleUpToSixtyFourMilliseconds() {
    let waits = (2...9).map { RetrySchedule.longestWait(before: $0) }
    #expect(waits == [0.004, 0.008, 0.016, 0.032, 0.064, 0.064, 0.064, 0.064])
    #expect(RetrySchedule.longestWait(before: .max) == 0.064)
  }

  @Test func thereAreTwentyAttempts() {
    var schedule = RetrySchedule(until: .never)
    var inLine = 0
    var attempts = 1
    while schedule.next() {
      attempts += 1
      if schedule.isInLine { inLine += 1 }
    }
    #expect(attempts == 20)
    #expect(inLine == 17)
  }

  @Test(arguments: [(0, 1), (-5, 1), (.min, 1), (1, 2), (3, 4)])
  func aCallerMaySayHowMany(_ retries: Int, _ attempts: Int) {
    var schedule = RetrySchedule(until: .never, retries: retries)
    var count = 1
    while schedule.next() { count += 1 }
    #expect(count == attempts)
    var endless = RetrySchedule(until: .never, retries: .max)
    let hasNext = endless.next()
    #expect(hasNext)
  }

  @Test func noAttemptBeginsAfterTheTime() {
    var schedule = RetrySchedule(until: Deadline(after: 0))
    let hasNext = schedule.next()
    #expect(!hasNext)
    var short = RetrySchedule(until: Deadline(after: 0.05), retries: .max)
    let start = ContinuousClock.now
    while short.next() {}
    #expect(ContinuousClock.now - start >= .milliseconds(50))
  }
}
