import Testing

@testable import QuarryTool

@Suite struct StoreURLTests {
  @Test(
    arguments: [
      ("memory:", .memory), ("sqlite:a b.db", .sqlite(path: "a b.db")), ("sqlite:/x/y:z", .sqlite(path: "/x/y:z")),
      ("sqlite:100%25", .sqlite(path: "100%25")),
    ] as [(String, StoreURL)])
  func known(_ text: String, _ url: StoreURL) throws {
    #expect(try StoreURL(parsing: text) == url)
  }

  @Test(arguments: ["", "x.db", "sqlite:", "memory:x", "SQLITE:x", "postgres://x", ":x"])
  func refused(_ text: String) {
    #expect(throws: StoreURL.ParseError.self) { try StoreURL(parsing: text) }
  }

  @Test func anUnknownKindIsToldTheKnownOnes() {
    let error = #expect(throws: StoreURL.ParseError.self) { try StoreURL(parsing: "lmdb:x") }
    #expect(error?.description.contains("memory:") == true)
    #expect(error?.description.contains("sqlite:PATH") == true)
  }
}
