import Foundation
import Quarry
import QuarryEngines

// The right columns of the tables in docs/coming-from, in places where they compile and run. DocumentationTests compares
// them.

enum ComingFromRealm {
  static func opening(_ path: String) throws -> Store {
    let store = try Store(for: Book.self, in: .sqlite(at: path))
    let scratch = try Store(for: Book.self, in: .memory(named: "scratch"))
    let file = try Store(
      for: Book.self,
      in: .flatFile(at: path + ".quarry", compaction: .automatic(garbageBytes: 4 << 20)))
    try file.close()
    var options = OpenOptions()
    options.isReadOnly = true
    try Store(for: Book.self, in: .sqlite(at: path), options: options).close()
    StoreConfiguration.default = StoreConfiguration(.sqlite(at: path))
    let standard = try Store(for: Book.self)
    try standard.close()
    try scratch.destroy()
    let copy = path + ".copy"
    try store.compact()
    try store.backup(to: copy)
    return store
  }

  static func objects(_ store: Store, _ book: Book, _ books: [Book]) throws -> [String] {
    try store.write { tx in try tx.insert(book) }
    try store.write { tx in
      try tx.insert(contentsOf: books)
      try tx.upsert(book)
      try tx.upsert(book, updating: \.title, \.year)
    }
    let one = try store.get(Book.self, book.id)
    let certain = try store.getOrInsert(Book.self, book.id) { book }
    try store.update(Book.self, book.id) { $0.title = "Emma" }
    try store.write { tx in
      try tx.assign(Book.where { $0.title == "Emma" }) { $0.year = 1815 }
      try tx.delete(Book.where { $0.year < 1500 })
    }
    return [one?.title ?? "", certain.title]
  }

  static func removing(_ store: Store, _ book: Book) throws {
    try store.write { tx in
      try tx.delete(book)
      try tx.delete(Book.all)
    }
  }

  static func queries(_ store: Store) throws -> [Int] {
    let all = try store.fetch(Book.all)
    let recent = Book.where { $0.year >= 1970 }
    let matching = try Book.where("title CONTAINS[cd] %@", "emma")
    let chosen = Book.where { $0.year.isIn([1813, 1815]) }
    let novels = Book.where { $0.tags.contains("novel") }
    let sorted = recent.sorted(by: \.year, order: .reverse)
    let first = try store.first(sorted)
    let number = try store.count(recent)
    let token = try store.observe(recent) { change in
      _ = change.insertions.map(\.place)
    }
    token.cancel()
    return try store.read { tx in
      let newest = try tx.max(Book.all, of: \.year)
      let years = try tx.distinct(Book.all, \.year)
      let sections = try tx.grouped(Book.all, by: \.year)
      return [
        all.count, number, first?.year ?? 0, newest ?? 0, years.count, sections.count,
        try tx.count(matching), try tx.count(chosen), try tx.count(novels),
      ]
    }
  }

  static func threads(_ store: Store, _ another: Book) async throws -> [String?] {
    let recent = Book.where { $0.year >= 1970 }
    try await store.write { tx in try tx.insert(another) }
    return try frozen(store, recent)
  }

  private static func frozen(_ store: Store, _ recent: Query<Book>) throws -> [String?] {
    let frozen = try store.frozen(recent)
    let thawed = try frozen.first?.thawed()
    let snapshot = try store.freeze()
    defer { snapshot.close() }
    return [thawed?.title, try snapshot.first(recent)?.title]
  }
}

enum ComingFromSwiftData {
  static func run(_ path: String, _ book: Book) throws -> [Int] {
    let store = try Store(for: Book.self, in: .sqlite(at: path))
    let scratch = try Store(for: Book.self, in: .memory)
    try scratch.insert(book)
    try scratch.close()
    try store.write { tx in try tx.insert(book) }
    let all = try store.fetch(Book.all)
    let recent = Book.where { $0.year >= 1970 }
    let same = try Book.where(#Predicate { $0.year >= 1970 })
    let sorted = try recent.sorted(by: SortDescriptor(\.year, order: .reverse))
    let byColumn = recent.sorted(by: \.year, order: .reverse)
    let third = byColumn.offset(40).limit(20)
    let number = try store.count(recent)
    let keys = try store.keys(recent)
    let one = try store.get(Book.self, book.id)
    try store.update(Book.self, book.id) { $0.title = "Emma" }
    try store.delete(Book.where { $0.year < 1500 })
    var titlesSeen: [String] = []
    try store.read { tx in
      let titles = try tx.select(recent, \.title)
      try tx.forEach(recent) { book in titlesSeen.append(book.title) }
      titlesSeen += titles
    }
    defer { try? store.close() }
    return [
      all.count, number, keys.count, one == nil ? 0 : 1, titlesSeen.count, try store.count(same),
      try store.count(sorted), try store.count(third),
    ]
  }

  static func adding(_ store: Store, _ book: Book, _ another: Book) async throws {
    _ = try { () throws in try store.insert(book) }()
    try await store.insert(another)
  }
}

enum ComingFromGRDB {
  static func opening(_ path: String) throws -> Store {
    let store = try Store(for: Book.self, in: .sqlite(at: path))
    var options = OpenOptions()
    options.busyTimeout = 2
    try Store(for: Book.self, in: .sqlite(at: path), options: options).close()
    return store
  }

  static func run(_ store: Store, _ book: Book) throws -> [Int] {
    let ids = [book.id, UUID()]
    var titlesSeen: [String] = []
    let recent = Book.where { $0.year >= 1970 }.sorted(by: \.year, order: .reverse).limit(20)
    let figures = try store.write { tx in
      try tx.upsert(book)
      try tx.upsert(book, updating: \.title)
      try tx.update(Book.self, book.id) { $0.title = "Emma" }
      try tx.assign(Book.where { $0.year < 1900 }) { $0.year += 1 }
      try tx.delete(Book.where { $0.year < 1500 })
      let one = try tx.get(Book.self, book.id)
      let several = try tx.get(Book.self, keys: ids)
      let all = try tx.fetch(Book.all)
      let number = try tx.count(recent)
      let newest = try tx.max(Book.all, of: \.year)
      let titles = try tx.distinct(Book.all, \.title)
      let perYear = try tx.count(Book.all, by: \.year)
      try tx.forEach(Book.all) { book in titlesSeen.append(book.title) }
      let rows = try tx.records.fetch(in: "Book", where: "year > 1970", columns: ["title", "year"])
      try tx.savepoint {
        try tx.delete(book)
      }
      return [
        one?.year ?? 0, several.compactMap(\.self).count, all.count, number, newest ?? 0, titles.count,
        perYear.count, rows.count,
      ]
    }
    let snapshot = try store.freeze()
    let defects = try store.check()
    let plan = try store.explain(recent)
    snapshot.close()
    return figures + [titlesSeen.count, defects.count, plan.description.isEmpty ? 0 : 1]
  }

  static func refused(_ store: Store, _ book: Book) throws -> Bool {
    do {
      try store.insert(book)
      return false
    } catch let error as StorageError where error.code == .uniqueViolation {
      return true
    }
  }

  static func counting(_ store: Store) async throws -> Int {
    let counted = try await store.count(Book.all)
    return counted
  }
}
