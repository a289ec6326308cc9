import Foundation
import Observation
import Quarry
import QuarryDrafts
import QuarryEngines
import Testing

@Suite struct GuideDraftsTests {
  private func store() throws -> Store {
    let store = try Store(for: Author.self, Book.self, Rating.self, in: .memory)
    try store.insert(Author(id: 7, email: "g@example.org", name: "G"))
    try store.insert(Author(id: 9, email: "n@example.org", name: "N"))
    return store
  }

  @Test func theGuideRuns() async throws {
    let store = try store()
    #expect(try await GuideDrafts.editing(store) == ["Ada", "Grace Hopper"])
    #expect(try await GuideDrafts.saving(store) == "Grace Hopper 3.0")
    #expect(try await store.keys(Author.all) == [7, 8])
  }

  @Test func theCallsRun() throws {
    #expect(try GuideCalls.run(store()) == [4, 5])
    #expect(try GuideCalls.keys(Store(for: Ticket.self, in: .memory)) == [1, 2, 3])
    #expect(try GuideCalls.compound(Store(for: Rental.self, in: .memory)) == [14, 21])
  }

  @Test func comingFromSwiftDataRuns() throws {
    let store = try store()
    let book = Book(id: UUID(), isbn: "1", year: 1815, title: "E")
    #expect(try GuideDrafts.comingFromSwiftData(store, book) == ["true", "1", "Emma"])
    #expect(try store.count(Book.all) == 0)
  }

  /// A draft is followed as any observable object.
  @Test @MainActor func editsAreObserved() throws {
    let draft = Draft(on: try store())
    nonisolated(unsafe) var count = 0
    func follow() {
      withObservationTracking {
        _ = draft[Author.self, 7]?.name
        _ = draft.hasChanges
      } onChange: {
        count += 1
      }
    }
    follow()
    draft[Author.self, 7]?.name = "Grace"
    #expect(count == 1)
    follow()
    draft.undo()
    #expect(count == 2)
  }
}
