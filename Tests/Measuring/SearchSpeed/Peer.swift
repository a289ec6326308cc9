import CSQLite
import Foundation

/// SQLite's FTS5 with the tokenizer unicode61, over a table that has the texts.
final class Peer {
  struct Failure: Error, CustomStringConvertible { let description: String }

  private var database: OpaquePointer?

  init(_ path: String) throws {
    try check(sqlite3_open(path, &database))
    try run("PRAGMA journal_mode = WAL")
    try run("PRAGMA synchronous = NORMAL")
    try run("CREATE TABLE texts (id INTEGER PRIMARY KEY, text TEXT NOT NULL)")
    try run("CREATE VIRTUAL TABLE words USING fts5(text, content='texts', content_rowid='id', tokenize='unicode61')")
  }

  private func check(_ code: Int32) throws {
    guard code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW else {
      throw Failure(description: String(cString: sqlite3_errmsg(database)))
    }
  }

  private func run(_ sql: String) throws { try check(sqlite3_exec(database, sql, nil, nil, nil)) }

  private func prepared<R>(_ sql: String, _ body: (OpaquePointer?) throws -> R) throws -> R {
    var statement: OpaquePointer?
    try check(sqlite3_prepare_v2(database, sql, -1, &statement, nil))
    defer { sqlite3_finalize(statement) }
    return try body(statement)
  }

  private func bind(_ statement: OpaquePointer?, _ place: Int32, _ text: String) throws {
    try check(sqlite3_bind_text(statement, place, text, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self)))
  }

  func insert(_ texts: ArraySlice<String>) throws {
    try run("BEGIN")
    for sql in ["INSERT INTO texts VALUES (?1, ?2)", "INSERT INTO words (rowid, text) VALUES (?1, ?2)"] {
      try prepared(sql) { statement in
        for (place, text) in zip(texts.indices, texts) {
          try check(sqlite3_bind_int64(statement, 1, Int64(place)))
          try bind(statement, 2, text)
          try check(sqlite3_step(statement))
          sqlite3_reset(statement)
        }
      }
    }
    try run("COMMIT")
  }

  func update(_ ids: Range<Int>, _ old: [String], _ new: [String]) throws {
    try run("BEGIN")
    for id in ids {
      try prepared("INSERT INTO words (words, rowid, text) VALUES ('delete', ?1, ?2)") { statement in
        try check(sqlite3_bind_int64(statement, 1, Int64(id)))
        try bind(statement, 2, old[id])
        try check(sqlite3_step(statement))
      }
      for sql in ["UPDATE texts SET text = ?2 WHERE id = ?1", "INSERT INTO words (rowid, text) VALUES (?1, ?2)"] {
        try prepared(sql) { statement in
          try check(sqlite3_bind_int64(statement, 1, Int64(id)))
          try bind(statement, 2, new[id])
          try check(sqlite3_step(statement))
        }
      }
    }
    try run("COMMIT")
  }

  /// The keys that a query finds, in their order, or the first by rank.
  func keys(_ match: String, ranked limit: Int? = nil) throws -> [Int] {
    let order = limit.map { "ORDER BY rank LIMIT \($0)" } ?? "ORDER BY rowid"
    return try prepared("SELECT rowid FROM words WHERE words MATCH ?1 \(order)") { statement in
      try bind(statement, 1, match)
      var keys: [Int] = []
      while true {
        let code = sqlite3_step(statement)
        try check(code)
        guard code == SQLITE_ROW else { return keys }
        keys.append(Int(sqlite3_column_int64(statement, 0)))
      }
    }
  }

  func close() throws {
    try run("PRAGMA wal_checkpoint(TRUNCATE)")
    sqlite3_close(database)
  }
}
