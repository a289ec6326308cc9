import BenchmarkHarness
import Foundation
import QuarryBackend
import Testing

@testable import DataBenchmark

@Suite struct OwnQueryTests {
  private let workbench: Workbench

  init() throws {
    workbench = try Workbench()
  }

  private func queries(_ text: String) throws -> [OwnQuery] {
    let path = workbench.path + "/queries.txt"
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return try OwnQuery.read(path)
  }

  @Test func everyEngineAnswersTheQueriesOfAFile() throws {
    var settings = try workbench.settings("get=100", operations: 120, key: nil, indexed: ["country"])
    settings.selection.model = nil
    settings.mix = try OperationMix(parsing: "get=50,query=30,update=10,insert=5,delete=5", hasOwnQueries: true)
    settings.readers = 1
    settings.queries = try queries(
      """
      # Two queries.
      country == 'C3' AND people > 100

      --where "name BEGINSWITH 'Town 1'" --sort -area,id --limit 5 --offset 1
      """)
    #expect(settings.queries.count == 2)
    let report = try workbench.report(settings, workbench.towns(300))
    #expect(report.failures.isEmpty, "\(report.failures)")
    let section = try #require(report.data)
    // The model has the name of the file, and its key is the column whose values all differ.
    #expect(section.model == "towns" && section.properties.first { $0.isKey }?.name == "id")
    for engine in DataEngine.all {
      for work in ["own", "query-1", "query-2"] {
        #expect(report.result(work, engine.name, section.rows) != nil, "\(work) on \(engine.name)")
      }
      #expect(report.result("equal", engine.name, section.rows) == nil)
    }
    #expect(report.workloads.first { $0.id == "query-2" }?.explanation.contains("--limit 5") == true)
    #expect(section.recommendation?.engines?.count == DataEngine.all.count)
  }

  @Test(arguments: [
    "", "# nothing", "country ==", "--where", "--where x == 1 --sort", "--limit -1", "--limit many", "--columns id",
    "--where \"country == 'C3'", "\u{0}", String(repeating: "id == 1\n", count: 101),
    String(repeating: "#\n", count: 40_000),
  ])
  func whatIsNoQueryIsRefused(_ text: String) throws {
    #expect(throws: BenchmarkError.self) { try queries(text) }
  }

  @Test func aFileOfOtherBytesIsRefused() throws {
    let path = workbench.path + "/bytes"
    try Data([0xFF, 0xFE, 0x80]).write(to: URL(fileURLWithPath: path))
    #expect(throws: BenchmarkError.self) { try OwnQuery.read(path) }
    #expect(throws: BenchmarkError.self) { try OwnQuery.read(workbench.path + "/missing") }
    #expect(throws: BenchmarkError.self) { try OwnQuery.read(workbench.path) }
  }

  @Test func aColumnThatIsNotThereIsNamed() throws {
    var settings = try workbench.settings("get=50,query=30,update=20", key: "id")
    settings.mix = try OperationMix(parsing: "get=50,query=50", hasOwnQueries: true)
    settings.queries = try queries("contry == 'C3'")
    let error = #expect(throws: StorageError.self) { try workbench.report(settings, workbench.towns(20)) }
    #expect(error?.code == .invalidQuery && error?.message.contains("country") == true)
  }

  @Test func ownQueriesNeedAFile() {
    #expect(throws: BenchmarkError.self) { try OperationMix(parsing: "get=50,own=50") }
  }

  @Test func aFileWithoutAKeyIsRefused() throws {
    var settings = try workbench.settings("get=100", key: nil)
    settings.selection.model = nil
    let source = try workbench.file("a,b\n1,2\n1,2\n", "pairs.csv")
    #expect(throws: StorageError.self) { try workbench.report(settings, source) }
  }

  @Test(
    arguments: [
      ("--a b", ["--a", "b"]), ("  a  'b c' ", ["a", "b c"]), ("a\"b c\"d", ["ab cd"]), ("a\\ b", ["a b"]),
      ("'a\\'", ["a\\"]), ("''", [""]), ("", []),
    ] as [(String, [String])])
  func wordsAreThoseOfAShell(_ text: String, _ words: [String]) throws {
    #expect(try OptionWords.split(text) == words)
  }
}
