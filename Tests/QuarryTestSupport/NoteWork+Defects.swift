package import QuarryCore

extension NoteWork {
  /// The number of the last write that a store has; 0 for none.
  package static func last(in store: Store) throws -> Int {
    try store.fetch(SearchableNote.all.sorted(by: \.id, order: .reverse).limit(1)).first?.id ?? 0
  }

  /// What is wrong with a store that has done the writes up to one: its notes, its history, its index of words.
  package static func defects(of store: Store, after last: Int) throws -> [String] {
    var lines = try store.check()
    let content = content(after: last)
    let stored = try notes(store)
    if stored != content { lines.append("the notes are \(stored) and not \(content)") }
    lines += try historyDefects(store, last)
    for word in words + ["changed"] {
      let found = try store.fetch(SearchableNote.where { $0.search(.word(word)) }).map(\.id)
      let expected = content.filter { $0.value.split(separator: " ").contains(Substring(word)) }.keys.sorted()
      if found != expected { lines.append("\(word) is found in \(found) and not in \(expected)") }
      let ranked = try store.ranked(SearchableNote.all, by: .word(word)).map(\.object.id).sorted()
      if ranked != expected { lines.append("\(word) is ranked in \(ranked) and not in \(expected)") }
    }
    return lines
  }

  private static func notes(_ store: Store) throws -> [Int: String] {
    Dictionary(uniqueKeysWithValues: try store.fetch(SearchableNote.all).map { ($0.id, $0.text) })
  }

  /// The change sets that remain lead from the state before them to the newest one, and none is missing between.
  private static func historyDefects(_ store: Store, _ last: Int) throws -> [String] {
    guard try store.history.isOn else { return [] }
    let sets = try store.history().filter { $0.author != nil }
    if sets.isEmpty { return [] }
    let authors = sets.compactMap { $0.author.flatMap { Int($0) } }
    let numbers = Array((authors.first ?? 0)...last)
    if authors != numbers { return ["the history has the writes \(authors) and not \(numbers)"] }
    var state = content(after: numbers[0] - 1)
    for set in sets {
      for change in try set.changes(of: SearchableNote.self) {
        guard let id = change.new?.id ?? change.old?.id else { continue }
        if state[id] != change.old?.text { return ["the write \(set.author ?? "") begins with another note \(id)"] }
        state[id] = change.new?.text
      }
    }
    return state == content(after: last) ? [] : ["the history leads to \(state)"]
  }
}
