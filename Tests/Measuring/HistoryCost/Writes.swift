import Foundation
import MeasuringSupport
import QuarryBackend
import QuarryCore
import QuarryEngines

/// Writes in transactions of some objects: inserts, then updates of the same objects.
func write(_ store: Store, _ round: Int, transactions: Int, objects: Int) throws -> Duration {
  let first = round * transactions * objects
  return try processorTime {
    for number in 0..<transactions {
      let ids = (first + number * objects)..<(first + (number + 1) * objects)
      try store.write { tx in for id in ids { try tx.insert(Entry(id, number)) } }
      try store.write { tx in for id in ids { try tx.upsert(Entry(id, -number)) } }
    }
  }
}

/// Writes with and without a history on each engine, and prints the ratio of their times.
func measureWrites(in folder: String) throws {
  print("engine  durability  objects a write  without ms  with ms  ratio")
  for engine in measuredEngines {
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
        // The best of some rounds of each, by turns, because other programs run, too.
        var best = [Duration](repeating: .seconds(1_000), count: 2)
        for round in 0..<15 {
          for place in 0..<2 {
            best[place] = min(
              best[place], try write(stores[place], round, transactions: transactions, objects: objects))
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
}
