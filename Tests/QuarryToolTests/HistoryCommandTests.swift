import Foundation
import Testing

@Suite("The history on the command line")
struct HistoryCommandTests {
  private func shop(_ url: String) throws -> Workshop {
    let shop = try Workshop.cities()
    try #require(try shop.quarry("import", "cities.csv", "--into", url, "--model", "City", "--key", "id").status == 0)
    let outcome = try shop.quarry(
      "update", url + "?history=30d,64MB", "City", "--where", "id == 3", "--set", "area=900")
    try #require(outcome.status == 0, "\(outcome.errors)")
    return shop
  }

  @Test("A write is printed and undone", arguments: ["sqlite:h.db", "lmdb:h.lmdb", "file:h.quarry"])
  func writes(_ url: String) throws {
    let shop = try shop(url)
    try #require(try shop.quarry("delete", url, "City", "--where", "id == 1").status == 0)
    let all = try shop.quarry("history", url)
    #expect(all.status == 0 && all.lines.count == 4)
    #expect(all.lines[0].hasPrefix("1 20"))
    #expect(all.lines[1].hasPrefix("  ~ City 3: area: 454.1 -> 900"))
    #expect(all.lines[3].hasPrefix("  - City 1: id: 1, name: \"Zürich\""))
    #expect(try shop.quarry("history", url, "--model", "City", "--key", "1").lines.count == 2)
    #expect(try shop.quarry("history", url, "--since", "1").lines.count == 2)
    #expect(try shop.quarry("history", url, "--since", "2999-01-01").lines.isEmpty)
    #expect(try shop.quarry("history", url, "--limit", "1").lines.count == 2)
    let lines = try shop.quarry("history", url, "--format", "jsonl").lines
    #expect(lines.count == 2)
    struct Set: Decodable {
      struct Change: Decodable {
        var model: String
        var key: Int
        var change: String
        var properties: [String]?
      }
      var position: String
      var author: String?
      var changes: [Change]
    }
    let first = try JSONDecoder().decode(Set.self, from: Data(lines[0].utf8))
    #expect(first.position == "1" && first.author == nil)
    #expect(first.changes.map(\.model) == ["City"] && first.changes[0].properties == ["area"])
    #expect(try shop.quarry("undo", url, "1").output == "undone at position 3\n")
    #expect(try shop.quarry("query", url, "City", "--where", "area == 454.1", "--format", "csv").lines.count == 2)
    #expect(try shop.quarry("history", url, "--since", "2").lines[0].hasSuffix(" quarry undo"))
    #expect(try shop.quarry("undo", url, "1").code == "conflict")
    #expect(try shop.quarry("undo", url, "9").code == "notFound")
    #expect(try shop.quarry("check", url).status == 0)
    // A command that reads leaves the history.
    #expect(try shop.quarry("history", url + "?history=off").status == 0)
    #expect(try shop.quarry("history", url).lines.count > 2)
  }

  @Test("A store that is filled begins its history when it is whole", arguments: ["sqlite:n.db", "file:n.quarry"])
  func filling(_ url: String) throws {
    let shop = try Workshop.cities()
    let into = url + "?history=30d"
    try #require(try shop.quarry("import", "cities.csv", "--into", into, "--model", "City", "--key", "id").status == 0)
    #expect(try shop.quarry("history", url).lines.isEmpty)
    try #require(try shop.quarry("delete", url, "City", "--where", "id == 1").status == 0)
    #expect(try shop.quarry("history", url).lines.count == 2)
    try #require(try shop.quarry("copy", url, "lmdb:copy.lmdb").status == 0)
    try #require(try shop.quarry("dump", url, "--to", "n.dump").status == 0)
    try #require(try shop.quarry("restore", "n.dump", "sqlite:back.db?history=off").status == 0)
    #expect(try shop.quarry("history", "lmdb:copy.lmdb").lines == shop.quarry("history", url).lines)
    #expect(try shop.quarry("history", "sqlite:back.db").code == "notFound")
  }

  @Test func wrongUsage() throws {
    let shop = try shop("sqlite:h.db")
    #expect(try shop.quarry("history", "sqlite:h.db", "--key", "1").status == 64)
    #expect(try shop.quarry("history", "sqlite:h.db", "--since", "yesterday").status == 64)
    #expect(try shop.quarry("undo", "sqlite:h.db", "x").status == 64)
    #expect(try shop.quarry("history", "sqlite:h.db", "--model", "Town").code == "invalidQuery")
    for option in ["0d", "d", "30d,30d", "", "-1d", "1x"] {
      #expect(try shop.quarry("history", "sqlite:h.db?history=\(option)").status != 0)
    }
  }
}
