import Foundation
import Quarry
import QuarryEngines

// The code of docs/guide/history.md and of the history in docs/coming-from, in places where it compiles and runs.

enum GuideHistory {
  static func opening(_ path: String) throws -> Store {
    var options = OpenOptions()
    options.history = .on(keeping: .days(30), bytes: 64 << 20)
    let store = try Store(for: Author.self, Book.self, in: .sqlite(at: path), options: options)
    return store
  }

  static func reading(_ store: Store) throws {
    try store.write(author: "import") { tx in try tx.assign(Author.self, 7) { $0.rating = 5 } }
    for set in try store.history() {
      print(set.position, set.date, set.author ?? "")
      guard !set.isUnknown(Author.self) else { continue }
      for change in try set.changes(of: Author.self) {
        print(change.kind, change.old?.name ?? "", change.new?.name ?? "", change.properties)
      }
    }
  }

  static func undoing(_ store: Store) throws {
    if let last = try store.history().last { try store.undo(last, author: "undo") }
  }

  static func mailing(_ store: Store, until count: Int) async throws -> [String] {
    var sent: [String] = []
    for try await set in store.historyUpdates(as: "mail") {
      for change in try set.changes(of: Author.self) where change.kind == .insertion {
        if let author = change.new { sent.append(author.email) }
      }
      try store.history.acknowledge(set.position, as: "mail")
      if sent.count == count { break }
    }
    return sent
  }

  static func indexing(_ store: Store, _ set: HistorySet, entry: (Author) -> Book) throws {
    try store.write { tx in
      for change in try set.changes(of: Author.self) { if let author = change.new { try tx.upsert(entry(author)) } }
      try tx.acknowledge(set.position, as: "index")
    }
  }

  static func comingFromSwiftData(_ store: Store, _ position: HistoryPosition) throws -> Int {
    let sets = try store.history(after: position)
    let updates = store.historyUpdates(after: position)
    _ = updates
    if let set = sets.last { try store.undo(set) }
    return sets.count
  }
}
