import Foundation
import Testing

@testable import QuarryTool

@Suite struct CommandTests {
  let shop: Workshop

  init() throws {
    shop = try Workshop.cities()
  }

  @Test func countIsTheNumberAlone() throws {
    #expect(try shop.quarry("count", "sqlite:s.db", "City").output == "5\n")
    #expect(try shop.quarry("count", "sqlite:s.db", "City", "--where", "country == 'CH'").output == "2\n")
  }

  @Test func importTellsRowsAndRate() throws {
    let outcome = try shop.quarry("import", "cities.csv", "--into", "memory:", "--model", "City", "--key", "id")
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
    #expect(outcome.lines.count == 1)
    #expect(outcome.output.hasPrefix("imported 5 rows into City in "))
    #expect(outcome.output.hasSuffix(" rows/s\n"))
  }

  @Test func anIndexMayBeAskedForTwiceAndBecomeUnique() throws {
    let first = try shop.quarry(
      "import", "cities.csv", "--into", "sqlite:i.db", "--model", "City", "--key", "id", "--index", "name", "--index",
      "name")
    #expect(first.status == 0)
    #expect(try shop.quarry("delete", "sqlite:i.db", "City", "--where", "TRUEPREDICATE").status == 0)
    let second = try shop.quarry(
      "import", "cities.csv", "--into", "sqlite:i.db", "--model", "City", "--key", "id", "--unique", "name")
    #expect(second.status == 0)
    #expect(try shop.quarry("schema", "sqlite:i.db", "City").output.contains("unique index name_unique (name)"))
  }

  @Test func models() throws {
    #expect(try shop.quarry("models", "sqlite:s.db").output == "City\n")
    #expect(try shop.quarry("models", "memory:").output == "")
  }

