import Synchronization

@testable import BenchmarkHarness

/// The simplest store that tells what changes, which does one thing wrong when told so.
final class ObservedDictionaryStore: ObservedStore {
  private let counters = Mutex<(stored: [Int64: Int64], told: [Int64: Int64], isObserved: Bool)>(([:], [:], false))
  private let fault: Fault?

  init(_ fault: Fault?) { self.fault = fault }

  func close() {}

  func insert(counters count: Int) {
    counters.withLock { for key in 0..<Int64(count) { $0.stored[key] = 0 } }
  }

  func count(_ key: Int64, to numbers: ClosedRange<Int64>, _ latency: LatencyRecorder) {
    for number in numbers {
      let start = latency.start()
      counters.withLock { counters in
        if fault != .losesTheLastCommit || number < numbers.upperBound { counters.stored[key] = number }
        guard counters.isObserved else { return }
        if fault != .tellsOneTooFew || number < numbers.upperBound { counters.told[key] = number }
      }
      latency.stop(start)
    }
  }

  func countAndWait(
    _ key: Int64, to numbers: ClosedRange<Int64>, elsewhere: Bool, _ latency: LatencyRecorder
  ) {
    count(key, to: numbers, latency)
  }

  func observeList() { counters.withLock { $0.isObserved = true } }
  func observeCounters(below key: Int64) { observeList() }
  func sumTold(awaiting sum: Int64) -> Int64 { counters.withLock { $0.told.values.reduce(0, +) } }
  func sumStored() -> Int64 { counters.withLock { $0.stored.values.reduce(0, +) } }
}
