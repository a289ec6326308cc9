import Testing

@testable import BenchmarkHarness

@Suite struct StatisticsTests {
  @Test(arguments: [([], 0), ([3], 3), ([1, 9], 5), ([9, 1, 2], 2), ([4, 1, 3, 2], 2.5)] as [([Double], Double)])
  func medianIsTheMiddle(values: [Double], expected: Double) {
    #expect(Statistics(values).median == expected)
  }

  @Test func spreadIsTheMedianDistanceFromTheMedian() {
    #expect(Statistics([90, 100, 100, 110, 400]).spread == 0.1)
    #expect(Statistics([100, 100]).spread == 0)
    #expect(Statistics([]).spread == 0)
  }

  @Test func ratiosAreTakenRoundByRound() throws {
    let own = Statistics([10, 20, 40])
    let other = Statistics([20, 40, 80])
    #expect(try #require(own.ratio(to: other)).values == [0.5, 0.5, 0.5])
  }

  @Test func ratiosOfDifferentRoundsAreOfMedians() throws {
    #expect(try #require(Statistics([10, 20, 30]).ratio(to: Statistics([40]))).values == [0.5])
  }

  @Test func thereIsNoRatioToNothing() {
    #expect(Statistics([1]).ratio(to: Statistics([])) == nil)
    #expect(Statistics([1]).ratio(to: Statistics([0])) == nil)
    #expect(Statistics([]).ratio(to: Statistics([1])) == nil)
  }

  @Test func latenciesAreSummedUp() throws {
    let recorder = LatencyRecorder(isOn: true)
    recorder.add((1...1000).map { UInt64($0) * 1000 })
    let summary = try #require(recorder.summary())
    #expect(summary.count == 1000)
    #expect(abs(summary.p50 - 500_000) < 1000)
    #expect(abs(summary.p99 - 990_000) < 1000)
    #expect(abs(summary.max - 1_000_000) < 1000)
    #expect(summary.curve.count == LatencySummary.places.count)
    #expect(summary.curve == summary.curve.sorted())
  }

  @Test func aRecorderThatIsOffRecordsNothing() {
    let recorder = LatencyRecorder.off
    recorder.stop(recorder.start())
    #expect(recorder.summary() == nil)
  }
}
