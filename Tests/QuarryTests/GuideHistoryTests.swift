import Foundation
import Quarry
import QuarryEngines
import Testing

@Suite struct GuideHistoryTests {
  @Test func theGuideRuns() async throws {
    let folder = try DocumentationTests.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try GuideHistory.opening(folder.appending(path: "books.db").path)
    try await store.insert(Author(id: 7, email: "g@example.org", name: "G"))
    let start = try store.history.newest
    try GuideHistory.reading(store)
    #expect(try await store.get(Author.self, 7)?.rating == 5)
    try GuideHistory.undoing(store)
    #expect(try await store.get(Author.self, 7)?.rating == 0)
    try store.history.acknowledge(start, as: "mail")
    try await store.insert(Author(id: 8, email: "h@example.org", name: "H"))
    #expect(try await GuideHistory.mailing(store, until: 1) == ["h@example.org"])
    let set = try #require(try store.history().last)
    try GuideHistory.indexing(store, set) { Book(id: UUID(), isbn: "1", year: 2000, title: $0.name) }
    #expect(try await store.count(Book.all) == 1)
    #expect(try store.history.readers.map(\.position) == [set.position, set.position])
    #expect(try GuideHistory.comingFromSwiftData(store, set.position) == 1)
    #expect(try await store.count(Book.all) == 0)
    try store.close()
  }
}
