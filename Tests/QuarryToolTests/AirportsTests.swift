import Foundation
import QuarryBackend
import QuarryTestSupport
import Testing

@testable import QuarryData
@testable import QuarryTool

/// The real table that is kept in the repository. The sums were made with another reader of CSV.
@Suite struct AirportsTests {
  private let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Examples/airports/airports.csv").path

  private func read() throws -> (properties: [PropertySchema], rows: [[Value]]) {
    let file = DataFile(path: path, format: .csv)
    let inference = try file.infer()
    let rows = try allRows(file, inference.properties)
    #expect(inference.rows == rows.count)
    return (inference.properties, rows)
  }

  @Test func columnsAndTypes() throws {
    let inference = try DataFile(path: path, format: .csv).infer()
    #expect(inference.rows == 28_298)
    #expect(
      inference.properties.map { "\($0.name) \($0.typeName)" } == [
        "icao string", "iata string", "name string", "city string", "subd string", "country string",
        "elevation double", "lat double", "lon double", "tz string", "lid string",
      ])
  }

  @Test func everyCellIsThere() throws {
    let rows = try read().rows
    func sum(_ column: Int) -> Double {
      rows.reduce(0) {
        guard case .double(let value) = $1[column] else { return .nan }
        return $0 + value
      }
    }
    func bytes(_ column: Int) -> Int {
      rows.reduce(0) { $0 + ExactText.text($1[column]).utf8.count }
    }
    #expect(rows.count == 28_298)
    #expect([6, 7, 8].map(sum) == [33672204.24000005, 656070.6907090027, -1091229.7443739995])
    #expect(
      [0, 1, 2, 3, 4, 5, 9, 10].map(bytes) == [113_192, 23_652, 579_393, 229_769, 257_788, 56_596, 439_249, 45_514])
    #expect(Set(rows.map { $0[0] }).count == 28_298)
    #expect(rows.filter { $0[1] == .string("") }.count == 20_414)
  }

  @Test(arguments: [OutputFormat.csv, .jsonl])
  func anExportGivesBackTheSameRows(_ format: OutputFormat) throws {
    let (properties, rows) = try read()
    let text = try written(properties.map(\.name), rows, format)
    let copy = try ScratchFile(text, ending: format.rawValue)
    let file = DataFile(path: copy.path, format: try #require(DataFormat(path: copy.path)))
    let again = try file.infer()
    #expect(again.properties == properties)
    #expect(try allRows(file, properties) == rows)
  }
}
