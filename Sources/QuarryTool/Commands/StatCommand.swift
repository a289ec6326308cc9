import ArgumentParser
import QuarryBackend

struct StatCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stat", abstract: "Prints rows, sizes and figures of the engine.")

  @OptionGroup var store: StoreArgument

  func run() throws {
    let store = try store.url.open(.reading)
    defer { try? store.close() }
    let statistics = try store.statistics()
    let sink = StandardOutput.sink()
    var writer = TableWriter(sink, width: StandardOutput.width)
    try writer.begin(["model", "rows", "indexes"])
    for model in statistics.models {
      try writer.write([.string(model.name), .int(Int64(model.rows)), .int(Int64(model.indexes.count))])
    }
    try writer.finish()
    var figures: [(String, String)] = []
    if let bytes = statistics.bytes { figures.append(("bytes", String(bytes))) }
    if let bytes = statistics.freeBytes { figures.append(("free bytes", String(bytes))) }
    figures += statistics.details.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    try sink.write("\n")
    for (name, value) in figures { try sink.write("\(name.escapedForDisplay): \(value.escapedForDisplay)\n") }
    try sink.flush()
  }
}
