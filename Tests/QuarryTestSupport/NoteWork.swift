package import QuarryCore

/// Numbered writes of notes: the same number always does the same, so that a test knows what a store has after each of them.
package enum NoteWork {
  package static let models: [any Model.Type] = [SearchableNote.self, Delivery.self]
  /// The words of which each note has one, besides its number.
  package static let words = ["amber", "birch", "cedar", "dusk", "elm", "fern", "grove"]

  package static func text(_ number: Int) -> String { "the \(words[number % words.count]) of number\(number)" }

  private static func changed(_ text: String) -> String { text + " changed" }

  /// Does a write: it inserts a note, updates the one before, and deletes an older one now and then. Its author is the number.
  package static func write(_ number: Int, in store: Store) throws {
    try store.write(author: "\(number)") { tx in
      try tx.insert(SearchableNote(number, text(number)))
      if number > 1 { try tx.update(SearchableNote.self, number - 1) { $0.text = changed($0.text) } }
      if number % 5 == 0 { _ = try tx.delete(SearchableNote.self, number - 3) }
    }
  }

  /// The notes after the writes up to one.
  package static func content(after last: Int) -> [Int: String] {
    var content: [Int: String] = [:]
    guard last > 0 else { return content }
    for number in 1...last {
      content[number] = text(number)
      if let before = content[number - 1] { content[number - 1] = changed(before) }
      if number % 5 == 0 { content[number - 3] = nil }
    }
    return content
  }
}
