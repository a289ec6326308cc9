import QuarryBackend
import QuarryCore
import QuarryManyWriters
import Synchronization
import Testing

/// Transactions on an engine with many writers: contract TXN-7, STMT-1.
@Suite struct ConcurrentWritingTests {
  /// Calls answered by a conflict, one after the other, and at random.
  private static let plans: [ConflictPlan] = [
    .none, .everyFirst(1), .everyFirst(2), .everyFirst(3), .everyFirst(4), .random(0.1),
  ]

  @Test func writersOfOneRowLoseNothing() throws {
    let store = try Store(for: Counter.self, in: ManyWriterProvider())
    try store.insert(Counter(1, 0))
    try onThreads(8) { _ in
      for _ in 0..<25 {
        try store.write(timeout: 60) { tx in
          let counter = try #require(try tx.get(Counter.self, 1))
          try tx.update(Counter(1, counter.count + 1))
        }
      }
    }
    #expect(try store.get(Counter.self, 1)?.count == 200)
    #expect(try store.check() == [])
  }

  @Test func writersOfDifferentRowsDoNotConflict() throws {
    let provider = ManyWriterProvider(roundTrip: 0.0005)
    let store = try Store(for: Counter.self, in: provider)
    _ = provider.meter.take()
    try onThreads(8) { writer in
      for number in 0..<20 { try store.insert(Counter(writer << 32 | number, writer)) }
    }
    let counts = provider.meter.take()
    #expect(counts.conflicts == 0)
    #expect(counts.begins == 160 && counts.calls == 160 && counts.commits == 160)
    // In a queue there would be one transaction at a time.
    #expect(counts.mostAtOnce >= 4)
    #expect(try store.count(Counter.all) == 160)
  }

  @Test(arguments: plans)
  func conflictsOfAnyCallAreRepeated(_ plan: ConflictPlan) throws {
    let store = try Store(for: Counter.self, in: ManyWriterProvider(conflicts: plan))
    try store.insert(Counter(1, 10))
    try store.insert(contentsOf: [Counter(2, 20), Counter(3, 30)])
    #expect(try store.get(Counter.self, 1) == Counter(1, 10))
    #expect(try store.get(Counter.self, keys: [3, 4, 1]) == [Counter(3, 30), nil, Counter(1, 10)])
    #expect(try store.fetch(Counter.where { $0.count > 10 }.sorted(by: \.id)).map(\.id) == [2, 3])
    #expect(try store.count(Counter.all) == 3)
    try store.update(Counter(2, 21))
    try store.update(Counter.self, 3) { $0.count += 1 }
    #expect(try store.assign(Counter.all) { $0.count += 100 } == 3)
    #expect(try store.upsert(contentsOf: [Counter(3, 0), Counter(4, 0)]) == 1)
    #expect(try store.delete(Counter.self, 4))
    let frozen = try store.freeze()
    try store.delete(Counter.all)
    #expect(try frozen.fetch(Counter.all.sorted(by: \.id)) == [Counter(1, 110), Counter(2, 121), Counter(3, 0)])
    #expect(try store.count(Counter.all) == 0)
    #expect(try store.check() == [])
  }

  @Test(arguments: plans)
  func sumsStayWhileReadersLook(_ plan: ConflictPlan) throws {
    let store = try Store(for: Counter.self, in: ManyWriterProvider(conflicts: plan))
    try store.insert(contentsOf: (0..<8).map { Counter($0, 100) })
    try onThreads(6) { thread in
      for round in 0..<15 {
        if thread < 4 {
          let (from, to) = ((thread + round) % 8, (thread + 3 * round + 1) % 8)
          guard from != to else { continue }
          try store.write(timeout: 60) { tx in
            try tx.update(Counter.self, from) { $0.count -= 1 }
            try tx.update(Counter.self, to) { $0.count += 1 }
          }
        } else {
          let sum = try store.read { tx in try tx.fetch(Counter.all).reduce(0) { $0 + $1.count } }
          #expect(sum == 800)
        }
      }
    }
    #expect(try store.fetch(Counter.all).reduce(0) { $0 + $1.count } == 800)
  }

  @Test func aBodyCannotSwallowAConflict() throws {
    let store = try Store(for: Counter.self, in: ManyWriterProvider(conflicts: .everyFirst(1)))
    var runs = 0
    try store.write { tx in
      runs += 1
      do { try tx.insert(Counter(1, runs)) } catch {}
    }
    #expect(runs == 2)
    #expect(try store.fetch(Counter.all) == [Counter(1, 2)])
    runs = 0
    let count = try store.read { tx in
      runs += 1
      return (try? tx.count(Counter.all)) ?? -1
    }
    #expect(count == 1 && runs == 2)
  }

