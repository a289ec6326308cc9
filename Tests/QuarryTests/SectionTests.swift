import Foundation
import Observation
import Quarry
import QuarryEngines
import Testing

@Model
struct DiaryEntry: Equatable {
  let id: Int
  var day: Int
  var title: String
}

@Model
struct DiaryBox: Equatable {
  let id: Int
  @Relationship(.allowsDuplicates) var entries: Links<DiaryEntry>
}

@Suite("Sections and live lists, on every engine")
struct SectionTests {
  private struct Numbers: RandomNumberGenerator {
    var state: UInt64 = 7
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ (state >> 29)
    }
  }

  private func same(_ left: [GroupedObjects<Int, DiaryEntry>], _ right: [GroupedObjects<Int, DiaryEntry>]) -> Bool {
    left.map(\.key) == right.map(\.key) && left.map(\.elements) == right.map(\.elements)
  }

  // LIVE-3, LIVE-4
  @Test("The steps of random commits make the new sections", arguments: EveryEngine.schemes, [false, true])
  func steps(_ scheme: String, _ isDescending: Bool) async throws {
    try await EveryEngine.withStore(scheme, [DiaryEntry.self]) { store in
      let order: SortDirection = isDescending ? .reverse : .forward
      let query = DiaryEntry.where { $0.title != "hidden" }.sorted(by: \.title)
      var changes = store.changes(of: query, sectionedBy: \.day, order: order).makeAsyncIterator()
      var sections = try #require(try await changes.next()).sections
      #expect(sections.isEmpty)
      var numbers = Numbers()
      for _ in 0..<60 {
        let edits = (0..<Int.random(in: 1...4, using: &numbers)).map { _ in
          (
            id: Int.random(in: 0..<12, using: &numbers), day: Int.random(in: 0..<4, using: &numbers),
            title: ["a", "b", "c", "hidden"].randomElement(using: &numbers) ?? "",
            kind: Int.random(in: 0..<4, using: &numbers)
          )
        }
        try await store.write { tx in
          for edit in edits {
            if edit.kind == 0 {
              try tx.delete(DiaryEntry.self, edit.id)
            } else {
              try tx.upsert(DiaryEntry(id: edit.id, day: edit.day, title: edit.title))
            }
          }
        }
        let entries = try await store.fetch(query)
        let expected = Dictionary(grouping: entries, by: \.day).sorted {
          isDescending ? $0.key > $1.key : $0.key < $1.key
        }
        guard expected.map(\.value) != sections.map(\.elements) || expected.map(\.key) != sections.map(\.key) else {
          continue
        }
        let change = try #require(try await changes.next())
        #expect(change.sections.map(\.key) == expected.map(\.key))
        #expect(change.sections.map(\.elements) == expected.map(\.value))
        #expect(same(change.applied(to: sections), change.sections))
        // What is no step is as it was.
        let touched = Set(change.updates.map(\.oldPlace) + change.deletions.map(\.place))
        for (place, section) in sections.enumerated() where !touched.contains(place) {
          #expect(change.sections.contains { $0.key == section.key && $0.elements == section.elements })
        }
        sections = change.sections
      }
    }
  }

  // LIVE-1, LIVE-2
  @Test("Live sections and lists have one's own write when they are settled", arguments: EveryEngine.schemes)
  @MainActor func settled(_ scheme: String) async throws {
    try await EveryEngine.withStore(scheme, [DiaryEntry.self]) { store in
      let days = try store.live(DiaryEntry.all, sectionedBy: \.day, order: .reverse)
      let list = try store.live(DiaryEntry.all)
      let one = try store.live(DiaryEntry.self, 1)
      for number in 1...20 {
        try await store.insert(DiaryEntry(id: number, day: number % 2, title: "t"))
        try await list.settled()
        #expect(list.count == number)
        try await days.settled()
        #expect(days.map { $0.elements.count }.reduce(0, +) == number)
        try await one.settled()
        #expect(one.title == "t")
      }
      #expect(days.map(\.key) == [1, 0])
      try await list.settled()
      #expect(list.error == nil)
      let fetched = try Fetched(DiaryEntry.where { $0.day == 1 }, in: store)
      #expect(fetched.wrappedValue.count == 10)
    }
  }

  @Test("A view model with @Fetched notifies those who have read it", arguments: EveryEngine.schemes)
  @MainActor func fetched(_ scheme: String) async throws {
    @MainActor final class Diary {
      @Fetched var entries: [DiaryEntry]

      init(_ store: Store) throws {
        _entries = try Fetched(DiaryEntry.all.sorted(by: \.title), in: store)
      }
    }
    try await EveryEngine.withStore(scheme, [DiaryEntry.self]) { store in
      let diary = try Diary(store)
      let notified = AsyncStream<Void>.makeStream()
      withObservationTracking {
        _ = diary.entries.count
      } onChange: {
        notified.continuation.yield()
      }
      try await store.insert(DiaryEntry(id: 1, day: 1, title: "x"))
      var iterator = notified.stream.makeAsyncIterator()
      await iterator.next()
      try await diary.$entries.settled()
      #expect(diary.entries.map(\.title) == ["x"])
    }
  }

  // LIVE-5
  @Test("Lists of links are observed in their order", arguments: EveryEngine.schemes)
  func links(_ scheme: String) async throws {
    try await EveryEngine.withStore(scheme, [DiaryEntry.self, DiaryBox.self]) { store in
      try await store.write { tx in
        try tx.insert(contentsOf: (1...3).map { DiaryEntry(id: $0, day: 0, title: "\($0)") })
        try tx.insert(DiaryBox(id: 1))
      }
      let entries = try #require(try await store.get(DiaryBox.self, 1)).entries
      var changes = store.changes(of: entries).makeAsyncIterator()
      #expect(try await changes.next()?.objects.isEmpty == true)
      try await store.write { tx in try entries.append(contentsOf: [Ref(3), Ref(1), Ref(3)], in: tx) }
      var change = try #require(try await changes.next())
      #expect(change.objects.map(\.id) == [3, 1, 3])
      #expect(change.applied(to: []) == change.objects)
      var list = change.objects
      try await store.write { tx in try entries.move(from: 1, to: 0, in: tx) }
      change = try #require(try await changes.next())
      #expect(change.objects.map(\.id) == [1, 3, 3] && change.moves.count == 1)
      #expect(change.applied(to: list) == change.objects)
      list = change.objects
      try await store.write { tx in try tx.assign(DiaryEntry.self, 3) { $0.title = "new" } }
      change = try #require(try await changes.next())
      #expect(change.updates.map(\.place).sorted() == [1, 2])
      #expect(change.applied(to: list) == change.objects)
      let stored = try await store.fetch(entries)
      #expect(change.objects == stored)
    }
  }

  @Test("Wrong sections are errors", arguments: EveryEngine.schemes)
  @MainActor func wrong(_ scheme: String) throws {
    try EveryEngine.withStore(scheme, [DiaryEntry.self]) { store in
      #expect(throws: StorageError.self) { try store.live(DiaryEntry.all.limit(-1), sectionedBy: \.day) }
      let sorted = try store.live(DiaryEntry.all.sorted(by: \.day), sectionedBy: \.day)
      #expect(sorted.isEmpty)
    }
  }
}
