import Foundation
import Quarry
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

@Suite("Models of a module that is isolated to the main actor")
struct MainActorTests {
  @Test("A definition is used on the main actor")
  func onMainActor() {
    let note = Note(id: UUID(), text: "a")
    #expect(note.primaryKeyValue == note.id)
    #expect(Note.modelDefinition.name(of: \.text) == "text")
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
