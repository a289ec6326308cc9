import BenchmarkHarness
import QuarryBackend
import Testing

@testable import DataBenchmark

@Suite struct UniqueColumnTests {
  private let workbench: Workbench

  init() throws {
    workbench = try Workbench()
  }

  @Test func everyEngineKeepsAUniqueIndex() throws {
    var settings = try workbench.settings("get=50,query=20,update=20,insert=5,delete=5", indexed: ["country"])
    settings.selection.unique = ["name"]
    let report = try workbench.report(settings, workbench.towns(200))
    #expect(report.failures.isEmpty, "\(report.failures)")
    let name = try #require(report.data?.properties.first { $0.name == "name" })
    #expect(name.isIndexed && name.isUnique == true)
    #expect(report.data?.properties.first { $0.name == "country" }?.isUnique == false)
    #expect(MarkdownReport(report).text().contains("name string (unique)"))
  }

  @Test func theModelHasTheIndexOfAnImport() throws {
    let rows = try workbench.read(workbench.towns(9), key: "id", indexed: ["country"], unique: ["name", "name"])
    #expect(
      rows.model.indexes.map(\.name) == ["name", "country"] && rows.model.indexes.map(\.isUnique) == [true, false])
  }

  @Test(arguments: [
    ("id,a\n1,x\n2,y\n3,x\n", "line 4, column a: the value “x” is in line 2 already"),
    ("id,a\n1,7\n2,8\n3,7\n", "line 4, column a: the value 7 is in line 2 already"),
    ("id,a\n1,0.5\n2,-0.0\n3,0.0\n", "line 4, column a: the value 0.0 is in line 3 already"),
    ("id,a\n1,2020-01-02T03:04:05Z\n2,2020-01-02T03:04:05Z\n", "is in line 2 already"),
  ])
  func whatIsThereTwiceIsFoundBeforeAnythingIsMeasured(text: String, words: String) throws {
    let source = try workbench.file(text)
    let error = #expect(throws: StorageError.self) { try workbench.read(source, key: "id", unique: ["a"]) }
    #expect(error?.code == .uniqueViolation && error?.message.contains(words) == true, "\(error?.message ?? "")")
  }

  @Test func nilIsNoValue() throws {
    #expect(try workbench.read(workbench.file("id,a\n1,x\n2,\n3,\n"), key: "id", unique: ["a"]).count == 3)
  }

  @Test func rowsThatAreNotTakenDoNotClash() throws {
    let source = try workbench.file("id,a\n1,x\n2,y\n3,x\n")
    #expect(try workbench.read(source, key: "id", unique: ["a"], first: 2).count == 2)
  }

  @Test(arguments: ["sqlite", "file", "lmdb"]) func aStoreIsLookedThroughToo(scheme: String) throws {
    let url = "\(scheme):\(workbench.path)/towns.\(scheme)"
    try workbench.store(url, 30)
    let source = try DataSource(url, emptyAsText: false)
    let rows = try workbench.read(source, unique: ["name"])
    #expect(rows.model.indexes.map(\.name) == ["country", "name"] && rows.model.indexes[1].isUnique)
    // The index that is there has the name.
    let error = #expect(throws: StorageError.self) { try workbench.read(source, unique: ["country"]) }
    #expect(error?.code == .uniqueViolation)
    #expect(error?.message == "column country: the objects with the keys 0 and 10 both have the value “C0”")
  }

  @Test func aColumnStandsInOneOfTheTwo() throws {
    let source = try workbench.towns(5)
    #expect(throws: BenchmarkError("--unique name: the column stands in --index, too")) {
      try workbench.read(source, key: "id", indexed: ["name"], unique: ["name"])
    }
    let error = #expect(throws: StorageError.self) { try workbench.read(source, key: "id", unique: ["nmae"]) }
    #expect(error?.code == .invalidQuery && error?.message.contains("--unique nmae") == true)
  }
}
