import Testing

@Suite("References on the command line")
struct ReferenceTests {
  static let places = ["file:r.quarry", "sqlite:r.db", "lmdb:r.lmdb"]
  let shop: Workshop

  init() throws {
    shop = try Workshop.cities()
    try shop.write("code,name\nCH,Switzerland\nFR,France\n", "countries.csv")
    try shop.write("id,country,twin\n1,CH,2\n2,FR,1\n3,FR,\n", "towns.csv")
  }

  private func imported(_ url: String, _ file: String, _ model: String, _ key: String, _ more: String...) throws
    -> Quarry.Outcome
  {
    try Quarry.run(["import", file, "--into", url, "--model", model, "--key", key] + more, in: shop.directory)
  }

  private func fill(_ url: String) throws {
    try #require(try imported(url, "countries.csv", "Country", "code").status == 0)
    let towns = try imported(
      url, "towns.csv", "Town", "id", "--reference", "country=Country.code", "--reference", "twin=Town.id")
    try #require(towns.status == 0, "\(towns.errors)")
  }

  @Test("An import makes references, also among its own rows", arguments: places)
  func importing(_ url: String) throws {
    try fill(url)
    #expect(
      try shop.quarry("schema", url, "Town").output == """
        model Town
          id       int64   primary key
          country  string  refers to Country, deny
          twin     int64?  refers to Town, nullify
          index country (country)
          index twin (twin)

        """)
    #expect(try shop.quarry("delete", url, "Country", "--where", "code == 'CH'").code == "referenced")
    #expect(try shop.quarry("delete", url, "Town", "--where", "id == 1").status == 0)
    #expect(try shop.quarry("count", url, "Town", "--where", "twin == nil").output == "2\n")
    #expect(try shop.quarry("check", url).status == 0)
  }

  @Test("An import makes references to compound keys", arguments: places)
  func importingCompoundReferences(_ url: String) throws {
    try shop.write("reader,book,due\n1,a,3\n1,\"b,c\",4\n", "loans.csv")
    try shop.write("id,loan\n1,\"[1,\"\"a\"\"]\"\n2,\"[1,\"\"b,c\"\"]\"\n3,\n", "fines.csv")
    try shop.write(
      #"{"loan":[1,"a"],"number":1,"last":null}"# + "\n" + #"{"loan":[1,"a"],"number":2,"last":[[1,"a"],1]}"#,
      "renewals.jsonl")
    try #require(try imported(url, "loans.csv", "Loan", "reader,book").status == 0)
    let fines = try imported(url, "fines.csv", "Fine", "id", "--reference", "loan=Loan.reader,book")
    #expect(fines.status == 0, "\(fines.errors)")
    let renewals = try imported(
      url, "renewals.jsonl", "Renewal", "loan,number", "--reference", "loan=Loan.reader,book", "--reference",
      "last=Renewal.loan,number")
    #expect(renewals.status == 0, "\(renewals.errors)")
    #expect(
      try shop.quarry("schema", url, "Renewal").output.contains("loan    (int64, string)"))
    #expect(
      try shop.quarry("query", url, "Fine", "--format", "csv").output
        == "id,loan\n1,\"[1,\"\"a\"\"]\"\n2,\"[1,\"\"b,c\"\"]\"\n3,\n")
    #expect(
      try shop.quarry("query", url, "Fine", "--columns", "id,loan.due", "--format", "csv").output
        == "id,loan.due\n1,3\n2,4\n3,\n")
    #expect(
      try shop.quarry("query", url, "Renewal", "--columns", "number,last.number", "--format", "csv").output
        == "number,last.number\n1,\n2,1\n")
    try shop.write("id,loan\n7,\"[2,\"\"a\"\"]\"\n", "more.csv")
    #expect(try imported(url, "more.csv", "Fine", "id").code == "missingReference")
    try shop.write("id,loan\n7,\"[2]\"\n", "more.csv")
    let wrong = try imported(url, "more.csv", "Fine", "id")
    #expect(wrong.code == "invalidValue" && wrong.errors.contains("line 2"), "\(wrong.errors)")
    #expect(try imported(url, "more.csv", "Other", "id", "--reference", "loan=Loan.reader").code == "invalidQuery")
    #expect(try shop.quarry("delete", url, "Loan", "--where", "due == 3").code == "referenced")
    #expect(try shop.quarry("check", url).status == 0)
  }

  @Test("A query prints columns of what references lead to", arguments: places)
  func columns(_ url: String) throws {
    try fill(url)
    let query = ["query", url, "Town", "--format", "csv"]
    func printed(_ more: String...) throws -> String { try Quarry.run(query + more, in: shop.directory).output }
    #expect(
      try printed("--columns", "id,country.name,twin.country.name")
        == "id,country.name,twin.country.name\n1,Switzerland,France\n2,France,Switzerland\n3,France,\n")
    #expect(
      try printed("--with", "country,twin.country", "--limit", "1")
        == """
        id,country,twin,country.code,country.name,twin.country.code,twin.country.name
        1,CH,2,CH,Switzerland,FR,France

        """)
    for wrong in [["--with", "id"], ["--with", "land"], ["--columns", "id,land.name"], ["--with", ""]] {
      let outcome = try Quarry.run(query + wrong, in: shop.directory)
      #expect(outcome.code == "invalidQuery" && outcome.output.isEmpty, "\(wrong)")
    }
  }

  @Test("Conditions and orders lead through references, from both sides", arguments: places)
  func paths(_ url: String) throws {
    try fill(url)
    func ids(_ model: String, _ more: String...) throws -> [String] {
      let key = model == "Town" ? "id" : "code"
      let arguments = ["query", url, model, "--format", "csv", "--columns", key] + more
      return Array(try Quarry.run(arguments, in: shop.directory).lines.dropFirst())
    }
    #expect(try ids("Town", "--where", "country.name == 'France'") == ["2", "3"])
    #expect(try ids("Town", "--where", "twin.country.name != 'Switzerland'") == ["1", "3"])
    #expect(try ids("Town", "--sort", "-country.name") == ["1", "3", "2"])
    #expect(try ids("Country", "--where", "ANY `Town.country`.id > 1") == ["FR"])
    #expect(try ids("Country", "--where", "`Town.country`.@count == 1") == ["CH"])
    #expect(try shop.quarry("count", url, "Town", "--where", "twin.twin.country.name BEGINSWITH 'F'").output == "1\n")
    let plan = try shop.quarry("explain", url, "Town", "--where", "country.name == 'France'").output
    #expect(
      plan.contains(url.hasPrefix("sqlite") ? "country in Country.code where" : "first: Country where"), "\(plan)")
    let deep = Array(repeating: "twin", count: 9).joined(separator: ".") + ".id == 1"
    for wrong in ["country.nme == 'x'", "id.name == 'x'", "`Town.country`.id == 1", "country.name == 3", deep] {
      let outcome = try shop.quarry("count", url, wrong.hasPrefix("`") ? "Country" : "Town", "--where", wrong)
      #expect(outcome.code == "invalidQuery" && outcome.output.isEmpty, "\(wrong): \(outcome.errors)")
    }
    #expect(
      try shop.quarry("update", url, "Town", "--where", "country.name == 'France'", "--set", "twin=1").status == 0)
    #expect(try ids("Town", "--where", "twin == 1") == ["2", "3"])
    #expect(try shop.quarry("delete", url, "Town", "--where", "twin.country.code == 'CH'").status == 0)
    #expect(try shop.quarry("count", url, "Town").output == "1\n")
  }

  @Test("A row that refers to nothing is refused with all the others", arguments: places)
  func missing(_ url: String) throws {
    try fill(url)
    try shop.write("id,country,twin\n4,FR,5\n5,NO,4\n", "more.csv")
    #expect(try imported(url, "more.csv", "Town", "id").code == "missingReference")
    #expect(try shop.quarry("count", url, "Town").output == "3\n")
  }

  @Test(
    "What cannot be a reference",
    arguments: [
      ("country=Contry.code", "invalidQuery"), ("country=Country.name", "invalidQuery"),
      ("land=Country.code", "invalidQuery"), ("twin=Country.code", "schemaMismatch"),
    ])
  func refused(_ reference: String, _ code: String) throws {
    try #require(try imported("sqlite:r.db", "countries.csv", "Country", "code").status == 0)
    #expect(try imported("sqlite:r.db", "towns.csv", "Town", "id", "--reference", reference).code == code)
    #expect(try shop.quarry("models", "sqlite:r.db").output == "Country\n")
  }

  @Test("A migration makes a property a reference", arguments: places)
  func migrating(_ url: String) throws {
    try #require(try imported(url, "countries.csv", "Country", "code").status == 0)
    try #require(try imported(url, "towns.csv", "Town", "id").status == 0)
    let outcome = try shop.quarry(
      "migrate", url, "--reference", "Town.country=Country", "--on-delete", "cascade", "--rename-model", "Country=Land")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try shop.quarry("schema", url, "Town").output.contains("country  string  refers to Land, cascade"))
    #expect(try shop.quarry("delete", url, "Land", "--where", "code == 'FR'").status == 0)
    #expect(try shop.quarry("count", url, "Town").output == "1\n")
  }

  @Test("A migration refuses values that lead to nothing", arguments: places)
  func refusedMigration(_ url: String) throws {
    try shop.write("id,country\n1,NO\n", "towns.csv")
    try #require(try imported(url, "countries.csv", "Country", "code").status == 0)
    try #require(try imported(url, "towns.csv", "Town", "id").status == 0)
    let before = try shop.quarry("schema", url).output
    #expect(try shop.quarry("migrate", url, "--reference", "Town.country=Country").code == "missingReference")
    #expect(try shop.quarry("schema", url).output == before)
    #expect(try shop.quarry("migrate", url, "--to", "2", "--on-delete", "deny").status == 64)
  }
}
