import Foundation
import Testing

@testable import QuarryConformance
@testable import QuarryConformanceKit

#if canImport(FoundationXML)
  import FoundationXML
#endif

@Suite struct ReportTests {
  private static let report: ConformanceReport = {
    var selection = ConformanceSelection()
    selection.variants = [.fresh]
    var runner = ConformanceRunner(
      LyingHarness(deviations: [ConformanceDeviation("PRED.deviates", reason: "known")], keeps: true), selection,
      cases: [
        .passing("CRUD.passes"), .failing("CRUD.fails"), .failing("PRED.deviates"),
        ConformanceCase("MP.process", ["ISO-1"], "Two.", requiresSecondProcess: true) { _ in },
        ConformanceCase("CRUD.refuses", ["CAP-2"], "Needs a key.", needs: [.openEncryption]) { _ in },
      ])
    runner.command = "quarry conformance lying:"
    return runner.run()
  }()

  @Test func jsonComesBack() throws {
    let text = try Self.report.json()
    #expect(try ConformanceReport(json: Data(text.utf8)) == Self.report)
    #expect(text.contains(#""format" : "conformance-report/1""#))
  }

  @Test func otherFormatIsRefused() throws {
    let text = try Self.report.json().replacingOccurrences(of: "report/1", with: "report/2")
    #expect(throws: DecodingError.self) { try ConformanceReport(json: Data(text.utf8)) }
  }

  @Test func jsonNamesNoMachine() throws {
    let text = try Self.report.json()
    #expect(!text.contains(ProcessInfo.processInfo.hostName))
    #expect(!text.contains(FileManager.default.currentDirectoryPath))
  }

  @Test func junitIsWellFormedAndCounts() throws {
    let reader = JUnitReader()
    let parser = XMLParser(data: Data(Self.report.junit.utf8))
    parser.delegate = reader
    #expect(parser.parse(), "\(String(describing: parser.parserError))")
    #expect(reader.names.sorted() == Self.report.runs.map(\.id).sorted())
    #expect(reader.counts["failure"] == 1)
    #expect(reader.counts["skipped"] == 2)
    #expect(reader.message == Self.report.failures.first?.message)
  }

  @Test func junitCountsWhatIsWrongWithTheHarness() {
    let report = LyingHarness(failsToMakePlaces: true).report([.passing("CRUD.passes")])
    let reader = JUnitReader()
    let parser = XMLParser(data: Data(report.junit.utf8))
    parser.delegate = reader
    #expect(parser.parse(), "\(String(describing: parser.parserError))")
    #expect(reader.counts["error"] == report.problems.count && !report.problems.isEmpty)
    #expect(reader.counts["testcase"] == report.problems.count)
    #expect(report.junit.contains("tests=\"\(report.problems.count)\""))
  }

  @Test(arguments: [(0, "0.00000"), (0.01, "0.00001"), (2.13, "0.00213"), (60_940.1, "60.94010")])
  func junitWritesSecondsWithoutAnExponent(_ milliseconds: Double, _ text: String) {
    #expect(ConformanceReport.seconds(milliseconds) == text)
  }

  @Test func commandSaysWhatWasChosen() {
    var selection = ConformanceSelection()
    #expect(selection.options == "")
    selection.areas = ["UPS", "CRUD"]
    selection.level = .query
    selection.isQuick = true
    selection.seed = 7
    #expect(selection.options == " --level L1 --area CRUD --area UPS --quick --seed 7")
  }

  @Test func tapPlansWhatItLists() {
    let lines = Self.report.tap.split(separator: "\n").map(String.init)
    #expect(lines.first == "TAP version 14")
    let points = lines.filter { $0.hasPrefix("    ok ") || $0.hasPrefix("    not ok ") }
    let planned = lines.filter { $0.hasPrefix("    1..") }.compactMap { Int($0.dropFirst(7)) }.reduce(0, +)
    #expect(points.count == 5 && planned == 5)
    #expect(points.filter { $0.contains("# TODO known") }.count == 1)
    #expect(points.filter { $0.contains("# SKIP") }.count == 1)
    #expect(lines.contains("1..3") && lines.contains("not ok 1 - CRUD"))
  }

  @Test func markdownIsOneScreen() {
    let lines = Self.report.markdown.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count < 50)
    #expect(Self.report.markdown.contains("| CRUD | 1 | 1 |"))
    #expect(Self.report.markdown.contains("Again: `quarry conformance lying: --variant fresh`"))
  }

  @Test func badgeIsWhatShieldsReads() throws {
    let object = try JSONSerialization.jsonObject(with: Data(Self.report.badge().utf8)) as? [String: Any]
    #expect(object?["schemaVersion"] as? Int == 1)
    #expect(object?["color"] as? String == "red")
    #expect((object?["message"] as? String)?.contains("failing") == true)
  }

  @Test func failureHasACommandThatRunsItAlone() {
    #expect(
      Self.report.failures.first?.reproducer == "quarry conformance lying: --case CRUD.fails --variant fresh")
  }

  private final class JUnitReader: NSObject, XMLParserDelegate {
    var names: [String] = []
    var counts: [String: Int] = [:]
    var message: String?

    func parser(
      _ parser: XMLParser, didStartElement element: String, namespaceURI: String?, qualifiedName: String?,
      attributes: [String: String]
    ) {
      counts[element, default: 0] += 1
      if element == "testcase", let name = attributes["name"] { names.append(name) }
      if element == "failure" { message = attributes["message"] }
    }
  }
}
