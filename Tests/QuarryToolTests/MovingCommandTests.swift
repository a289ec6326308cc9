import Foundation
import Testing

@testable import QuarryTool

/// `copy`, `diff`, `dump`, `restore` and `check --repair`.
@Suite struct MovingCommandTests {
  let shop: Workshop

  init() throws {
    shop = try Workshop.cities()
    let outcome = try shop.quarry(
      "import", "cities.csv", "--into", "sqlite:a.db", "--model", "City", "--key", "id", "--index", "country")
    #expect(outcome.status == 0)
  }

  @Test func copiesGoThroughAllEnginesAndHaveOneDump() throws {
    var source = "sqlite:a.db"
    #expect(try shop.quarry("dump", source, "--to", "first.jsonl").status == 0)
    let sum = try #require(try shop.quarry("copy", source, "file:0.quarry").lines.first)
    #expect(sum.hasPrefix("City: 5, sum "))
    for url in ["lmdb:1.lmdb", "sqlite:2.db", "file:3.quarry", "sqlite:4.db?durability=processCrash"] {
      let outcome = try shop.quarry("copy", source, url)
      #expect(outcome.errors == "")
      #expect(outcome.lines.first == sum)
      #expect(outcome.lines.last?.hasPrefix("the same on both sides") == true)
      #expect(try shop.quarry("dump", url).output == shop.read("first.jsonl"))
      let same = try shop.quarry("diff", source, url)
      #expect(same.status == 0)
      #expect(same.output == "")
      source = url
    }
  }

  @Test func aDestinationWithModelsIsNotTouched() throws {
    #expect(try shop.quarry("copy", "sqlite:a.db", "lmdb:b.lmdb").status == 0)
    let second = try shop.quarry("copy", "sqlite:a.db", "lmdb:b.lmdb")
    #expect(second.status == 1)
    #expect(second.code == "inUse")
    #expect(try shop.quarry("copy", "sqlite:a.db", "sqlite:a.db").code == "inUse")
    #expect(try shop.quarry("copy", "sqlite:none.db", "file:c.quarry").code == "notFound")
    #expect(try shop.quarry("count", "lmdb:b.lmdb", "City").output == "5\n")
    #expect(try shop.quarry("count", "file:c.quarry", "City").code == "notFound")
  }

  @Test func differencesAreListedAndToldByTheExitCode() throws {
    #expect(try shop.quarry("copy", "sqlite:a.db", "file:b.quarry").status == 0)
    #expect(
      try shop.quarry("update", "file:b.quarry", "City", "--where", "id == 2", "--set", "name=Elsewhere").status == 0)
    #expect(try shop.quarry("delete", "file:b.quarry", "City", "--where", "id == 3").status == 0)
    let outcome = try shop.quarry("diff", "sqlite:a.db", "file:b.quarry")
    #expect(outcome.status == 1)
    #expect(outcome.lines.count == 2)
    #expect(outcome.lines.first?.hasPrefix("! City 2: name '") == true)
    #expect(outcome.lines.first?.hasSuffix("' → 'Elsewhere'") == true)
    #expect(outcome.lines.last == "- City 3")
    #expect(try shop.quarry("diff", "file:b.quarry", "sqlite:a.db").lines.last == "+ City 3")
    let limited = try shop.quarry("diff", "sqlite:a.db", "file:b.quarry", "--limit", "1")
    #expect(limited.lines.count == 2)
    #expect(limited.lines.last == "there may be more")
    #expect(try shop.quarry("diff", "sqlite:a.db", "file:b.quarry", "--limit", "0").status == 64)
  }

  @Test func aDumpIsRestored() throws {
    #expect(try shop.quarry("dump", "sqlite:a.db", "--to", "a.jsonl").lines.last?.hasPrefix("SHA-256 ") == true)
    let outcome = try shop.quarry("restore", "a.jsonl", "lmdb:r.lmdb")
    #expect(outcome.lines.first == "City: 5")
    #expect(try shop.quarry("diff", "sqlite:a.db", "lmdb:r.lmdb").status == 0)
    #expect(try shop.quarry("restore", "a.jsonl", "lmdb:r.lmdb").code == "inUse")
    #expect(try shop.quarry("restore", "none.jsonl", "file:n.quarry").code == "notFound")
  }

  @Test func aDumpThatWasChangedIsRefused() throws {
    let text = try shop.quarry("dump", "sqlite:a.db").output
    try shop.write(String(text.dropLast(20)), "cut.jsonl")
    try shop.write(text.replacingOccurrences(of: "\"CH\"", with: "\"DE\""), "edited.jsonl")
    for name in ["cut.jsonl", "edited.jsonl", "cities.csv"] {
      let outcome = try shop.quarry("restore", name, "sqlite:r.db")
      #expect(outcome.status == 1)
      #expect(outcome.code == "corrupt")
      #expect(outcome.errors.contains("line"), "\(outcome.errors)")
    }
    #expect(try shop.quarry("count", "sqlite:r.db", "City").code == "notFound")
  }

  @Test func aSoundStoreIsNotRepaired() throws {
    let outcome = try shop.quarry("check", "sqlite:a.db", "--repair")
    #expect(outcome.status == 0)
    #expect(outcome.output == "sound: there was nothing to repair\n")
    #expect(try shop.quarry("check", "sqlite:a.db", "--quarantine", "x").status == 64)
    #expect(try shop.quarry("check", "sqlite:none.db", "--repair").code == "notFound")
  }
}
