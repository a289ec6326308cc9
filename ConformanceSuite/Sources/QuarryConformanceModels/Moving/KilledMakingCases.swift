import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryDump

/// Processes that are killed while they fill a new store: what they leave never looks like a whole store.
enum KilledMakingCases {
  static let all: [ConformanceCase] = [
    killed("copy", seed: 71) { kit, place in
      let address = try unwrap(kit.harness.secondProcess?.address(kit.undecorated(place)), "the address of a place")
      return ("copy-from \(address)", "copied 40", { _ = try Store.copy(from: kit.undecorated(place), to: $0) })
    },
    killed("restore", seed: 72) { kit, place in
      let path = try unwrap(kit.harness.folder(of: kit.undecorated(place)), "the folder of a place") + "/dump.jsonl"
      let store = try kit.open([Item.self, Plain.self], at: place)
      try store.dump(to: path)
      try store.close()
      return ("restore-from \(path)", "restored 40", { _ = try Store.restore(path, to: $0) })
    },
  ]

  private typealias Work = (command: String, answer: String, again: (any BackendProvider) throws -> Void)

  private static func items() -> [Item] { (0..<40).map { Item($0, rank: $0 % 7, name: "item \($0)") } }

  private static func killed(
    _ name: String, seed: Int, _ work: @escaping @Sendable (ConformanceContext, any BackendProvider) throws -> Work
  ) -> ConformanceCase {
    ConformanceCase(
      "MOVE.killed-making-\(name)", ["MOVE-9", "DUR-2"],
      "Killed before any operation on a file of a \(name), a process leaves nothing, an unfinished store or a whole one.",
      requiresPersistence: true, requiresCrashLab: true, without: ConformanceVariant.allButFresh, within: .seconds(240)
    ) { kit in
      var random = kit.random(seed)
      let source = try kit.makePlace()
      let store = try kit.open([Item.self, Plain.self], at: source)
      try store.insert(contentsOf: items())
      try store.close()
      let work = try work(kit, source)
      func folder(_ place: any BackendProvider) throws -> String {
        try unwrap(kit.harness.folder(of: kit.undecorated(place)), "the folder of a place")
      }
      let first = try kit.makePlace()
      let count = try kit.operations(of: work.command, at: first, in: folder(first)) { $0 == work.answer }
      try expect(count > 0, "no operation on files was seen")
      // Making the store is where a whole one could be seen too early: its operations come first.
      let step = max(1, count / (kit.kills * 2))
      let chosen = Set(stride(from: Int.random(in: 1...step, using: &random), through: count, by: step))
        .union((1...min(count, 60)).shuffled(using: &random).prefix(kit.kills))
      for operation in chosen.sorted() {
        let about = "before operation \(operation) of \(count) of seed \(kit.seed)"
        let place = try kit.makePlace()
        let child = try kit.secondProcess(at: place, endingAt: operation, in: try folder(place))
        _ = try child.askUntilEnded(work.command, about) { $0 == work.answer }
        try expectNothingOrUnfinished(kit, place, about)
        var options = OpenOptions()
        options.createsIfMissing = false
        if (try? kit.open([], at: place, options: options)) == nil { try work.again(kit.undecorated(place)) }
        let made = try kit.open([Item.self, Plain.self], at: place, options: options)
        try expectEqual(try made.fetch(Item.all), items(), about)
        try expectEqual(try made.check(), [], about)
        try made.close()
      }
    }
  }

  /// What is at the place is no store, or an unfinished one, or has all objects.
  static func expectNothingOrUnfinished(
    _ kit: ConformanceContext, _ place: any BackendProvider, _ about: String
  ) throws {
    var options = OpenOptions()
    options.createsIfMissing = false
    for isReadOnly in [true, false] {
      options.isReadOnly = isReadOnly
      do {
        let store = try kit.open([], at: place, options: options)
        try expectEqual(try store.models().map(\.name), ["Item", "Plain"], "\(about): a store that is not whole opens")
        try expectEqual(try store.records.fetch(in: "Item").count, 40, "\(about): a store that is not whole opens")
        try store.close()
      } catch let error as StorageError {
        // A file system that is only read shows the log of a process that was killed.
        let isHot = isReadOnly && [.io, .busy].contains(error.code)
        try expect(isHot || [.notFound, .schemaMismatch].contains(error.code), "\(about): \(error)")
      }
    }
  }
}
