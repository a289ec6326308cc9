import Synchronization

@testable import BenchmarkHarness

/// The simplest store with relations, which does one thing wrong when told so.
final class RelatedDictionaryStore: RelatedStore {
  private struct Content {
    var writers: [Int64: Writer] = [:]
    var letters: [Int64: Letter] = [:]
    var notes: [Int64: Letter] = [:]
  }

  private let content = Mutex(Content())
  private let fault: Fault?

  init(_ fault: Fault?) { self.fault = fault }

  func close() {}

  private func kept(_ letters: [Letter]) -> ArraySlice<Letter> {
    letters.dropLast(fault == .losesTheLastOfAnInsert ? 1 : 0)
  }

  func insert(_ writers: [Writer]) {
    content.withLock { for writer in writers { $0.writers[writer.id] = writer } }
  }

  func insert(_ letters: [Letter]) {
    content.withLock { for letter in kept(letters) { $0.letters[letter.id] = letter } }
  }

  func insert(notes: [Letter]) {
    content.withLock { for note in kept(notes) { $0.notes[note.id] = note } }
  }

  private func digest(_ letters: some Sequence<Letter>) -> LetterDigest {
    var digest = LetterDigest()
    for letter in letters { digest.add(id: letter.id, text: letter.text.utf8.count, writer: letter.writer) }
    return digest
  }

  func letters() -> LetterDigest { content.withLock { digest($0.letters.values) } }
  func notes() -> LetterDigest { content.withLock { digest($0.notes.values) } }

  func lettersWithWriters() -> LetterDigest {
    content.withLock { content in
      var digest = LetterDigest()
      for letter in content.letters.values {
        let writer = content.writers[fault == .readsTheWrongWriter ? 0 : letter.writer]
        digest.add(
          id: letter.id, text: letter.text.utf8.count, writer: writer?.id ?? -1, name: writer?.name.utf8.count ?? 0)
      }
      return digest
    }
  }

  func letters(ofWritersNamed beginning: String) -> LetterDigest {
    content.withLock { content in
      digest(
        content.letters.values.filter { letter in
          guard let writer = content.writers[letter.writer] else { return false }
          if fault == .filtersByTheWholeName { return writer.name == beginning }
          return writer.name.hasPrefix(beginning)
        })
    }
  }

  func delete(writer: Int64) {
    content.withLock { content in
      content.writers[writer] = nil
      let last = content.letters.keys.max()
      content.letters = content.letters.filter {
        $0.value.writer != writer || fault == .cascadeLeavesOne && $0.key == last
      }
    }
  }

  func deleteNotes(of writer: Int64) {
    guard fault != .keepsNotes else { return }
    content.withLock { $0.notes = $0.notes.filter { $0.value.writer != writer } }
  }
}
