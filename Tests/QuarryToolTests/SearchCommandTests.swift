import Foundation
import Testing

@testable import QuarryTool

/// Searches on the command line, plain and in a language.
@Suite struct SearchCommandTests {
  @Test(arguments: ["sqlite:n.db", "lmdb:n.lmdb", "file:n.quarry"])
  func columnsGetALanguage(_ url: String) throws {
    let shop = try Workshop()
    try shop.write("id,title,body\n1,Running,the cats\n2,Walks,flies\n", "notes.csv")
    func quarry(_ arguments: String...) throws -> Quarry.Outcome {
      try Quarry.run(arguments, in: shop.directory)
    }
    func found(_ words: String...) throws -> [String] {
      try quarry(["search", url, "Note"] + words + ["--format", "csv"]).lines.dropFirst().map {
        String($0.split(separator: ",")[1])
      }
    }
    func quarry(_ arguments: [String]) throws -> Quarry.Outcome { try Quarry.run(arguments, in: shop.directory) }
    let load = ["import", "notes.csv", "--into", url, "--model", "Note", "--key", "id", "--searchable", "title,body"]
    #expect(try quarry(load).status == 0)
    #expect(try found("runs") == [] && found("running") == ["1"])
    let plain = try quarry("schema", url).output
    #expect(plain.contains("searchable") && !plain.contains("english"))
    try shop.write("id,title,body\n3,Runs,\"\"\n", "notes.csv")
    let again = try quarry(
      "import", "notes.csv", "--into", url, "--model", "Note", "--searchable", "title", "--language", "english")
    #expect(again.status == 0, "\(again.errors)")
    #expect(try found("running").sorted() == ["1", "3"])
    // The other column keeps its words.
    #expect(try found("cat") == [] && found("cats") == ["1"])
    #expect(try found("walk", "--in", "title") == ["2"])
    let schema = try quarry("schema", url).output
    #expect(schema.contains("searchable in english"))
    #expect(try quarry("describe", url, "Note").output.contains("string, searchable in english"))
    #expect(try quarry("check", url).status == 0)
  }

  @Test func wrongLanguages() throws {
    let shop = try Workshop()
    try shop.write("id\n1\n", "notes.csv")
    func status(_ arguments: String...) throws -> Int32 {
      try Quarry.run(
        ["import", "notes.csv", "--into", "sqlite:n.db", "--model", "Note"] + arguments, in: shop.directory
      ).status
    }
    #expect(try status("--searchable", "id", "--language", "klingon") == 64)
    #expect(try status("--language", "english") == 64)
  }
}
