import BenchmarkHarness
import Foundation

/// SQLite as one would use it from C: prepared statements kept, one connection that writes and one that reads, a
/// write-ahead log, every commit synchronised. What it reads it reads column by column, and makes strings and structs
/// only where it is told to.
///
/// Unchecked Sendable: the writer's connection and statements are used under `lock`; those of the reader by the one
/// thread that reads, which the protocol promises.
final class RawSQLiteStore: BenchmarkStore, @unchecked Sendable {
  /// What differs between the peers that are this store.
  struct Kind {
    var library: SQLiteLibrary
    /// SQL that each connection begins with.
    var setting = ""
    var cacheBytes = 8 << 20
    /// Whether what is read becomes structs of Swift with their strings, as Quarry makes them.
    var makesStructs = false
    /// Whether pages are checked as Quarry's are.
    var checksPages = false
    /// What is said of the table after its columns.
    var tableOptions = "STRICT"

    /// SQLCipher as it is by itself, with a raw key, so that no derivation is measured, and the cache that Quarry's
    /// encrypted stores have. It is made from an SQLite without strict tables.
    static func sqlcipher(_ library: SQLiteLibrary) -> Kind {
      let key = String(repeating: "0123456789abcdef", count: 4)
      return Kind(
        library: library, setting: "PRAGMA key = \"x'\(key)'\"", cacheBytes: 32 << 20, makesStructs: true,
        tableOptions: "")
    }
  }

  private let kind: Kind
  private let lock = NSLock()
  private let writer: RawSQLiteConnection
  private let reader: RawSQLiteConnection

  private static let columns = "id, name, email, age, score, created, active, notes"

  private let insertion: RawStatement
  private let scoreUpdate: RawStatement
  private let ageUpdate: RawStatement
  private let deletion: RawStatement
  private let ageDeletion: RawStatement
  private let writerSelection: RawStatement
  private let selection: RawStatement
  private let scanning: RawStatement
  private let rangeScan: RawStatement
  private let ageSelection: RawStatement
  private let ageCount: RawStatement
  private let filter: RawStatement
  private let sorting: RawStatement

  init(_ path: String, _ kind: Kind) throws {
    self.kind = kind
    func connect() throws -> RawSQLiteConnection {
      try RawSQLiteConnection(
        path, kind.library, setting: kind.setting, cacheBytes: kind.cacheBytes, checksPages: kind.checksPages)
    }
    writer = try connect()
    try writer.execute(
      """
      CREATE TABLE IF NOT EXISTS person(id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL,
        age INTEGER NOT NULL, score REAL NOT NULL, created REAL NOT NULL, active INTEGER NOT NULL, notes TEXT)
        \(kind.tableOptions);
      CREATE INDEX IF NOT EXISTS person_age ON person(age);
      """)
    reader = try connect()
    insertion = try writer.prepare("INSERT INTO person(\(Self.columns)) VALUES(?,?,?,?,?,?,?,?)")
    scoreUpdate = try writer.prepare("UPDATE person SET score = ? WHERE id = ?")
    ageUpdate = try writer.prepare("UPDATE person SET score = score + ? WHERE age = ?")
    deletion = try writer.prepare("DELETE FROM person WHERE id = ?")
    ageDeletion = try writer.prepare("DELETE FROM person WHERE age = ?")
    writerSelection = try writer.prepare("SELECT \(Self.columns) FROM person WHERE id = ?")
    selection = try reader.prepare("SELECT \(Self.columns) FROM person WHERE id = ?")
    scanning = try reader.prepare("SELECT \(Self.columns) FROM person ORDER BY id")
    rangeScan = try reader.prepare("SELECT \(Self.columns) FROM person WHERE id >= ? ORDER BY id LIMIT ?")
    ageSelection = try reader.prepare("SELECT \(Self.columns) FROM person WHERE age = ? ORDER BY id")
    ageCount = try reader.prepare("SELECT count(*) FROM person WHERE age = ?")
    filter = try reader.prepare("SELECT count(*) FROM person WHERE score > ? AND instr(email, ?) > 0")
    sorting = try reader.prepare("SELECT \(Self.columns) FROM person ORDER BY email, id LIMIT ?")
  }

  func close() throws {
    for statement in [
      insertion, scoreUpdate, ageUpdate, deletion, ageDeletion, writerSelection, selection, scanning, rangeScan,
      ageSelection, ageCount, filter, sorting,
    ] { statement.finalize() }
    try reader.close()
    try writer.close()
  }

  private func write<R>(_ body: () throws -> R) throws -> R {
    try lock.withLock {
      try writer.begin.run()
      do {
        let result = try body()
        try writer.commit.run()
        return result
      } catch {
        try? writer.rollback.run()
        throw error
      }
    }
  }

  private func read<R>(_ body: () throws -> R) throws -> R {
    try reader.beginRead.run()
    do {
      let result = try body()
      try reader.commit.run()
      return result
    } catch {
      try? reader.rollback.run()
      throw error
    }
  }

  private func add(_ person: Person) throws {
    try person.name.withUTF8Bytes { name in
      try person.email.withUTF8Bytes { email in
        insertion.bind(1, person.id)
        insertion.bind(2, name)
        insertion.bind(3, email)
        insertion.bind(4, Int64(person.age))
        insertion.bind(5, person.score)
        insertion.bind(6, person.created.timeIntervalSinceReferenceDate)
        insertion.bind(7, Int64(person.active ? 1 : 0))
        if let notes = person.notes {
          try notes.withUTF8Bytes { notes in
            insertion.bind(8, notes)
            try insertion.run()
          }
        } else {
          insertion.bindNull(8)
          try insertion.run()
        }
      }
    }
  }

