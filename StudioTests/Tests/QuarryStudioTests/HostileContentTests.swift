import Foundation
import QuarryBackend
import QuarryCore
import QuarryEngines
import Testing

@testable import QuarryStudio

/// Stores that were made to attack whoever looks at them.
@Suite struct HostileContentTests {
  private static let texts = [
    "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onmouseover='alert(1)", "</title><script>",
    "</textarea><script>alert(1)</script>", "{{token}}", "{{{body}}}", "&lt;script&gt;", "javascript:alert(1)",
    // A mark that combines with the quotation mark or the bracket before it, which are one character then.
    "\"\u{301} onfocus=alert(1) x=\"", "<\u{301}script>", "'\u{20DD}onclick=", "&\u{301}quot;",
    "\u{202E}cipsrt", "a\u{0}b\u{1B}[2J", "\n\n<b>", "-->", "]]>", "%3Cscript%3E",
  ]

  /// A store with one model of a hostile name, whose key, property and value are hostile.
  private func store(_ text: String) throws -> (store: Store, name: String) {
    let store = try Store(opening: StoreURL(parsing: "memory:"))
    let name = text.replacingOccurrences(of: "\0", with: "0")
    try Shop.write(store) { tx in
      try tx.apply(
        .createModel(
          ModelSchema(
            id: ModelID(1), name: "m" + name,
            properties: [
              PropertySchema(name: "k" + name, type: .string), PropertySchema(name: "p" + name, type: .string),
              PropertySchema(name: "n" + name, type: .nested, isOptional: true),
              PropertySchema(name: "a" + name, type: .array, isOptional: true, elementType: .string),
            ], primaryKey: 0, indexes: [IndexSchema(name: "i" + name, columns: [.init(slot: 1)])])))
      try tx.records.insert(
        into: "m" + name,
        [
          Record([
            ("k" + name, .string(text)), ("p" + name, .string(text)),
            ("n" + name, .object([.init(text, .string(text))])), ("a" + name, .array([.string(text)])),
          ])
        ])
    }
    return (store, "m" + name)
  }

  @Test(arguments: texts) func noTextOfAStoreIsMarkup(text: String) async throws {
    let (store, name) = try store(text)
    let browser = try await Browser.entered(store, writes: true)
    let (model, key) = (Browser.encoded(name), Browser.encoded(text))
    let pages = [
      "/", "/grid?model=\(model)", "/object?model=\(model)&key=\(key)", "/edit?model=\(model)&key=\(key)",
      "/delete?model=\(model)&key=\(key)", "/new?model=\(model)", "/schema", "/explain?model=\(model)",
      "/groups?model=\(model)&by=\(Browser.encoded("p" + name.dropFirst()))",
      "/grid?model=\(model)&where=\(key)&sort=\(key)", "/grid?model=\(key)", "/object?model=\(model)&key=x\(key)",
      "/groups?model=\(model)&by=\(key)&of=\(key)",
    ]
    for page in pages {
      let answer = try await browser.get(page)
      #expect(answer.status < 500, "\(page)")
      expectNoMarkup(answer.body, page)
    }
    #expect(try await browser.get(pages[2]).status == 200)
  }

  /// The tags and the attributes of a page are those of the templates.
  private func expectNoMarkup(_ page: String, _ name: String) {
    let scalars = Array(page.unicodeScalars)
    var place = 0
    let known: Set = [
      "!DOCTYPE", "html", "head", "meta", "title", "link", "script", "body", "a", "header", "span", "nav", "main",
      "bdi",
      "div", "h1", "h2", "h3", "p", "table", "thead", "tbody", "tr", "th", "td", "form", "input", "select", "option",
      "label", "button", "textarea", "pre", "footer", "progress", "details", "summary", "svg", "defs", "marker", "path",
      "rect", "text", "ol", "li", "strong", "code", "kbd", "ul",
    ]
    var scripts = 0
    while place < scalars.count {
      guard scalars[place] == "<" else {
        place += 1
        continue
      }
      place += 1
      if place < scalars.count, scalars[place] == "/" { place += 1 }
      var tag = ""
      while place < scalars.count,
        scalars[place].properties.isAlphabetic || scalars[place] == "!" || ("0"..."9").contains(scalars[place])
      {
        tag.unicodeScalars.append(scalars[place])
        place += 1
      }
      #expect(known.contains(tag), "\(name): <\(tag)>")
      if tag == "script" { scripts += 1 }
      // Attributes: a name, and a value in quotes. No value leaves them.
      while place < scalars.count, scalars[place] != ">" {
        if scalars[place] == "\"" {
          place += 1
          while place < scalars.count, scalars[place] != "\"" { place += 1 }
          let next = place + 1 < scalars.count ? scalars[place + 1] : " "
          #expect(" >/?\n".unicodeScalars.contains(next), "\(name): a value of <\(tag)> is followed by \(next)")
        } else {
          #expect(scalars[place] != "<" && scalars[place] != "'", "\(name): <\(tag)> has \(scalars[place])")
        }
        place += 1
      }
    }
    #expect(scripts <= 2, "\(name)")
    #expect(!page.contains(" onerror=alert(1)>") && !page.contains(" onmouseover='"), "\(name)")
  }

