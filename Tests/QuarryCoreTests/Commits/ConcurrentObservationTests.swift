import Foundation
import QuarryBackend
import QuarryCore
import QuarryManyWriters
import Synchronization
import Testing

/// Observers of an engine with many writers: contract OBS-1, OBS-7.
@Suite struct ConcurrentObservationTests {
  @Test(arguments: [ConflictPlan.none, .random(0.05)])
  func everyCommitIsToldInItsOrder(_ plan: ConflictPlan) async throws {
    let store = try Store(for: Counter.self, in: ManyWriterProvider(roundTrip: 0.0002, conflicts: plan))
    let changes = store.commits()
    var iterator = changes.makeAsyncIterator()
    try await Task.sleep(for: .milliseconds(10))
    async let writing: Void = Self.write(store)
    var seen: Set<Int> = []
    var last = CommitVersion(0)
    while seen.count < 80, let commit = try await iterator.next() {
      #expect(commit.version > last)
      last = commit.version
      #expect(!commit.isUnknown)
      for value in commit["Counter"]?.inserted ?? [] {
        if let id = value.intValue { seen.insert(Int(id)) }
      }
    }
    try await writing
    #expect(seen.count == 80)
    try store.close()
  }

  @Test(arguments: [ConflictPlan.none, .random(0.05)])
  func aListEndsAsItIsStored(_ plan: ConflictPlan) async throws {
    let store = try Store(for: Counter.self, in: ManyWriterProvider(roundTrip: 0.0002, conflicts: plan))
    let list = Mutex<[Counter]>([])
    let token = try store.observe(Counter.all.sorted(by: \.id)) { change in
      list.withLock { $0 = change.objects }
    }
    try await Self.write(store)
    let stored = try await store.fetch(Counter.all.sorted(by: \.id))
    let end = ContinuousClock.now + .seconds(30)
    while list.withLock({ $0 }) != stored, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(5)) }
    #expect(list.withLock { $0 } == stored)
    token.cancel()
    try store.close()
  }

  @Test func resultsThatAreKeptAreCurrent() throws {
    let store = try Store(for: Counter.self, in: ManyWriterProvider())
    try onThreads(4) { writer in
      for number in 0..<20 {
        try store.insert(Counter(writer * 100 + number, 0))
        let own = try store.cached(Counter.all, for: .seconds(60)).count { $0.id / 100 == writer }
        #expect(own == number + 1)
      }
    }
  }

  /// Another store of the same content commits, too.
  @Test func commitsOfOtherStoresAreSeen() async throws {
    let provider = ManyWriterProvider()
    let (store, other) = (try Store(for: Counter.self, in: provider), try Store(for: Counter.self, in: provider))
    let count = Mutex(0)
    let token = try store.observe(Counter.all) { change in count.withLock { $0 = change.objects.count } }
    try await other.insert(Counter(1, 0))
    try await store.insert(Counter(2, 0))
    try await other.insert(Counter(3, 0))
    let end = ContinuousClock.now + .seconds(30)
    while count.withLock({ $0 }) != 3, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(5)) }
    #expect(count.withLock { $0 } == 3)
    token.cancel()
  }

  /// Eighty rows by four threads, which change one row, too.
  private static func write(_ store: Store) async throws {
    try await Task.detached {
      try onThreads(4) { writer in
        for number in 0..<20 {
          try store.write(timeout: 60) { tx in
            try tx.insert(Counter(1 + writer * 100 + number, number))
            if number % 4 == 3 { try tx.update(Counter.self, 1 + writer * 100) { $0.count += 1 } }
          }
        }
      }
    }.value
  }
}
