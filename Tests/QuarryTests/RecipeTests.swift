import Foundation
import Quarry
import QuarryEncryption
import QuarryEngines
import Testing

func place(of engine: String, in folder: String) -> String {
  engine == "memory" ? "memory:" : "\(engine):\(folder)/notes"
}

/// The code of docs/guide/recipes.md runs and does what the page says.
@Suite struct RecipeTests {
  static func note(_ id: Int, _ title: String, in folder: String = "inbox") -> Note {
    Note(id: id, folder: folder, changed: Date(timeIntervalSince1970: Double(id)), title: title)
  }

  static func notes(_ count: Int = 3) throws -> Store {
    let store = try Store(for: Note.self, in: .memory)
    try store.insert(contentsOf: (0..<count).map { note($0 + 1, "Note \($0 + 1)") })
    return store
  }

  /// Runs the body with a folder that is removed afterwards.
  static func inFolder(_ body: (URL) async throws -> Void) async throws {
    let folder = try DocumentationTests.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder)
  }

  @Test(arguments: ["memory", "file", "sqlite", "lmdb"])
  func addedNotesAreFound(on engine: String) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try Store(for: Note.self, url: place(of: engine, in: folder.path))
    let repository = NoteRepository(store)
    try await repository.add(Note(id: 1, folder: "inbox", changed: .now, title: "Buy milk"))
    #expect(try await repository.notes(in: "inbox").map(\.title) == ["Buy milk"])
    try await repository.move(1, to: "done")
    #expect(try await repository.notes(in: "inbox").isEmpty)
    try store.close()
  }

  @Test func pagesShowEveryNoteOnce() throws {
    let store = try Self.notes(120)
    var (seen, position): ([Int], PagePosition?) = ([], nil)
    repeat {
      let page = try RecipeCode().nextPage(after: position, in: store)
      seen += page.elements.map(\.id)
      position = try page.next.map { try JSONDecoder().decode(PagePosition.self, from: JSONEncoder().encode($0)) }
    } while position != nil
    #expect(seen == (1...120).reversed())
  }

  @Test func groupsAreCounted() throws {
    let store = try Self.notes()
    try store.insert(Self.note(4, "Filed", in: "archive"))
    try store.assign(Note.all) { $0.stars += 2 }
    #expect(try RecipeCode.countsPerFolder(store) == ["archive 1", "inbox 3", "archive 2", "inbox 6"])
  }

  @Test func anImportHasProgress() async throws {
    let store = try Store(for: Note.self, in: .memory)
    let progress = try await RecipeCode.importing((1...500).map { Self.note($0, "") }, into: store)
    #expect(progress.completedUnitCount == 500)
    #expect(try await store.count(Note.all) == 500)
    let cancelled = Progress(totalUnitCount: 1)
    cancelled.cancel()
    await #expect(throws: CancellationError.self) {
      try await store.insert(contentsOf: [Self.note(501, "")], progress: cancelled)
    }
    #expect(try await store.count(Note.all) == 500)
  }

  @Test func theOutboxKeepsWhatWasNotSent() async throws {
    let store = try Store(for: Note.self, Outgoing.self, in: .memory)
    try RecipeCode().add(Self.note(1, "First"), to: store)
    try RecipeCode().add(Self.note(2, "Second"), to: store)
    try await RecipeCode().sendPending(in: store) { if $0.body == "First" { throw Rejected() } }
    #expect(try await store.fetch(Outgoing.all).map { "\($0.body) \($0.attempts)" } == ["First 1"])
    try await RecipeCode().sendPending(in: store) { _ in }
    #expect(try await store.count(Outgoing.all) == 0)
  }

  @Test func theCacheLoadsWhatExpired() async throws {
    let cache = try Store(for: CachedPage.self, in: .memory)
    var loads = 0
    for _ in 1...2 {
      let body = try await RecipeCode().page(at: "/", in: cache) {
        loads += 1
        return Data([1, 2])
      }
      #expect(body == Data([1, 2]))
    }
    #expect(loads == 1)
    try await cache.update(CachedPage.self, "/") { $0.expires = .distantPast }
    _ = try await RecipeCode().page(at: "/", in: cache) {
      loads += 1
      return Data()
    }
    #expect(loads == 2)
    #expect(try RecipeCode.expiring(cache) == 0)
    try await cache.update(CachedPage.self, "/") { $0.expires = .distantPast }
    #expect(try RecipeCode.expiring(cache) == 1)
  }

  @Test func softDeletedNotesAreHidden() throws {
    let store = try Self.notes()
    try store.update(Note.self, 3) { $0.deleted = .distantPast }
    #expect(try RecipeCode.softDelete(store) == [1, 2, 1])
    #expect(try store.count(Note.all) == 2)
  }

  @Test func oneTagOfAName() throws {
    let store = try Store(for: Tag.self, in: .memory)
    let made = try RecipeCode().tag(named: "work", in: store)
    #expect(try RecipeCode().tag(named: "work", in: store) == made)
    #expect(try store.count(Tag.all) == 1)
  }

  @Test func aConflictIsSeen() throws {
    let store = try Self.notes()
    let read = try #require(try store.get(Note.self, 1))
    let renamed = try #require(try RecipeCode().rename(read, to: "New", in: store))
    #expect(renamed.title == "New")
    #expect(try RecipeCode().rename(read, to: "Newer", in: store) == nil)
    #expect(try store.get(Note.self, 1) == renamed)
  }

  @Test func relationsMayBeMissing() throws {
    let store = try Store(for: Artist.self, in: .memory)
    try store.insert(contentsOf: [
      Artist(id: 1, name: "Verrocchio"), Artist(id: 2, name: "Leonardo", teacher: Ref(1)),
    ])
    try store.insert(contentsOf: [
      Work(id: 1, title: "Tobias", artist: Ref(1)), Work(id: 2, title: "Ginevra", artist: Ref(2)),
    ])
    #expect(try RecipeCode.relations(store) == ["Verrocchio", "Leonardo", "Ginevra", "Tobias"])
    #expect(try store.count(Artist.where { $0.teacher == nil }) == 2)
  }

  @Test func aSeedIsInsertedOnce() async throws {
    try await Self.inFolder { folder in
      let path = folder.appending(path: "notes.db").path
      for _ in 1...2 {
        let store = try RecipeCode().openNotes(at: path, seed: [Self.note(1, "Welcome")])
        #expect(try await store.count(Note.all) == 1)
        try store.close()
      }
    }
  }

  @Test func backupsOfSevenNightsAreKept() async throws {
    try await Self.inFolder { folder in
      let store = try RecipeCode().openNotes(at: folder.appending(path: "live.db").path, seed: [Self.note(1, "Kept")])
      let backups = folder.appending(path: "backups")
      try FileManager.default.createDirectory(at: backups, withIntermediateDirectories: true)
      for night in 0..<9 {
        let day = Date(timeIntervalSince1970: 1_700_000_000 + Double(night) * 86_400)
        try RecipeCode().backUp(store, into: backups, on: day)
      }
      let names = try FileManager.default.contentsOfDirectory(atPath: backups.path).sorted()
      #expect(names.count == 7)
      #expect(names.first == "notes-2023-11-16.db")
      let restored = try Store(for: Note.self, in: .sqlite(at: backups.appending(path: names[0]).path))
      #expect(try await restored.fetch(Note.all).map(\.title) == ["Kept"])
      try restored.close()
      try store.close()
    }
  }

  @Test func aPlainStoreIsEncrypted() async throws {
    try await Self.inFolder { folder in
      let path = folder.appending(path: "notes.db").path
      try RecipeCode().openNotes(at: path, seed: [Self.note(1, "Secret plan")]).close()
      let keys = FileKeyStore(directory: folder.appending(path: "keys").path)
      let store = try RecipeCode().encryptNotes(at: path, keys: keys)
      #expect(try await store.fetch(Note.all).map(\.title) == ["Secret plan"])
      try store.close()
      let bytes = try Data(contentsOf: URL(filePath: path))
      #expect(bytes.range(of: Data("Secret plan".utf8)) == nil)
    }
  }

  @Test @MainActor func aViewModelFollowsTheStore() async throws {
    let store = try Self.notes(1)
    let list = NoteList()
    let following = Task { await list.follow(store) }
    while list.notes.isEmpty { await Task.yield() }
    try await store.insert(Self.note(2, "Another"))
    while list.notes.count < 2 { await Task.yield() }
    #expect(list.notes.map(\.title) == ["Another", "Note 1"])
    #expect(list.error == nil)
    following.cancel()
    await following.value
  }

  @Test func csvIsQuoted() throws {
    let store = try Store(for: Note.self, in: .memory)
    try store.insert(contentsOf: [Self.note(1, "a, \"b\""), Self.note(2, "two\r\nlines"), Self.note(3, "plain")])
    let expected = "id,folder,title\r\n1,inbox,\"a, \"\"b\"\"\"\r\n2,inbox,\"two\r\nlines\"\r\n3,inbox,plain\r\n"
    #expect(try RecipeCode().csv(of: Note.all, in: store) == expected)
  }

  @Test func slugsAreUnique() throws {
    let store = try Store(for: Post.self, in: .memory)
    let slugs = try (1...3).map { _ in try RecipeCode().publish("Hello, World!", in: store).slug }
    #expect(slugs == ["hello-world", "hello-world-2", "hello-world-3"])
  }

  @Test func batchesChangeEveryNote() throws {
    let store = try Self.notes()
    try store.insert(Self.note(4, "  padded"))
    #expect(try RecipeCode.batches(store) == [4, 1, 0])
    #expect(try store.get(Note.self, 4)?.title == "padded")
  }

  @Test func aRenamedPropertyKeepsItsValues() async throws {
    try await Self.inFolder { folder in
      let path = folder.appending(path: "contacts.db").path
      let old = try Store(for: OldContacts.Contact.self, in: .sqlite(at: path))
      try await old.insert(contentsOf: [
        OldContacts.Contact(id: 1, phone: "+44 20"), OldContacts.Contact(id: 2, phone: "555"),
      ])
      try old.close()
      let contacts = try RecipeCode.migrating(.sqlite(at: path))
      #expect(try await contacts.fetch(Contact.all).map { $0.telephone + $0.country } == ["+44 20GB", "555US"])
      try contacts.close()
    }
  }

  @Test func settingsAreOneObject() throws {
    let store = try Store(for: Settings.self, in: .memory)
    #expect(try RecipeCode.settings(store).theme == "light")
    #expect(try RecipeCode.settings(store).theme == "dark")
    #expect(try store.count(Settings.all) == 1)
  }

  @Test func textIsFoundWordByWord() throws {
    let store = try Store(for: Note.self, in: .memory)
    try store.insert(contentsOf: [Self.note(1, "Café in Paris"), Self.note(2, "Paris"), Self.note(3, "Cafe")])
    #expect(try RecipeCode().notes(matching: "paris CAFE", in: store).map(\.id) == [1])
    #expect(try RecipeCode().notes(matching: "", in: store).count == 3)
  }

  @Test func theNewestThousandStay() async throws {
    let store = try Self.notes(1003)
    #expect(try RecipeCode.trimming(store) == 3)
    #expect(try await store.keys(Note.all.limit(1)) == [4])
    #expect(try await RecipeCode.streaming(store) > 1000)
  }
}
