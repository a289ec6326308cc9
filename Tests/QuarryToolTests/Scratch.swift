import Foundation
import QuarryBackend
import Testing

@testable import QuarryData
@testable import QuarryTool

/// A file of data that is there while the value lives.
final class ScratchFile {
  let path: String

  init(_ bytes: [UInt8], ending: String) throws {
    path = NSTemporaryDirectory() + "quarry-tool-" + UUID().uuidString + "." + ending
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }

  convenience init(_ text: String, ending: String) throws {
    try self.init(Array(text.utf8), ending: ending)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }
}

func code(_ body: () throws -> Void) -> StorageError.Code? {
  failure(body)?.code
}

func failure(_ body: () throws -> Void) -> StorageError? {
  do {
    try body()
    return nil
  } catch {
    return error as? StorageError
  }
}

/// What an import would make of the text: the types by name, and the rows.
func imported(
  _ text: String, _ ending: String = "csv", emptyAsText: Bool = false
) throws -> (types: [String], names: [String], rows: [[Value]]) {
  let scratch = try ScratchFile(text, ending: ending)
  let format = try #require(DataFormat(path: scratch.path))
  let file = DataFile(path: scratch.path, format: format, emptyAsText: emptyAsText)
  let properties = try file.infer().properties
  return (properties.map(\.typeName), properties.map(\.name), try allRows(file, properties))
}

func allRows(_ file: DataFile, _ properties: [PropertySchema]) throws -> [[Value]] {
  var reader = try file.rows(as: properties)
  var rows: [[Value]] = []
  while let row = try reader.next() { rows.append(row) }
  return rows
}

/// The records as one format writes them.
func written(_ columns: [String], _ rows: [[Value]], _ format: OutputFormat, width: Int? = nil) throws -> String {
  let sink = ByteSink(descriptor: nil, name: "test")
  var writer = format.writer(sink, width: width)
  try writer.begin(columns)
  for row in rows { try writer.write(row) }
  try writer.finish()
  return sink.contents
}
