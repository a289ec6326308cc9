import BenchmarkHarness
import Foundation
import QuarryBackend
import Testing

@testable import DataBenchmark

@Suite struct RowFileTests {
  private let workbench: Workbench

  init() throws {
    workbench = try Workbench()
  }

  /// A file of rows, and the bytes in it.
  private func written() throws -> (path: String, bytes: Data) {
    let loader = DataLoader(
      selection: DataSelection(model: "Town", key: "id", indexed: [], first: nil), path: workbench.path + "/rows",
      approve: { _, _, _ in }, progress: { _, _ in })
    _ = try loader.read(workbench.towns(40))
    return (loader.path, try Data(contentsOf: URL(fileURLWithPath: loader.path)))
  }

  @Test func anotherProcessFindsTheSameRows() throws {
    let (path, _) = try written()
    let rows = try DataRows(file: path)
    #expect(rows.count == 40 && rows.model.name == "Town")
    for index in 0..<40 { #expect(try rows.digest(index) == AnswerDigest.of(rows.values(index))) }
  }

  @Test func whatIsNotWholeIsRefused() throws {
    let (path, bytes) = try written()
    for length in [0, 1, 23, 24, 100, bytes.count - 1] {
      try bytes.prefix(length).write(to: URL(fileURLWithPath: path))
      #expect(throws: BenchmarkError.self) { try DataRows(file: path) }
    }
    var longer = bytes
    longer.append(0)
    try longer.write(to: URL(fileURLWithPath: path))
    #expect(throws: BenchmarkError.self) { try DataRows(file: path) }
    try FileManager.default.removeItem(atPath: path)
    #expect(throws: BenchmarkError.self) { try DataRows(file: path) }
  }

  @Test func absurdLengthsAreNoTrap() throws {
    let (path, bytes) = try written()
    for place in 1...3 {
      for number: UInt64 in [.max, 1 << 62, UInt64(bytes.count), 0] {
        var changed = bytes
        let start = changed.count - place * 8
        withUnsafeBytes(of: number.littleEndian) { changed.replaceSubrange(start..<start + 8, with: $0) }
        try changed.write(to: URL(fileURLWithPath: path))
        #expect(throws: BenchmarkError.self) { try DataRows(file: path) }
      }
    }
  }
}
