import Foundation
import Testing

@Suite struct AdoptedSearchTests {
  private let shop: Workshop

  init() throws {
    shop = try Workshop()
  }

  private func lines(_ arguments: String...) throws -> [String] {
    let outcome = try Quarry.run(arguments, in: shop.directory)
    #expect(outcome.status == 0, "\(arguments): \(outcome.errors)")
    return outcome.lines
  }

  /// `swift run grdb-sample FILE` in Benchmarks made the database, with GRDB 7.
  @Test(arguments: ["sqlite:g.db", "file:g.quarry", "lmdb:g.lmdb"]) func aDatabaseMadeByGRDB(_ url: String) throws {
    let made = try #require(Bundle.module.url(forResource: "grdb", withExtension: "sqlite", subdirectory: "Databases"))
    try FileManager.default.copyItem(at: made, to: shop.directory.appendingPathComponent("grdb.sqlite"))
    let outcome = try shop.quarry("adopt", "grdb.sqlite", "--to", "Models.swift", "--into", url)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.errors.contains("is a database of GRDB"))
    #expect(try lines("models", url) == ["Author", "Book", "Loan"])
    #expect(
      try lines("query", url, "Author", "--format", "csv") == ["id,name,born", "1,Ada,1815-12-08T00:00:00Z", "2,Bób,"])
    #expect(
      try lines("query", url, "Book", "--where", "title == 'Title 35'", "--format", "csv") == [
        "id,title,authorId,kind,price,isLent,cover,size,tags,added",
        "0B1E5500-0000-4000-8000-000000000023,Title 35,1,novel,8.75,false,AAEj,"
          + #""{""height"":70,""width"":35}",[],2024-06-05T12:30:15.123Z"#,
      ])
    #expect(
      try lines("query", url, "Loan", "--format", "csv") == [
        "bookId,reader,due", "0B1E5500-0000-4000-8000-000000000002,Cid,2024-07-03T09:46:40Z",
        "0B1E5500-0000-4000-8000-000000000002,Dan,2024-10-27T03:33:20Z",
      ])
    #expect(try lines("count", url, "Book", "--where", "authorId.name == 'Ada' AND isLent == true") == ["14"])
    #expect(try lines("search", url, "Book", "title 4*", "--format", "csv").count == 3)
    #expect(try lines("check", url).contains { $0.hasPrefix("sound") })
    let source = try shop.read("Models.swift")
    for line in [
      "@Attribute(.searchable) var title: String", "@Relationship(deleteRule: .cascade) var authorId: Ref<Author>",
      "#PrimaryKey<Loan>([\\.bookId, \\.reader])", "@Attribute(.indexed) var name: String", "let id: UUID",
    ] { #expect(source.contains(line), "\(line) is missing in \(source)") }
  }

  @Test func fullTextTables() throws {
    try ForeignFile.make(
      shop.directory.appendingPathComponent("old.db").path,
      """
      CREATE TABLE "the mail" (id INTEGER PRIMARY KEY, subject TEXT, "a,b" TEXT, size INTEGER);
      CREATE VIRTUAL TABLE mailText USING fts5(subject, "a,b", size UNINDEXED, content = 'the mail', content_rowid='id');
      CREATE VIRTUAL TABLE note USING fts5(title, body, tokenize = 'porter ascii');
      CREATE VIRTUAL TABLE words USING fts5(word, content='');
      CREATE VIRTUAL TABLE older USING fts4(text);
      CREATE VIRTUAL TABLE place USING rtree(id, x1, x2);
      INSERT INTO "the mail" VALUES (1, 'Hello', 'x', 3);
      INSERT INTO note VALUES ('Milk', 'white'), ('Tea', NULL);
      INSERT INTO older VALUES ('old text');
      INSERT INTO place VALUES (1, 0.5, 1.5);
      """)
    _ = try lines("import", "old.db", "--into", "sqlite:n.db")
    #expect(try lines("models", "sqlite:n.db") == ["the mail", "note", "older", "place"])
    let schema = try lines("schema", "sqlite:n.db").map { $0.split(separator: " ").joined(separator: " ") }
    for line in ["subject string? searchable", "a,b string? searchable", "size int64?", "body string? searchable"] {
      #expect(schema.contains(line), "\(line) is missing in \(schema)")
    }
    #expect(try lines("search", "sqlite:n.db", "note", "milk", "--format", "csv").count == 2)
    #expect(try lines("search", "sqlite:n.db", "the mail", "hello", "--format", "csv").count == 2)
    #expect(try lines("search", "sqlite:n.db", "older", "text", "--format", "csv").count == 2)
    #expect(try lines("check", "sqlite:n.db").contains { $0.hasPrefix("sound") })
  }

  @Test func damagedDeclarationsAreNoFullTextTables() throws {
    for sql in ["fts5", "fts5(", "fts5(a, content=", "fts5(a, content='", "fts5(a, content=[x"] {
      try ForeignFile.make(
        shop.directory.appendingPathComponent("odd.db").path,
        """
        CREATE TABLE IF NOT EXISTS book (id INTEGER PRIMARY KEY, a TEXT);
        PRAGMA writable_schema = 1;
        INSERT INTO sqlite_schema VALUES ('table', 'odd', 'odd', 0, 'CREATE VIRTUAL TABLE odd USING \(sql.replacing("'", with: "''"))');
        """)
      let outcome = try shop.quarry("import", "odd.db", "--into", "sqlite:o.db", "--table", "book")
      #expect(outcome.status == 0 || outcome.errors.contains("error: "), "\(sql): \(outcome.errors)")
      try? FileManager.default.removeItem(at: shop.directory.appendingPathComponent("odd.db"))
      try? FileManager.default.removeItem(at: shop.directory.appendingPathComponent("o.db"))
    }
  }
}
