import BenchmarkHarness
import Foundation
import GRDB

/// The record for GRDB, in the quicker of its two documented ways: coded by hand instead of by Codable.
struct PersonRecord: FetchableRecord, PersistableRecord {
  static let databaseTableName = "person"

  var person: Person

  enum Columns {
    static let id = Column("id")
    static let name = Column("name")
    static let email = Column("email")
    static let age = Column("age")
    static let score = Column("score")
    static let created = Column("created")
    static let active = Column("active")
    static let notes = Column("notes")
  }

  init(_ person: Person) {
    self.person = person
  }

  init(row: Row) {
    person = Person(
      id: row[0], name: row[1], email: row[2], age: row[3], score: row[4],
      created: Date(timeIntervalSinceReferenceDate: row[5]), active: row[6], notes: row[7])
  }

  func encode(to container: inout PersistenceContainer) {
    container["id"] = person.id
    container["name"] = person.name
    container["email"] = person.email
    container["age"] = person.age
    container["score"] = person.score
    container["created"] = person.created.timeIntervalSinceReferenceDate
    container["active"] = person.active
    container["notes"] = person.notes
  }
}

/// GRDB by its typed records, on a pool with a write-ahead log and synchronisation at every commit.
final class GRDBStore: BenchmarkStore {
  private typealias Columns = PersonRecord.Columns
  private let pool: DatabasePool

