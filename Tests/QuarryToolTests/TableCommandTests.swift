import Foundation
import Testing

@testable import QuarryTool

/// Files that are no commas and no UTF-8, and what a person is told of them.
@Suite struct TableCommandTests {
  let shop: Workshop

  init() throws {
    shop = try Workshop()
  }

  private func rows(_ url: String, _ model: String = "T") throws -> [String] {
    try shop.quarry("query", url, model, "--format", "csv").lines
  }

  @Test func whatIsFoundIsReported() throws {
    let bytes = Array("id;name;price\n1;M".utf8) + [0xFC] + Array("ller;1,50\n2;x;2,00\n".utf8)
    try Data(bytes).write(to: shop.directory.appendingPathComponent("t.csv"))
    let outcome = try shop.quarry("import", "t.csv", "--into", "sqlite:t.db", "--model", "T")
    #expect(outcome.status == 0, "\(outcome.errors)")
    let notes = outcome.errors.split(separator: "\n")
    #expect(notes.count == 3 && notes.allSatisfy { $0.hasPrefix("note: ") }, "\(outcome.errors)")
    #expect(outcome.errors.contains("the encoding is latin-1") && outcome.errors.contains("a semicolon"))
    #expect(outcome.errors.contains("the key is id"))
    #expect(try rows("sqlite:t.db") == ["id,name,price", "1,Müller,\"1,50\"", "2,x,\"2,00\""])
  }

  @Test func codesAreTextUnlessTheirTypeIsSaid() throws {
    try shop.write("code,zip\n1.10,007\n1.100,12\n", "t.csv")
    let outcome = try shop.quarry(
      "import", "t.csv", "--into", "sqlite:t.db", "--model", "T", "--key", "code", "--type", "zip=int32?")
    #expect(outcome.errors.contains("note: code is text: no number gives back \"1.10\" in line 2"))
    #expect(try shop.quarry("schema", "sqlite:t.db", "T").output.contains("int32?"))
    #expect(try rows("sqlite:t.db") == ["code,zip", "\"1.10\",7", "\"1.100\",12"])
  }

  @Test(arguments: [
    ("id,a\n1,x\n", "csv"), ("{\"id\":1,\"a\":\"x\"}\n", "jsonl"), ("[{\"id\":1,\"a\":\"x\"}]", "json"),
  ])
  func standardInput(_ text: String, _ format: String) throws {
    try shop.write(text, "input")
    for arguments in [[], ["--format", format]] {
      let url = "sqlite:\(format)\(arguments.count).db"
      let outcome = try Quarry.run(
        ["import", "-", "--into", url, "--model", "T", "--key", "id"] + arguments, in: shop.directory, input: "input")
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(try rows(url) == ["id,a", "1,x"])
    }
  }

  @Test func anArrayIsExportedAndImported() throws {
    try shop.write("id,a\n1,x\n2,\n", "t.csv")
    _ = try shop.quarry("import", "t.csv", "--into", "sqlite:t.db", "--model", "T", "--key", "id")
    #expect(try shop.quarry("export", "sqlite:t.db", "T", "--to", "t.json").status == 0)
    let outcome = try shop.quarry("import", "t.json", "--into", "sqlite:u.db", "--model", "T", "--key", "id")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try rows("sqlite:u.db") == rows("sqlite:t.db"))
  }
}
