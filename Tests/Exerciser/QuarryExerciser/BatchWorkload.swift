import QuarryBackend
public import QuarryCore

/// Commits of which one can tell later whether they are there whole: each adds rows in two models, changes those of the
/// commit before it, removes those of an old one, and counts.
public enum BatchWorkload {
  /// What is wrong with a store.
  public struct Damage: Error, CustomStringConvertible {
    public let description: String
  }

  public static let models: [any Model.Type] = [Entry.self, Note.self, Counter.self]
  private static let rows = 5
  /// How many batches there are at most.
  private static let window = 40
  private static let progress = 0

  /// The number of the last commit; 0 when there was none.
  public static func last(_ store: some Reading) throws -> Int {
    try store.get(Counter.self, progress)?.value ?? 0
  }

  public static func commit(_ number: Int, _ store: Store) throws {
    try store.write { tx in
      try tx.insert(contentsOf: (0..<rows).map { Entry(batch: number, place: $0, isTouched: false) })
      try tx.insert(Note(batch: number))
      try tx.update(Entry.where { $0.batch == number - 1 }, set: { $0.isTouched = true })
      try tx.delete(Entry.where { $0.batch == number - window })
      try tx.delete(Note.self, "note \(number - window)")
      try tx.upsert(Counter(progress, number))
    }
  }

  /// Looks at everything, by every way to it.
  ///
  /// - Returns: The number of the last commit.
  /// - Throws: ``Damage`` when a commit is there in part, or one before the last is missing.
  public static func verify(_ store: Store) throws -> Int {
    let last = try store.read { tx in
      let last = try tx.get(Counter.self, progress)?.value ?? 0
      let batches = last == 0 ? [] : Array(max(1, last - window + 1)...last)
      let entries = batches.flatMap { batch in
        (0..<rows).map { Entry(batch: batch, place: $0, isTouched: batch < last) }
      }
      try same(tx.fetch(Entry.self), entries, "the entries after commit \(last)")
      try same(
        tx.fetch(Note.self), batches.map { Note(batch: $0) }.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) },
        "the notes after commit \(last)")
      for batch in batches {
        try same(tx.fetch(Entry.where { $0.batch == batch }), entries.filter { $0.batch == batch }, "batch \(batch)")
      }
      for entry in entries {
        try same(tx.fetch(Entry.where { $0.code == entry.code }), [entry], "the entry with the code \(entry.code)")
      }
      try same([tx.count(Entry.self), tx.count(Note.self)], [entries.count, batches.count], "the counts")
      return last
    }
    if store.manifest.capabilities[.check]?.isSupported == true {
      let findings = try store.check()
      guard findings.isEmpty else { throw Damage(description: "check found: \(findings.joined(separator: "; "))") }
    }
    return last
  }

  private static func same<T: Equatable>(_ actual: [T], _ expected: [T], _ what: String) throws {
    guard actual != expected else { return }
    let extra = actual.filter { !expected.contains($0) }.prefix(2)
    let missing = expected.filter { !actual.contains($0) }.prefix(2)
    throw Damage(
      description: "\(what): \(actual.count) instead of \(expected.count); not expected \(extra); missing \(missing)")
  }
}
