import Foundation
import Observation
import Quarry

// The types of docs/guide/recipes.md. DocumentationTests compares them.

@Model
struct Note: Identifiable, Equatable {
  let id: Int
  @Attribute(.indexed) var folder: String
  @Attribute(.indexed) var changed: Date
  var title: String
  var stars: Int = 0
  var deleted: Date?
}

extension Note {
  static var kept: Query<Note> { Note.where { $0.deleted == nil } }
}

@Model
struct Outgoing: Identifiable {
  let id: UUID
  @Attribute(.indexed) var queued: Date
  var body: String
  var attempts: Int = 0
}

@Model
struct CachedPage: Identifiable {
  let id: String
  var body: Data
  @Attribute(.indexed) var expires: Date
}

@Model
struct Tag: Identifiable, Equatable {
  let id: UUID
  @Attribute(.unique) var name: String
}

@Model
struct Post: Identifiable, Equatable {
  let id: UUID
  @Attribute(.unique) var slug: String
  var title: String
}

@Model
struct Settings: Identifiable, Equatable {
  let id: Int
  var theme: String = "light"
  var pageSize: Int = 50
}

@Model
struct Contact: Identifiable, Equatable {
  let id: Int
  @Attribute(originalName: "phone") var telephone: String
  var country: String
}

/// The contact of the version before.
enum OldContacts {
  @Model
  struct Contact: Identifiable {
    let id: Int
    var phone: String
  }
}

actor NoteRepository {
  private let store: Store

  init(_ store: Store) { self.store = store }

  func add(_ note: Note) async throws {
    try await store.insert(note)
  }

  func notes(in folder: String) async throws -> [Note] {
    try await store.fetch(Note.where { $0.folder == folder }.sorted(by: \.title))
  }

  func move(_ id: Note.ID, to folder: String) async throws {
    try await store.update(Note.self, id) { $0.folder = folder }
  }
}

@MainActor @Observable
final class NoteList {
  private(set) var notes: [Note] = []
  private(set) var error: (any Error)?

  func follow(_ store: Store) async {
    do {
      for try await change in store.changes(of: Note.kept.sorted(by: \.title)) { notes = change.objects }
    } catch {
      self.error = error
    }
  }
}
