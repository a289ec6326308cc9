import Testing

@testable import QuarryTool

@Suite struct ShellCompletionTests {
  private let completion = ShellCompletion(
    commands: ["count", "query", "use", "help", "format"],
    models: [("City", ["id", "name", "country"]), ("Country", ["code", "name"])])

  @Test(arguments: [
    ("", "Ci", ["City"]), ("", "co", ["count"]), ("", "Co", ["Country"]), ("use ", "C", ["City", "Country"]),
    ("help ", "q", ["query"]), ("format ", "json", ["json", "jsonl"]), ("City ", "na", ["name"]),
    ("City name ", "beg", ["BEGINSWITH"]), ("City name ", "BEGIN", ["BEGINSWITH"]), ("City ", "--so", ["--sort"]),
    ("query City --columns ", "id,co", ["id,country"]), ("count ", "Cit", ["City"]),
    ("count Country ", "c", ["CONTAINS", "code"]),
    ("City ", "zzz", []), ("nothing ", "Ci", ["City"]),
  ])
  func theWordAtTheCursorIsCompleted(_ line: String, _ word: String, _ expected: [String]) {
    #expect(completion.candidates(for: word, after: line) == expected)
  }

  @Test func theModelOfTheSessionHasItsProperties() {
    var completion = completion
    #expect(completion.candidates(for: "cod", after: "") == [])
    completion.model = "Country"
    #expect(completion.candidates(for: "cod", after: "") == ["code"])
    #expect(completion.candidates(for: "na", after: "code == 'x' AND ") == ["name"])
  }
}
