import BenchmarkHarness
import QuarryBackend
import QuarryCore

/// A store of Quarry's with relations under measurement.
final class RelatedQuarryStore: RelatedStore {
  private let store: Store

  init(_ provider: some BackendProvider, encryption: Encryption? = nil) throws {
    store = try Store(for: StoredLetter.self, Note.self, in: provider, encryption: encryption)
  }

  func close() throws { try store.close() }

  func insert(_ writers: [Writer]) throws { try store.insert(contentsOf: writers) }

  func insert(_ letters: [Letter]) throws {
    try store.insert(contentsOf: letters.lazy.map { StoredLetter(id: $0.id, text: $0.text, writer: Ref($0.writer)) })
  }

  func insert(notes: [Letter]) throws {
    try store.insert(contentsOf: notes.lazy.map { Note(id: $0.id, text: $0.text, writer: $0.writer) })
  }

  func letters() throws -> LetterDigest {
    var digest = LetterDigest()
    for letter in try store.fetch(StoredLetter.all) {
      digest.add(id: letter.id, text: letter.text.utf8.count, writer: letter.writer.key)
    }
    return digest
  }

  func notes() throws -> LetterDigest {
    var digest = LetterDigest()
    for note in try store.fetch(Note.all) {
      digest.add(id: note.id, text: note.text.utf8.count, writer: note.writer)
    }
    return digest
  }

  func lettersWithWriters() throws -> LetterDigest {
    var digest = LetterDigest()
    for (letter, writer) in try store.fetch(StoredLetter.all, with: \.writer) {
      digest.add(id: letter.id, text: letter.text.utf8.count, writer: writer.id, name: writer.name.utf8.count)
    }
    return digest
  }

  func letters(ofWritersNamed beginning: String) throws -> LetterDigest {
    var digest = LetterDigest()
    for letter in try store.fetch(StoredLetter.where { $0.writer.name.hasPrefix(beginning) }) {
      digest.add(id: letter.id, text: letter.text.utf8.count, writer: letter.writer.key)
    }
    return digest
  }

  func delete(writer: Int64) throws { try store.delete(Writer.self, writer) }

  func deleteNotes(of writer: Int64) throws { try store.delete(Note.where { $0.writer == writer }) }
}
