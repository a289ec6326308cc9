import Foundation
import MeasuringSupport
import QuarryBackend
import QuarryCore
import QuarryDrafts
import QuarryEngines

/// The best time of some rounds of a body.
func best(of rounds: Int = 7, _ body: (Int) throws -> Void) rethrows -> Double {
  var best = Duration.seconds(1_000)
  for round in 0..<rounds { best = min(best, try processorTime { try body(round) }) }
  return best / .microseconds(1)
}

/// Edits ten objects in a draft of a store of a million, and compares that with ten reads.
func measureDrafts(in folder: String) throws {
  let count = 1_000_000
  print("engine  objects  10 reads us  draft of 10 us  save us  10 updates us")
  for engine in measuredEngines {
    var options = OpenOptions()
    if engine.path == .path { options.durability = .processCrash }
    let place = try engine.provider(at: engine.path(in: folder, UUID().uuidString))
    let store = try Store(models: [Entry.self], in: place, options: options)
    for first in stride(from: 0, to: count, by: 50_000) {
      try store.insert(contentsOf: (first..<first + 50_000).map { Entry($0, $0) })
    }
    func keys(_ round: Int) -> [Int] { (0..<10).map { (round * 7_919 + $0 * 99_991) % count } }
    let reads = try best(of: 40) { round in for key in keys(round) { _ = try store.get(Entry.self, key) } }
    // The same reads, which are in the caches now.
    let edits = try best(of: 40) { round in
      let draft = Draft(on: store)
      for key in keys(round) { try draft.update(Entry.self, key) { $0.number = -1 - round } }
    }
    let saves = try best(of: 40) { round in
      let draft = Draft(on: store)
      for key in keys(round) { try draft.update(Entry.self, key) { $0.number = -100 - round } }
      try draft.save()
    }
    let updates = try best(of: 40) { round in
      try store.write { tx in
        for key in keys(round) { try tx.update(Entry.self, key) { $0.number = -200 - round } }
      }
    }
    let figures = [reads, edits, saves, updates].map { String(format: "%.0f", $0) }
    print(([engine.name, "\(count)"] + figures).joined(separator: "  "))
    try store.close()
  }
}
