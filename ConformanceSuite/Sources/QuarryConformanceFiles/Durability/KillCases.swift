import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Processes that are killed at any moment, at moments that a seed chooses. After each kill every commit that was
/// acknowledged is there whole, at most the one that was under way besides, and no other in part.
enum KillCases {
  static let all: [ConformanceCase] = loops + moments

  /// What a process that was killed had said.
  private struct Killed {
    /// The last commit that it acknowledged, or found; nil when it was killed before it said anything.
    var acknowledged: Int?
    /// Whether it was killed before the store was open.
    var isEarly: Bool
  }

  /// Starts a loop of commits and kills it.
  ///
  /// - Parameters:
  ///   - loop: What the process is told after it opened the store.
  ///   - isEarly: Whether the time begins at the start of the process, not when it has the store open.
  ///   - microseconds: How long it is let run.
  private static func runAndKill(
    _ kit: ConformanceContext, _ place: any BackendProvider, _ models: String, _ loop: String, isEarly: Bool,
    after microseconds: UInt32
  ) throws -> Killed {
    let child = try kit.startSecondProcess(at: place)
    child.tell("open \(models)")
    child.tell(loop)
    // Otherwise it is killed while it starts, and nothing of it is tried.
    try child.expectGreeting()
    var said: Int?
    if !isEarly {
      try child.answer(to: "open")
      said = Int(try child.answer(to: loop))
    }
    usleep(microseconds)
    child.kill()
    let last = try child.remainingLines().last
    return Killed(acknowledged: last.flatMap { Int($0) } ?? said, isEarly: isEarly)
  }

  /// Kills loops of commits at one place, and looks after each.
  private static func killBatches(
    _ kit: ConformanceContext, _ kills: Int, seed: Int, loop: String = "batches", early: Int, within window: UInt32
  ) throws {
    var random = kit.random(seed)
    let place = try kit.makePlace()
    var last = 0
    for kill in 0..<kills {
      let isEarly = Int.random(in: 0..<4, using: &random) < early
      let delay = UInt32.random(in: 0...window, using: &random)
      let killed = try runAndKill(kit, place, "batch", loop, isEarly: isEarly, after: delay)
      let acknowledged = killed.acknowledged ?? last
      let about = "after kill \(kill) of seed \(kit.seed), \(delay) µs"
      try expect(acknowledged >= last, "\(about): a process found commit \(acknowledged) where \(last) was")
      let store = try kit.open(BatchWorkload.models, at: place)
      let found = try BatchWorkload.verify(store, about)
      try expect(
        [acknowledged, acknowledged + 1].contains(found), "\(about): found \(found), acknowledged \(acknowledged)")
      try store.close()
      last = found
    }
  }

