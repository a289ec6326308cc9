import Foundation
import QuarryBackend
import QuarryCore
import QuarryEngines

// Writes with and without a history on each engine, and prints the ratio of their times: scripts/history-cost.

struct Entry: Model {
  var id: Int
  var title: String
  var number: Int

  static let modelDefinition = ModelDefinition<Entry>(
    name: "Entry",
    properties: [
      PropertyDefinition("id", \Entry.id, Int.self), PropertyDefinition("title", \Entry.title, String.self),
      PropertyDefinition("number", \Entry.number, Int.self),
    ], primaryKey: "id")

  struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)
    var title = Column<String>("title", 1)
    var number = Column<Int>("number", 2)
  }

  var primaryKeyValue: Int { id }

  init(_ id: Int, _ number: Int) { (self.id, self.number, title) = (id, number, "the title of entry \(id)") }

  init(reading row: ModelReader) throws(StorageError) {
    (id, title, number) = (try row.get(0), try row.get(1), try row.get(2))
  }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, title)
    try row.set(2, number)
  }
}

/// Writes in transactions of some objects: inserts, then updates of the same objects.
func write(_ store: Store, _ round: Int, transactions: Int, objects: Int) throws -> Duration {
  let first = round * transactions * objects
  return try ContinuousClock().measure {
    for number in 0..<transactions {
      let ids = (first + number * objects)..<(first + (number + 1) * objects)
      try store.write { tx in for id in ids { try tx.insert(Entry(id, number)) } }
      try store.write { tx in for id in ids { try tx.upsert(Entry(id, -number)) } }
    }
  }
}

let folder = FileManager.default.temporaryDirectory.appending(path: "quarry-history-cost-\(UUID().uuidString)").path
try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(atPath: folder) }

print("engine  durability  objects a write  without ms  with ms  ratio")
for engine in EngineDescription.all {
  for durability in [BackendManifest.Durability.processCrash, .powerLoss] {
    guard engine.path == .path || durability == .processCrash else { continue }
    for (transactions, objects) in [(500, 1), (20, 100)] {
      var stores: [Store] = []
      for history in [HistoryOption.off, .on(keeping: .forever, bytes: 1 << 30)] {
        var options = OpenOptions()
        options.history = history
        if engine.path == .path { options.durability = durability }
        let place = try engine.provider(at: engine.path(in: folder, UUID().uuidString))
        stores.append(try Store(models: [Entry.self], in: place, options: options))
      }
      // The best of five rounds of each, by turns, because other programs run, too.
      var best = [Duration](repeating: .seconds(1_000), count: 2)
      for round in 0..<5 {
        for place in 0..<2 {
          best[place] = min(best[place], try write(stores[place], round, transactions: transactions, objects: objects))
        }
      }
      let times = best.map { $0 / .milliseconds(1) }
      let figures = times.map { String(format: "%.1f", $0) } + [String(format: "%.2f", times[1] / times[0])]
      let name = engine.path == .path ? durability.rawValue : "-"
      print(([engine.name, name, "\(objects)"] + figures).joined(separator: "  "))
      for store in stores { try store.close() }
    }
  }
}