  func insert(_ people: [Person]) throws {
    try write { for person in people { try add(person) } }
  }

  func insertSingly(_ people: ArraySlice<Person>, _ latency: LatencyRecorder) throws {
    for person in people {
      let start = latency.start()
      // A statement outside a transaction is one.
      try lock.withLock { try add(person) }
      latency.stop(start)
    }
  }

  /// Reads every column of the row.
  @inline(__always)
  private func add(_ statement: RawStatement, to digest: inout Digest) {
    if kind.makesStructs { digest.add(statement.person()) } else { statement.add(to: &digest) }
  }

  private func getOne(_ statement: RawStatement, _ key: Int64, _ digest: inout Digest) throws {
    statement.bind(1, key)
    if try statement.step() { add(statement, to: &digest) }
    statement.reset()
  }

  func get(_ keys: [Int64], _ latency: LatencyRecorder) throws -> Digest {
    try read { try getSingly(keys, latency) }
  }

  func getSingly(_ keys: [Int64], _ latency: LatencyRecorder) throws -> Digest {
    var digest = Digest()
    for key in keys {
      let start = latency.start()
      try getOne(selection, key, &digest)
      latency.stop(start)
    }
    return digest
  }

  func getFrozen(_ keys: [Int64], _ latency: LatencyRecorder) throws -> Digest {
    throw BenchmarkError("SQLite has no stored form to hand out")
  }

  func people(_ keys: [Int64]) throws -> [Person?] {
    try read {
      try keys.map { key in
        defer { selection.reset() }
        selection.bind(1, key)
        return try selection.step() ? selection.person() : nil
      }
    }
  }

  private func rows(_ statement: RawStatement) throws -> Digest {
    var digest = Digest()
    try addRows(statement, to: &digest)
    return digest
  }

  /// Reads all rows, into an array first where they become structs.
  private func addRows(_ statement: RawStatement, to digest: inout Digest) throws {
    defer { statement.reset() }
    guard kind.makesStructs else {
      while try statement.step() { statement.add(to: &digest) }
      return
    }
    var people: [Person] = []
    while try statement.step() { people.append(statement.person()) }
    for person in people { digest.add(person) }
  }

  func scan() throws -> Digest { try rows(scanning) }

  func scanFrozen() throws -> Digest {
    throw BenchmarkError("SQLite has no stored form to hand out")
  }

  func scan(from key: Int64, count: Int) throws -> Digest {
    rangeScan.bind(1, key)
    rangeScan.bind(2, Int64(count))
    return try rows(rangeScan)
  }

  func fetch(ages: [Int], _ latency: LatencyRecorder) throws -> Digest {
    var digest = Digest()
    for age in ages {
      let start = latency.start()
      ageSelection.bind(1, Int64(age))
      try addRows(ageSelection, to: &digest)
      latency.stop(start)
    }
    return digest
  }

  func count(ages: [Int], _ latency: LatencyRecorder) throws -> Int {
    var total = 0
    for age in ages {
      let start = latency.start()
      ageCount.bind(1, Int64(age))
      if try ageCount.step() { total += Int(ageCount.integer(0)) }
      ageCount.reset()
      latency.stop(start)
    }
    return total
  }

  func count(scoreAbove score: Double, emailContaining text: String) throws -> Int {
    try text.withUTF8Bytes { text in
      defer { filter.reset() }
      filter.bind(1, score)
      filter.bind(2, text)
      return try filter.step() ? Int(filter.integer(0)) : 0
    }
  }

  func firstByEmail(_ limit: Int) throws -> [Int64] {
    defer { sorting.reset() }
    sorting.bind(1, Int64(limit))
    var keys: [Int64] = []
    var digest = Digest()
    while try sorting.step() {
      add(sorting, to: &digest)
      keys.append(sorting.integer(0))
    }
    return keys
  }

  private func setScore(_ change: KeyedScore) throws {
    scoreUpdate.bind(1, change.score)
    scoreUpdate.bind(2, change.key)
    try scoreUpdate.run()
  }

  func setScores(_ scores: [KeyedScore], _ latency: LatencyRecorder) throws {
    try write {
      for change in scores {
        let start = latency.start()
        try setScore(change)
        latency.stop(start)
      }
    }
  }

  func addToScores(age: Int, _ amount: Double) throws -> Int {
    try lock.withLock {
      ageUpdate.bind(1, amount)
      ageUpdate.bind(2, Int64(age))
      try ageUpdate.run()
      return writer.changes
    }
  }

  func delete(_ keys: [Int64], _ latency: LatencyRecorder) throws -> Int {
    try write {
      var count = 0
      for key in keys {
        let start = latency.start()
        deletion.bind(1, key)
        try deletion.run()
        count += writer.changes
        latency.stop(start)
      }
      return count
    }
  }

  func delete(age: Int) throws -> Int {
    try lock.withLock {
      ageDeletion.bind(1, Int64(age))
      try ageDeletion.run()
      return writer.changes
    }
  }

  func readAndAddToScore(_ key: Int64, _ amount: Double) throws -> Digest {
    try write {
      defer { writerSelection.reset() }
      var digest = Digest()
      writerSelection.bind(1, key)
      guard try writerSelection.step() else { return digest }
      add(writerSelection, to: &digest)
      try setScore(KeyedScore(key, writerSelection.double(4) + amount))
      return digest
    }
  }

  func scores(_ first: Int64, _ second: Int64) throws -> (Double, Double) {
    try read {
      func score(_ key: Int64) throws -> Double {
        defer { selection.reset() }
        var digest = Digest()
        selection.bind(1, key)
        guard try selection.step() else { throw BenchmarkError("a person is missing") }
        add(selection, to: &digest)
        return selection.double(4)
      }
      return (try score(first), try score(second))
    }
  }
}
