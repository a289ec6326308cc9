import BenchmarkHarness
import GRDB

/// Writers and letters by GRDB's records and associations, with foreign keys, which it has on by itself.
final class GRDBRelatedStore: RelatedStore {
  private let pool: DatabasePool

  init(_ path: String) throws {
    var configuration = Configuration()
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA cache_size = -8192") }
    pool = try DatabasePool(path: path, configuration: configuration)
    try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    try pool.write { database in
      try database.create(table: "writer", options: .strict) { table in
        table.primaryKey("id", .integer)
        table.column("name", .text).notNull()
      }
      for name in ["letter", "note"] {
        try database.create(table: name, options: .strict) { table in
          table.primaryKey("id", .integer)
          table.column("text", .text).notNull()
          let writer = table.column("writer", .integer).notNull().indexed()
          if name == "letter" { writer.references("writer", onDelete: .cascade) }
        }
      }
    }
  }

  func close() throws { try pool.close() }

  func insert(_ writers: [Writer]) throws {
    try pool.write { database in for writer in writers { try WriterRecord(writer).insert(database) } }
  }

  func insert(_ letters: [Letter]) throws {
    try pool.write { database in for letter in letters { try LetterRecord(letter).insert(database) } }
  }

  func insert(notes: [Letter]) throws {
    try pool.write { database in for note in notes { try NoteRecord(note).insert(database) } }
  }

  func letters() throws -> LetterDigest {
    try digest(LetterRecord.order(Column("id")))
  }

  private func digest(_ request: QueryInterfaceRequest<LetterRecord>) throws -> LetterDigest {
    var digest = LetterDigest()
    for record in try pool.read({ try request.fetchAll($0) }) {
      digest.add(id: record.letter.id, text: record.letter.text.utf8.count, writer: record.letter.writer)
    }
    return digest
  }

  func letters(ofWritersNamed beginning: String) throws -> LetterDigest {
    let name = Column("name")
    let named = LetterRecord.writer.filter(name >= beginning && name < beginning + "\u{7F}")
    return try digest(LetterRecord.joining(required: named).order(Column("id")))
  }

  func notes() throws -> LetterDigest {
    var digest = LetterDigest()
    for record in try pool.read({ try NoteRecord.fetchAll($0) }) {
      digest.add(id: record.note.id, text: record.note.text.utf8.count, writer: record.note.writer)
    }
    return digest
  }

  func lettersWithWriters() throws -> LetterDigest {
    let request = LetterRecord.including(required: LetterRecord.writer).order(Column("id"))
    var digest = LetterDigest()
    for pair in try pool.read({ try LetterAndWriter.fetchAll($0, request) }) {
      digest.add(
        id: pair.letter.letter.id, text: pair.letter.letter.text.utf8.count, writer: pair.writer.writer.id,
        name: pair.writer.writer.name.utf8.count)
    }
    return digest
  }

  func delete(writer: Int64) throws {
    _ = try pool.write { try WriterRecord.deleteOne($0, key: writer) }
  }

  func deleteNotes(of writer: Int64) throws {
    _ = try pool.write { try NoteRecord.filter(Column("writer") == writer).deleteAll($0) }
  }
}

private struct WriterRecord: FetchableRecord, PersistableRecord {
  static let databaseTableName = "writer"

  let writer: Writer

  init(_ writer: Writer) { self.writer = writer }

  init(row: Row) { writer = Writer(id: row["id"], name: row["name"]) }

  func encode(to container: inout PersistenceContainer) {
    container["id"] = writer.id
    container["name"] = writer.name
  }
}

private struct LetterRecord: FetchableRecord, PersistableRecord {
  static let databaseTableName = "letter"
  static let writer = belongsTo(WriterRecord.self, key: "author", using: ForeignKey(["writer"]))

  let letter: Letter

  init(_ letter: Letter) { self.letter = letter }

  init(row: Row) { letter = Letter(row) }

  func encode(to container: inout PersistenceContainer) { letter.encode(to: &container) }
}

private struct NoteRecord: FetchableRecord, PersistableRecord {
  static let databaseTableName = "note"

  let note: Letter

  init(_ note: Letter) { self.note = note }

  init(row: Row) { note = Letter(row) }

  func encode(to container: inout PersistenceContainer) { note.encode(to: &container) }
}

private struct LetterAndWriter: FetchableRecord {
  let letter: LetterRecord
  let writer: WriterRecord

  init(row: Row) throws {
    letter = LetterRecord(row: row)
    writer = row["author"]
  }
}

extension Letter {
  fileprivate init(_ row: Row) {
    self.init(id: row["id"], text: row["text"], writer: row["writer"])
  }

  fileprivate func encode(to container: inout PersistenceContainer) {
    container["id"] = id
    container["text"] = text
    container["writer"] = writer
  }
}