  @Test func aMegabyteOfTextIsShownInPart() async throws {
    let store = try Shop.store()
    let long = String(repeating: "wörd ", count: 200_000)
    try Shop.insert("Customer", Record(["id": 3, "name": .string(long)]), store)
    let browser = try await Browser.entered(store, writes: true)
    #expect(try await browser.get("/grid?model=Customer").body.utf8.count < 40_000)
    let page = try await browser.get("/object?model=Customer&key=3")
    #expect(page.body.utf8.count < 60_000)
    #expect(page.body.contains("1,200 kB") || page.body.contains("of text"))
    // It is not put into a form, and is whole as a file.
    #expect(try await browser.get("/edit?model=Customer&key=3").body.utf8.count < 40_000)
    let file = try await browser.get("/value?model=Customer&key=3&property=name")
    #expect(file.body == long)
    #expect(file.header("Content-Disposition")?.hasPrefix("attachment") == true)
    #expect(file.header("Content-Type") == "application/octet-stream")
  }

  @Test func aModelOf999PropertiesIsShown() async throws {
    let store = try Store(opening: StoreURL(parsing: "memory:"))
    try Shop.write(store) { tx in
      let properties =
        [PropertySchema(name: "id", type: .int64)]
        + (1..<999).map { PropertySchema(name: "property\($0)", type: .int32, isOptional: true) }
      try tx.apply(.createModel(ModelSchema(id: ModelID(1), name: "Wide", properties: properties, primaryKey: 0)))
      try tx.records.insert(into: "Wide", (0..<50).map { Record(["id": .int($0), "property998": 7]) })
    }
    let browser = try await Browser.entered(store, writes: true)
    let grid = try await browser.get("/grid?model=Wide")
    #expect(grid.status == 200)
    #expect(grid.body.contains("30 of 999 properties"))
    let chosen = try await browser.get("/grid?model=Wide&columns=id,property998")
    #expect(chosen.body.components(separatedBy: "<th ").count == 3)
    #expect(try await browser.get("/object?model=Wide&key=1").body.contains("property998"))
    #expect(try await browser.get("/schema").body.contains("and 983 more"))
    let edit = try await browser.get("/edit?model=Wide&key=1").body
    #expect(edit.contains("name=\"f998\""))
  }

  @Test func dataIsNoPageOfItsOwn() async throws {
    let store = try Shop.store()
    let script = Data("<html><script>alert(1)</script>".utf8)
    let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + [UInt8](repeating: 7, count: 100))
    let svg = Data("<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>".utf8)
    try Shop.insert("Customer", Record(["id": 3, "name": "x", "picture": .data(script)]), store)
    try Shop.insert("Customer", Record(["id": 4, "name": "x", "picture": .data(png)]), store)
    try Shop.insert("Customer", Record(["id": 5, "name": "x", "picture": .data(svg)]), store)
    let browser = try await Browser.entered(store)
    for (key, kind) in [(3, "application/octet-stream"), (4, "image/png"), (5, "application/octet-stream")] {
      let file = try await browser.get("/value?model=Customer&key=\(key)&property=picture&show=1")
      #expect(file.header("Content-Type") == kind)
      #expect(file.header("X-Content-Type-Options") == "nosniff")
      let isImage = try await browser.get("/object?model=Customer&key=\(key)").body.contains("<img ")
      #expect(isImage == (key == 4))
    }
    #expect(try await browser.get("/object?model=Customer&key=3").body.contains("3c68746d"))
  }

  @Test(arguments: [
    "/grid", "/grid?model=", "/grid?model=Nothing", "/grid?model=Order&limit=0", "/grid?model=Order&limit=x9",
    "/grid?model=Order&limit=99999999999999999999", "/grid?model=Order&after=xx", "/grid?model=Order&columns=no",
    "/grid?model=Order&where=%FF%FE", "/grid?model=Order&where=id%20%3D%3D", "/grid?model=Order&sort=-", "/object",
    "/object?model=Order", "/object?model=Order&key=", "/object?model=Order&key=x", "/object?model=Order&key=99999",
    "/value?model=Order&key=1&property=no", "/groups?model=Order&by=no", "/groups?model=Order&function=no",
    "/groups?model=Order&by=id&function=sum&of=note", "/explain?model=Order&where=(((", "/../etc/passwd", "/%2e%2e/",
    "/grid?model=Order&property=amount&comparison=%3D%3D&value=x", "/grid?model=Order&property=no&value=1",
    "/grid?model=Order&property=amount&comparison=no&value=1", "/grid?model=Order&row=-99999999999999999999",
  ])
  func whatCannotBeAnsweredIsSaid(address: String) async throws {
    let browser = try await Browser.entered(try Shop.store())
    let answer = try await browser.get(address)
    #expect((200..<500).contains(answer.status), "\(answer.status)")
    let json = try await browser.get(address, headers: ["Accept": "application/json"])
    #expect(json.status == answer.status)
    if json.header("Content-Type")?.hasPrefix("application/json") == true {
      #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(json.body.utf8)) }
    }
  }

  @Test func aConditionThatIsTooDeepIsRefused() async throws {
    let browser = try await Browser.entered(try Shop.store())
    let deep = String(repeating: "(", count: 20_000) + "id == 1" + String(repeating: ")", count: 20_000)
    #expect(
      try await browser.get("/grid?model=Order&where=\(deep.replacingOccurrences(of: " ", with: "+"))").status < 600)
    #expect(try await browser.get("/").status == 200)
  }
}
