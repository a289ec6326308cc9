import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Processes that are killed while they copy a store, or give space back.
enum KilledCareCases {
  static let all: [ConformanceCase] = [backups, backupsAtSteps, compactions, compactionsAtSteps]

  private static func items(_ kit: ConformanceContext) -> [Item] {
    var random = kit.random(41)
    return (0..<2_000).map { id in
      Item(id, rank: id % 7, name: (0..<20).map { _ in String(random.next(), radix: 36) }.joined())
    }
  }

  /// A store with many items, of which most were deleted when it is to be compacted; it is closed.
  private static func fill(_ kit: ConformanceContext, keeping kept: Int) throws -> (any BackendProvider, [Item]) {
    let place = try kit.makePlace()
    let items = items(kit)
    let store = try kit.open([Item.self], at: place)
    try store.insert(contentsOf: items)
    if kept < items.count { try store.delete(Item.where { $0.id >= kept }) }
    try store.close()
    return (place, Array(items.prefix(kept)))
  }

  private static func expectWhole(
    _ kit: ConformanceContext, _ place: any BackendProvider, _ items: [Item], _ about: String
  ) throws {
    var options = OpenOptions()
    options.createsIfMissing = false
    let store = try kit.open([Item.self], at: place, options: options)
    try expectEqual(try store.fetch(Item.all), items, about)
    try expectEqual(try store.fetch(Item.where { $0.rank == 3 }), items.filter { $0.rank == 3 }, about)
    try store.expectWhole(about)
    try store.close()
  }

  // MARK: Backups

  /// Where a copy goes, and its path.
  private static func target(_ kit: ConformanceContext) throws -> (place: any BackendProvider, path: String) {
    let place = try kit.makePlace()
    return (place, try unwrap(kit.harness.secondProcess?.address(kit.undecorated(place)), "the address of a place"))
  }

  /// The copy is whole or not there; then it can be made.
  private static func expectCopyOrNothing(
    _ kit: ConformanceContext, _ place: any BackendProvider, _ copy: (place: any BackendProvider, path: String),
    _ items: [Item], _ about: String
  ) throws {
    try expectWhole(kit, place, items, "\(about): the store")
    if !FileManager.default.fileExists(atPath: copy.path) {
      let store = try kit.open([Item.self], at: place)
      try store.backup(to: copy.path)
      try store.close()
    }
    try expectWhole(kit, copy.place, items, "\(about): the copy")
  }

  private static let backups = ConformanceCase.processes(
    "DUR.killed-backups", ["CARE-7", "DUR-3"],
    "Killed at any moment of a backup, a process leaves a whole copy or none, and one can be made.", needs: [.backup],
    within: .seconds(120)
  ) { kit in
    var random = kit.random(42)
    let (place, items) = try fill(kit, keeping: 2_000)
    let first = try kit.secondProcess(at: place, "open item")
    let start = ContinuousClock.now
    try first.ask("backup \(try target(kit).path)")
    let window = UInt32(clamping: max(2_000, Int((ContinuousClock.now - start) / .microseconds(1))))
    first.kill()
    for kill in 0..<kit.kills {
      let delay = UInt32.random(in: 0...window, using: &random)
      let copy = try target(kit)
      let child = try kit.secondProcess(at: place, "open item")
      child.tell("backup \(copy.path)")
      usleep(delay)
      child.kill()
      let about = "kill \(kill) of seed \(kit.seed), \(delay) µs"
      if try child.remainingLines().contains("done") {
        try expect(FileManager.default.fileExists(atPath: copy.path), "\(about): a backup that was made is not there")
      }
      try expectCopyOrNothing(kit, place, copy, items, about)
    }
  }

  private static let backupsAtSteps = ConformanceCase.processes(
    "DUR.killed-backups-at-steps", ["CARE-7", "DUR-3"],
    "Killed before any part of a backup, a process leaves a whole copy or none, and one can be made.",
    needs: [.backup], within: .seconds(120)
  ) { kit in
    var random = kit.random(43)
    let (place, items) = try fill(kit, keeping: 2_000)
    let stop = StepStop(before: .max)
    let store = try Store(models: [Item.self], in: SteppingProvider(provider: place, stop: stop))
    try store.backup(to: try target(kit).path)
    try store.close()
    let count = stop.count
    let chosen = Set((1..<count).shuffled(using: &random).prefix(kit.kills)).union([count])
    for step in chosen.sorted() {
      let copy = try target(kit)
      let child = try kit.secondProcess(at: place, "stop-at \(step)", "open item")
      let said = try child.ask("backup \(copy.path)")
      child.kill()
      let about = "killed \(said), step \(step) of \(count)"
      try expect(said.hasPrefix("at "), about)
      try expectEqual(FileManager.default.fileExists(atPath: copy.path), said == "at done", about)
      try expectCopyOrNothing(kit, place, copy, items, about)
    }
  }

  // MARK: Compaction

  private static let compactions = ConformanceCase.processes(
    "DUR.killed-compaction", ["CARE-4", "DUR-1", "DUR-2"],
    "Killed at any moment of a compaction that moves much, a process leaves what was committed.", needs: [.compact],
    within: .seconds(120)
  ) { kit in
    var random = kit.random(44)
    let (timed, _) = try fill(kit, keeping: 400)
    let first = try kit.secondProcess(at: timed, "open item")
    let start = ContinuousClock.now
    try first.ask("compact")
    let window = UInt32(clamping: max(2_000, Int((ContinuousClock.now - start) / .microseconds(1))))
    first.kill()
    for kill in 0..<kit.kills {
      let (place, items) = try fill(kit, keeping: 400)
      let delay = UInt32.random(in: 0...window, using: &random)
      let child = try kit.secondProcess(at: place, "open item")
      child.tell("compact")
      usleep(delay)
      child.kill()
      try expectWhole(kit, place, items, "kill \(kill) of seed \(kit.seed), \(delay) µs")
      let store = try kit.open([Item.self], at: place)
      try store.compact()
      try store.close()
      try expectWhole(kit, place, items, "compacted after kill \(kill) of seed \(kit.seed)")
    }
  }

  private static let compactionsAtSteps = ConformanceCase.processes(
    "DUR.killed-compaction-done", ["CARE-4", "DUR-1"],
    "Killed after a compaction has returned, a process leaves what was committed.", needs: [.compact]
  ) { kit in
    for step in 1...2 {
      let (place, items) = try fill(kit, keeping: 400)
      let child = try kit.secondProcess(at: place, "stop-at \(step)", "open item")
      try child.expect("compact", step == 1 ? "at compact" : "at done")
      child.kill()
      try expectWhole(kit, place, items, "killed at step \(step)")
    }
  }
}
