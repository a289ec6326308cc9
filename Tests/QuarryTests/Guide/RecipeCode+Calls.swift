import Foundation
import Quarry
import QuarryEngines

// The pieces of docs/guide/recipes.md that are no functions of their own.

extension RecipeCode {
  static func countsPerFolder(_ store: Store) throws -> [String] {
    let perFolder = try store.count(Note.kept, by: \.folder)
    let stars = try store.sum(Note.kept, of: \.stars, by: \.folder)
    for group in perFolder { print("\(group.key): \(group.value) notes") }
    return perFolder.map { "\($0.key) \($0.value)" } + stars.map { "\($0.key) \($0.value ?? 0)" }
  }

  static func importing(_ notes: [Note], into store: Store) async throws -> Progress {
    let progress = Progress(totalUnitCount: Int64(notes.count))
    let display = Task {
      while !Task.isCancelled {
        print("\(Int(progress.fractionCompleted * 100)) %")
        try await Task.sleep(for: .milliseconds(200))
      }
    }
    defer { display.cancel() }
    try await store.insert(contentsOf: notes, progress: progress)
    return progress
  }

  static func softDelete(_ store: Store) throws -> [Int] {
    try store.assign(Note.self, 1) { $0.deleted = Date.now }
    let visible = try store.fetch(Note.kept.sorted(by: \.title))

    try store.update(Note.self, 1) { $0.deleted = nil }
    let restored = try store.count(Note.kept)

    let monthAgo = Date.now - 30 * 24 * 3600
    let removed = try store.delete(Note.where { $0.deleted < monthAgo })
    return [visible.count, restored, removed]
  }

  static func relations(_ store: Store) throws -> [String] {
    let untaught = try store.fetch(Artist.where { $0.teacher == nil })
    let pupils = try store.fetch(Artist.where { $0.teacher.name == "Verrocchio" })
    for (artist, teacher) in try store.fetch(Artist.all, with: \.teacher) {
      print(artist.name, teacher?.name ?? "no teacher")
    }

    let works = try store.fetch(Work.all.sorted(by: \.artist.name).sorted(by: \.title))

    try store.update(Artist.self, 2) { $0.teacher = nil }
    return untaught.map(\.name) + pupils.map(\.name) + works.map(\.title)
  }

  static func batches(_ store: Store) throws -> [Int] {
    let starred = try store.assign(Note.where { $0.folder == "inbox" }) { $0.stars += 1 }
    let trimmed = try store.update(Note.where { $0.title.hasPrefix(" ") }) { note in
      note.title = note.title.trimmingCharacters(in: .whitespaces)
    }

    let inbox = Note.where { $0.folder == "inbox" }.limit(1000)
    while try store.assign(inbox, { $0.folder = "archive" }) > 0 {}
    return [starred, trimmed, try store.count(Note.where { $0.folder == "inbox" })]
  }

  static func migrating(_ place: some BackendProvider) throws -> Store {
    let migration = Migration.to(2) { m in
      try m.enumerate("Contact") { old, new in
        new["country"] = .string(old["phone"].stringValue?.hasPrefix("+44") == true ? "GB" : "US")
      }
    }
    let contacts = try Store(for: Contact.self, in: place, migration: migration)
    return contacts
  }

  static func settings(_ store: Store) throws -> Settings {
    let settings = try store.getOrInsert(Settings.self, 1) { Settings(id: 1) }
    try store.update(Settings.self, 1) { $0.theme = "dark" }
    return settings
  }

  static func trimming(_ store: Store) throws -> Int {
    let surplus = Note.all.sorted(by: \.changed, order: .reverse).offset(1000)
    let removed = try store.delete(surplus)
    return removed
  }

  static func streaming(_ store: Store) async throws -> Int {
    var characters = 0
    for try await note in store.stream(Note.all) { characters += note.title.count }
    return characters
  }

  static func expiring(_ cache: Store) throws -> Int {
    let expired = try cache.delete(CachedPage.where { $0.expires < Date.now })
    return expired
  }
}
