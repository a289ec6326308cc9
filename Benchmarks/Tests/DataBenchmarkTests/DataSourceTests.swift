import BenchmarkHarness
import Foundation
import QuarryBackend
import Testing

@testable import DataBenchmark

@Suite struct DataSourceTests {
  private let workbench: Workbench

  init() throws {
    workbench = try Workbench()
  }

  @Test func aFileGetsTheTypesOfAnImport() throws {
    let rows = try workbench.read(workbench.towns(50), key: "id", indexed: ["country", "people"])
    #expect(rows.count == 50)
    #expect(
      rows.model.properties.map(\.typeName) == [
        "int64", "string", "string", "int64?", "double", "date", "bool", "string?",
      ])
    #expect(rows.model.indexes.map(\.name) == ["country", "people"])
    #expect(try rows.values(8)[1] == .string("Town 8") && rows.values(7)[3] == .null)
  }

  @Test func onlyTheFirstRowsAreTaken() throws {
    #expect(try workbench.read(workbench.towns(50), key: "id", first: 7).count == 7)
  }

  @Test func aStoreIsReadAndStaysAsItIs() throws {
    let path = workbench.path + "/towns.db"
    try workbench.store("sqlite:" + path, 60)
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    let rows = try workbench.read(DataSource("sqlite:" + path, emptyAsText: false))
    #expect(rows.count == 60 && rows.model.indexes.map(\.name) == ["country"])
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    #expect(try rows.values(59)[1] == .string("Town 59"))
  }

  @Test(arguments: ["sqlite", "file", "lmdb"]) func everyKindOfStoreIsRead(scheme: String) throws {
    let url = "\(scheme):\(workbench.path)/towns.\(scheme)"
    try workbench.store(url, 20)
    let source = try DataSource(url, emptyAsText: false)
    #expect(try workbench.read(source, indexed: ["people"]).model.indexes.count == 2)
    #expect(code { try workbench.read(source, model: "Twon") } == .invalidQuery)
    #expect(code { try workbench.read(source, key: "name") } == .schemaMismatch)
  }

  @Test(arguments: [
    ("id,a\n1,x\n2,y\n1,z\n", StorageError.Code.duplicateKey, "line 4, column id: the key 1 is in line 2 already"),
    ("id,a\n1,x\n,y\n", .missingValue, "line 3, column id"), ("", .invalidValue, "is empty"),
    ("id,a\n1,x,y\n", .invalidValue, "line 2"), ("a,b\n1,2\n", .invalidQuery, "--key id"),
  ])
  func badFilesAreExplained(text: String, code: StorageError.Code, words: String) throws {
    let source = try workbench.file(text)
    let error = #expect(throws: StorageError.self) { try workbench.read(source, key: "id") }
    #expect(error?.code == code && error?.message.contains(words) == true, "\(error?.message ?? "")")
  }

  @Test func unknownColumnsAndFilesAreNamed() throws {
    let source = try workbench.towns(5)
    #expect(code { try workbench.read(source, key: "id", indexed: ["contry"]) } == .invalidQuery)
    let missing = try DataSource("/no/such/file.csv", emptyAsText: false)
    #expect(code { try workbench.read(missing, key: "id") } == .notFound)
    #expect(throws: BenchmarkError.self) { try workbench.read(workbench.file("id,a\n"), key: "id") }
    #expect(try workbench.read(source).model.keyProperty.name == "id")
  }

  @Test(arguments: ["data.txt", "memory:", "sqlite:", "oracle:x", "sqlite:x?cache=no"])
  func whatIsNoSourceIsRefused(text: String) {
    #expect(throws: BenchmarkError.self) { try DataSource(text, emptyAsText: false) }
  }

  private func code(_ body: () throws -> DataRows) -> StorageError.Code? {
    do {
      _ = try body()
      return nil
    } catch {
      return (error as? StorageError)?.code
    }
  }
}
