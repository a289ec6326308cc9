import Foundation
import QuarryBackend
import Testing

@testable import QuarryCore
@testable import QuarryTool

@Suite struct AggregateTests {
  private let shop: Workshop
  private static let urls = ["sqlite:a.db", "file:a.quarry", "lmdb:a.lmdb"]

  init() throws {
    shop = try Workshop()
    try shop.write("code,name\nCH,Switzerland\nNO,Norway\n", "countries.csv")
    try shop.write(
      """
      id,country,kind,size,since
      1,CH,a,1,2001
      2,CH,a,2,2000
      3,CH,b,4,1999
      4,NO,a,10,2010
      5,NO,b,,2011
      6,NO,b,20,
      """, "shops.csv")
    for url in Self.urls {
      let first = try shop.quarry("import", "countries.csv", "--into", url, "--model", "Country", "--key", "code")
      try #require(first.status == 0, "\(first.errors)")
      let second = try shop.quarry(
        "import", "shops.csv", "--into", url, "--model", "Shop", "--key", "id", "--reference", "country=Country.code")
      try #require(second.status == 0, "\(second.errors)")
    }
  }

  private func lines(_ url: String, _ arguments: String...) throws -> [String] {
    let outcome = try Quarry.run(["aggregate", url, "Shop", "--format", "csv"] + arguments, in: shop.directory)
    #expect(outcome.status == 0, "\(outcome.errors)")
    return outcome.lines
  }

