import Foundation
import QuarryBackend
import Testing

@testable import QuarryTool

@Suite struct DescribeTests {
  @Test func everyPropertyHasItsFigures() throws {
    let shop = try Workshop.cities()
    let outcome = try shop.quarry("describe", "sqlite:s.db", "--columns", "people,country")
    #expect(outcome.status == 0, "\(outcome.errors)")
    let lines = outcome.lines.map { $0.split(separator: " ").joined(separator: " ") }
    #expect(lines.first == "City: 5 rows")
    for line in [
      "nils 1 (20.0 %)", "distinct 4", "minimum 5", "maximum 1463723", "mean 651693.25", "distinct 3", "minimum CH",
    ] {
      #expect(lines.contains(line), "\(line) is missing in \(outcome.output)")
    }
    #expect(outcome.lines.contains { $0.hasPrefix("    CH  2  ██") })
  }

  @Test func jsonHasTheSameFigures() throws {
    let shop = try Workshop.cities()
    let outcome = try shop.quarry(
      "describe", "sqlite:s.db", "City", "--columns", "people", "--format", "json", "--buckets", "2")
    let object = try #require(try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
    let property = try #require((object["properties"] as? [[String: Any]])?.first)
    #expect(object["rows"] as? Int == 5)
    #expect(property["nils"] as? Int == 1)
    #expect(property["maximum"] as? Int == 1_463_723)
    let counts = (property["histogram"] as? [[String: Any]])?.compactMap { $0["count"] as? Int }
    #expect(counts == [3, 1])
  }

  @Test func aModelWithoutRowsHasFigures() throws {
    let shop = try Workshop()
    try shop.write("a,b\n", "e.csv")
    #expect(try shop.quarry("import", "e.csv", "--into", "sqlite:e.db", "--model", "E").status == 0)
    let outcome = try shop.quarry("describe", "sqlite:e.db", "E")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.lines.first == "E: 0 rows")
  }

  @Test func countsAreExactUpToTheirBoundAndCertainBeyond() {
    var counts = ValueCounts(limit: 10, byteLimit: 1 << 20)
    for number in 0..<10 { counts.add(.int(Int64(number))) }
    #expect(counts.isExact && counts.distinct == 10)
    for _ in 0..<100 { counts.add(.string("often")) }
    for number in 100..<160 { counts.add(.int(Int64(number))) }
    #expect(!counts.isExact && counts.distinct == 10)
    var recount = counts.candidates
    #expect(recount[.string("often")] != nil)
    recount[.string("often")] = 100
    let frequent = counts.mostFrequent(3, recount: recount)
    #expect(frequent.count == 1 && frequent.first?.value == .string("often") && frequent.first?.count == 100)
  }

  @Test func aValueBeyondTheBytesIsNotKept() {
    var counts = ValueCounts(limit: 10, byteLimit: 1000)
    for _ in 0..<5 { counts.add(.string(String(repeating: "x", count: 5000))) }
    counts.add(.int(1))
    #expect(counts.rounds == 5)
    #expect(counts.candidates.count == 1)
  }

  @Test(arguments: [
    (Value.int(.min), Value.int(.max)), (.uint(.max), .int(0)), (.double(-1e308), .double(1e308)), (.int(0), .int(3)),
    (.float(-1), .float(1)),
  ])
  func histogramsTakeAnyRange(_ first: Value, _ second: Value) throws {
    let (least, greatest) = ValueOrder.compare(first, second) < 0 ? (first, second) : (second, first)
    var histogram = try #require(Histogram(least: least, greatest: greatest, buckets: 10))
    histogram.add(least)
    histogram.add(greatest)
    histogram.add(.double(.nan))
    #expect(histogram.counts.first == 1)
    #expect(histogram.counts.reduce(0, +) + histogram.outside == 3)
    #expect(histogram.labels.count == histogram.counts.count)
  }

  @Test func thereIsNoHistogramOfOneNumberOrOfText() {
    #expect(Histogram(least: .int(3), greatest: .int(3), buckets: 10) == nil)
    #expect(Histogram(least: .double(0), greatest: .double(.leastNonzeroMagnitude), buckets: 10) == nil)
    #expect(Histogram(least: .string("a"), greatest: .string("b"), buckets: 10) == nil)
    #expect(Histogram(least: .int(1), greatest: .int(3), buckets: 0) == nil)
  }
}
