import Foundation
import Quarry
import QuarryEngines

/// A library with authors, books, tags and loans, on every engine: what refers to what, and what becomes of it. The engines'
/// outputs are the same, else it ends with an error.
@main
struct LibraryDemo {
  static func main() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "library-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var first: [String]?
    for engine in ["memory", "file", "sqlite", "lmdb"] {
      let url = engine == "memory" ? "memory:" : "\(engine):\(folder.path)/library.\(engine)"
      // The other models are found by what Author is related to.
      let store = try Store(for: Author.self, url: url)
      let lines = try visit(store)
      try store.close()
      if let first {
        guard lines == first else { throw OtherAnswers(engine: engine, lines: lines) }
        print("\(engine): the same")
      } else {
        first = lines
        print("\(engine):")
        for line in lines { print("  \(line)") }
      }
    }
  }

  /// An engine said something else than the first.
  struct OtherAnswers: Error {
    var engine: String
    var lines: [String]
  }

  /// What a day in the library looks like, in lines.
  static func visit(_ store: Store) throws -> [String] {
    try fill(store)
    var lines = try shelves(store)
    lines += try subjects(store)
    lines += try questions(store)
    lines += try refused(store)
    lines += try removals(store)
    lines.append(try store.check().isEmpty ? "every reference leads to an object" : "the store is damaged")
    return lines
  }

  static func fill(_ store: Store) throws {
    try store.write { tx in
      let plato = Author(id: 2, name: "Plato", teacher: Ref(1))
      // The pupil comes before the teacher, so references are looked at when both are there.
      try tx.deferringReferences {
        try tx.insert(plato)
        try tx.insert(Author(id: 1, name: "Socrates"))
      }
      try tx.insert(Author(id: 3, name: "Aristotle", teacher: Ref(plato)))
      try tx.insert(contentsOf: [
        Book(id: 1, title: "Symposium", year: -385, author: Ref(plato)),
        Book(id: 2, title: "Republic", year: -375, author: Ref(plato)),
        Book(id: 3, title: "Poetics", year: -335, author: Ref(3)),
      ])
      try tx.insert(Loan(id: 1, book: Ref(2), reader: "Ada"))
      try tx.insert(contentsOf: ["love", "myth", "poetry", "state"].map { Tag(id: $0) })
      for book in try tx.fetch(Book.all) {
        let about = [1: ["love", "myth"], 2: ["state", "myth", "poetry"], 3: ["poetry"]][book.id] ?? []
        try book.tags.append(contentsOf: about.map { Tag(id: $0) }, in: tx)
      }
    }
  }

  static func shelves(_ store: Store) throws -> [String] {
    try store.read { tx in
      // One read for the authors, one for their teachers, one for their books.
      try tx.fetch(Author.all, with: \.teacher, \.books).map { author, teacher, books in
        let titles = books.isEmpty ? "nothing" : books.map(\.title).joined(separator: ", ")
        return "\(author.name), taught by \(teacher?.name ?? "nobody"), wrote \(titles)"
      }
    }
  }

  static func subjects(_ store: Store) throws -> [String] {
    try store.write { tx in
      // The Republic is about poetry before all else.
      if let republic = try tx.get(Book.self, 2) { try republic.tags.move(from: 2, to: 0, in: tx) }
      let about = try tx.fetch(Book.all, with: \.tags).map { book, tags in
        "\(book.title) is about \(tags.map(\.id).joined(separator: ", "))"
      }
      let myth = try tx.get(Tag.self, "myth")
      let titles = try myth.map { try tx.fetch($0.books.sorted(by: \.year)).map(\.title) } ?? []
      return about + ["About myth: \(titles.joined(separator: ", "))"]
    }
  }

  static func questions(_ store: Store) throws -> [String] {
    try store.read { tx in
      let taught = try tx.fetch(Book.where { $0.author.teacher.name == "Plato" }.sorted(by: \.author.name))
      let poets = try tx.fetch(Author.where { $0.books.any { $0.tags.any { $0.id == "poetry" } } })
      let idle = try tx.fetch(Author.where { $0.books.isEmpty })
      return [
        "By a pupil of Plato: \(taught.map(\.title).joined(separator: ", "))",
        "Wrote about poetry: \(poets.map(\.name).joined(separator: ", "))",
        "Wrote nothing: \(idle.map(\.name).joined(separator: ", "))",
      ]
    }
  }

  static func refused(_ store: Store) throws -> [String] {
    var lines: [String] = []
    do {
      try store.insert(Book(id: 9, title: "Lost", year: 0, author: Ref(99)))
    } catch let error as StorageError where error.code == .missingReference {
      lines.append("refused: a book of nobody")
    }
    do {
      _ = try store.write { tx in try tx.delete(Author.self, 2) }
    } catch let error as StorageError where error.code == .referenced {
      lines.append("refused: Plato goes, while one of his books is lent")
    }
    return lines
  }

  static func removals(_ store: Store) throws -> [String] {
    try store.write { tx in
      try tx.delete(Loan.self, 1)
      try tx.delete(Author.self, 2)
      let left = try tx.fetch(Book.all).map(\.title)
      let aristotle = try tx.get(Author.self, 3)
      let love = try tx.get(Tag.self, "love")
      return [
        "Plato is gone, and his books: left is \(left.joined(separator: ", "))",
        "Aristotle's teacher is \(aristotle?.teacher == nil ? "nobody" : "somebody")",
        "Books about love: \(try love.map { try tx.count($0.books) } ?? 0)",
      ]
    }
  }
}
