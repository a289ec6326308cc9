import QuarryBackend
import QuarryCore
import QuarryManyWriters
import QuarryTestSupport
import Testing

/// Histories on an engine with many writers, where transactions conflict and are run again.
@Suite struct ManyWritersTests {
  // HIST-3, HIST-4, HIST-8
  @Test func positionsComeInTheOrderOfCommits() async throws {
    let store = try Store(models: Place.models, in: ManyWriterProvider(), options: Place.options())
    try await store.insert(Shelf(0, "0"))
    let reading = Task {
      var seen: [HistoryPosition] = []
      var last = 0
      for try await set in store.historyUpdates(after: nil) {
        seen.append(set.position)
        for change in try set.changes(of: Shelf.self) where change.new?.id == 0 {
          // Each counts from the one before it.
          #expect(change.new?.name == "\(last)")
          last += 1
        }
        if last == 61 { break }
      }
      return seen
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 1...6 {
        group.addTask {
          for number in 1...10 {
            try await store.write { tx in
              try tx.insert(Shelf(writer * 100 + number, ""))
              try tx.update(Shelf.self, 0) { $0.name = "\((Int($0.name) ?? 0) + 1)" }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let seen = try await reading.value
    #expect(seen == seen.sorted() && Set(seen).count == 61)
    #expect(try store.history().map(\.position) == seen)
    let last = try #require(try store.history().last)
    try store.undo(last)
    #expect(try await store.get(Shelf.self, 0)?.name == "59")
    #expect(try await store.check() == [])
  }
}
