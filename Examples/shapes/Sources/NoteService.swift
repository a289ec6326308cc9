import Foundation
import Quarry

/// The first shape: an actor that is the one way to the objects. Its methods are those of a service; what they do is one
/// transaction each, off the cooperative pool.
actor NoteService {
  private let store: Store

  init(_ store: Store) {
    self.store = store
  }

  func add(_ note: Note) async throws {
    try await store.insert(note)
  }

  func note(_ id: Note.ID) async throws -> Note? {
    try await store.get(Note.self, id)
  }

  func notes(in folder: String) async throws -> [Note] {
    try await store.fetch(Note.where { $0.folder == folder }.sorted(by: \.title))
  }

  /// The one note that stands for a folder, made when it is not there yet.
  func index(of folder: String) async throws -> Note {
    try await store.write { tx in
      if let found = try tx.first(Note.where { $0.folder == folder && $0.title == "Index" }) { return found }
      let made = Note(folder: folder, title: "Index")
      try tx.insert(made)
      return made
    }
  }

  /// Changes a note in place and writes only what was changed.
  @discardableResult
  func edit(_ id: Note.ID, _ change: @Sendable @escaping (inout Note) -> Void) async throws -> Note {
    try await store.write { tx in
      try tx.update(Note.self, id) { note in
        change(&note)
        note.changed = Date()
      }
    }
  }

  /// Moves every note of a folder, or none.
  func rename(folder: String, to name: String) async throws -> Int {
    try await store.write { tx in
      guard try !tx.exists(Note.where { $0.folder == name }) else { throw FolderExists(name: name) }
      return try tx.assign(Note.where { $0.folder == folder }) { $0.folder = .value(name) }
    }
  }

  func remove(_ id: Note.ID) async throws -> Bool {
    try await store.delete(Note.self, id)
  }
}

struct FolderExists: Error, Equatable {
  var name: String
}
