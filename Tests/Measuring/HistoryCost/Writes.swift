import Foundation
import MeasuringSupport
import QuarryBackend
import QuarryCore
import QuarryEngines

/// What a write stores in addition to its objects.
enum Addition: String, CaseIterable {
  case nothing
  /// A change set, which the store's history keeps.
  case history
  /// An object of about as many bytes as the change set: what a history costs at least, because its row is one more to write.
  case object
  /// The same object, and an update of one more, as the history updates the row of its state.
  case objectAndUpdate = "update"
}

/// Writes in transactions of some objects: inserts, then updates of the same objects.
func write(_ store: Store, _ round: Int, transactions: Int, objects: Int, _ addition: Addition) throws -> Duration {
  let first = round * transactions * objects
  return try processorTime {
    for number in 0..<transactions {
      let ids = (first + number * objects)..<(first + (number + 1) * objects)
      try store.write { tx in
        for id in ids { try tx.insert(Entry(id, number)) }
        try add(addition, 2 * ids.lowerBound, bytes: 72 * objects, in: tx)
      }
      try store.write { tx in
        for id in ids { try tx.upsert(Entry(id, -number)) }
        try add(addition, 2 * ids.lowerBound + 1, bytes: 128 * objects, in: tx)
      }
    }
  }
}

/// Stores in a write what stands for the rows of a history.
private func add(_ addition: Addition, _ id: Int, bytes: Int, in transaction: WriteTransaction) throws {
  guard addition == .object || addition == .objectAndUpdate else { return }
  try transaction.insert(Shadow(id, bytes: bytes))
  if addition == .objectAndUpdate { try transaction.upsert(Total(id)) }
}

/// A store of a measurement, with what its writes have in addition.
private func store(
  in place: any BackendProvider, _ addition: Addition, _ durability: BackendManifest.Durability?
) throws -> Store {
  var options = OpenOptions()
  options.history = addition == .history ? .on(keeping: .forever, bytes: 1 << 30) : .off
  if let durability { options.durability = durability }
  return try Store(models: [Entry.self, Shadow.self, Total.self], in: place, options: options)
}

/// The writes whose instructions are counted: those that find a store of some size.
@inline(never)
func countedWrites(_ store: Store, _ addition: Addition, objects: Int) throws {
  _ = try write(store, 1, transactions: 2_000 / objects, objects: objects, addition)
}

/// Writes on one engine with one addition, for a program that counts instructions.
func countWrites(in folder: String, _ addition: Addition, objects: Int) throws {
  for engine in measuredEngines {
    let place = try engine.provider(at: engine.path(in: folder, UUID().uuidString))
    let store = try store(in: place, addition, engine.path == .path ? .processCrash : nil)
    _ = try write(store, 0, transactions: 2_000 / objects, objects: objects, addition)
    try countedWrites(store, addition, objects: objects)
    try store.close()
  }
}

/// Writes with and without a history on each engine, and with one object more in place of the history, and prints the ratios of
/// their times.
func measureWrites(in folder: String) throws {
  print("engine  durability  objects a write  without ms  with ms  row ms  rows ms  ratio  of a row  of two rows")
  for engine in measuredEngines {
    for durability in [BackendManifest.Durability.processCrash, .powerLoss] {
      guard engine.path == .path || durability == .processCrash else { continue }
      for (transactions, objects) in [(500, 1), (20, 100)] {
        var stores: [Store] = []
        for addition in Addition.allCases {
          let place = try engine.provider(at: engine.path(in: folder, UUID().uuidString))
          stores.append(try store(in: place, addition, engine.path == .path ? durability : nil))
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