  @Test func schema() throws {
    #expect(
      try shop.quarry("schema", "sqlite:s.db", "City").output == """
        model City
          id       int64    primary key
          name     string
          country  string
          people   int64?
          founded  string?
          area     double
          index country (country)

        """)
  }

  @Test func query() throws {
    let outcome = try shop.quarry(
      "query", "sqlite:s.db", "City", "--where", "people > 10", "--sort", "-people,id", "--limit", "2", "--offset", "1",
      "--columns", "name,people")
    #expect(
      outcome.output == """
        name    people
        ------  ------
        Oslo    709037
        Zürich  434008

        """)
  }

  @Test(arguments: [
    ("csv", "name,people\n\"Quote \"\"x\"\", Ville\",\n\"\",5\n"),
    ("jsonl", "{\"name\":\"Quote \\\"x\\\", Ville\",\"people\":null}\n{\"name\":\"\",\"people\":5}\n"),
    ("json", "[\n{\"name\":\"Quote \\\"x\\\", Ville\",\"people\":null},\n{\"name\":\"\",\"people\":5}\n]\n"),
    (
      "table",
      "name              people\n----------------  ------\nQuote \"x\", Ville     nil\n                       5\n"
    ),
  ])
  func formats(_ format: String, _ text: String) throws {
    let outcome = try shop.quarry(
      "query", "sqlite:s.db", "City", "--where", "id >= 4", "--columns", "name,people", "--format", format)
    #expect(outcome.output == text)
  }

  @Test func get() throws {
    #expect(
      try shop.quarry("get", "sqlite:s.db", "City", "2").output == """
        property  value
        --------  ---------
        id        2
        name      Kyoto
        country   JP
        people    1463723
        founded   794-01-01
        area      827.8

        """)
    #expect(try shop.quarry("get", "sqlite:s.db", "City", "9").code == "notFound")
    #expect(try shop.quarry("get", "sqlite:s.db", "City", "x").code == "invalidValue")
    #expect(try shop.quarry("get", "sqlite:s.db", "City", "--", "-1").code == "notFound")
  }

  @Test func explain() throws {
    let plan = try shop.quarry("explain", "sqlite:s.db", "City", "--where", "country == 'CH'")
    #expect(plan.status == 0)
    #expect(plan.output.contains("backend: "))
    #expect(plan.output.contains("pushed: "))
  }

  @Test(arguments: [
    (["--function", "count"], "5"), (["--function", "count", "--of", "people"], "4"),
    (["--function", "sum", "--of", "people"], "2606773"), (["--function", "max", "--of", "area"], "827.8"),
    (["--function", "min", "--of", "name", "--where", "id < 4"], "Kyoto"),
    (["--function", "average", "--of", "people", "--where", "id == 5"], "5.0"),
    (["--function", "sum", "--of", "people", "--where", "id == 4"], "nil"),
  ])
  func aggregates(_ options: [String], _ text: String) throws {
    #expect(try Quarry.run(["aggregate", "sqlite:s.db", "City"] + options, in: shop.directory).output == text + "\n")
  }

  @Test func aggregatesByAColumn() throws {
    let outcome = try shop.quarry(
      "aggregate", "sqlite:s.db", "City", "--function", "sum", "--of", "people", "--by", "country")
    #expect(
      outcome.output == """
        country      sum
        -------  -------
        CH        434008
        JP       1463728
        NO        709037

        """)
  }

  @Test func update() throws {
    let outcome = try shop.quarry(
      "update", "sqlite:s.db", "City", "--where", "country == 'CH'", "--set", "name=New = 'x', y", "--set",
      "people=nil",
      "--set", "area += 2")
    #expect(outcome.output == "updated 2 rows\n")
    let rows = try shop.quarry(
      "query", "sqlite:s.db", "City", "--where", "country == 'CH'", "--columns", "name,people,area", "--format", "csv")
    #expect(rows.output == "name,people,area\n\"New = 'x', y\",,89.9\n\"New = 'x', y\",,0.5\n")
  }

  @Test(arguments: [
    ("people=x", "invalidQuery"), ("nmae=x", "invalidQuery"), ("name", "invalidQuery"), ("id=7", "invalidQuery"),
    ("name=nil", "missingValue"),
  ])
  func wrongAssignments(_ assignment: String, _ code: String) throws {
    let outcome = try shop.quarry("update", "sqlite:s.db", "City", "--where", "id == 1", "--set", assignment)
    #expect(outcome.status == 1)
    #expect(outcome.code == code, "\(outcome.errors)")
  }

  @Test func delete() throws {
    #expect(try shop.quarry("delete", "sqlite:s.db", "City", "--where", "id > 3").output == "deleted 2 rows\n")
    #expect(try shop.quarry("count", "sqlite:s.db", "City").output == "3\n")
  }

  @Test func stat() throws {
    let outcome = try shop.quarry("stat", "sqlite:s.db")
    #expect(outcome.lines.first?.split(separator: " ") == ["model", "index", "entries", "bytes"])
    #expect(outcome.lines.contains { $0.split(separator: " ").prefix(3) == ["City", "(rows)", "5"] })
    #expect(outcome.lines.contains { $0.split(separator: " ").prefix(3) == ["City", "country", "5"] })
    #expect(outcome.lines.contains("engine: sqlite"))
    // The model, its indexes, and the mark of the unfinished import that goes.
    #expect(outcome.lines.contains("schema version: 3"))
    #expect(outcome.lines.contains { $0.hasPrefix("free bytes: ") })
  }

  /// What was imported into a store at the URL is there, sound and told by the other commands.
  @Test(arguments: ["file:s.quarry", "file:what??.quarry?compaction=manual", "sqlite:t.db?durability=processCrash"])
  func storesOfEveryKind(_ url: String) throws {
    let columns = ["--key", "id", "--index", "country", "--unique", "name"]
    let imported = try Quarry.run(
      ["import", "cities.csv", "--into", url, "--model", "City"] + columns, in: shop.directory)
    #expect(imported.status == 0, "\(imported.errors)")
    #expect(try shop.quarry("count", url, "City", "--where", "country == 'CH'").output == "2\n")
    #expect(try shop.quarry("check", url).output == "sound: 1 model, 5 rows, 2 indexes\n")
    #expect(
      try shop.quarry("stat", url).lines.contains { $0.split(separator: " ").prefix(3) == ["City", "country", "5"] })
    #expect(try shop.quarry("delete", url, "City", "--where", "id == 1").status == 0)
    #expect(try shop.quarry("check", url).output == "sound: 1 model, 4 rows, 2 indexes\n")
  }

  @Test func checkNamesDefects() throws {
    func change(_ name: String) throws {
      let file = shop.directory.appendingPathComponent(name)
      var bytes = try Data(contentsOf: file)
      let place = try #require(bytes.range(of: Data("Kyoto".utf8)))
      bytes[place.lowerBound] = 0xFF
      try bytes.write(to: file)
    }
    #expect(try shop.quarry("copy", "sqlite:s.db", "sqlite:old.db?checksums=false").status == 0)
    try change("old.db")
    let outcome = try shop.quarry("check", "sqlite:old.db")
    #expect(outcome.status == 1)
    #expect(outcome.lines.count == 2)
    #expect(outcome.lines.first?.hasPrefix("note: the store has no checksums") == true)
    #expect(outcome.output.contains("City") && outcome.output.contains("key 2") && outcome.output.contains("name"))
    #expect(outcome.errors.isEmpty)
    // With checksums the page is not read as data.
    try change("s.db")
    let found = try shop.quarry("check", "sqlite:s.db")
    #expect(found.status == 1)
    #expect((found.output + found.errors).contains("damaged"))
  }

  @Test(arguments: ["sqlite:old.db", "lmdb:old.lmdb"]) func checksumsAreAdded(_ url: String) throws {
    #expect(try shop.quarry("copy", "sqlite:s.db", url + "?checksums=false").status == 0)
    #expect(try shop.quarry("check", url).output.hasPrefix("note: the store has no checksums"))
    #expect(try shop.quarry("compact", "--checksums", url).output.hasPrefix("compacted "))
    #expect(try shop.quarry("check", url).output.hasPrefix("sound: "))
    #expect(try shop.quarry("diff", "sqlite:s.db", url).status == 0)
    let refused = try shop.quarry("compact", "--checksums", "memory:")
    #expect(refused.status == 1)
    #expect(refused.errors.contains("unsupported"))
  }

  @Test func aFileThatWasClosedAndChangedIsCorrupt() throws {
    let imported = try shop.quarry("import", "cities.csv", "--into", "file:f.quarry", "--model", "City", "--key", "id")
    #expect(imported.status == 0)
    let file = shop.directory.appendingPathComponent("f.quarry")
    let whole = try Data(contentsOf: file)
    var changed = whole
    // Behind the pages of the marks.
    changed[(1024 + whole.count) / 2] ^= 4
    for bytes in [changed, whole.dropLast(), whole.prefix(1024)] {
      try Data(bytes).write(to: file)
      for arguments in [["check"], ["stat"], ["count", "City"], ["delete", "City", "--where", "id == 1"]] {
        let outcome = try Quarry.run([arguments[0], "file:f.quarry"] + arguments.dropFirst(), in: shop.directory)
        #expect(outcome.code == "corrupt", "\(arguments[0])")
      }
      #expect(try Data(contentsOf: file).dropFirst(1024) == bytes.dropFirst(1024))
    }
  }

  @Test func checkTellsOfAnEndThatCannotBeRead() throws {
    _ = try shop.quarry("import", "cities.csv", "--into", "file:f.quarry", "--model", "City", "--key", "id")
    let file = shop.directory.appendingPathComponent("f.quarry")
    try (Data(contentsOf: file) + Data(repeating: 7, count: 99)).write(to: file)
    let before = try shop.quarry("check", "file:f.quarry")
    #expect(before.status == 1)
    #expect(before.lines.first?.hasPrefix("note: 99 bytes") == true)
    #expect(before.lines.count == 2)
    #expect(try shop.quarry("delete", "file:f.quarry", "City", "--where", "id == 1").status == 0)
    let after = try shop.quarry("check", "file:f.quarry")
    #expect(after.status == 1)
    #expect(after.lines.count == 1 && after.output.contains("f.quarry.tail-"))
  }

  @Test func checkOfWhatIsNoStoreIsAnError() throws {
    #expect(try shop.quarry("check", "sqlite:missing.db").code == "notFound")
    #expect(try shop.quarry("check", "sqlite:cities.csv").code == "corrupt")
    #expect(try shop.quarry("check", "file:cities.csv").code == "corrupt")
  }

  @Test(arguments: ["csv", "jsonl"])
  func anExportGivesBackTheSameRows(_ ending: String) throws {
    let exported = try shop.quarry("export", "sqlite:s.db", "City", "--to", "out.\(ending)")
    #expect(exported.output.hasPrefix("exported 5 rows to out.\(ending) in "))
    let again = try shop.quarry(
      "import", "out.\(ending)", "--into", "sqlite:t.db", "--model", "City", "--key", "id", "--index", "country")
    #expect(again.status == 0)
    for command in [["schema"], ["query", "--format", "jsonl"]] {
      let outputs = try ["sqlite:s.db", "sqlite:t.db"].map { url in
        try Quarry.run([command[0], url, "City"] + command.dropFirst(), in: shop.directory).output
      }
      #expect(outputs[0] == outputs[1])
    }
  }

  @Test(arguments: ["csv", "jsonl"])
  func anExportWithoutRowsIsImportedIntoAModelThatIsThere(_ ending: String) throws {
    #expect(try shop.quarry("delete", "sqlite:s.db", "City", "--where", "TRUEPREDICATE").status == 0)
    let exported = try shop.quarry("export", "sqlite:s.db", "City", "--to", "out.\(ending)")
    #expect(exported.output.hasPrefix("exported 0 rows to out.\(ending) in "))
    #expect(try shop.read("out.\(ending)") == (ending == "csv" ? "id,name,country,people,founded,area\n" : ""))
    let before = try shop.quarry("schema", "sqlite:s.db", "City").output
    let again = try shop.quarry("import", "out.\(ending)", "--into", "sqlite:s.db", "--model", "City", "--key", "id")
    #expect(again.output.hasPrefix("imported 0 rows into City in "), "\(again.errors)")
    #expect(try shop.quarry("schema", "sqlite:s.db", "City").output == before)
    #expect(try shop.quarry("count", "sqlite:s.db", "City").output == "0\n")
  }

  @Test func anExportWithoutRowsIsImportedIntoANewModelWhereItHasNames() throws {
    #expect(try shop.quarry("delete", "sqlite:s.db", "City", "--where", "TRUEPREDICATE").status == 0)
    for ending in ["csv", "jsonl"] {
      #expect(try shop.quarry("export", "sqlite:s.db", "City", "--to", "out.\(ending)").status == 0)
    }
    let named = try shop.quarry("import", "out.csv", "--into", "sqlite:t.db", "--model", "City", "--key", "id")
    #expect(named.status == 0, "\(named.errors)")
    #expect(try shop.quarry("count", "sqlite:t.db", "City").output == "0\n")
    let schema = try shop.quarry("schema", "sqlite:t.db", "City").lines
    #expect(
      schema.dropFirst().map { $0.split(separator: " ").first } == [
        "id", "name", "country", "people", "founded", "area",
      ])
    let nameless = try shop.quarry("import", "out.jsonl", "--into", "sqlite:u.db", "--model", "City", "--key", "id")
    #expect(nameless.code == "invalidValue")
    #expect(nameless.errors.contains("out.jsonl has no rows"))
    #expect(try shop.quarry("models", "sqlite:u.db").output == "")
  }

  @Test func anImportIntoAModelThatIsThere() throws {
    try shop.write("name,id,country,area\nBern,6,CH,51\n", "more.csv")
    let outcome = try shop.quarry(
      "import", "more.csv", "--into", "sqlite:s.db", "--model", "City", "--key", "id", "--unique", "id")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(
      try shop.quarry("query", "sqlite:s.db", "City", "--where", "id == 6", "--format", "csv").lines.last
        == "6,Bern,CH,,,51.0")
  }

  @Test(arguments: [
    ("id,name,country,area\n6,a,b,1\n7,a,b,x\n", "invalidValue", "line 3, column 4 (area)"),
    ("id,name,country,area\n6,a,b,1\n7,a,,1\n", "missingValue", "line 3, column 3 (country)"),
    ("id,name,country,area\n6,a,b,1\n2,a,b,1\n", "duplicateKey", "line 3"),
    ("id,name,country,area\n6,a,b,1\n6,a,b,1\n", "duplicateKey", "line 3"),
    ("id,name,country,area\n6,a,b\n", "invalidValue", "line 2, column 4"),
    ("id,name,country,areo\n6,a,b,1\n", "schemaMismatch", "area"),
    ("id,name,country\n6,a,b\n", "schemaMismatch", "area"),
  ])
  func aWrongImportLeavesNothing(_ text: String, _ code: String, _ words: String) throws {
    try shop.write(text, "more.csv")
    let outcome = try shop.quarry("import", "more.csv", "--into", "sqlite:s.db", "--model", "City", "--key", "id")
    #expect(outcome.status == 1)
    #expect(outcome.code == code, "\(outcome.errors)")
    #expect(outcome.errors.contains(words))
    #expect(try shop.quarry("count", "sqlite:s.db", "City").output == "5\n")
  }

  @Test func aFailedImportMakesNoModel() throws {
    try shop.write("a,b\n1,2\n1,3\n", "twice.csv")
    let outcome = try shop.quarry("import", "twice.csv", "--into", "sqlite:s.db", "--model", "Pair", "--key", "a")
    #expect(outcome.code == "duplicateKey")
    #expect(try shop.quarry("models", "sqlite:s.db").output == "City\n")
  }

  @Test func uniqueColumns() throws {
    try shop.write("a,b\n1,2\n2,2\n", "twice.csv")
    let outcome = try shop.quarry(
      "import", "twice.csv", "--into", "sqlite:s.db", "--model", "Pair", "--key", "a", "--unique", "b")
    #expect(outcome.code == "uniqueViolation")
    #expect(outcome.errors.contains("line 3"))
  }

  @Test(arguments: [
    (["count", "sqlite:none.db", "City"], "notFound"), (["count", "sqlite:cities.csv", "City"], "corrupt"),
    (["count", "sqlite:.", "City"], "corrupt"), (["count", "sqlite:s.db", "Citty"], "invalidQuery"),
    (["count", "sqlite:s.db", "City", "--where", "nmae == 'x'"], "invalidQuery"),
    (["count", "sqlite:s.db", "City", "--where", "name =="], "invalidQuery"),
    (["query", "sqlite:s.db", "City", "--sort", "-nmae"], "invalidQuery"),
    (["query", "sqlite:s.db", "City", "--columns", "nmae"], "invalidQuery"),
    (["schema", "sqlite:s.db", "Citty"], "invalidQuery"),
    (["aggregate", "sqlite:s.db", "City", "--function", "sum", "--of", "name"], "invalidQuery"),
    (["export", "sqlite:s.db", "City", "--to", "none/x.csv"], "notFound"),
    (["import", "none.csv", "--into", "sqlite:new.db", "--model", "X", "--key", "k"], "notFound"),
    (["import", "cities.csv", "--into", "sqlite:s.db", "--model", "X", "--key", "k"], "invalidQuery"),
    (["import", "cities.csv", "--into", "sqlite:s.db", "--model", "X", "--key", "people"], "missingValue"),
    (["import", "cities.csv", "--into", "sqlite:s.db", "--model", "_quarryX", "--key", "id"], "schemaMismatch"),
    (["import", "cities.csv", "--into", "sqlite:s.db", "--model", "City", "--key", "name"], "schemaMismatch"),
  ])
  func errorsAreOneLine(_ arguments: [String], _ code: String) throws {
    let outcome = try Quarry.run(arguments, in: shop.directory)
    #expect(outcome.status == 1)
    #expect(outcome.code == code, "\(outcome.errors)")
    #expect(outcome.output == "")
    #expect(!FileManager.default.fileExists(atPath: shop.directory.appendingPathComponent("new.db").path))
  }

  @Test func unknownNamesAreToldTheNearest() throws {
    #expect(try shop.quarry("count", "sqlite:s.db", "Citty").errors.contains("City"))
    #expect(try shop.quarry("count", "sqlite:s.db", "City", "--where", "nmae == 'x'").errors.contains("name"))
  }

  @Test func theAirportsComeBackFromAFile() throws {
    let airports = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Examples/airports/airports.csv").path
    let outcome = try shop.quarry(
      "import", airports, "--into", "sqlite:s.db", "--model", "Airport", "--key", "icao", "--index", "country")
    #expect(outcome.output.hasPrefix("imported 28298 rows into Airport in "))
    #expect(try shop.quarry("count", "sqlite:s.db", "Airport", "--where", "elevation > 10000").output == "69\n")
  }
}
