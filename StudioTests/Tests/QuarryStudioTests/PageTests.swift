import Foundation
import QuarryBackend
import QuarryCore
import QuarryEngines
import Testing

@testable import QuarryStudio

@Suite struct PageTests {
  private func json(_ answer: Browser.Answer) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: Any])
  }

  @Test func everyTemplateParsesAndIsUsed() throws {
    let pages = try MustachePages()
    for name in Templates.all.keys { #expect(!pages.html(name, [:]).isEmpty, "\(name)") }
    // Only drawings and rendered pages are put in as they are.
    for (name, text) in Templates.all {
      let raw = text.components(separatedBy: "{{{").dropFirst().map { String($0.prefix { $0 != "}" }) }
      #expect(Set(raw).isSubset(of: ["body", "diagram", "drawing"]), "\(name)")
      #expect(!text.contains("{{&"), "\(name)")
    }
  }

  @Test func modelsAreListedWithTheirCounts() async throws {
    let store = try Shop.store()
    let browser = try await Browser.entered(store)
    let page = try await browser.get("/")
    #expect(page.body.contains("2 models with 122 objects"))
    try Shop.insert("Customer", Record(["id": 3, "name": "Edsger"]), store)
    #expect(try await browser.get("/").body.contains("2 models with 123 objects"))
    try Shop.write(store) { tx in try tx.records.delete(in: "Customer", keys: [3]) }
    let models = try #require(try json(try await browser.get("/models.json"))["models"] as? [[String: Any]])
    #expect(models.map { $0["name"] as? String } == ["Customer", "Order"])
    #expect(models.map { $0["objects"] as? Int } == [2, 120])
  }

  @Test func theGridLeadsThroughAllPagesAndBack() async throws {
    let browser = try await Browser.entered(try Shop.store())
    var address = "/grid.json?model=Order&sort=-amount&limit=25&where=" + Browser.encoded("amount > 100")
    var amounts: [Int] = []
    var last = address
    while true {
      let page = try json(try await browser.get(address))
      #expect(page["matching"] as? Int == 110)
      amounts += try #require(page["objects"] as? [[String: Any]]).compactMap { $0["amount"] as? Int }
      guard let next = page["next"] as? String else { break }
      last = address
      address = next
    }
    #expect(amounts == (11...120).reversed().map { $0 * 10 })
    let back = try #require(try json(try await browser.get(address))["previous"] as? String)
    let left = try json(try await browser.get(back))["objects"] as? [[String: Any]]
    let right = try json(try await browser.get(last))["objects"] as? [[String: Any]]
    #expect(left?.compactMap { $0["id"] as? Int } == right?.compactMap { $0["id"] as? Int })
    let html = try await browser.get(address.replacingOccurrences(of: "grid.json", with: "grid")).body
    #expect(html.contains("rel=\"prev\""))
    #expect(!html.contains("rel=\"next\""))
  }

  @Test func aMistakeIsShownAtItsPlaceAndWhatWasTypedStays() async throws {
    let browser = try await Browser.entered(try Shop.store())
    let condition = "amount > 10 AND customr == 1"
    let page = try await browser.get("/grid?model=Order&where=" + Browser.encoded(condition))
    #expect(page.status == 400)
    #expect(page.body.contains("amount &gt; 10 AND customr == 1\n                ^</pre>"))
    #expect(page.body.contains("did you mean customer?"))
    #expect(page.body.contains("value=\"amount &gt; 10 AND customr == 1\""))
  }

  @Test(arguments: [
    ("amount", "<=", "50", "amount <= 50"), ("note", "isNil", "", "note == nil"),
    ("note", "contains", "it's", "note CONTAINS[cd] 'it\\'s'"),
  ])
  func aFilterIsPutTogether(property: String, comparison: String, value: String, condition: String) async throws {
    let browser = try await Browser.entered(try Shop.store())
    let answer = try await browser.get(
      "/grid?model=Order&property=\(property)&comparison=\(Browser.encoded(comparison))&value=\(Browser.encoded(value))"
    )
    #expect(answer.status == 303)
    let place = try #require(answer.header("Location"))
    let fields = FormText(parsing: place.drop { $0 != "?" }.dropFirst().utf8)
    #expect(fields["where"] == condition)
    #expect(try await browser.get(place).status == 200)
    // A second one narrows the first.
    let both = try await browser.get("\(place)&property=id&comparison=%3D%3D&value=3")
    let narrowed = FormText(parsing: try #require(both.header("Location")).drop { $0 != "?" }.dropFirst().utf8)
    #expect(narrowed["where"] == "\(condition) AND id == 3")
  }

  @Test func aValueOfAnotherTypeStaysInTheFilter() async throws {
    let browser = try await Browser.entered(try Shop.store())
    let answer = try await browser.get("/grid?model=Order&property=amount&comparison=%3D%3D&value=many")
    #expect(answer.status == 200)
    #expect(answer.body.contains("The filter was not added"))
    #expect(answer.body.contains("value=\"many\""))
  }

  @Test func anObjectLeadsToThoseAroundIt() async throws {
    let browser = try await Browser.entered(try Shop.store())
    let order = try await browser.get("/object?model=Order&key=2")
    #expect(order.body.contains("href=\"/object?model=Customer&amp;key=1\""))
    #expect(order.body.contains("Ada (1)"))
    let customer = try await browser.get("/object?model=Customer&key=1")
    #expect(customer.body.contains("60 objects"))
    let grid = try #require(
      customer.body.components(separatedBy: "href=\"/grid?model=Order&amp;where=").dropFirst().first?.prefix {
        $0 != "\""
      })
    #expect(try await browser.get("/grid?model=Order&where=\(grid)").body.contains("of 60 objects"))
  }

  @Test func theSchemaIsADrawingAndData() async throws {
    let browser = try await Browser.entered(try Shop.store())
    let page = try await browser.get("/schema")
    #expect(page.body.contains("<svg "))
    #expect(page.body.contains("amounts"))
    let file = try await browser.get("/schema.svg")
    #expect(file.header("Content-Type") == "image/svg+xml")
    #expect(XMLParserCheck.isWellFormed(file.body))
    #expect(try json(try await browser.get("/schema.json"))["models"] is [Any])
  }

  @Test func aPlanIsExplained() async throws {
    let browser = try await Browser.entered(try Shop.store())
    let page = try await browser.get("/explain?model=Order&where=" + Browser.encoded("amount == 100"))
    #expect(page.body.contains("index equality on amounts"))
    #expect(page.body.contains("1 object<"))
    let scan = try await browser.get("/explain.json?model=Order&where=" + Browser.encoded("note == 'x'"))
    #expect(try json(scan)["matching"] as? Int == 0)
    #expect(try json(scan)["read"] as? Int == 120)
  }

  /// The rows that a range of an index leads to, of which the rest of the condition leaves few.
  @Test(
    arguments: [
      ("amount >= 1010 AND amount < 2000 AND note == 'x'", 20), ("amount > 100 AND amount <= 150 AND customer == 1", 5),
      ("id < 11 AND note == 'x'", 10), ("amount IN {10, 20, 30} AND note == 'x'", 3),
    ], ["memory:", "sqlite:"])
  func theRowsOfAnIndexRangeAreCounted(query: (condition: String, read: Int), engine: String) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "studio-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try Store(opening: StoreURL(parsing: engine == "memory:" ? engine : "sqlite:\(folder.path)/shop.db"))
    try Shop.fill(store)
    let address = "?model=Order&where=" + Browser.encoded(query.condition)
    let browser = try await Browser.entered(store)
    #expect(try json(try await browser.get("/explain.json" + address))["read"] as? Int == query.read)
    #expect(try await browser.get("/explain" + address).body.contains("reads \(query.read) of 120 objects"))
    try store.close()
  }

  @Test func aChangeSetThatDoesNotExistIsNotFound() async throws {
    var options = OpenOptions()
    options.history = .on()
    let store = try Store(opening: StoreURL(parsing: "memory:"), options: options)
    try Shop.fill(store)
    let browser = try await Browser.entered(store)
    #expect(try await browser.get("/history").status == 200)
    for page in ["/history?set=999999", "/history?set=0"] {
      let answer = try await browser.get(page)
      #expect(answer.status == 404, "\(page): \(answer.body)")
      #expect(answer.body.contains("The history has no change set at position"), "\(page): \(answer.body)")
    }
    for page in ["/history?set=first", "/history?set=-5"] { #expect(try await browser.get(page).status == 400) }
    // Nor in a store that keeps none.
    #expect(try await Browser.entered(try Shop.store()).get("/history?set=1").status == 404)
  }

  @Test func figuresAreGroupedAndDrawn() async throws {
    let browser = try await Browser.entered(try Shop.store())
    let page = try await browser.get("/groups?model=Order&by=customer&function=sum&of=amount")
    #expect(page.body.contains("sum(amount) by customer"))
    #expect(page.body.contains("<rect "))
    let groups = try #require(
      try json(try await browser.get("/groups.json?model=Order&by=customer&function=sum&of=amount"))["groups"]
        as? [[String: Any]])
    #expect(groups.map { ($0["figures"] as? [String: Int])?["sum(amount)"] } == [36_600, 36_000])
  }

  @Test func groupsHaveWhatTheCommandHas() async throws {
    let browser = try await Browser.entered(try Shop.store())
    let figures = "count, median(amount), p90(amount) as high"
    let address = "model=Order&by=customer.name&figures=" + Browser.encoded(figures)
    let page = try await browser.get("/groups?\(address)&sort=-high")
    #expect(page.status == 200)
    #expect(page.body.components(separatedBy: "<svg").count == 4)
    // A group leads to its objects.
    let link = "/grid?model=Order&amp;where=" + FormText.encoded("customer.name == 'Grace'")
    #expect(page.body.contains(link.replacingOccurrences(of: "'", with: "&#39;")) || page.body.contains(link))
    let few = try json(try await browser.get("/groups.json?\(address)&having=" + Browser.encoded("high > 1180")))
    #expect(few["count"] as? Int == 0)
    let both = try json(try await browser.get("/groups.json?model=Order&by=customer&then=note&function=p90&of=amount"))
    #expect(both["count"] as? Int == 2)
    for wrong in ["figures=mode(amount)", "having=count+%3E", "sort=-nothing", "function=p101&of=amount"] {
      let answer = try await browser.get("/groups?model=Order&by=customer&\(wrong)")
      #expect(answer.status == 400, "\(wrong)")
      #expect(answer.body.contains("role=\"alert\""), "\(wrong)")
    }
  }

  @Test func aCheckIsRunWhenItIsAskedFor() async throws {
    let browser = try await Browser.entered(try Shop.store())
    #expect(!(try await browser.get("/check").body.contains("The store is sound.")))
    #expect(try await browser.get("/check?run=1").body.contains("The store is sound."))
  }

  @Test func aClosedStoreIsSaid() async throws {
    let store = try Shop.store()
    let browser = try await Browser.entered(store)
    try store.close()
    let answer = try await browser.get("/grid?model=Order")
    #expect(answer.status == 503)
    #expect(answer.body.contains("closed"))
  }

  @Test(arguments: ["a b", "100%", "ä/ö?&=#+", "\u{0}", ""]) func fieldsSurviveAnAddress(text: String) {
    let form = FormText([("name", text), (text, "value")])
    #expect(FormText(parsing: form.text.utf8) == form)
  }

  @Test(arguments: ["%", "%4", "%zz", "a=%C3", "&&&", "=", "=x", "a=b=c", String(repeating: "a&", count: 100_000)])
  func anyFormIsRead(text: String) {
    #expect(FormText(parsing: text.utf8).fields.count <= FormText.mostFields)
  }
}

/// Whether a drawing is XML.
private enum XMLParserCheck {
  static func isWellFormed(_ text: String) -> Bool {
    // Tags are closed in their order; the drawing has neither comments nor sections.
    var open: [Substring] = []
    for part in text.split(separator: "<") {
      guard let end = part.firstIndex(of: ">") else { return false }
      let tag = part[..<end]
      if tag.hasPrefix("/") {
        guard open.popLast() == tag.dropFirst() else { return false }
      } else if !tag.hasSuffix("/") {
        open.append(tag.prefix { $0 != " " })
      }
    }
    return open.isEmpty
  }
}
