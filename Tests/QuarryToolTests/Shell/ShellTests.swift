import Foundation
import Testing

@testable import QuarryTool

@Suite struct ShellTests {
  private let shop: Workshop

  init() throws {
    shop = try Workshop.cities()
  }

  private func shell(_ text: String, _ url: String = "sqlite:s.db") throws -> Quarry.Outcome {
    try shop.write(text, "input")
    return try Quarry.run(["shell", url], in: shop.directory, input: "input")
  }

  @Test func linesAreCommands() throws {
    let outcome = try shell(
      """
      # a comment
      models
      count;
      format csv
      City people > 1000000 --columns name
      name == 'Oslo' --columns id,country
      aggregate --by country --compute count
      quit
      bogus

      """)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output == "City\n5\nname\nKyoto\nid,country\n3,NO\ncountry,count\nCH,2\nJP,2\nNO,1\n")
  }

  @Test func aConditionMayBeginLikeACommand() throws {
    let outcome = try shell("format csv\ncountry IN {'NO'} --columns id\nTRUEPREDICATE --limit 1 --columns id\n")
    #expect(outcome.output == "id\n3\nid\n1\n", "\(outcome.errors)")
  }

  @Test func aCommandMayHaveSeveralLines() throws {
    let outcome = try shell("format csv\nid IN {\n1,\n2} --columns id\nCity \\\nid == 3 --columns id\n")
    #expect(outcome.output == "id\n1\n2\nid\n3\n", "\(outcome.errors)")
  }

  @Test(arguments: [
    ("cuont", 64, "did you mean count?"), ("Citi", 64, "did you mean City?"), ("key list", 64, "not for the shell"),
    ("id >", 1, "invalidQuery"), ("count --nope", 64, "nope"), ("get 99", 1, "notFound"), ("backup s.db", 1, "inUse"),
  ])
  func theFirstErrorOfAPipeEndsIt(_ line: String, _ status: Int, _ text: String) throws {
    let outcome = try shell("\(line)\ncount\n")
    #expect(outcome.status == Int32(status))
    #expect(outcome.errors.contains(text), "\(outcome.errors)")
    #expect(outcome.output == "")
  }

  @Test func settingsAreOfTheSession() throws {
    let outcome = try shell(
      "use City\nlimit 1\nformat jsonl\nquery --columns id --sort -id\nlimit off\nlimit\ntiming on\ncount\n")
    #expect(outcome.output == "{\"id\":5}\nlimit: none\ntiming: on\n5\n")
    #expect(outcome.errors.hasPrefix("time: 0."))
  }

  @Test func aStoreInMemoryLastsAsLongAsTheSession() throws {
    let outcome = try shell(
      "import cities.csv --model City --key id\ncount\nupdate --where 'id == 1' --set people=1\n", "memory:")
    #expect(outcome.lines.dropFirst() == ["5", "updated 1 row"], "\(outcome.errors)")
  }

  @Test(arguments: [
    ("name LIKE 'K%'", "LIKE has * and ?"), ("name IS NULL", "== nil or != nil"),
    ("name is not null", "== nil or != nil"),
    ("name x == 1", "back quotes around a name with spaces"),
    ("name ILIKE 'k%'", "write LIKE[c]"), ("name GLOB 'K*'", "write LIKE in place of GLOB"),
    ("name REGEXP 'K.*'", "write MATCHES"), ("name NOT LIKE 'K*'", "has NOT before it"),
    ("name == 'a' COLLATE NOCASE", "write ==[c]"), ("id > 1 LIMIT 3", "write --limit"),
    ("id > 1 ORDER BY name", "write --sort"), ("id > 1 GROUP BY name", "quarry aggregate"),
    ("lower(name) == 'oslo'", "write ==[c]"), ("length(name) > 3", "name.@count"),
    ("coalesce(name, 'x') == 'x'", "OR name == nil"), ("id BETWEEN 1 AND 2", "{a, b}"),
    ("\"name\" = 'Oslo'", "has none: name"), ("id == 1 OR NOT \"full name\" LIKE 'O*'", "back quotes: `full name`"),
    ("TRUEPREDICATE --sort 'people desc'", "a minus sign before the column"),
    ("TRUEPREDICATE --sort 'people asc, name'", "ascending without ASC"),
    ("aggregate --compute 'COUNT(*)'", "write count"),
  ])
  func formsOfSQLAreExplained(_ line: String, _ text: String) throws {
    let outcome = try shell("\(line)\n")
    #expect(outcome.errors.contains(text), "\(outcome.errors)")
  }

  @Test(arguments: [
    ("SELECT * FROM City", "\"query\""), ("insert into City", "\"upsert\""), (".tables", "\"models\""),
    ("ls", "\"models\""), (".schema City", "\"schema\""), (".quit", "\"quit\""), ("drop City", "\"migrate\""),
    ("\\l", "\"models\""), (".mode csv", "\"format\""), ("begin", "a transaction of its own"),
  ])
  func wordsOfOtherToolsAreExplained(_ line: String, _ text: String) throws {
    let outcome = try shell("\(line)\n")
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains(text), "\(outcome.errors)")
  }

  @Test(arguments: ["select", "insert", "tables", "ls", "find", "vacuum"])
  func wordsOfOtherToolsAreExplainedOnTheCommandLine(_ word: String) throws {
    let outcome = try shop.quarry(word, "sqlite:s.db")
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains("there is no command \"\(word)\"; "), "\(outcome.errors)")
  }

  @Test func aTextBesideAPropertyHasNoNotice() throws {
    #expect(try shell("\"Oslo\" == name --columns id\n").errors == "")
    #expect(try shell("name == \"Oslo\" --columns id\n").errors == "")
  }

  @Test func anUpsertCountsInTheShell() throws {
    let line =
      "upsert City --default id=77 --default name=Bern --default country=CH --default people=0 --default area=52 --set 'people += 5'"
    let outcome = try shell("\(line)\n\(line)\nformat csv\nid == 77 --columns name,people\n")
    #expect(outcome.output == "added 1 row\nchanged 1 row\nname,people\nBern,10\n", "\(outcome.errors)")
    #expect(try shell("upsert City --default name=Bern --set people=1\n").code == "missingValue")
    #expect(try shop.quarry("upsert", "sqlite:s.db", "--default", "id += 1").status == 64)
    #expect(try shop.quarry("upsert", "sqlite:s.db", "--set", "people=1").status == 64)
  }

  @Test func aLikeOfItsOwnHasNoNotice() throws {
    #expect(try shell("name LIKE '*100%' --columns id\n").errors == "")
  }

  @Test func aLineHasALimit() throws {
    let outcome = try shell(String(repeating: "x", count: LineInput.longestLine + 70_000))
    #expect(outcome.code == "limitExceeded")
    #expect(try shell("'" + String(repeating: "\nx", count: 100)).status != 0)
  }

  @Test(arguments: [
    ("a b", ["a", "b"]), ("a 'b c' \"d 'e\" f\\ g", ["a", "b c", "d 'e", "f g"]), ("''", [""]), ("", []),
    ("a=''", ["a="]),
    ("'\\n'", ["\\n"]),
  ])
  func words(_ text: String, _ expected: [String]) throws {
    #expect(try ShellWords.split(text) == expected)
  }

  @Test func optionsBeginOutsideOfQuotes() {
    let parts = ShellWords.options(in: "name == 'a --b' AND x == --1 --limit 3")
    #expect(parts.condition == "name == 'a --b' AND x ==")
    #expect(ShellWords.options(in: "name == 'a --b' --limit 3").condition == "name == 'a --b'")
    #expect(ShellWords.options(in: "name == 'a --b'").options == "")
  }
}
