import Foundation
import Quarry

/// Runs the seven shapes that programs give to their storage, on every engine, and says what each one saw. What is not as
/// it should be ends it with an error.
@main
struct ShapesDemo {
  static func main() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "shapes-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for engine in NoteConfiguration.Engine.allCases {
      let store = try NoteConfiguration(
        environment: ["NOTES_ENGINE": engine.rawValue, "NOTES_FOLDER": folder.path]
      ).open()
      try await service(store)
      try await background(store)
      try await shelf(store)
      try access(store)
      try await form(store)
      try await folders(store)
      try store.close()
      print("\(engine.rawValue): an actor, a background store, a view model, a data access object: as they should be")
      print("\(engine.rawValue): an edit form, a list with sections: as they should be")
    }
    try configuration(folder)
    print("configuration: read only, an unknown engine, a default")
  }

  static func service(_ store: Store) async throws {
    let service = NoteService(store)
    let note = Note(folder: "in", title: "Call Ada")
    try await service.add(note)
    let edited = try await service.edit(note.id) { $0.body = "about the engine" }
    try expect(try await service.note(note.id) == edited && edited.body == "about the engine")
    try expect(try await service.index(of: "in") == service.index(of: "in"))
    try expect(try await service.rename(folder: "in", to: "out") == 2)
    try expect(try await service.notes(in: "out").map(\.title) == ["Call Ada", "Index"])
    try await service.add(Note(folder: "in", title: "Another"))
    do {
      _ = try await service.rename(folder: "in", to: "out")
      try expect(false)
    } catch let error as FolderExists {
      try expect(error.name == "out")
    }
    try expect(try await service.remove(note.id))
    try expect(try await !service.remove(note.id))
  }

  static func background(_ store: Store) async throws {
    let background = BackgroundStore(store: store)
    let original = Note(folder: "stars", title: "Vega", changed: Date(timeIntervalSinceReferenceDate: 0))
    try expect(await background.save([original]) == .success(1))
    try expect(await background.save([original]) == .failure(.alreadyThere))
    var changed = original
    changed.stars = 5
    try expect(await background.replace(original, with: changed) == .success(changed))
    try expect(await background.replace(original, with: changed) == .failure(.changedMeanwhile))
    try expect(await background.replace(Note(folder: "", title: ""), with: changed) != .success(changed))
    try expect(await background.stars(in: "stars") == .success(5))
  }

  @MainActor
  static func shelf(_ store: Store) async throws {
    let shelf = ShelfModel(store, folder: "shelf")
    await shelf.add("Iliad")
    await shelf.add("Aeneid")
    try expect(shelf.notes.map(\.title) == ["Aeneid", "Iliad"] && shelf.total == 2)
    await shelf.star(shelf.notes[1])
    try expect(shelf.notes.map(\.title) == ["Iliad", "Aeneid"])
    let gone = shelf.notes[0]
    await shelf.remove(gone)
    await shelf.star(gone)
    try expect(shelf.notes.map(\.title) == ["Aeneid"])
    shelf.folder = "nowhere"
    try expect(!shelf.isCurrent)
    await shelf.load()
    try expect(shelf.isCurrent && shelf.notes.isEmpty && shelf.message == nil)
  }

  @MainActor
  static func form(_ store: Store) async throws {
    let note = Note(folder: "form", title: "Draft")
    try await store.insert(note)
    let form = NoteForm(store, editing: note.id)
    try expect(form.title == "Draft" && !form.isDirty && !form.isStale)
    form.title = "First"
    form.stars = 6
    try expect(form.isDirty && form.problem == "a note has 0 to 5 stars")
    try expect(await !form.save() && form.message == form.problem && form.conflicts.isEmpty)
    form.undo()
    try expect(form.stars == 0 && form.title == "First" && form.problem == nil && form.canRedo)
    form.title = "Draft"
    try expect(!form.isDirty && !form.canRedo)
    form.title = "Second"
    form.cancel()
    try expect(form.title == "Draft" && !form.isDirty && !form.canUndo)
    // Others change another property, and then the same one.
    form.title = "Mine"
    try await store.assign(Note.self, note.id) { $0.stars = 4 }
    for _ in 0..<1_000 where !form.isStale { try await Task.sleep(for: .milliseconds(5)) }
    try expect(form.isStale)
    try expect(await !form.save() && form.message != nil)
    try expect(await form.save(.mergeProperties))
    var stored = try await store.get(Note.self, note.id)
    try expect(stored?.title == "Mine" && stored?.stars == 4 && !form.isDirty && form.message == nil)
    form.title = "Mine again"
    try await store.assign(Note.self, note.id) { $0.title = "Theirs" }
    try expect(await !form.save(.mergeProperties) && form.conflicts == ["title"])
    try expect(await form.save(.overwrite))
    stored = try await store.get(Note.self, note.id)
    try expect(stored?.title == "Mine again")
    try await store.delete(Note.where { $0.folder == "form" })
  }

  @MainActor
  static func folders(_ store: Store) async throws {
    try await store.delete(Note.all)
    let list = try FolderList(store)
    try expect(list.folders.isEmpty)
    try await store.insert(contentsOf: [
      Note(folder: "b", title: "Two"), Note(folder: "a", title: "One"), Note(folder: "b", title: "Three"),
    ])
    try await list.settled()
    try expect(list.folders == [.init(id: "a", titles: ["One"]), .init(id: "b", titles: ["Three", "Two"])])
    try await store.update(Note.where { $0.title == "Two" }) { ($0.folder, $0.stars) = ("a", 3) }
    try await list.settled()
    try expect(list.folders == [.init(id: "a", titles: ["One", "Two"]), .init(id: "b", titles: ["Three"])])
    try list.show(leastStars: 1)
    try expect(list.folders == [.init(id: "a", titles: ["Two"])] && list.leastStars == 1)
    try await store.delete(Note.all)
    try await list.settled()
    try expect(list.folders.isEmpty)
  }

  static func access(_ store: Store) throws {
    let notes = DataAccess<Note>(store: store)
    let before = try notes.all().count
    let one = Note(folder: "dao", title: "One")
    try expect(try notes.save(one, Note(folder: "dao", title: "Two")) == 2)
    try notes.change(one.id) { $0.stars = 3 }
    try expect(try notes.save(one) == 0)
    try expect(try notes[one.id] == one && notes[UUID()] == nil)
    try expect(try notes.find { $0.folder == "dao" && $0.title.hasPrefix("T") }.map(\.title) == ["Two"])
    try expect(try notes.find(text: "folder == 'dao'", sortedBy: "-title").map(\.title) == ["Two", "One"])
    try expect(try notes.first { $0.title == "One" }?.id == one.id)
    try expect(try notes.pages(of: 2).map(\.count).reduce(0, +) == before + 2)
    do {
      _ = try notes.find(text: "fodler == 'dao'")
      try expect(false)
    } catch let error as StorageError {
      try expect(error.code == .invalidQuery)
    }
    try expect(try notes.remove { $0.folder == "dao" } == 2 && notes.count { $0.folder == "dao" } == 0)
  }

  static func configuration(_ folder: URL) throws {
    var settings = try NoteConfiguration(environment: ["NOTES_FOLDER": folder.path, "NOTES_READ_ONLY": "1"])
    let reader = try settings.open()
    do {
      try reader.insert(Note(folder: "", title: ""))
      try expect(false)
    } catch let error as StorageError {
      try expect(error.code == .readOnly)
    }
    try reader.close()
    do {
      _ = try NoteConfiguration(environment: ["NOTES_ENGINE": "tape"])
      try expect(false)
    } catch let error as UnknownEngine {
      try expect(error.name == "tape")
    }
    settings.isReadOnly = false
    settings.durability = .processCrash
    StoreConfiguration.default = settings.storeConfiguration
    let store = try Store(for: Note.self)
    try expect(store.manifest.durability == .processCrash)
    try store.close()
  }

  struct NotAsExpected: Error {
    var line: Int
  }

  static func expect(_ condition: Bool, line: Int = #line) throws {
    guard condition else { throw NotAsExpected(line: line) }
  }
}
