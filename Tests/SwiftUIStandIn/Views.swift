// What @StoreQuery does in a view, on the stand-in for SwiftUI. scripts/test-swiftui compiles and runs it.
import Foundation
import Observation
import Quarry
import QuarryMemory
import QuarrySwiftUI
import SwiftUI

@Model
struct Book: Identifiable {
  let id: Int
  var title: String
}

@Model
struct Pen {
  @Attribute(.primaryKey) var name: String
}

@Model
struct Author: Identifiable {
  let id: Int
  var name: String
}

// The view of docs/guide/observation.md.
struct Authors: View {
  @StoreQuery(Author.all.sorted(by: \.name)) var authors

  var body: some View {
    List(authors) { Text($0.name) }
  }
}

struct Shelf: View {
  @StoreQuery<Book> var books: [Book]

  init(_ query: Query<Book> = Book.all.sorted(by: \.title)) { _books = StoreQuery(query) }

  var body: [String] { books.map(\.title) }
  var status: (error: (any Error)?, store: Store?) { ($books.error, $books.store) }
}

@MainActor var failures = 0

@MainActor func expect(_ holds: Bool, _ what: String, line: Int = #line) {
  if holds { return }
  failures += 1
  FileHandle.standardError.write(Data("error: Views.swift:\(line): \(what)\n".utf8))
}

@MainActor func checkAll() async throws {
  let store = try Store(for: Book.self, in: .memory)
  let host = Host<Shelf>()

  // Without a store the list is empty, and says why.
  let alone = Shelf()
  expect(host.show(alone.quarryStore(nil)) == [], "a view without a store shows something")
  expect((alone.status.error as? StorageError)?.code == .notFound, "the missing store is not said")

  // A store appears; a commit reaches the view, and notifies what has read it.
  try await store.insert(Book(id: 1, title: "Emma"))
  let shelf = Shelf()
  expect(host.show(shelf.quarryStore(store)) == ["Emma"], "the objects are not there")
  expect(shelf.status.error == nil && shelf.status.store === store, "an error remains")
  let notified = NotifiedOnce()
  withObservationTracking {
    _ = shelf.body
  } onChange: {
    notified.note()
  }
  try await store.insert(Book(id: 2, title: "Dracula"))
  try await shelf.$books.list?.settled()
  expect(notified.isNoted, "the view was not notified")
  expect(shelf.body == ["Dracula", "Emma"], "the new object is not there")

  // A view that is created again keeps its list. Another query or another store is fetched.
  let list = shelf.$books.list
  let again = Shelf()
  _ = host.show(again.quarryStore(store))
  expect(again.$books.list === list, "the same query is fetched again")
  let filtered = Shelf(Book.where { $0.title.hasPrefix("E") })
  expect(host.show(filtered.quarryStore(store)) == ["Emma"], "another query is not fetched")
  let other = try Store(for: Book.self, in: .memory)
  let moved = Shelf()
  expect(host.show(moved.quarryStore(other)) == [], "another store is not read")

  // The view of the guide.
  let people = try Store(for: Author.self, in: .memory)
  try await people.insert(Author(id: 1, name: "Ada"))
  let names = Host<Authors>().show(Authors().quarryStore(people))?.body as? [[String]]
  expect(names == [["Ada"]], "the view of the guide shows something else")

  // A store without the model, and a closed one: an error and no objects.
  let pens = try Store(for: Pen.self, in: .memory)
  let wrong = Shelf()
  expect(host.show(wrong.quarryStore(pens)) == [] && wrong.status.error != nil, "an unknown model has no error")
  let back = Shelf()
  expect(host.show(back.quarryStore(store))?.count == 2 && back.status.error == nil, "an error remains")
  try other.close()
  let closed = Shelf()
  expect(host.show(closed.quarryStore(other)) == [], "a closed store shows something")
  expect((closed.status.error as? StorageError)?.code == .closed, "the closed store is not said")
}

final class NotifiedOnce: Sendable {
  private let lock = NSLock()
  nonisolated(unsafe) private var noted = false

  var isNoted: Bool { lock.withLock { noted } }
  func note() { lock.withLock { noted = true } }
}

@main
struct Views {
  static func main() async {
    do { try await checkAll() } catch { expect(false, "\(error)") }
    print(failures == 0 ? "SwiftUI: views follow their queries, on the stand-in" : "SwiftUI: \(failures) failed")
    exit(failures == 0 ? 0 : 1)
  }
}
