import Foundation
import Testing

@Suite("Sync on the command line")
struct SyncCommandTests {
  private func shop(_ url: String) throws -> Workshop {
    let shop = try Workshop.cities()
    try #require(try shop.quarry("import", "cities.csv", "--into", url, "--model", "City", "--key", "id").status == 0)
    return shop
  }

  @Test("Two stores agree", arguments: [["sqlite:a.db", "lmdb:b.lmdb"], ["file:a.quarry", "sqlite:b.db"]])
  func agreement(_ urls: [String]) throws {
    let (a, b) = (urls[0], urls[1])
    let shop = try shop(a)
    // Integer keys collide, unless the outside world gives them.
    #expect(try shop.quarry("sync", a, b).code == "unsupported")
    #expect(try shop.quarry("sync", b, a).code == "unsupported")
    // The refused call has not made the other store.
    #expect(try shop.quarry("models", b).code == "notFound")
    let first = try shop.quarry("sync", a, b, "--natural-key", "City", "--verify")
    #expect(first.status == 0, "\(first.errors)")
    #expect(first.output.contains("the stores agree") && first.output.contains("verified"))
    #expect(try shop.quarry("update", a, "City", "--where", "id == 3", "--set", "area=900").status == 0)
    #expect(try shop.quarry("delete", b, "City", "--where", "id == 1").status == 0)
    let second = try shop.quarry("sync", a, b)
    #expect(second.lines[0] == "taken: 1 by the first store, 1 by the other")
    #expect(try shop.quarry("sync", a, b).lines[0] == "taken: 0 by the first store, 0 by the other")
    #expect(try shop.quarry("diff", a, b).status == 0)
    #expect(try shop.quarry("query", b, "City", "--where", "area == 900", "--format", "csv").lines.count == 2)
  }

  @Test("What is held is listed and discarded")
  func held() throws {
    let shop = try Workshop()
    try shop.write("id,name\na,red\n", "a.csv")
    try shop.write("id,name\nb,red\n", "b.csv")
    for name in ["a", "b"] {
      let url = "sqlite:\(name).db"
      let outcome = try shop.quarry(
        "import", "\(name).csv", "--into", url, "--model", "Team", "--key", "id", "--unique", "name")
      try #require(outcome.status == 0, "\(outcome.errors)")
    }
    #expect(try shop.quarry("sync", "sqlite:a.db", "sqlite:b.db").status == 0)
    let lines = try shop.quarry("sync", "held", "sqlite:a.db").lines
    #expect(lines.count == 1)
    let id = String(lines.first?.prefix(16) ?? "")
    #expect(try shop.quarry("sync", "held", "sqlite:a.db", "--discard", "0").code == "notFound")
    // Written again, it still has a value that is taken.
    #expect(try shop.quarry("sync", "held", "sqlite:a.db", "--accept", id).code == "uniqueViolation")
    #expect(try shop.quarry("sync", "held", "sqlite:a.db", "--accept", id, "--discard", id).status == 64)
    #expect(try shop.quarry("sync", "held", "sqlite:a.db", "--discard", id).status == 0)
    #expect(try shop.quarry("sync", "held", "sqlite:a.db").output == "nothing is held\n")
    #expect(try shop.quarry("sync", "sqlite:a.db", "sqlite:b.db", "--discard", id).status == 64)
  }

  @Test("Many deletes wait until they are allowed")
  func deletes() throws {
    let shop = try Workshop()
    try shop.write("id,size\n" + (1...150).map { "n\($0),\($0)\n" }.joined(), "a.csv")
    let made = try shop.quarry("import", "a.csv", "--into", "sqlite:a.db", "--model", "Note", "--key", "id")
    try #require(made.status == 0, "\(made.errors)")
    #expect(try shop.quarry("sync", "sqlite:a.db", "lmdb:b.lmdb").status == 0)
    #expect(try shop.quarry("delete", "sqlite:a.db", "Note", "--where", "size > 30").status == 0)
    let stopped = try shop.quarry("sync", "sqlite:a.db", "lmdb:b.lmdb")
    #expect(stopped.code == "limitExceeded" && stopped.errors.contains("delete 120 of 150 Note"))
    #expect(try shop.quarry("count", "lmdb:b.lmdb", "Note").output.contains("150"))
    #expect(try shop.quarry("sync", "sqlite:a.db", "lmdb:b.lmdb", "--allow-deletes", "120").status == 0)
    #expect(try shop.quarry("sync", "sqlite:a.db", "lmdb:b.lmdb").lines.last == "the stores agree")
  }

  @Test("Served stores need a token, and a tool that was built for HTTP")
  func served() throws {
    let shop = try Workshop()
    try shop.write("0123456789abcdef\n", "token")
    let remote = "https://example.org/sync"
    for arguments in [
      ["serve", "sqlite:a.db"], ["serve", "sqlite:a.db", "--token-file", "token", "--address", "0.0.0.0"],
      ["serve", "sqlite:a.db", "--token-file", "token", "--path", "sync"],
      ["serve", "sqlite:a.db", "--token-file", "token", "--certificate", "a.pem"],
      ["serve", "sqlite:a.db", "--token-file", "token", "--port", "70000"],
      ["serve", "sqlite:a.db", "--principal", "anna"], ["serve", "sqlite:a.db", "--principal", "=token"],
      ["serve", "sqlite:a.db", "--token-file", "token", "--requests", "0"],
      ["sync", "sqlite:a.db", "sqlite:b.db", "--accept", "0"], ["sync", "held", "sqlite:a.db", "--allow-deletes", "1"],
      ["sync", "sqlite:a.db", remote], ["sync", remote, "sqlite:a.db"],
      ["sync", "sqlite:a.db", "sqlite:b.db", "--token-file", "token"],
      ["sync", "sqlite:a.db", "sqlite:b.db", "--plain-http"],
    ] {
      #expect(try Quarry.run(arguments, in: shop.directory).status == 64, "\(arguments)")
    }
    for arguments in [
      ["serve", "sqlite:a.db", "--token-file", "token"], ["sync", "sqlite:a.db", remote, "--token-file", "token"],
    ] {
      let outcome = try Quarry.run(arguments, in: shop.directory)
      #expect(outcome.code == "unsupported" && outcome.errors.contains("scripts/studio --build"))
    }
  }

  @Test("A tool that was built without Studio names the script that builds one")
  func studio() throws {
    let shop = try Workshop()
    let outcome = try shop.quarry("studio", "memory:")
    #expect(outcome.status == 1)
    #expect(
      outcome.errors
        == "error: unsupported: this quarry was built without Studio: scripts/studio URL builds and starts one with it (the trait HTTP)\n"
    )
    #expect(try shop.quarry("studio", "memory:", "--port", "70000").status == 64)
  }
}
