import Foundation
import QuarryAdoption
import QuarryBackend
import Testing

@testable import QuarryTool

@Suite struct AdoptTests {
  private let shop: Workshop

  init() throws {
    shop = try Workshop()
  }

  /// Makes a database with the sqlite3 of the system's library.
  private func make(_ name: String, _ sql: String) throws {
    try ForeignFile.make(shop.directory.appendingPathComponent(name).path, sql)
  }

  private func lines(_ arguments: String...) throws -> [String] {
    let outcome = try Quarry.run(arguments, in: shop.directory)
    #expect(outcome.status == 0, "\(arguments): \(outcome.errors)")
    return outcome.lines
  }

  private static let library = """
    CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL, boss INTEGER REFERENCES author ON DELETE SET NULL);
    CREATE TABLE book (isbn TEXT PRIMARY KEY NOT NULL, title TEXT, author INTEGER REFERENCES author(id) ON DELETE CASCADE,
      price DECIMAL(9,2), added DATETIME, isNew BOOLEAN NOT NULL, mixed, uid TEXT);
    CREATE UNIQUE INDEX book_uid ON book(uid);
    CREATE INDEX book_title ON book(title, added DESC);
    CREATE TABLE pair (book TEXT NOT NULL REFERENCES book, author INTEGER NOT NULL, PRIMARY KEY (book, author));
    INSERT INTO author VALUES (1, 'A', 2), (2, 'B', NULL);
    INSERT INTO book VALUES ('a', 'T', 1, '1.50', '2024-01-02 03:04:05.250', 1, 7, NULL);
    INSERT INTO book VALUES ('b', NULL, NULL, '2', NULL, 0, 'x', NULL);
    INSERT INTO pair VALUES ('a', 1), ('a', 2);
    """

  @Test(arguments: ["sqlite:n.db", "file:n.quarry", "lmdb:n.lmdb"]) func tablesBecomeModels(_ url: String) throws {
    try make("old.db", Self.library)
    _ = try lines("import", "old.db", "--into", url)
    let schema = try lines("schema", url).map { $0.split(separator: " ").joined(separator: " ") }
    for line in [
      "isbn string primary key", "author int64? refers to author, cascade", "price double?", "added date?",
      "isNew bool",
      "mixed string?", "boss int64? refers to author, nullify",
      "book string primary key (1 of 2), refers to book, deny",
      "id int64 primary key", "author int64 primary key (2 of 2)",
      "index title_added (title, -added)", "index uid (uid)",
    ] { #expect(schema.contains(line), "\(line) is missing in \(schema)") }
    #expect(
      try lines("query", url, "book", "--format", "csv", "--columns", "isbn,author,price,added,isNew,mixed") == [
        "isbn,author,price,added,isNew,mixed", "a,1,1.5,2024-01-02T03:04:05.25Z,true,\"7\"", "b,,2.0,,false,x",
      ])
    #expect(try lines("count", url, "pair") == ["2"])
    #expect(try lines("get", url, "pair", #"["a",2]"#).contains { $0.hasSuffix(" 2") })
    #expect(try lines("check", url).contains { $0.hasPrefix("sound") })
  }

