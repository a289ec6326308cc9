import QuarryBackend
package import QuarryCore

/// Commits of which one can tell later whether they are there whole: each adds rows in two models, changes those of the
/// commit before it, removes those of an old one, and counts.
package enum BatchWorkload {
  package static let models: [any Model.Type] = [Entry.self, Note.self, Counter.self]
  private static let rows = 5
  /// How many batches there are at most.
  private static let window = 40
  private static let progress = 0

  /// The number of the last commit; 0 when there was none.
  static func last(_ store: some ReadableStore) throws -> Int {
    try store.get(Counter.self, progress)?.value ?? 0
  }

  static func last(_ tx: ReadTransaction) throws -> Int { try tx.get(Counter.self, progress)?.value ?? 0 }

  package static func commit(_ number: Int, _ store: Store) throws {
    try store.write(timeout: 60) { try write(number, $0) }
  }

  /// What commit number `number` does.
  package static func write(_ number: Int, _ tx: WriteTransaction) throws {
    try tx.insert(contentsOf: (0..<rows).map { Entry(batch: number, place: $0, isTouched: false) })
    try tx.insert(Note(batch: number))
    try tx.assign(Entry.where { $0.batch == number - 1 }) { $0.isTouched = true }
    try tx.delete(Entry.where { $0.batch == number - window })
    try tx.delete(Note.self, "note \(number - window)")
    try tx.upsert(Counter(progress, number))
  }

  /// Looks at everything, by every way to it, and lets the engine check its files.
  ///
  /// - Returns: The number of the last commit.
  /// - Throws: A failure when a commit is there in part, or one before the last is missing.
  package static func verify(_ store: Store, _ about: String = "", file: String = #fileID, line: Int = #line) throws
    -> Int
  {
    let last = try store.read { try verify($0, about, file: file, line: line) }
    if store.manifest.capabilities[.check]?.isSupported == true {
      try expectEqual(try store.check(), [], join(about, "what check finds"), file: file, line: line)
    }
    return last
  }

  package static func verify(_ tx: ReadTransaction, _ about: String = "", file: String = #fileID, line: Int = #line)
    throws
    -> Int
  {
    func same<T: Equatable>(_ actual: [T], _ expected: [T], _ what: String) throws {
      guard actual != expected else { return }
      let extra = actual.filter { !expected.contains($0) }.prefix(2)
      let missing = expected.filter { !actual.contains($0) }.prefix(2)
      throw ConformanceFailure(
        message: join(about, what) + ": \(actual.count) rows, the contract says \(expected.count); not expected "
          + "\(Array(extra)), missing \(Array(missing))",
        file: file, line: line)
    }
    let last = try Self.last(tx)
    let batches = last == 0 ? [] : Array(max(1, last - window + 1)...last)
    let entries = batches.flatMap { batch in
      (0..<rows).map { Entry(batch: batch, place: $0, isTouched: batch < last) }
    }
    try same(tx.fetch(Entry.all), entries, "the entries after commit \(last)")
    try same(
      tx.fetch(Note.all),
      batches.map { Note(batch: $0) }.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) },
      "the notes after commit \(last)")
    for batch in batches {
      try same(tx.fetch(Entry.where { $0.batch == batch }), entries.filter { $0.batch == batch }, "batch \(batch)")
    }
    for entry in entries {
      try same(tx.fetch(Entry.where { $0.code == entry.code }), [entry], "the entry with the code \(entry.code)")
    }
    try same([tx.count(Entry.all), tx.count(Note.all)], [entries.count, batches.count], "the counts")
    return last
  }

  private static func join(_ about: String, _ what: String) -> String { about.isEmpty ? what : "\(about): \(what)" }
}
