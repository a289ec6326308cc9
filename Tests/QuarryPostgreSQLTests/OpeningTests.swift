#if PostgreSQL
  import Foundation
  import QuarryBackend
  import QuarryCore
  import Testing

  @testable import QuarryEngines
  @testable import QuarryPostgreSQL
  @testable import QuarryTestSupport

  @Suite struct OpeningTests {
    @Test func aSchemaOfOthersIsRefusedAndLeft() throws {
      let place = try TestPlace()
      try place.server("CREATE SCHEMA \(place.schema); CREATE TABLE \(place.schema).theirs (a integer)")
      #expect(code { _ = try place.open() } == .schemaMismatch)
      #expect(try place.server("SELECT count(*) FROM \(place.schema).theirs") == "0")
      #expect(try place.server("SELECT count(*) FROM pg_tables WHERE schemaname = '\(place.place.schema)'") == "1")
    }

    @Test func anEmptySchemaBecomesAStore() throws {
      let place = try TestPlace()
      try place.server("CREATE SCHEMA \(place.schema)")
      try place.open().close()
    }

    @Test func readingMakesNothing() throws {
      let place = try TestPlace()
      var options = OpenOptions()
      options.isReadOnly = true
      #expect(code { _ = try place.open(options) } == .notFound)
      #expect(try place.server("SELECT count(*) FROM pg_namespace WHERE nspname = '\(place.place.schema)'") == "0")
    }

    @Test func aNewerFormatIsTooNew() throws {
      let place = try TestPlace()
      try place.open().close()
      try place.server("UPDATE \(place.schema).\"_quarry_store\" SET format = 99")
      #expect(code { _ = try place.open() } == .schemaTooNew)
    }

    @Test func anEarlierFormatIsRefused() throws {
      let place = try TestPlace()
      try place.open().close()
      try place.server("UPDATE \(place.schema).\"_quarry_store\" SET format = 1")
      #expect(code { _ = try place.open() } == .unsupported)
    }

    @Test func aStoreWithoutItsFirstTableIsCorrupt() throws {
      let place = try TestPlace()
      try place.open().close()
      try place.server("DROP TABLE \(place.schema).\"_quarry_store\"")
      #expect(code { _ = try place.open() } == .corrupt)
    }

    @Test func destroyLeavesWhatOthersHaveInTheSchema() throws {
      let place = try TestPlace()
      let store = try place.open()
      try EveryType.fill(store)
      try place.server("CREATE TABLE \(place.schema).theirs (a integer)")
      try store.destroy()
      #expect(
        try place.server("SELECT tablename FROM pg_tables WHERE schemaname = '\(place.place.schema)'") == "theirs")
    }

    @Test func aViewOfOthersKeepsTheStoreFromBeingDestroyed() throws {
      let place = try TestPlace()
      let store = try place.open()
      try EveryType.fill(store)
      try place.server("CREATE VIEW \(place.schema).theirs AS SELECT id FROM \(place.schema).\"Every\"")
      #expect(code { try store.destroy() } == .inUse)
      #expect(try store.read { try $0.records.fetch(in: "Every").count } == EveryType.keys.count)
      try store.close()
    }

    @Test func manyOpenersMakeOneStore() async throws {
      let place = try TestPlace()
      let configuration = place.place
      await withTaskGroup(of: StorageError.Code?.self) { group in
        for _ in 0..<8 { group.addTask { code { try Store(opening: configuration).close() } } }
        for await failure in group { #expect(failure == nil) }
      }
    }

    // MARK: Connection strings

    @Test(arguments: ["host=a password=secret", "postgresql://u:secret@h/d", "//u:secret@h/d", "sslpassword=secret"])
    func aURLHasNoPassword(_ text: String) {
      let error = #expect(throws: StorageError.self) { try StoreURL(parsing: "postgres:\(text)") }
      #expect(error?.code == .invalidValue)
      #expect(error?.message.contains("secret") == false)
    }

    @Test func aURLIsAConfiguration() throws {
      let url = try StoreURL(parsing: "postgres:service=library?schema=books&connections=3")
      let expected = PostgreSQLConfiguration("service=library", schema: "books", connections: 3)
      #expect(url.provider as? PostgreSQLConfiguration == expected)
      #expect(url.option("schema") == "books" && url.option("writers") == nil)
      // What the connection string has is no option of the URL.
      let other = try StoreURL(parsing: "postgres:service=library options=-cschema=x?connections=3")
      #expect(other.option("schema") == nil && other.option("connections") == "3")
      let uri = try StoreURL(parsing: "postgres://host/database").provider
      #expect(uri as? PostgreSQLConfiguration == PostgreSQLConfiguration("postgresql://host/database"))
    }

    @Test func noErrorAndNoDescriptionHasTheConnectionString() {
      let secrets = ["hidden-host", "hidden-user", "hidden-word", "hidden-database"]
      let string =
        "host=hidden-host.invalid user=hidden-user password=hidden-word dbname=hidden-database sslmode=disable"
      let place = PostgreSQLConfiguration(string)
      let error = #expect(throws: StorageError.self) { _ = try Store(opening: place) }
      #expect(error?.code == .unavailable)
      var dumped = ""
      dump(place, to: &dumped)
      let texts = ["\(place)", String(reflecting: place), dumped, error.map { "\($0) \($0.cause as Any)" } ?? ""]
      for secret in secrets { for text in texts { #expect(!text.contains(secret), "\(text)") } }
      let broken = #expect(throws: StorageError.self) { _ = try Store(opening: .postgreSQL("hidden-word 'x")) }
      #expect(broken?.code == .invalidValue && broken?.message.contains("hidden") == false)
    }

    @Test(arguments: ["", "pg_mine", "information_schema", "a\0b", String(repeating: "x", count: 64)])
    func otherNamesOfSchemasAreRefused(_ name: String) {
      #expect(code { _ = try Store(opening: .postgreSQL("", schema: name)) } == .invalidValue)
    }

    @Test func anyNameOfASchemaIsAName() throws {
      let name = "a\"b'c\\; \(UUID().uuidString.prefix(8)) é"
      let place = PostgreSQLConfiguration(try TestPlace().place.connection, schema: name)
      let store = try Store(opening: place)
      try EveryType.fill(store)
      #expect(try store.check().isEmpty)
      try store.destroy()
    }
  }
#endif