  @Test(arguments: urls) func severalFiguresByPaths(_ url: String) throws {
    #expect(
      try lines(
        url, "--by", "country.name,kind", "--compute",
        "count, count(size), sum(size), median(size), p50(size), distinct(since), first(id, since), last(id, -since) as old"
      )
        == [
          "country.name,kind,count,count(size),sum(size),median(size),p50(size),distinct(since),\"first(id, since)\",old",
          "Norway,a,1,1,10,10.0,10,1,4,4", "Norway,b,2,1,20,20.0,20,1,5,5", "Switzerland,a,2,2,3,1.5,1,2,2,2",
          "Switzerland,b,1,1,4,4.0,4,1,3,3",
        ])
  }

  @Test(arguments: urls) func conditionsAndOrdersOfGroups(_ url: String) throws {
    #expect(
      try lines(
        url, "--by", "country,kind", "--compute", "count", "--having", "count >= 1 AND sum(size) BETWEEN {3, 19}",
        "--sort",
        "-max(size),kind", "--limit", "2") == ["country,kind,count", "NO,a,1", "CH,b,1"])
  }

  @Test(arguments: urls) func deviationIsThatOfASample(_ url: String) throws {
    #expect(
      try lines(url, "--by", "country", "--compute", "deviation(size) as d") == [
        "country,d", "CH,1.5275252316519468", "NO,7.0710678118654755",
      ])
  }

  @Test func withoutObjectsFiguresAreNilOrZero() throws {
    let outcome = try shop.quarry(
      "aggregate", "sqlite:a.db", "Shop", "--where", "id > 100", "--compute",
      "count, distinct(kind), median(size), deviation(size), p90(size), first(id, since)", "--format", "jsonl")
    #expect(
      outcome.output
        == "{\"count\":0,\"distinct(kind)\":0,\"median(size)\":null,\"deviation(size)\":null,\"p90(size)\":null,"
        + "\"first(id, since)\":null}\n")
  }

  @Test(arguments: [
    ["--compute", "foo(size)"], ["--compute", "sum"], ["--compute", "percentile(size)"],
    ["--compute", "percentile(size, 101)"],
    ["--compute", "count,count"], ["--compute", "first(id)"], ["--compute", "sum(size"],
    ["--by", "kind,kind", "--compute", "count"],
    ["--of", "size"], [], ["--compute", "count", "--limit", "-1"], ["--compute", "count", "--plot", "x.png"],
  ])
  func wrongUsage(_ arguments: [String]) throws {
    #expect(try Quarry.run(["aggregate", "sqlite:a.db", "Shop"] + arguments, in: shop.directory).status == 64)
  }

  @Test(arguments: [
    ["--compute", "sum(kind)"], ["--compute", "sum(siz)"], ["--by", "country.nam", "--compute", "count"],
    ["--by", "kind.name", "--compute", "count"], ["--compute", "count", "--having", "other > 1"],
    ["--compute", "count", "--having", "count >"], ["--compute", "count", "--sort", "other"],
    ["--by", "nope", "--compute", "p90(size)"],
  ])
  func wrongNames(_ arguments: [String]) throws {
    let outcome = try Quarry.run(["aggregate", "sqlite:a.db", "Shop"] + arguments, in: shop.directory)
    #expect(outcome.code == "invalidQuery", "\(outcome.errors)")
  }

  @Test func groupsAreDrawn() throws {
    let text = try shop.quarry(
      "aggregate", "sqlite:a.db", "Shop", "--by", "kind", "--compute", "count", "--plot", "text")
    #expect(text.lines.first == "count")
    #expect(text.lines.dropFirst().allSatisfy { $0.contains("█") })
    let image = try shop.quarry(
      "aggregate", "sqlite:a.db", "Shop", "--by", "kind", "--compute", "count", "--plot", "g.svg")
    #expect(image.status == 0, "\(image.errors)")
    let document = try XMLDocumentText.check(shop.read("g.svg"))
    #expect(document.contains("<rect"))
    #expect(
      try shop.quarry("aggregate", "sqlite:a.db", "Shop", "--by", "kind", "--compute", "count", "--plot", "g.svg").code
        == "inUse")
  }

  // GRP-8
  @Test func datesAreGroupedBySpansAndDrawnAlongAnAxis() throws {
    try shop.write(
      "id,placed,total\n1,2024-02-29T23:59:59Z,1.5\n2,2024-03-01T00:00:00Z,2\n3,2023-12-31T08:00:00Z,4\n", "orders.csv")
    #expect(
      try shop.quarry("import", "orders.csv", "--into", "sqlite:o.db", "--model", "Order", "--key", "id").status == 0)
    let table = try shop.quarry(
      "aggregate", "sqlite:o.db", "Order", "--by", "quarter(placed)", "--compute", "count, sum(total)", "--sort",
      "-quarter(placed)", "--format", "csv")
    #expect(
      table.lines == ["quarter(placed),count,sum(total)", "2024-01-01T00:00:00Z,2,3.5", "2023-10-01T00:00:00Z,1,4.0"],
      "\(table.errors)")
    let text = try shop.quarry(
      "aggregate", "sqlite:o.db", "Order", "--by", "month(placed)", "--compute", "count", "--plot", "text")
    #expect(text.lines.dropFirst().map { $0.prefix(9) } == ["  2023-12", "  2024-02", "  2024-03"])
    let image = try shop.quarry(
      "aggregate", "sqlite:o.db", "Order", "--by", "month(placed)", "--compute", "count,sum(total)", "--plot", "o.svg")
    #expect(image.status == 0, "\(image.errors)")
    let document = try XMLDocumentText.check(shop.read("o.svg"))
    #expect(document.contains("class=\"curve\"") && document.contains("<circle"))
    #expect(document.contains("count by month(placed)") && document.contains("2023-12"))
    let wrong = try shop.quarry("aggregate", "sqlite:o.db", "Order", "--by", "decade(placed)", "--compute", "count")
    #expect(wrong.code == "invalidQuery" && wrong.errors.contains("year, quarter, month"))
  }

  @Test func percentilesHaveExactPlaces() throws {
    let half = try #require(GroupFunction.Percent("50"))
    #expect((1...6).map { half.place(in: $0) } == [0, 0, 1, 1, 2, 2])
    #expect(try #require(GroupFunction.Percent("99.9")).place(in: 1000) == 998)
    #expect(try #require(GroupFunction.Percent("0")).place(in: 5) == 0)
    #expect(try #require(GroupFunction.Percent("100")).place(in: 5) == 4)
    for text in ["100.1", "-1", "", ".", "1e2", "9999999999"] { #expect(GroupFunction.Percent(text) == nil) }
  }

  @Test func namesOfFiguresAreQuotedOutsideOfStrings() throws {
    var terms: [GroupTerm] = []
    let text = try GroupText.quoting(
      "count > 1 AND a.b == 'sum(x) count' AND `sum(x)` < 3 AND p90(`c,d`) != nil", names: ["a.b"], terms: &terms)
    #expect(text == "`count` > 1 AND `a.b` == 'sum(x) count' AND `sum(x)` < 3 AND `p90(``c,d``)` != nil")
    #expect(terms.map(\.column) == [nil, "c,d"])
  }
}

/// Well-formed XML, as far as tags nest and text has no bare signs.
private enum XMLDocumentText {
  static func check(_ text: String) throws -> String {
    var open: [Substring] = []
    for part in text.split(separator: "<").dropFirst(text.hasPrefix("<") ? 0 : 1) {
      let tag = part.prefix { $0 != ">" }
      let name = tag.prefix { !$0.isWhitespace && $0 != "/" }
      if tag.hasPrefix("/") {
        let last = open.popLast()
        try #require(last == tag.dropFirst())
      } else if !tag.hasSuffix("/") {
        open.append(name)
      }
    }
    try #require(open.isEmpty)
    return text
  }
}
