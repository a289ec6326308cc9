import Foundation
import Quarry
import QuarryDrafts
import QuarryDump
import QuarryEncryption
import QuarryEngines

// The right columns of the tables in docs/coming-from/wrappers.md, in places where they compile and run.

/// A service that other code calls.
actor BookService {
  let store: Store

  init(_ path: String) throws {
    store = try Store(for: Book.self, in: .sqlite(at: path))
  }

  func add(_ books: [Book]) async throws { try await store.insert(contentsOf: books) }
  func find(_ query: Query<Book>) async throws -> [Book] { try await store.fetch(query) }
}

enum ComingFromWrappers {
  static func objects(_ store: Store, _ book: Book, _ ids: [UUID]) throws -> [String] {
    let certain = try store.getOrInsert(book)
    let counted = try store.upsert(Book.self, book.id, default: book) { $0.year += 1 }
    let several = try store.get(Book.self, keys: ids)
    try store.update(Book.self, book.id) { $0.title = "Emma" }
    let changed = try store.update(Book.where { $0.year > 1800 }) { $0.title += "!" }
    let isThere = try store.exists(Book.self, book.id)
    let one = try store.get(Book.self, book.id)
    var edited = book
    edited.title = "Persuasion"
    try store.upsert(edited)
    try store.delete(Book.self, book.id)
    return [certain.title, "\(counted.year)", "\(several.count)", "\(changed)", "\(isThere)", one?.title ?? ""]
  }

  static func relations() throws -> [Int] {
    let store = try Store(for: Artist.self, Work.self, in: .memory)
    let artist = Artist(id: 1, name: "Ann")
    try store.write { tx in
      try tx.insert(artist)
      try tx.write { tx in
        try tx.insert(Work(id: 1, title: "Air", artist: Ref(1), copyOf: nil))
      }
    }
    let works = try store.fetch(artist.works.sorted(by: \.title))
    for (artist, works) in try store.fetch(Artist.all, with: \.works) { print(artist.name, works.count) }
    let number = try store.count(artist.works)
    try store.delete(Artist.self, 1)
    return [works.count, number, try store.count(Work.all)]
  }

  static func frozen(_ store: Store, _ id: UUID) throws -> [String?] {
    let frozen = try store.frozen(Book.self, id)
    let thawed = try frozen?.thawed()
    let snapshot = try store.freeze()
    defer { snapshot.close() }
    return [thawed?.title, try snapshot.get(Book.self, id)?.title]
  }

  static func care(_ path: String, _ key: EncryptionKey, _ book: Book) throws -> [Int] {
    var options = OpenOptions()
    options.compaction = .when { total, used in total > 100 << 20 && used * 2 < total }
    let store = try Store(for: Book.self, in: .sqlite(at: path), options: options, encryption: .init(key))
    try store.insert(book)
    try store.rekey(to: EncryptionKey.passphrase("correct horse battery staple"))
    let rows = try store.dump(to: path + ".dump").rows
    try store.backup(to: path + ".backup")
    try store.close()
    return [rows]
  }

  static func migrated(_ path: String) throws {
    let store = try Store(
      for: Book.self, in: .sqlite(at: path),
      migration: .to(2) { m in
        try m.enumerate("Book") { old, new in new["title"] = "\(old["title"]) (\(old["year"]))" }
      })
    try store.close()
    try Store(for: Book.self, in: .sqlite(at: path), migration: .startOver(keeping: .quarantine)).close()
  }

  static func context(_ store: Store, _ book: Book) throws -> [Bool] {
    let draft = Draft(on: store)
    try draft.insert(book)
    let isDirty = draft.hasChanges
    draft.undo()
    draft.redo()
    draft.rollback()
    try draft.save()
    return [isDirty, draft.hasChanges]
  }

  static func listed(_ store: Store) throws -> Int {
    let token = try store.observe(Book.all.sorted(by: \.title)) { change in
      for deletion in change.deletions { print(deletion.place) }
    }
    token.cancel()
    return try store.select(Book.where { $0.year > 1800 }, \.title).count
  }
}