  private static let loops: [ConformanceCase] = [
    .processes(
      "DUR.killed-commits", ["DUR-1", "DUR-2"],
      "Killed between and during commits, a process leaves every commit that it acknowledged, and no half one.",
      within: .seconds(120)
    ) { try killBatches($0, $0.kills, seed: 1, early: 0, within: 20_000) },
    .processes(
      "DUR.killed-crowds", ["DUR-1", "DUR-2", "TXN-11", "TXN-12"],
      "Killed while its threads share commits, a process leaves all that was acknowledged, and nothing that was undone.",
      within: .seconds(120)
    ) { kit in
      var random = kit.random(6)
      let place = try kit.makePlace()
      let threads = 6
      let loop = "crowd \(threads)"
      var last = 0
      for kill in 0..<kit.kills {
        let delay = UInt32.random(in: 0...20_000, using: &random)
        let about = "after kill \(kill) of seed \(kit.seed), \(delay) µs"
        let child = try kit.startSecondProcess(at: place)
        child.tell("open batch")
        child.tell(loop)
        try child.expectGreeting()
        try child.answer(to: "open")
        let begin = try unwrap(Int(try child.answer(to: loop)))
        usleep(delay)
        child.kill()
        let said = try child.remainingLines()
        for line in said { try expect(Int(line) != nil, "\(about): \(line)") }
        let acknowledged = said.compactMap { Int($0) }.max() ?? begin
        try expectEqual(begin, last, "\(about): what it found")
        let store = try kit.open(BatchWorkload.models, at: place)
        last = try BatchWorkload.verify(store, about)
        try expect(
          last >= acknowledged && last <= acknowledged + threads,
          "\(about): found \(last), acknowledged \(acknowledged)")
        try store.close()
      }
    },
    .processes(
      "DUR.killed-openings", ["DUR-1", "DUR-3"],
      "Killed while they open what the one before left, processes leave a store that opens.", within: .seconds(120)
    ) { try killBatches($0, $0.kills, seed: 2, early: 3, within: 10_000) },
    .processes(
      "DUR.killed-compactions", ["DUR-1", "DUR-2", "CARE-4"],
      "Killed while it compacts between commits, a process leaves what was committed.", needs: [.compact],
      within: .seconds(120)
    ) { try killBatches($0, $0.kills, seed: 3, loop: "batches compact", early: 0, within: 20_000) },
    .processes(
      "DUR.killed-creations", ["DUR-3"], "Killed while it makes a store, a process leaves one that opens, or nothing.",
      within: .seconds(120)
    ) { kit in
      var random = kit.random(4)
      for kill in 0..<kit.kills {
        let place = try kit.makePlace()
        let delay = UInt32.random(in: 0...6_000, using: &random)
        let killed = try runAndKill(kit, place, "batch", "batches", isEarly: true, after: delay)
        let about = "kill \(kill) of seed \(kit.seed), \(delay) µs"
        let store = try kit.open(BatchWorkload.models, at: place)
        let (found, acknowledged) = (try BatchWorkload.verify(store, about), killed.acknowledged ?? 0)
        try expect(
          [acknowledged, acknowledged + 1].contains(found), "\(about): found \(found), acknowledged \(acknowledged)")
        try store.close()
      }
    },
    .processes(
      "DUR.killed-recoveries", ["DUR-1", "DUR-2", "DUR-3"],
      "Each of several processes is killed while it recovers what the one before left: nothing that was acknowledged goes.",
      within: .seconds(120)
    ) { kit in
      var random = kit.random(5)
      for round in 0..<max(1, kit.kills / 4) {
        let place = try kit.makePlace()
        var acknowledged = 0
        let nested = 5
        for depth in 0..<nested {
          let delay = UInt32.random(in: 0...(depth == 0 ? 40_000 : 6_000), using: &random)
          let killed = try runAndKill(kit, place, "batch", "batches", isEarly: depth > 0, after: delay)
          acknowledged = max(acknowledged, killed.acknowledged ?? 0)
        }
        let store = try kit.open(BatchWorkload.models, at: place)
        let found = try BatchWorkload.verify(store, "round \(round) of seed \(kit.seed)")
        // Each may have had one commit under way.
        try expect(
          acknowledged...acknowledged + nested ~= found, "round \(round): found \(found), acknowledged \(acknowledged)")
        try store.close()
      }
    },
    .processes(
      "DUR.killed-statements", ["DUR-2", "STMT-1"],
      "Killed while statements change all objects, a process leaves them all as one statement made them.",
      needs: [.updateWhere], within: .seconds(120)
    ) { kit in
      var random = kit.random(6)
      let place = try kit.makePlace()
      let first = try kit.open([Item.self], at: place)
      try first.insert(contentsOf: (0..<300).map { Item($0) })
      try first.close()
      for kill in 0..<kit.kills {
        let bytes = [10, 200, 3000].randomElement(using: &random) ?? 10
        let delay = UInt32.random(in: 0...20_000, using: &random)
        let killed = try runAndKill(kit, place, "item", "rewrite \(bytes)", isEarly: false, after: delay)
        let about = "kill \(kill) of seed \(kit.seed)"
        let store = try kit.open([Item.self], at: place)
        let items = try store.fetch(Item.all)
        try expectEqual(items.map(\.id), Array(0..<300), about)
        let names = Set(items.map(\.name))
        try expectEqual(names.count, 1, "\(about): the names of all items are \(names.prefix(3))")
        let round = try unwrap(names.first.flatMap { Int($0.dropFirst()) }, about)
        let acknowledged = try unwrap(killed.acknowledged, about)
        try expect([acknowledged, acknowledged + 1].contains(round), "\(about): \(round) after \(acknowledged)")
        try expect(items.allSatisfy { $0.note == String(repeating: "\(round % 10)", count: bytes) }, "\(about): notes")
        try expectEqual(try store.keys(Item.where { $0.name == "r\(round)" }).count, 300, about)
        try expectSound(store, about)
        try store.close()
      }
    },
    .processes(
      "DUR.killed-schema-changes", ["DUR-2", "IDX-4"],
      "Killed while it adds and removes an index, a process leaves a schema and its indexes whole.",
      needs: [.schemaCreateIndex, .schemaDropIndex, .updateWhere], within: .seconds(120)
    ) { kit in
      var random = kit.random(7)
      let place = try kit.makePlace()
      let model = ModelSchema(
        name: "Thing",
        properties: [
          PropertySchema(name: "id", type: .int64), PropertySchema(name: "name", type: .string),
          PropertySchema(name: "rank", type: .int64),
        ], primaryKey: 0, indexes: [IndexSchema(name: "name", columns: [.init(slot: 1)], isUnique: true)])
      let first = try kit.open([], at: place)
      try first.write { tx in
        try tx.apply(.createModel(model))
        try tx.records.insert(
          into: "Thing",
          (0..<100).map { Record(["id": .int(Int64($0)), "name": .string("n\($0)"), "rank": .int(0)]) })
      }
      try first.close()
      for kill in 0..<kit.kills {
        let delay = UInt32.random(in: 0...20_000, using: &random)
        let killed = try runAndKill(kit, place, "none", "indexes", isEarly: false, after: delay)
        let about = "kill \(kill) of seed \(kit.seed)"
        let acknowledged = try unwrap(killed.acknowledged, about)
        let store = try kit.open([], at: place)
        try store.read { tx in
          let ranks = Set(try tx.records.fetch(QueryTree(model: "Thing")).map { $0["rank"] })
          try expectEqual(ranks.count, 1, "\(about): the ranks \(ranks)")
          guard case .int(let rank)? = ranks.first ?? nil else {
            throw ConformanceFailure(message: "\(about): no rank", file: #fileID, line: #line)
          }
          try expect([acknowledged, acknowledged + 1].contains(Int(rank)), "\(about): \(rank) after \(acknowledged)")
          let query = QueryTree(model: "Thing", predicate: .compare(.named("rank"), .equal, .value(.int(rank))))
          try expectEqual(try tx.records.count(query), 100, about)
        }
        try expectSound(store, about)
        try store.close()
      }
    },
  ]

  private static func expectSound(_ store: Store, _ about: String) throws {
    if store.manifest.capabilities[.check]?.isSupported == true { try expectEqual(try store.check(), [], about) }
  }

  private static let moments: [ConformanceCase] = [
    .processes("DUR.killed-idle", ["DUR-1"], "Killed after commits of every size, a process leaves them all.") { kit in
      let place = try kit.makePlace()
      var count = 0
      for (number, size) in [1, 10, 100, 1000].enumerated() {
        let child = try kit.secondProcess(at: place, "open item")
        try child.ask("insert-many \(count) \(size) \(number * 300)")
        child.kill()
        count += size
        let store = try kit.open([Item.self], at: place)
        try expectEqual(try store.keys(Item.all), Array(0..<count))
        try expectSound(store, "\(count) items")
        try store.close()
      }
    },
    .processes(
      "DUR.killed-transaction", ["DUR-2", "TXN-1"], "Killed inside a transaction, a process leaves nothing of it."
    ) { kit in
      let place = try kit.makePlace()
      let child = try kit.secondProcess(at: place, "open item", "insert 1 1 old", "insert 2 2 old")
      for command in ["write", "insert 3", "delete 1", "rename-all new", "insert-many 100 3000 1000"] {
        try child.ask(command)
      }
      child.kill()
      let store = try kit.open([Item.self], at: place)
      try expectEqual(try store.fetch(Item.all), [Item(1, rank: 1, name: "old"), Item(2, rank: 2, name: "old")])
      try expectEqual(try store.keys(Item.where { $0.name == "new" }), [])
      try expectSound(store, "after the kill")
      try store.insert(Item(3))
    },
    .processes(
      "DUR.killed-savepoint", ["DUR-2", "TXN-3"],
      "A savepoint that was kept goes with its transaction when it is killed.",
      needs: [.savepoints]
    ) { kit in
      let place = try kit.makePlace()
      let child = try kit.secondProcess(at: place, "open item", "insert 1", "write", "savepoints 2")
      try child.expect("ids", "1 2")
      child.kill()
      let store = try kit.open([Item.self], at: place)
      try expectEqual(try store.keys(Item.all), [1])
      try store.close()
      let other = try kit.secondProcess(at: place, "open item", "write", "savepoints 2", "commit")
      other.kill()
      try expectEqual(try kit.open([Item.self], at: place).keys(Item.all), [1, 2])
    },
    .processes(
      "DUR.killed-schema-change", ["DUR-2", "SCH-1"],
      "A schema change that was not committed is gone with its process, and one that was is there."
    ) { kit in
      let place = try kit.makePlace()
      let child = try kit.secondProcess(at: place, "open item", "insert 1", "write", "create-model")
      child.kill()
      let store = try kit.open([Item.self], at: place)
      try expectEqual(try store.models().map(\.name), ["Item"])
      try store.close()
      let other = try kit.secondProcess(at: place, "open item", "create-model")
      other.kill()
      let again = try kit.open([Item.self], at: place)
      try expectEqual(Set(try again.models().map(\.name)), ["Item", ColumnTable.name])
      try expect(try again.read { try $0.records.count(QueryTree(model: ColumnTable.name)) } > 0)
      try expectSound(again, "after the kill")
    },
    .processes(
      "DUR.killed-reader", ["DUR-3", "OPEN-2"], "A process that only reads can be killed without a trace.",
      needs: [.openReadOnly]
    ) { kit in
      let place = try kit.makePlace()
      let first = try kit.open([Item.self], at: place)
      try first.insert(contentsOf: (0..<100).map { Item($0) })
      try first.close()
      func contents() throws -> [Data] {
        try kit.files(at: place).map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
      }
      let before = try contents()
      for _ in 0..<3 {
        let child = try kit.secondProcess(at: place, "open item readOnly", "read")
        try child.expect("named x", "0")
        child.kill()
      }
      try expect(try contents() == before, "a file has changed")
      try expectEqual(try kit.open([Item.self], at: place).count(Item.all), 100)
    },
    .processes("DUR.versions", ["DUR-1", "ISO-3"], "Versions go on after a kill where they were.") { kit in
      let place = try kit.makePlace()
      var last: UInt64 = 0
      for id in 1...4 {
        let child = try kit.secondProcess(at: place, "open item", "insert \(id)")
        let version = try unwrap(UInt64(try child.ask("version")), "the version")
        child.kill()
        try expect(version > last, "version \(version) after \(last)")
        let store = try kit.open([Item.self], at: place)
        let found = try store.read { try $0.version.rawValue }
        try expect(found >= version, "version \(found) after \(version)")
        try store.insert(Item(100 + id))
        last = try store.read { try $0.version.rawValue }
        try expect(last > version, "version \(last) after \(version)")
        try store.close()
      }
    },
  ]
}
