import Foundation
import QuarryBackend
import QuarryCore
import Testing

@testable import QuarryStudio

/// Import and export.
@Suite struct MovingTests {
  /// Uploads a file and returns the address of its preview.
  private func upload(_ text: String, _ name: String, _ browser: Browser) async throws -> String {
    let page = try await browser.get("/import").body
    let start = try #require(page.range(of: "data-upload=\""))
    let token = String(page[start.upperBound...].prefix { $0 != "\"" })
    let answer = try await browser.upload(text, name: name, token: token)
    #expect(answer.status == 200)
    let json = try #require(try JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: Any])
    return try #require(json["location"] as? String)
  }

  private func choices(of page: String) -> [(String, String)] {
    ["token", "upload", "model", "key"].map { name in
      // The second form of the page, which imports.
      (name, Browser.hidden(name, in: page.components(separatedBy: "method=\"post\"").last ?? ""))
    }
  }

  @Test func aFileIsShownBeforeItIsImported() async throws {
    let store = try Shop.store()
    let browser = try await Browser.entered(store, writes: true)
    let preview = try await upload("code,city,height\nA,Oslo,12\nB,Bern,540\nC,,-4\n", "air ports.csv", browser)
    let page = try await browser.get(preview)
    #expect(page.status == 200)
    for text in [
      "Import 3 rows", "A new model AirPorts is created. Its key is code.", "string?", "<bdi>Oslo</bdi>",
      "<td class=\"code\">int64</td>",
    ] {
      #expect(page.body.contains(text), "\(text)")
    }
    #expect(!page.body.contains("--key"))
    #expect(try Shop.model("AirPorts", store) == nil)
    let done = try await browser.post("/import", choices(of: page.body) + [("index", "city")])
    #expect(done.status == 303)
    #expect(done.header("Location") == "/import?imported=3&model=AirPorts")
    #expect(
      try await browser.get("/import?imported=3&model=AirPorts").body.contains("3 objects imported into AirPorts."))
    #expect(try Shop.value("height", of: "B", in: "AirPorts", store) == 540)
    #expect(try Shop.model("AirPorts", store)?.indexes.map(\.name) == ["city"])
    // The file is kept no longer.
    #expect(try await browser.get(preview).status == 404)
  }

  @Test func theKeyAndTheNameAreChosen() async throws {
    let store = try Shop.store()
    let browser = try await Browser.entered(store, writes: true)
    let preview = try await upload("a,b\n1,1\n1,2\n", "x.csv", browser)
    let address = preview.components(separatedBy: "?")[0] + "?" + preview.components(separatedBy: "?")[1]
    let page = try await browser.get(address.replacingOccurrences(of: "model=X", with: "") + "&key=%2Bid&model=Mine")
    #expect(page.body.contains("A new model Mine is created. Its key is id, the number of the row."))
    #expect(try await browser.post("/import", choices(of: page.body)).status == 303)
    #expect(try Shop.value("b", of: 2, in: "Mine", store) == 2)
  }

  @Test func rowsAreAddedToAStoredModel() async throws {
    let store = try Shop.store()
    let browser = try await Browser.entered(store, writes: true)
    let preview = try await upload("id,name\n7,Eve\n8,Mallory\n", "Customer.csv", browser)
    let page = try await browser.get(preview)
    #expect(page.body.contains("The rows are added to the stored model Customer, which keeps its types."))
    #expect(try await browser.post("/import", choices(of: page.body)).status == 303)
    #expect(try Shop.value("name", of: 8, in: "Customer", store) == "Mallory")
  }

  @Test func anErrorKeepsTheFileAndTheStore() async throws {
    let store = try Shop.store()
    let browser = try await Browser.entered(store, writes: true)
    let preview = try await upload("id,name\n7,Eve\n1,Twice\n", "Customer.csv", browser)
    let answer = try await browser.post("/import", choices(of: try await browser.get(preview).body))
    #expect(answer.status == 409)
    #expect(answer.body.contains("Nothing was imported. Line 3: "))
    #expect(try Shop.value("name", of: 7, in: "Customer", store) == nil)
    #expect(try await browser.get(preview).status == 200)
  }

  @Test(arguments: [
    ("", "empty.csv"), ("a,b\n1\n", "ragged.csv"), ("{\"a\":", "cut.jsonl"), ("[1,2]", "numbers.json"),
    ("\u{0}\u{1}\u{2}", "binary.csv"), ("id,name\nx,Eve\n", "Customer.csv"),
    ("id,other\n7,Eve\n", "Customer.csv"), ("<html><script>alert(1)</script>", "page.json"),
    ("a\n\"open", "open.csv"),
  ])
  func whatIsNoTableIsSaid(text: String, name: String) async throws {
    let store = try Shop.store()
    let browser = try await Browser.entered(store, writes: true)
    let page = try await browser.get(try await upload(text, name, browser))
    #expect(page.status < 500, "\(name): \(page.body.suffix(1_500))")
    #expect(!page.body.contains("<script>alert"))
    let answer = try await browser.post("/import", choices(of: page.body))
    #expect(answer.status < 500)
    #expect(try Shop.value("name", of: 7, in: "Customer", store) == nil)
  }

  @Test(arguments: [
    ("%PDF-1.7\n1 0 obj", "a PDF document"), ("PK\u{3}\u{4}\u{14}", "an archive, or a file of a spreadsheet"),
    ("SQLite format 3\u{0}", "an SQLite database"), ("GIF89a", "a picture"),
  ]) func aFileThatIsNoTextIsRefused(text: String, kind: String) async throws {
    let browser = try await Browser.entered(try Shop.store(), writes: true)
    let answer = try await browser.upload(text, name: "x.csv", token: browser.studio.site.guardian.formToken)
    #expect(answer.status == 400)
    #expect(answer.body.contains("The file is no table but \(kind)"))
  }

  @Test func hostileNamesAreNoMarkup() async throws {
    let browser = try await Browser.entered(try Shop.store(), writes: true)
    let hostile = "\"><img src=x onerror=alert(1)>"
    let preview = try await upload(
      "\"\(hostile.replacingOccurrences(of: "\"", with: "\"\""))\"\n1\n2\n", "\(hostile).csv", browser)
    let page = try await browser.get(preview)
    #expect(page.status < 500)
    #expect(!page.body.contains("<img"))
  }

  @Test func fewFilesAreKept() async throws {
    let browser = try await Browser.entered(try Shop.store(), writes: true)
    var previews: [String] = []
    for number in 0...Uploads.most { previews.append(try await upload("a\n\(number)\n", "x.csv", browser)) }
    #expect(try await browser.get(previews[0]).status == 404)
    #expect(try await browser.get(previews[1]).status == 200)
  }

  @Test(arguments: [("csv", "text/csv"), ("json", "application/json"), ("jsonl", "application/x-ndjson")])
  func whatIsFilteredIsExported(format: String, type: String) async throws {
    let browser = try await Browser.entered(try Shop.store())
    let query = "model=Order&where=" + Browser.encoded("amount > 1100") + "&sort=-amount&columns=id,amount,note"
    // A place in the address does not cut the file.
    let file = try await browser.get("/export?\(query)&limit=2&format=\(format)")
    #expect(file.status == 200)
    #expect(file.header("Content-Type") == "\(type); charset=utf-8")
    #expect(file.header("Content-Disposition") == "attachment; filename=\"Order.\(format)\"")
    #expect(file.header("X-Content-Type-Options") == "nosniff")
    switch format {
    case "csv": #expect(file.body.hasPrefix("id,amount,note\n120,1200,\n119,1190,\n"))
    case "json":
      let rows = try #require(try JSONSerialization.jsonObject(with: Data(file.body.utf8)) as? [[String: Any]])
      #expect(rows.map { $0["amount"] as? Int } == (111...120).reversed().map { $0 * 10 })
    default: #expect(file.body.hasPrefix("{\"id\":120,\"amount\":1200,\"note\":null}\n"))
    }
  }

  @Test func anExportThatFailsIsNoFile() async throws {
    let browser = try await Browser.entered(try Shop.store())
    for query in ["where=%28", "format=exe", "sort=-", "columns=no"] {
      let answer = try await browser.get("/export?model=Order&\(query)")
      #expect(answer.status == 400, "\(query)")
      #expect(answer.header("Content-Disposition") == nil)
    }
  }

  @Test func anExportIsImportedAgain() async throws {
    let store = try Shop.store()
    let browser = try await Browser.entered(store, writes: true)
    try Shop.insert("Customer", Record(["id": 3, "name": "a, \"b\"\n=1+1", "picture": .data(Data([1, 2]))]), store)
    let file = try await browser.get("/export?model=Customer&format=csv").body
    try Shop.write(store) { tx in try tx.records.delete(in: "Customer", keys: [3]) }
    let rows = file.components(separatedBy: "\n")
    let last = rows[0] + "\n" + rows.dropFirst(3).joined(separator: "\n")
    let page = try await browser.get(try await upload(last, "Customer.csv", browser))
    #expect(try await browser.post("/import", choices(of: page.body)).status == 303)
    #expect(try Shop.value("name", of: 3, in: "Customer", store) == "a, \"b\"\n=1+1")
    #expect(try Shop.value("picture", of: 3, in: "Customer", store) == .data(Data([1, 2])))
  }
}
