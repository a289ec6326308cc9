import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Processes that are killed while they copy a store to another place, or find no more space.
enum KilledCopyCases {
  static let all: [ConformanceCase] = [atSteps, anytime, full.ofFiles()]

  private static func items() -> [Item] { (0..<900).map { Item($0, rank: $0 % 7, name: "item \($0)") } }

  /// A place with a closed store of two models.
  private static func source(_ kit: ConformanceContext) throws -> any BackendProvider {
    let place = try kit.makePlace()
    let store = try kit.open([Item.self, Plain.self], at: place)
    try store.insert(contentsOf: items())
    try store.close()
    return place
  }

  private static func address(_ kit: ConformanceContext, _ place: any BackendProvider) throws -> String {
    try unwrap(kit.harness.secondProcess?.address(kit.undecorated(place)), "the address of a place")
  }

  /// What is at the destination is a whole copy, nothing, or unfinished; after the next copy it is whole.
  private static func expectEnd(
    _ kit: ConformanceContext, _ source: any BackendProvider, _ target: any BackendProvider, _ about: String
  ) throws {
    var options = OpenOptions()
    options.createsIfMissing = false
    var isWhole = false
    do {
      let store = try kit.open([], at: target, options: options)
      isWhole = true
      try expectEqual(try store.models().map(\.name), ["Item", "Plain"], "\(about): a store that is not whole opens")
      try store.close()
    } catch let error as StorageError {
      try expect([.notFound, .schemaMismatch].contains(error.code), "\(about): \(error)")
    }
    if !isWhole {
      let report = try Store.copy(from: kit.undecorated(source), to: kit.undecorated(target))
      try expectEqual(report.models.map(\.rows), [900, 0], about)
      try expectEqual(report.restartReason, nil, about)
    }
    let store = try kit.open([Item.self, Plain.self], at: target, options: options)
    try expectEqual(try store.fetch(Item.all), items(), about)
    try expectEqual(try store.fetch(Item.where { $0.rank == 3 }), items().filter { $0.rank == 3 }, about)
    try expectEqual(try store.check(), [], about)
    try store.close()
  }

  private static let atSteps = ConformanceCase.processes(
    "MOVE.killed-copy-at-steps", ["MOVE-4", "DUR-2"],
    "A process that is killed before any step of a copy leaves no copy, an unfinished copy or a whole copy; the next copy continues it.",
    within: .seconds(120)
  ) { kit in
    var random = kit.random(47)
    let source = try source(kit)
    let stop = StepStop(before: .max)
    try Store.copy(
      from: kit.undecorated(source), to: SteppingProvider(provider: kit.undecorated(try kit.makePlace()), stop: stop))
    try expect(stop.count > 0, "no step of the copy was seen")
    let chosen = Set((1...stop.count).shuffled(using: &random).prefix(kit.kills * 2))
    for step in chosen.sorted() {
      let target = try kit.makePlace()
      let child = try kit.secondProcess(at: target, "stop-at \(step)")
      let said = try child.ask("copy-from \(try address(kit, source))")
      child.kill()
      let about = "killed \(said), step \(step) of \(stop.count)"
      try expect(said.hasPrefix("at "), about)
      try expectEnd(kit, source, target, about)
    }
  }

  private static let anytime = ConformanceCase.processes(
    "MOVE.killed-copy", ["MOVE-4", "DUR-2"],
    "A process that is killed at any moment of a copy leaves a copy that the next one continues.", within: .seconds(120)
  ) { kit in
    var random = kit.random(48)
    let source = try source(kit)
    let first = try kit.secondProcess(at: try kit.makePlace())
    let start = ContinuousClock.now
    try first.expect("copy-from \(try address(kit, source))", "copied 900")
    let window = UInt32(clamping: max(2_000, Int((ContinuousClock.now - start) / .microseconds(1))))
    first.kill()
    for kill in 0..<kit.kills {
      let delay = UInt32.random(in: 0...window, using: &random)
      let target = try kit.makePlace()
      let child = try kit.secondProcess(at: target)
      child.tell("copy-from \(try address(kit, source))")
      usleep(delay)
      child.kill()
      try expectEnd(kit, source, target, "kill \(kill) of seed \(kit.seed), \(delay) µs")
    }
  }

  private static let full = ConformanceCase.processes(
    "MOVE.full-copy", ["MOVE-4", "LIM-2"],
    "A copy without space on the disk is full, its source stays whole, and the next copy continues when there is space.",
    within: .seconds(60)
  ) { kit in
    let source = try source(kit)
    for bytes in [4_096, 16_384, 40_000] {
      let about = "with files of \(bytes) bytes"
      let target = try kit.makePlace()
      let child = try kit.secondProcess(at: target, "limit-files \(bytes)")
      try expectError(.full, about) { try child.ask("copy-from \(try address(kit, source))") }
      try child.ask("unlimit-files")
      let store = try kit.open([Item.self, Plain.self], at: source)
      try expectEqual(try store.fetch(Item.all), items(), about)
      try expectEqual(try store.check(), [], about)
      try store.close()
      // The same process has nothing open that is in the way, and another may be the one that goes on.
      if bytes > 4_096 { try child.expect("copy-from \(try address(kit, source))", "copied 900") }
      try child.finish()
      try expectEnd(kit, source, target, about)
    }
  }
}
