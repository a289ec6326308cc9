import Foundation
import Quarry
import QuarryDrafts
import QuarryEngines

// The code of docs/guide/drafts.md and of the drafts in docs/coming-from, in places where it compiles and runs.

struct OutOfRange: Error {}

extension Rating: Validated {
  func validate() throws {
    guard (0...5).contains(stars) else { throw OutOfRange() }
  }
}

enum GuideDrafts {
  @MainActor static func editing(_ store: Store) async throws -> [String] {
    let draft = Draft(on: store)
    draft[Author.self, 7]?.name = "Grace Hopper"
    draft[Author.self, 8] = Author(id: 8, email: "a@example.org", name: "Ada")
    draft[Author.self, 9] = nil
    if draft.hasChanges { try await draft.save() }
    try draft.asOneStep {
      try draft.update(Author.self, 7) { $0.rating = 5 }
      try draft.update(Author.self, 8) { $0.rating = 4 }
    }
    let list = try draft.fetch(Author.where { $0.rating >= 4 }.sorted(by: \.name))
    var edited = list[0]
    edited.name = "Grace"
    try draft.update(edited, from: list[0])
    for change in draft.changes {
      print(change.id, change.kind, change.properties.map(\.name))
    }
    draft.undo()
    draft.redo()
    draft.rollback()
    return list.map(\.name)
  }

  @MainActor static func saving(_ store: Store) async throws -> String? {
    let draft = Draft(on: store)
    draft[Author.self, 7]?.name = "Grace Hopper"
    try await store.assign(Author.self, 7) { $0.rating = 3 }
    do {
      try await draft.save()
    } catch let conflicts as DraftConflicts {
      for object in conflicts.objects {
        print(object.id, object.properties, object.theirs(as: Author.self)?.name ?? "deleted")
      }
      try await draft.save(onConflict: .mergeProperties)
    }
    let notes = Draft(on: store, autosave: .after(.seconds(1)))
    return notes.hasChanges ? nil : try await store.get(Author.self, 7).map { "\($0.name) \($0.rating)" }
  }

  static func comingFromSwiftData(_ store: Store, _ book: Book) throws -> [String] {
    let draft = Draft(on: store)
    try draft.insert(book)
    draft[Book.self, book.id]?.title = "Emma"
    let isDirty = draft.hasChanges
    let inserted = draft.changes.filter { $0.kind == .inserted }
    let edited = try draft.fetch(Book.all)
    draft.undo()
    draft.redo()
    try draft.save()
    draft[Book.self, book.id]?.title = "Persuasion"
    draft.rollback()
    try draft.delete(book)
    try draft.save(onConflict: .overwrite)
    return ["\(isDirty)", "\(inserted.count)", edited.last?.title ?? ""]
  }
}