  @Test func oneTableIsChosenAndNamed() throws {
    try make("old.db", Self.library)
    _ = try lines("import", "old.db", "--into", "sqlite:n.db", "--table", "AUTHOR", "--model", "Author")
    #expect(try lines("models", "sqlite:n.db") == ["Author"])
    let unknown = try shop.quarry("import", "old.db", "--into", "sqlite:m.db", "--table", "bok")
    #expect(unknown.errors.contains("did you mean book?"))
    #expect(try shop.quarry("models", "sqlite:m.db").code == "notFound")
    #expect(
      try shop.quarry("import", "old.db", "--into", "sqlite:n.db", "--table", "author", "--key", "id").status == 64)
    let again = try shop.quarry("import", "old.db", "--into", "sqlite:n.db", "--table", "author")
    #expect(again.errors.contains("error: schemaMismatch"), "\(again.errors)")
  }

  @Test func coreDataIsReadByItsLayout() throws {
    try make(
      "core.sqlite",
      """
      CREATE TABLE ZPERSON (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCOMPANY INTEGER, ZBIRTHDATE TIMESTAMP,
        ZNAME VARCHAR, ZKEY BLOB);
      CREATE TABLE ZCOMPANY (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
      CREATE TABLE ZTAG (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTITLE VARCHAR);
      CREATE TABLE Z_2TAGS (Z_2PEOPLE INTEGER, Z_3TAGS INTEGER, PRIMARY KEY (Z_2PEOPLE, Z_3TAGS));
      CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
      CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
      CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY);
      INSERT INTO Z_PRIMARYKEY VALUES (1, 'Company', 0, 1), (2, 'Person', 0, 2), (3, 'Tag', 0, 1), (4, 'Employee', 2, 0);
      INSERT INTO ZCOMPANY VALUES (1, 1, 1, 'ACME');
      INSERT INTO ZTAG VALUES (1, 3, 1, 'red');
      INSERT INTO ZPERSON VALUES (1, 2, 1, 1, 0.5, 'Ann', x'0123456789ab4cdeb123456789abcdef'), (2, 4, 1, NULL, -1, 'Bob', NULL);
      INSERT INTO Z_2TAGS VALUES (1, 1), (2, 1);
      """)
    _ = try lines("adopt", "core.sqlite", "--to", "Core.swift", "--into", "sqlite:c.db")
    #expect(
      try lines("query", "sqlite:c.db", "Person", "--format", "csv") == [
        "id,entity,company,birthdate,name,key",
        "1,Person,1,2001-01-01T00:00:00.5Z,Ann,01234567-89AB-4CDE-B123-456789ABCDEF",
        "2,Employee,,2000-12-31T23:59:59Z,Bob,",
      ])
    #expect(try lines("models", "sqlite:c.db") == ["Company", "Person", "Tag", "PersonTags"])
    let source = try shop.read("Core.swift")
    for line in [
      "struct Person {", "var company: Ref<Company>?", "var birthdate: Date?", "let people: Ref<Person>",
      "#PrimaryKey<PersonTags>([\\.people, \\.tags])",
      "static func copy(",
    ] {
      #expect(source.contains(line), "\(line) is missing in \(source)")
    }
    #expect(try shop.quarry("adopt", "core.sqlite", "--to", "Core.swift").errors.contains("error: inUse"))
  }

  /// Dates as text with a space, UUIDs as data, and the table of migrations: as GRDB writes them.
  @Test func grdbIsReadByItsLayout() throws {
    try make(
      "grdb.sqlite",
      """
      CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
      INSERT INTO grdb_migrations VALUES ('v1');
      CREATE TABLE player (id INTEGER PRIMARY KEY AUTOINCREMENT, "createdAt" DATETIME NOT NULL, token BLOB NOT NULL UNIQUE,
        "isActive" BOOLEAN NOT NULL DEFAULT 1, teamId INTEGER REFERENCES team(id) ON DELETE CASCADE);
      CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
      CREATE TABLE award (playerId INTEGER NOT NULL REFERENCES player ON DELETE CASCADE, year INTEGER NOT NULL, place TEXT,
        PRIMARY KEY (playerId, year)) WITHOUT ROWID;
      CREATE INDEX "index_player_on_teamId" ON player(teamId);
      INSERT INTO award VALUES (7, 2024, 'Oslo'), (7, 2023, NULL);
      INSERT INTO team VALUES (3, 'Reds');
      INSERT INTO player VALUES (7, '2024-05-01 12:30:15.123', x'0123456789ab4cdeb123456789abcdef', 1, 3);
      """)
    #expect(try shop.quarry("count", "sqlite:grdb.sqlite", "player").errors.contains("a program with GRDB"))
    let outcome = try shop.quarry("adopt", "grdb.sqlite", "--into", "sqlite:g.db", "--to", "G.swift")
    #expect(outcome.errors.contains("is a database of GRDB"), "\(outcome.errors)")
    #expect(try lines("models", "sqlite:g.db") == ["Team", "Player", "Award"])
    #expect(
      try lines("query", "sqlite:g.db", "Player", "--format", "csv") == [
        "id,createdAt,token,isActive,teamId",
        "7,2024-05-01T12:30:15.123Z,01234567-89AB-4CDE-B123-456789ABCDEF,true,3",
      ])
    let source = try shop.read("G.swift")
    #expect(source.contains("@Relationship(deleteRule: .cascade) var teamId: Ref<Team>?"))
    #expect(source.contains("@Relationship(deleteRule: .cascade) let playerId: Ref<Player>"))
    #expect(source.contains("#PrimaryKey<Award>([\\.playerId, \\.year])") && !source.contains("_key"))
    #expect(try lines("get", "sqlite:g.db", "Award", "[7,2024]").contains { $0.hasSuffix(" Oslo") })
    #expect(
      try lines("query", "sqlite:g.db", "Award", "--format", "csv") == [
        "playerId,year,place", "7,2023,", "7,2024,Oslo",
      ])
    #expect(try lines("check", "sqlite:g.db").contains { $0.hasPrefix("sound") })
  }

  /// Objects of each class as an array, links as keys, embedded objects as objects: docs/coming-from/realm.md.
  @Test func realmIsReadThroughJSON() throws {
    try shop.write(
      """
      [{"_id": "64b0f1c2a3d4e5f601234567", "name": "Jane Austen", "born": "1775-12-16T00:00:00Z", "home": {"city": "Chawton"}}]
      """, "authors.json")
    try shop.write(
      """
      [{"_id": 1, "title": "Emma", "author": "64b0f1c2a3d4e5f601234567", "tags": ["novel", "england"], "note": null},
       {"_id": 2, "title": "Sanditon", "author": null, "tags": [], "note": "unfinished"}]
      """, "books.json")
    _ = try lines("import", "authors.json", "--into", "sqlite:r.db", "--model", "Author", "--key", "_id")
    _ = try lines(
      "import", "books.json", "--into", "sqlite:r.db", "--model", "Book", "--key", "_id", "--reference",
      "author=Author._id")
    #expect(
      try lines("query", "sqlite:r.db", "Book", "--format", "csv", "--columns", "title,author.name,tags,note") == [
        "title,author.name,tags,note", #"Emma,Jane Austen,"[""novel"",""england""]","#, "Sanditon,,[],unfinished",
      ])
    #expect(try lines("count", "sqlite:r.db", "Author", "--where", "born < date '1776-01-01'") == ["1"])
  }

  @Test func rowsAreNumbered() throws {
    try shop.write("name\nx\nx\n", "names.csv")
    _ = try lines("import", "names.csv", "--into", "sqlite:n.db", "--model", "Name", "--key", "@row")
    _ = try lines("import", "names.csv", "--into", "sqlite:n.db", "--model", "Name", "--key", "@row")
    let ids = try lines("query", "sqlite:n.db", "--format", "csv", "--columns", "id")
    #expect(ids == ["id", "1", "2", "3", "4"])
  }

  @Test func hostileNamesAndFilesAreNoTrap() throws {
    try make(
      "odd.db",
      "CREATE TABLE \"we\"\"ird\" (\"class\" INT, \"a\u{1B}[2J\" TEXT); INSERT INTO \"we\"\"ird\" VALUES (1, 'x'); CREATE TABLE e (x)"
    )
    let outcome = try shop.quarry("adopt", "odd.db")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(!(outcome.output + outcome.errors).contains("\u{1B}"))
    #expect(outcome.output.contains("var `class`: Int?"))
    try shop.write("SQLite format 3\0" + String(repeating: "x", count: 4000), "junk.db")
    #expect(try shop.quarry("import", "junk.db", "--into", "sqlite:j.db").code == "corrupt")
    #expect(try shop.quarry("import", "none.db", "--into", "sqlite:j.db").code == "notFound")
    #expect(try shop.quarry("models", "sqlite:j.db").code == "notFound")
    #expect(try shop.quarry("count", "sqlite:odd.db", "e").code == "schemaMismatch")
  }
}
