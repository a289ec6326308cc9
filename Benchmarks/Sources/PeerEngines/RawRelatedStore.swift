import BenchmarkHarness

/// Writers and letters in SQLite as one would keep them from C, with foreign keys on.
///
/// Unchecked Sendable: one thread uses it.
final class RawRelatedStore: RelatedStore, @unchecked Sendable {
  private let connection: RawSQLiteConnection
  private let writerInsertion: RawStatement
  private let letterInsertion: RawStatement
  private let noteInsertion: RawStatement
  private let scanning: RawStatement
  private let noteScanning: RawStatement
  private let joining: RawStatement
  private let selecting: RawStatement
  private let writerDeletion: RawStatement
  private let noteDeletion: RawStatement

  static let tables = """
    CREATE TABLE writer(id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
    CREATE TABLE letter(id INTEGER PRIMARY KEY, text TEXT NOT NULL,
      writer INTEGER NOT NULL REFERENCES writer(id) ON DELETE CASCADE) STRICT;
    CREATE INDEX letter_writer ON letter(writer);
    CREATE TABLE note(id INTEGER PRIMARY KEY, text TEXT NOT NULL, writer INTEGER NOT NULL) STRICT;
    CREATE INDEX note_writer ON note(writer);
    """

  init(_ path: String) throws {
    connection = try RawSQLiteConnection(path, .linked, setting: "PRAGMA foreign_keys = ON", cacheBytes: 8 << 20)
    try connection.execute(Self.tables)
    writerInsertion = try connection.prepare("INSERT INTO writer(id, name) VALUES(?, ?)")
    letterInsertion = try connection.prepare("INSERT INTO letter(id, text, writer) VALUES(?, ?, ?)")
    noteInsertion = try connection.prepare("INSERT INTO note(id, text, writer) VALUES(?, ?, ?)")
    scanning = try connection.prepare("SELECT id, text, writer FROM letter ORDER BY id")
    noteScanning = try connection.prepare("SELECT id, text, writer FROM note ORDER BY id")
    joining = try connection.prepare(
      """
      SELECT letter.id, letter.text, writer.id, writer.name FROM letter JOIN writer ON writer.id = letter.writer
      ORDER BY letter.id
      """)
    selecting = try connection.prepare(
      """
      SELECT id, text, writer FROM letter WHERE writer IN (SELECT id FROM writer WHERE name >= ? AND name < ?) ORDER BY id
      """)
    writerDeletion = try connection.prepare("DELETE FROM writer WHERE id = ?")
    noteDeletion = try connection.prepare("DELETE FROM note WHERE writer = ?")
  }

  func close() throws {
    for statement in [
      writerInsertion, letterInsertion, noteInsertion, scanning, noteScanning, joining, selecting, writerDeletion,
      noteDeletion,
    ] { statement.finalize() }
    try connection.close()
  }

  private func write(_ body: () throws -> Void) throws {
    try connection.begin.run()
    do {
      try body()
      try connection.commit.run()
    } catch {
      try? connection.rollback.run()
      throw error
    }
  }

  func insert(_ writers: [Writer]) throws {
    try write {
      for writer in writers {
        try writer.name.withUTF8Bytes { name in
          writerInsertion.bind(1, writer.id)
          writerInsertion.bind(2, name)
          try writerInsertion.run()
        }
      }
    }
  }

  private func insert(_ letters: [Letter], _ insertion: RawStatement) throws {
    try write {
      for letter in letters {
        try letter.text.withUTF8Bytes { text in
          insertion.bind(1, letter.id)
          insertion.bind(2, text)
          insertion.bind(3, letter.writer)
          try insertion.run()
        }
      }
    }
  }

  func insert(_ letters: [Letter]) throws { try insert(letters, letterInsertion) }
  func insert(notes: [Letter]) throws { try insert(notes, noteInsertion) }

  private func all(_ statement: RawStatement) throws -> LetterDigest {
    var digest = LetterDigest()
    while try statement.step() {
      digest.add(id: statement.integer(0), text: statement.length(1), writer: statement.integer(2))
    }
    statement.reset()
    return digest
  }

  func letters() throws -> LetterDigest { try all(scanning) }
  func notes() throws -> LetterDigest { try all(noteScanning) }

  func lettersWithWriters() throws -> LetterDigest {
    var digest = LetterDigest()
    while try joining.step() {
      digest.add(
        id: joining.integer(0), text: joining.length(1), writer: joining.integer(2), name: joining.length(3))
    }
    joining.reset()
    return digest
  }

  func letters(ofWritersNamed beginning: String) throws -> LetterDigest {
    try beginning.withUTF8Bytes { first in
      try (beginning + "\u{7F}").withUTF8Bytes { end in
        selecting.bind(1, first)
        selecting.bind(2, end)
        return try all(selecting)
      }
    }
  }

  func delete(writer: Int64) throws {
    try write {
      writerDeletion.bind(1, writer)
      try writerDeletion.run()
    }
  }

  func deleteNotes(of writer: Int64) throws {
    try write {
      noteDeletion.bind(1, writer)
      try noteDeletion.run()
    }
  }
}