  @Test func afterAConflictTheTransactionTakesNoCall() throws {
    let store = try Store(for: Counter.self, in: ManyWriterProvider(conflicts: .everyFirst(1)))
    var codes: [StorageError.Code?] = []
    try store.write { tx in
      codes = []
      for id in 1...3 {
        do { try tx.insert(Counter(id, 0)) } catch { codes.append((error as? StorageError)?.code) }
      }
      do { try tx.savepoint { try tx.insert(Counter(4, 0)) } } catch { codes.append((error as? StorageError)?.code) }
      if !codes.isEmpty { #expect(codes == [.conflict, .conflict, .conflict, .conflict]) }
    }
    #expect(codes == [])
    #expect(try store.count(Counter.all) == 4)
  }

  @Test func whatABodyThrowsEndsTheWrite() throws {
    struct Mistake: Error {}
    let store = try Store(for: Counter.self, in: ManyWriterProvider())
    try store.insert(Counter(1, 1))
    var runs = 0
    #expect(throws: Mistake.self) {
      try store.write { _ in
        runs += 1
        throw Mistake()
      }
    }
    // The conflict of an expectation is the caller's.
    let error = #expect(throws: StorageError.self) {
      try store.write { tx in
        runs += 1
        try tx.update(Counter(1, 3), ifUnchangedFrom: Counter(1, 2))
      }
    }
    #expect(error?.code == .conflict)
    #expect(runs == 2)
  }

  @Test func withoutRetryAConflictIsThrown() throws {
    let store = try Store(for: Counter.self, in: ManyWriterProvider(conflicts: .everyFirst(1)))
    var runs = 0
    let error = #expect(throws: StorageError.self) {
      try store.write(retry: 0) { tx in
        runs += 1
        try tx.insert(Counter(1, 1))
      }
    }
    #expect(error?.code == .conflict)
    #expect(runs == 1)
    #expect(try store.count(Counter.all) == 0)
  }

  @Test func aConflictThatStaysIsThrown() throws {
    let store = try Store(for: Counter.self, in: ManyWriterProvider())
    try store.insert(Counter(1, 0))
    var runs = 0
    let error = #expect(throws: StorageError.self) {
      try store.write { tx in
        runs += 1
        let counter = try #require(try tx.get(Counter.self, 1))
        // Another writer is always quicker.
        try otherThread { try store.update(Counter(1, counter.count + 1)) }
        try tx.update(Counter(1, -1))
      }
    }
    #expect(error?.code == .conflict)
    #expect(runs == 20)
    #expect(try store.get(Counter.self, 1)?.count == 20)
    runs = 0
    let late = #expect(throws: StorageError.self) {
      try store.write(timeout: 0.02) { tx in
        runs += 1
        let counter = try #require(try tx.get(Counter.self, 1))
        try otherThread { try store.update(Counter(1, counter.count + 1)) }
        try tx.update(Counter(1, -1))
      }
    }
    #expect(late?.code == .conflict)
    #expect(runs < 20)
  }

  private func otherThread(_ body: @escaping @Sendable () throws -> Void) throws {
    try onThreads(1) { _ in try body() }
  }

  /// What a sequence has given away cannot be stored by a second run.
  @Test func aSequenceThatIsReadOnceIsNotStoredByHalf() throws {
    let store = try Store(for: Counter.self, in: ManyWriterProvider(conflicts: .everyFirst(2)))
    var left = [Counter(1, 1), Counter(2, 2)]
    let error = #expect(throws: StorageError.self) {
      try store.insert(contentsOf: AnyIterator { left.popLast() })
    }
    #expect(error?.code == .conflict)
    #expect(try store.count(Counter.all) == 0)
    // A body makes its sequence again.
    try store.write { tx in
      var left = [Counter(1, 1), Counter(2, 2)]
      try tx.insert(contentsOf: AnyIterator { left.popLast() })
    }
    #expect(try store.count(Counter.all) == 2)
  }

  @Test func tasksWriteConcurrently() async throws {
    let store = try Store(for: Counter.self, in: ManyWriterProvider(conflicts: .random(0.05)))
    try await store.insert(Counter(1, 0))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<6 {
        group.addTask {
          for number in 0..<10 {
            try await store.insert(Counter(100 + task * 100 + number, 0))
            try await store.write(timeout: 60) { tx in try tx.update(Counter.self, 1) { $0.count += 1 } }
          }
        }
      }
      try await group.waitForAll()
    }
    let counter = try await store.get(Counter.self, 1)
    #expect(counter?.count == 60)
    let count = try await store.count(Counter.all)
    #expect(count == 61)
  }

  @Test func aClosedStoreTakesNoWrite() throws {
    let store = try Store(for: Counter.self, in: ManyWriterProvider())
    try store.close()
    let error = #expect(throws: StorageError.self) { try store.insert(Counter(1, 1)) }
    #expect(error?.code == .closed)
  }
}
