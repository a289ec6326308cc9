import Foundation
import Testing

@testable import QuarryTool

@Suite struct CareCommandTests {
  let shop: Workshop

  init() throws {
    shop = try Workshop.cities()
  }

  @Test(arguments: ["sqlite", "file", "lmdb"]) func aBackupIsAStore(engine: String) throws {
    let url = "\(engine):b.\(engine)"
    #expect(
      try shop.quarry("import", "cities.csv", "--into", url, "--model", "City", "--key", "id").status == 0)
    let outcome = try shop.quarry("backup", url, "copy.\(engine)")
    #expect(outcome.errors == "")
    #expect(outcome.output.hasPrefix("backed up "))
    #expect(!outcome.output.hasPrefix("backed up 0 "))
    #expect(outcome.output.hasSuffix(" bytes to copy.\(engine)\n"))
    #expect(try shop.quarry("count", "\(engine):copy.\(engine)", "City").output == "5\n")
    #expect(try shop.quarry("check", "\(engine):copy.\(engine)").lines.last?.hasPrefix("sound: ") == true)
    let second = try shop.quarry("backup", url, "copy.\(engine)")
    #expect(second.status == 1)
    #expect(second.code == "inUse")
    #expect(try shop.quarry("backup", url, "nowhere/copy").code == "notFound")
  }

  @Test func whatIsNotThereIsNotBackedUp() throws {
    #expect(try shop.quarry("backup", "sqlite:none.db", "copy.db").code == "notFound")
    #expect(try shop.quarry("backup", "memory:", "copy").code == "unsupported")
  }

  @Test(arguments: ["sqlite", "file", "lmdb"]) func compactionTellsTheSizes(engine: String) throws {
    let url = "\(engine):c.\(engine)"
    #expect(
      try shop.quarry("import", "cities.csv", "--into", url, "--model", "City", "--key", "id").status == 0)
    #expect(try shop.quarry("delete", url, "City", "--where", "country == 'CH'").status == 0)
    let outcome = try shop.quarry("compact", url)
    #expect(outcome.errors == "")
    #expect(outcome.output.hasPrefix("compacted "))
    #expect(try shop.quarry("count", url, "City").output == "3\n")
    #expect(try shop.quarry("check", url).lines.last?.hasPrefix("sound: ") == true)
  }

  @Test func anEngineWithoutCompactionRefusesIt() throws {
    #expect(try shop.quarry("compact", "memory:").code == "unsupported")
  }
}
