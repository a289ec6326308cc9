import Foundation
import Quarry
import QuarryEncryption
import QuarryEngines

// The functions of docs/guide/recipes.md. DocumentationTests compares them, RecipeTests runs them.

struct RecipeCode {
  func nextPage(after position: PagePosition?, in store: Store) throws -> Page<Note> {
    try store.page(Note.all.sorted(by: \.changed, order: .reverse).after(position), size: 50)
  }

  func add(_ note: Note, to store: Store) throws {
    try store.write { tx in
      try tx.insert(note)
      try tx.insert(Outgoing(id: UUID(), queued: .now, body: note.title))
    }
  }

  func sendPending(in store: Store, by send: (Outgoing) async throws -> Void) async throws {
    for message in try await store.fetch(Outgoing.all.sorted(by: \.queued).limit(100)) {
      do {
        try await send(message)
      } catch {
        try await store.assign(Outgoing.self, message.id) { $0.attempts += 1 }
        continue
      }
      try await store.delete(message)
    }
  }

  func page(at address: String, in cache: Store, load: () async throws -> Data) async throws -> Data {
    if let kept = try await cache.get(CachedPage.self, address), kept.expires > .now { return kept.body }
    let body = try await load()
    try await cache.upsert(CachedPage(id: address, body: body, expires: .now + 3600))
    return body
  }

  func tag(named name: String, in store: Store) throws -> Tag {
    try store.write { tx in
      if let found = try tx.first(Tag.where { $0.name == name }) { return found }
      let tag = Tag(id: UUID(), name: name)
      try tx.insert(tag)
      return tag
    }
  }

  func rename(_ original: Note, to title: String, in store: Store) throws -> Note? {
    var renamed = original
    renamed.title = title
    do {
      try store.update(renamed, ifUnchangedFrom: original)
      return renamed
    } catch let error as StorageError where error.code == .conflict {
      return nil
    }
  }

  func openNotes(at path: String, seed: [Note]) throws -> Store {
    let store = try Store(for: Note.self, in: .sqlite(at: path))
    try store.write { tx in
      if try !tx.exists(Note.all) { try tx.insert(contentsOf: seed) }
    }
    return store
  }

  func backUp(_ store: Store, into folder: URL, on day: Date = .now, keeping count: Int = 7) throws {
    let name = "notes-\(day.formatted(.iso8601.year().month().day())).db"
    try store.backup(to: folder.appending(path: name).path)
    let backups = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("notes-") }
    for old in backups.sorted().dropLast(count) {
      try FileManager.default.removeItem(at: folder.appending(path: old))
    }
  }

  func encryptNotes(at path: String, keys: FileKeyStore) throws -> Store {
    let key = try keys.key(named: "notes", orCreate: true)
    try Store.encrypt(.sqlite(at: path), with: key)
    return try Store(for: Note.self, in: .sqlite(at: path), encryption: .init(key))
  }

  func csv(of query: Query<Note>, in scope: some ReadScope) throws -> String {
    func cell(_ text: String) -> String {
      text.contains(/[",\r\n]/) ? "\"" + text.replacing("\"", with: "\"\"") + "\"" : text
    }
    var text = "id,folder,title\r\n"
    try scope.forEach(query) { note in
      text += "\(note.id),\(cell(note.folder)),\(cell(note.title))\r\n"
    }
    return text
  }

  func publish(_ title: String, in store: Store) throws -> Post {
    let base = title.lowercased().split { !$0.isLetter && !$0.isNumber }.joined(separator: "-")
    return try store.write { tx in
      var (slug, number) = (base, 2)
      while try tx.exists(Post.where { $0.slug == slug }) {
        (slug, number) = ("\(base)-\(number)", number + 1)
      }
      let post = Post(id: UUID(), slug: slug, title: title)
      try tx.insert(post)
      return post
    }
  }

  func notes(matching text: String, in store: Store) throws -> [Note] {
    let words = text.split(separator: " ").map(String.init)
    let query = words.reduce(Note.kept) { query, word in
      query.where { $0.title.contains(word, options: .caseAndDiacriticInsensitive) }
    }
    return try store.fetch(query.sorted(by: \.title).limit(50))
  }
}
