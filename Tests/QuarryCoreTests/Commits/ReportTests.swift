import Foundation
import QuarryBackend
import QuarryCore
import QuarryManyWriters
import QuarryMemory
import QuarryTestSupport
import Testing

/// What a store reports of its writers.
@Suite struct ReportTests {
  private static func options(_ events: EventList) -> OpenOptions {
    var options = OpenOptions()
    options.reporters = [events]
    return options
  }

  private static func waits(_ events: [StoreEvent]) -> [Double] {
    events.compactMap { if case .waited(.turn, let seconds) = $0 { seconds } else { nil } }
  }

  @Test func aRepetitionIsReported() throws {
    let events = EventList()
    let store = try Store(for: Counter.self, in: ManyWriterProvider(), options: Self.options(events))
    try store.insert(Counter(1, 0))
    #expect(events.take() == [])
    var runs = 0
    try store.write { tx in
      runs += 1
      let counter = try #require(try tx.get(Counter.self, 1))
      if runs == 1 { try onThreads(1) { _ in try store.update(Counter(1, 5)) } }
      try tx.update(Counter(1, counter.count + 1))
    }
    #expect(events.take() == [.retried(.write, attempt: 2)])
    #expect(try store.get(Counter.self, 1)?.count == 6)
  }

  @Test func theEndOfRepetitionsIsReported() throws {
    let events = EventList()
    let provider = ManyWriterProvider(conflicts: .everyFirst(1))
    let store = try Store(for: Counter.self, in: provider, options: Self.options(events))
    _ = events.take()
    #expect(throws: StorageError.self) { try store.write(retry: 0) { tx in try tx.insert(Counter(1, 0)) } }
    #expect(events.take().last == .gaveUp(.write, attempts: 1))
  }

  @Test func aWaitForTheTurnIsReported() throws {
    let events = EventList()
    let store = try Store(for: Counter.self, in: .memory, options: Self.options(events))
    try store.insert(Counter(1, 0))
    #expect(events.take() == [])
    let (begun, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    Thread.detachNewThread {
      try? store.write { _ in
        begun.signal()
        Thread.sleep(forTimeInterval: 0.3)
      }
      ended.signal()
    }
    begun.wait()
    #expect(throws: StorageError.self) { try store.write(timeout: 0.05) { _ in } }
    #expect(Self.waits(events.take()) == [0.05])
    try store.insert(Counter(2, 0))
    ended.wait()
    let waits = Self.waits(events.take())
    #expect(waits.count == 1 && waits.allSatisfy { $0 > 0.05 && $0 < 30 })
  }

  @Test func severalReportersReceiveEachEvent() throws {
    let (first, second) = (EventList(), EventList())
    var options = OpenOptions()
    options.reporters = [first, second]
    let store = try Store(
      for: Counter.self, in: ManyWriterProvider(conflicts: .everyFirst(1)), options: options)
    try store.insert(Counter(1, 0))
    let events = first.take()
    #expect(!events.isEmpty && events == second.take())
  }
}
