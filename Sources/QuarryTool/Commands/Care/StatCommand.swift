import ArgumentParser
import QuarryBackend
import QuarryCore
import QuarryData
import QuarryEngines

struct StatCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stat", abstract: "Prints sizes of models and indexes, versions and statistics of the engine.")

  @OptionGroup var store: StoreArgument

  func run() throws {
    let url = try store.url
    let store = try store.open(.reading)
    defer { try? store.close() }
    let statistics = try store.statistics()
    let sink = StandardOutput.sink()
    var writer = TableWriter(sink, width: StandardOutput.width)
    try writer.begin(["model", "index", "entries", "bytes"])
    for model in statistics.models {
      try writer.write([.string(model.name), .string("(rows)"), .int(Int64(model.rows)), Self.number(model.bytes)])
      for index in model.indexes {
        try writer.write([
          .string(model.name), .string(index.name), Self.number(index.entries), Self.number(index.bytes),
        ])
      }
    }
    try writer.finish()
    try sink.write("\n")
    for (name, value) in figures(statistics, store) {
      try sink.write("\(name.escapedForDisplay): \(value.escapedForDisplay)\n")
    }
    try sink.flush()
    if let hint = Self.hint(statistics, url) { try StandardOutput.print("", hint) }
  }

  /// What the owner of an SQLite store with checksums meets in other programs.
  private static func hint(_ statistics: BackendStatistics, _ url: StoreURL) -> String? {
    guard url.engine.scheme == "sqlite", statistics.details["checksums"] == "XXH64" else { return nil }
    return """
      Other programs, such as sqlite3, read this store and cannot write to it ("readonly database"), because they would not \
      keep its checksums. A copy without checksums takes their changes: quarry copy \(url.description.escapedForDisplay) \
      "sqlite:NEW.db?checksums=false"
      """
  }

  private func figures(_ statistics: BackendStatistics, _ store: Store) -> [(String, String)] {
    let manifest = store.manifest
    var figures = [
      ("engine", manifest.name), ("engine version", manifest.engineVersion), ("contract", manifest.contract),
      ("durability", manifest.durability.rawValue),
    ]
    if store.schemaVersion > 0 { figures.insert(("version of the models", String(store.schemaVersion)), at: 0) }
    if let bytes = statistics.bytes { figures.append(("bytes", String(bytes))) }
    if let bytes = statistics.freeBytes { figures.append(("free bytes", String(bytes))) }
    return figures + statistics.details.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  private static func number(_ number: Int?) -> Value {
    number.map { .int(Int64($0)) } ?? .null
  }
}