  init(_ path: String) throws {
    var configuration = Configuration()
    configuration.prepareDatabase { database in
      try database.execute(sql: "PRAGMA cache_size = -8192")
    }
    pool = try DatabasePool(path: path, configuration: configuration)
    // The pool itself chooses NORMAL, under which a commit may be lost with the power.
    let synchronous = try pool.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA synchronous = FULL")
      return try Int.fetchOne(database, sql: "PRAGMA synchronous")
    }
    guard synchronous == 2 else { throw BenchmarkError("grdb: commits are not synchronised") }
    try pool.write { database in
      try database.create(table: "person", options: [.ifNotExists, .strict]) { table in
        table.primaryKey("id", .integer)
        table.column("name", .text).notNull()
        table.column("email", .text).notNull()
        table.column("age", .integer).notNull()
        table.column("score", .real).notNull()
        table.column("created", .real).notNull()
        table.column("active", .integer).notNull()
        table.column("notes", .text)
      }
      try database.create(index: "person_age", on: "person", columns: ["age"], options: .ifNotExists)
    }
  }

  func close() throws { try pool.close() }

  func insert(_ people: [Person]) throws {
    try pool.write { database in for person in people { try PersonRecord(person).insert(database) } }
  }

  func insertSingly(_ people: ArraySlice<Person>, _ latency: LatencyRecorder) throws {
    for person in people {
      let start = latency.start()
      try pool.write { try PersonRecord(person).insert($0) }
      latency.stop(start)
    }
  }

  func insertInTask(_ person: Person) async throws {
    try await pool.write { try PersonRecord(person).insert($0) }
  }

  func get(_ keys: [Int64], _ latency: LatencyRecorder) throws -> Digest {
    try pool.read { database in
      var digest = Digest()
      for key in keys {
        let start = latency.start()
        if let record = try PersonRecord.fetchOne(database, key: key) { digest.add(record.person) }
        latency.stop(start)
      }
      return digest
    }
  }

  func getSingly(_ keys: [Int64], _ latency: LatencyRecorder) throws -> Digest {
    var digest = Digest()
    for key in keys {
      let start = latency.start()
      if let record = try pool.read({ try PersonRecord.fetchOne($0, key: key) }) { digest.add(record.person) }
      latency.stop(start)
    }
    return digest
  }

  private static func addParts(of row: Row, to digest: inout Digest) {
    digest.add(id: row[0], age: row[3], score: row[4], active: row[6])
  }

  func getFrozen(_ keys: [Int64], _ latency: LatencyRecorder) throws -> Digest {
    try pool.read { database in
      var digest = Digest()
      for key in keys {
        let start = latency.start()
        if let row = try Row.fetchOne(database, PersonRecord.filter(key: key)) { Self.addParts(of: row, to: &digest) }
        latency.stop(start)
      }
      return digest
    }
  }

  func people(_ keys: [Int64]) throws -> [Person?] {
    try pool.read { database in try keys.map { try PersonRecord.fetchOne(database, key: $0)?.person } }
  }

  func scan() throws -> Digest {
    Digest.of(try pool.read { try PersonRecord.order(Columns.id).fetchAll($0) }.lazy.map(\.person))
  }

  func scanFrozen() throws -> Digest {
    var digest = Digest()
    for row in try pool.read({ try Row.fetchAll($0, PersonRecord.order(Columns.id)) }) {
      Self.addParts(of: row, to: &digest)
    }
    return digest
  }

  func scan(from key: Int64, count: Int) throws -> Digest {
    let records = try pool.read { database in
      try PersonRecord.filter(Columns.id >= key).order(Columns.id).limit(count).fetchAll(database)
    }
    return Digest.of(records.lazy.map(\.person))
  }

  func fetch(ages: [Int], _ latency: LatencyRecorder) throws -> Digest {
    var digest = Digest()
    for age in ages {
      let start = latency.start()
      let records = try pool.read { database in
        try PersonRecord.filter(Columns.age == age).order(Columns.id).fetchAll(database)
      }
      for record in records { digest.add(record.person) }
      latency.stop(start)
    }
    return digest
  }

  func count(ages: [Int], _ latency: LatencyRecorder) throws -> Int {
    var total = 0
    for age in ages {
      let start = latency.start()
      total += try pool.read { try PersonRecord.filter(Columns.age == age).fetchCount($0) }
      latency.stop(start)
    }
    return total
  }

  func count(scoreAbove score: Double, emailContaining text: String) throws -> Int {
    try pool.read { database in
      // LIKE would ignore case.
      try PersonRecord.filter(Columns.score > score).filter(literal: "instr(email, \(text)) > 0").fetchCount(database)
    }
  }

  func firstByEmail(_ limit: Int) throws -> [Int64] {
    try pool.read { database in
      try PersonRecord.order(Columns.email, Columns.id).limit(limit).fetchAll(database).map(\.person.id)
    }
  }

  private static func setScore(_ change: KeyedScore, _ database: Database) throws {
    guard var record = try PersonRecord.fetchOne(database, key: change.key) else {
      throw BenchmarkError("a person is missing")
    }
    try record.updateChanges(database) { $0.person.score = change.score }
  }

  func setScores(_ scores: [KeyedScore], _ latency: LatencyRecorder) throws {
    try pool.write { database in
      for change in scores {
        let start = latency.start()
        try Self.setScore(change, database)
        latency.stop(start)
      }
    }
  }

  func addToScores(age: Int, _ amount: Double) throws -> Int {
    try pool.write { database in
      try PersonRecord.filter(Columns.age == age).updateAll(database, Columns.score += amount)
    }
  }

  func delete(_ keys: [Int64], _ latency: LatencyRecorder) throws -> Int {
    try pool.write { database in
      var count = 0
      for key in keys {
        let start = latency.start()
        if try PersonRecord.deleteOne(database, key: key) { count += 1 }
        latency.stop(start)
      }
      return count
    }
  }

  func delete(age: Int) throws -> Int {
    try pool.write { try PersonRecord.filter(Columns.age == age).deleteAll($0) }
  }

  func readAndAddToScore(_ key: Int64, _ amount: Double) throws -> Digest {
    try pool.write { database in
      var digest = Digest()
      guard var record = try PersonRecord.fetchOne(database, key: key) else { return digest }
      digest.add(record.person)
      try record.updateChanges(database) { $0.person.score += amount }
      return digest
    }
  }

  func scores(_ first: Int64, _ second: Int64) throws -> (Double, Double) {
    try pool.read { database in
      guard let one = try PersonRecord.fetchOne(database, key: first),
        let other = try PersonRecord.fetchOne(database, key: second)
      else { throw BenchmarkError("a person is missing") }
      return (one.person.score, other.person.score)
    }
  }
}
