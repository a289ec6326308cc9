import Foundation
import Testing

@testable import QuarryTool

@Suite struct UsageTests {
  let shop: Workshop

  init() throws {
    shop = try Workshop()
  }

  @Test(arguments: [
    ["bogus"], ["count"], ["count", "memory:"], ["count", "postgres:x", "M"], ["count", "x.db", "M"],
    ["count", "memory:", "M", "--sort", "a"], ["query", "memory:", "M", "--format", "xml"],
    ["query", "memory:", "M", "--limit", "x"], ["query", "memory:", "M", "--limit", "-1"],
    ["query", "memory:", "M", "--columns", "a,,b"], ["aggregate", "memory:", "M", "--function", "sum"],
    ["aggregate", "memory:", "M", "--function", "mode", "--of", "a"], ["update", "memory:", "M", "--where", "TRUE"],
    ["update", "memory:", "M", "--set", "a=1"], ["delete", "memory:", "M"],
    ["export", "memory:", "M", "--to", "x.xml"],
    ["import", "x.txt", "--into", "memory:", "--model", "M", "--key", "k"],
    ["import", "x.csv", "--into", "memory:"],
    ["import", "x.csv", "--into", "memory:", "--model", "M", "--delimiter", "ab"],
    ["import", "x.csv", "--into", "memory:", "--model", "M", "--encoding", "ebcdic"],
    ["import", "x.csv", "--into", "memory:", "--model", "M", "--type", "a=number"],
    ["import", "x.csv", "--into", "memory:", "--model", "M", "--key", "a", "--generate-key", "b"],
    ["import", "x.jsonl", "--into", "memory:", "--model", "M", "--null", "NA"],
  ])
  func wrongUsageIs64(_ arguments: [String]) throws {
    let outcome = try Quarry.run(arguments, in: shop.directory)
    #expect(outcome.status == 64)
    #expect(outcome.output == "")
    #expect(!outcome.errors.isEmpty)
  }

  /// It may have a password, in whatever place it was meant for.
  @Test(arguments: [
    ["stat", "URL"], ["copy", "memory:", "URL"], ["diff", "memory:", "URL"], ["restore", "x.dump", "URL"],
    ["restore-backup", "x", "URL"], ["import", "x.csv", "--into", "URL", "--model", "M"],
    ["adopt", "x.db", "--into", "URL"],
    ["sync", "memory:", "URL"], ["sync", "URL", "memory:"],
  ])
  func aWrongURLIsNotRepeated(_ words: [String]) throws {
    for url in ["postgres:host=h password=secret", "postgresq://me:secret@h/db", "host=h password=secret"] {
      let outcome = try Quarry.run(words.map { $0 == "URL" ? url : $0 }, in: shop.directory)
      #expect(outcome.status == 64)
      #expect(!outcome.errors.isEmpty && !(outcome.errors + outcome.output).contains("secret"), "\(outcome.errors)")
    }
  }

  @Test func aMistypedCommandGetsAHint() throws {
    #expect(try shop.quarry("qurey", "memory:").errors.contains("did you mean query?"))
    let outcome = try shop.quarry("sql", "memory:", "SELECT 1")
    #expect(outcome.status == 64 && outcome.errors.contains("quarry query URL MODEL --where"))
  }

  @Test func theVersionIsPrinted() throws {
    let outcome = try shop.quarry("--version")
    #expect(outcome.status == 0 && outcome.output.hasPrefix("quarry \(Tool.version), contract "))
  }

  @Test func theModelMayBeLeftOutWhereThereIsOne() throws {
    try shop.write("id,a\n1,x\n", "t.csv")
    #expect(try shop.quarry("import", "t.csv", "--into", "sqlite:t.db", "--model", "T", "--key", "id").status == 0)
    #expect(try shop.quarry("count", "sqlite:t.db").output == "1\n")
    #expect(try shop.quarry("get", "sqlite:t.db", "1").output.contains("x"))
    #expect(try shop.quarry("import", "t.csv", "--into", "sqlite:t.db", "--model", "U", "--key", "id").status == 0)
    let outcome = try shop.quarry("count", "sqlite:t.db")
    #expect(outcome.status == 64 && outcome.errors.contains("2 models") && outcome.errors.contains("T, U"))
  }

  @Test(arguments: [["--help"], ["help", "import"], ["query", "--help"]])
  func help(_ arguments: [String]) throws {
    let outcome = try Quarry.run(arguments, in: shop.directory)
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("USAGE: quarry"))
  }

  @Test func anUnknownKindOfStoreIsToldTheKnownOnes() throws {
    let known = "memory:, memory:NAME, file:PATH, sqlite:PATH, lmdb:PATH"
    #expect(try shop.quarry("count", "postgres:x", "M").errors.contains(known))
  }
}
