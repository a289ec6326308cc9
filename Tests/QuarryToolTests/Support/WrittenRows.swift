import QuarryBackend
import QuarryData

@testable import QuarryTool

/// The records as one format writes them.
func written(_ columns: [String], _ rows: [[Value]], _ format: OutputFormat, width: Int? = nil) throws -> String {
  let sink = ByteSink(descriptor: nil, name: "test")
  var writer = format.writer(sink, width: width)
  try writer.begin(columns)
  for row in rows { try writer.write(row) }
  try writer.finish()
  return sink.contents
}
