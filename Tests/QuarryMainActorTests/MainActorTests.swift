import Foundation
import Quarry
import QuarryMemory
import Testing

enum Mood: String, Storable {
  case good, bad
}

@Model
struct Note: Identifiable {
  let id: UUID
  @Attribute(.indexed) var text: String
  var mood = Mood.good
  var stars: Int?
  @Transient var isOpen = false

  #Index<Note>([\.mood, \.text])

  var isLong: Bool { text.count > 100 }
}

@Model
struct Folder: Identifiable {
  let id: Int
  var parent: Ref<Folder>?

  @Relationship(deleteRule: .cascade, inverse: \Folder.parent) var folders: Many<Folder>
  @Relationship(inverse: \Folder.parent) nonisolated var children: Many<Folder>
}

@Suite("Models of a module that is isolated to the main actor")
struct MainActorTests {
  @Test("A definition is used on the main actor")
  func onMainActor() {
    let note = Note(id: UUID(), text: "a")
    #expect(note.primaryKeyValue == note.id)
    #expect(Note.modelDefinition.name(of: \.text) == "text")
  }

  @Test("Relations are followed on the main actor, and elsewhere where they say so")
  func relations() async throws {
    let store = try Store(for: Folder.self, in: .memory)
    try await store.insert(Folder(id: 1))
    try await store.insert(Folder(id: 2, parent: Ref(1)))
    #expect(try await store.fetch(Folder(id: 1).folders).map(\.id) == [2])
    #expect(try await Self.children(store) == 1)
  }

  @concurrent
  nonisolated static func children(_ store: Store) async throws -> Int {
    try await store.write { tx in
      guard let folder = try tx.get(Folder.self, 1) else { return 0 }
      return try tx.count(folder.children)
    }
  }

  @Test("A definition is used elsewhere")
  func elsewhere() async {
    #expect(await Self.names() == ["Note", "mood"])
  }

  @concurrent
  nonisolated static func names() async -> [String] {
    [Note.modelDefinition.name, Note.Columns().mood.storedName]
  }
}
