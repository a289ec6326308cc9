import Foundation
import MeasuringSupport
import QuarryBackend
import QuarryCore
import QuarryEngines

/// What a write stores in addition to its objects.
enum Addition: CaseIterable {
  case nothing
  /// A change set, which the store's history keeps.
  case history
  /// An object of about as many bytes as the change set: what a history costs at least, because its row is one more to write.
  case object
}

/// Writes in transactions of some objects: inserts, then updates of the same objects.
func write(_ store: Store, _ round: Int, transactions: Int, objects: Int, _ addition: Addition) throws -> Duration {
  let first = round * transactions * objects
  return try processorTime {
    for number in 0..<transactions {
      let ids = (first + number * objects)..<(first + (number + 1) * objects)
      try store.write { tx in
        for id in ids { try tx.insert(Entry(id, number)) }
        if addition == .object { try tx.insert(Shadow(2 * ids.lowerBound, bytes: 72 * objects)) }
      }
      try store.write { tx in
        for id in ids { try tx.upsert(Entry(id, -number)) }
        if addition == .object { try tx.insert(Shadow(2 * ids.lowerBound + 1, bytes: 128 * objects)) }
      }
    }
  }
}

/// Writes with and without a history on each engine, and with one object more in place of the history, and prints the ratios of
/// their times.
func measureWrites(in folder: String) throws {
  print("engine  durability  objects a write  without ms  with ms  object more ms  ratio  least ratio")
  for engine in measuredEngines {
    for durability in [BackendManifest.Durability.processCrash, .powerLoss] {
      guard engine.path == .path || durability == .processCrash else { continue }
      for (transactions, objects) in [(500, 1), (20, 100)] {
        var stores: [Store] = []
        for addition in Addition.allCases {
          var options = OpenOptions()
          options.history = addition == .history ? .on(keeping: .forever, bytes: 1 << 30) : .off
          if engine.path == .path { options.durability = durability }
          let place = try engine.provider(at: engine.path(in: folder, UUID().uuidString))
          stores.append(try Store(models: [Entry.self, Shadow.self], in: place, options: options))
        }
        // The best of some rounds of each, by turns, because other programs run, too.
        var best = [Duration](repeating: .seconds(1_000), count: stores.count)
        for round in 0..<15 {
          for (place, addition) in Addition.allCases.enumerated() {
            let time = try write(stores[place], round, transactions: transactions, objects: objects, addition)
            best[place] = min(best[place], time)
          }
        }
        let times = best.map { $0 / .milliseconds(1) }
        let ratios = times.dropFirst().map { String(format: "%.2f", $0 / times[0]) }
        let figures = times.map { String(format: "%.1f", $0) } + ratios
        let name = engine.path == .path ? durability.rawValue : "-"
        print(([engine.name, name, "\(objects)"] + figures).joined(separator: "  "))
        for store in stores { try store.close() }
      }
    }
  }
}
