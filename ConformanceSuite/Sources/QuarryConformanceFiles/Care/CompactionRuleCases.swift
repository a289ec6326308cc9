import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery
import Synchronization

/// Compaction as a store is opened, where a rule of the program's says so.
enum CompactionRuleCases {
  static let all: [ConformanceCase] = [
    asked, compacts, declines, once, newStore, readOnly, afterMigration, busy, beside, never, failedOpening, kept,
    linked.ofFiles(),
  ]

  /// Notes what a rule was asked with, and answers always the same.
  private final class Asked: Sendable {
    private let figures = Mutex<[(total: Int, used: Int)]>([])
    private let answer: Bool

    init(_ answer: Bool) {
      self.answer = answer
    }

    var all: [(total: Int, used: Int)] { figures.withLock { $0 } }

    var options: OpenOptions {
      var options = OpenOptions()
      options.compaction = .when { [self] total, used in
        figures.withLock { $0.append((total, used)) }
        return answer
      }
      return options
    }
  }

  private static func rule(
    _ name: String, _ summary: String, needs: Set<Capability> = [], within limit: Duration = .seconds(30),
    file: String = #fileID, line: Int = #line, _ body: @escaping @Sendable (ConformanceContext) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      "CARE.rule-\(name)", ["CARE-10"], summary, needs: needs.union([.compact, .check, .statistics]),
      requiresPersistence: true, without: [.insideTransaction], within: limit, file: file, line: line, body)
  }

  private static let items = (0..<1_500).map { Item($0, rank: $0 % 7, name: String(repeating: "n", count: 90)) }

  /// A closed store of which nine tenths were deleted.
  private static func emptied(_ kit: ConformanceContext) throws -> any BackendProvider {
    let place = try kit.makePlace()
    let store = try kit.open([Item.self], at: place)
    try store.insert(contentsOf: items)
    try store.delete(Item.where { $0.id >= 150 })
    try store.insert(Item(5_000))
    try store.close()
    return place
  }

  private static func expectWhole(_ store: Store) throws {
    try expectEqual(try store.fetch(Item.all), Array(items.prefix(150)) + [Item(5_000)])
    try expectEqual(try store.check(), [])
  }

  private static let asked = rule("asked", "A rule is asked with the bytes of the files and those in use.") { kit in
    let place = try emptied(kit)
    let asked = Asked(false)
    let store = try kit.open([Item.self], at: place, options: asked.options)
    let (total, used) = try unwrap(asked.all.first, "what the rule was asked with")
    try expect(used > 0 && used <= total, "\(used) of \(total) bytes are in use")
    try expect(used * 2 < total, "\(used) of \(total) bytes are in use after nine of ten objects went")
    let statistics = try store.statistics()
    let (bytes, free) = (try unwrap(statistics.bytes, "bytes"), try unwrap(statistics.freeBytes, "free bytes"))
    // The files of a log and its index come and go.
    try expect(abs(bytes - total) <= 1 << 17, "\(bytes) bytes, and the rule was asked with \(total)")
    try expect(abs(bytes - free - used) <= 1 << 17, "\(bytes - free) in use, and the rule was asked with \(used)")
    try expectWhole(store)
  }

  private static let compacts = rule("compacts", "Where it says so, the store is compacted, and the report says it.") {
    kit in
    let place = try emptied(kit)
    let store = try kit.open([Item.self], at: place, options: Asked(true).options)
    let done = try unwrap(store.openingReport.compacted, "the report of the compaction")
    try expect(done.bytesAfter * 2 < done.bytesBefore, "\(done.bytesBefore) bytes have become \(done.bytesAfter)")
    try expect(
      store.openingReport.notes.contains { $0.contains("\(done.bytesBefore)") && $0.contains("\(done.bytesAfter)") },
      "\(store.openingReport.notes)")
    try expectWhole(store)
    try store.insert(Item(6_000))
    try store.close()
    let again = try kit.open([Item.self], at: place)
    try expectEqual(again.openingReport.compacted, nil)
    try expectEqual(try again.count(Item.all), 152)
  }

  private static let declines = rule("declines", "Where it does not, nothing is done.") { kit in
    let place = try emptied(kit)
    let store = try kit.open([Item.self], at: place, options: Asked(false).options)
    try expectEqual(store.openingReport.compacted, nil)
    try expectEqual(store.openingReport.notes, [])
    try expectWhole(store)
    let free = try unwrap(try store.statistics().freeBytes, "free bytes")
    try expect(free > 50_000, "\(free) bytes are free in a store that was not compacted")
  }

  private static let once = rule("once", "It is asked once for each opening, and not when the store is used.") { kit in
    let place = try emptied(kit)
    let asked = Asked(true)
    let store = try kit.open([Item.self], at: place, options: asked.options)
    try expectEqual(asked.all.count, 1)
    try store.insert(Item(6_000))
    try store.compact()
    try expectEqual(asked.all.count, 1)
    try store.close()
    try kit.open([Item.self], at: place, options: asked.options).close()
    try expectEqual(asked.all.count, 2)
    let (first, second) = (asked.all[0], asked.all[1])
    try expect(second.total < first.total, "\(first.total) bytes, and \(second.total) after a compaction")
  }

  private static let newStore = rule("new", "A new store is asked for, too, and may be compacted.") { kit in
    let place = try kit.makePlace()
    let asked = Asked(true)
    let store = try kit.open([Item.self], at: place, options: asked.options)
    try expectEqual(asked.all.count, 1)
    try store.insert(Item(1))
    try expectEqual(try store.fetch(Item.all), [Item(1)])
    try expectEqual(try store.check(), [])
  }

  private static let readOnly = rule("read-only", "Opened for reading, it is not asked.", needs: [.openReadOnly]) {
    kit in
    let place = try emptied(kit)
    let asked = Asked(true)
    var options = asked.options
    options.isReadOnly = true
    let store = try kit.open([Item.self], at: place, options: options)
    try expectEqual(asked.all.count, 0)
    try expectEqual(store.openingReport.compacted, nil)
    try expectWhole(store)
  }

  private static let afterMigration = rule(
    "after-migration", "It is asked after the store was brought to the models, with what that made free.",
    needs: [.schemaDropModel]
  ) { kit in
    let title = ModelSchema.migrating("Title", .string("name"))
    let other = ModelSchema.migrating("Other", .int("number"))
    let place = try kit.makePlace()
    let first = try kit.open(program: [title, other], at: place)
    try first.write { tx in
      try tx.records.insert(
        into: "Title",
        (0..<1_500).map { Record(["id": .int(Int64($0)), "name": .string(String(repeating: "n", count: 120))]) })
      try tx.records.insert(into: "Other", [Record(["id": .int(1), "number": .int(2)])])
    }
    try first.compact()
    try first.close()
    let asked = Asked(true)
    let store = try kit.open(program: [other], at: place, options: asked.options, migration: .dropping("Title"))
    let (total, used) = try unwrap(asked.all.first, "what the rule was asked with")
    try expect(used * 2 < total, "\(used) of \(total) bytes are in use after the larger model was dropped")
    try expect(store.openingReport.compacted != nil, "the store was not compacted")
    try expect(!store.openingReport.schemaChanges.isEmpty, "the report has lost the changes of the schema")
    try expectEqual(
      try store.read { try $0.records.fetch(QueryTree(model: "Other")) }, [Record(["id": .int(1), "number": .int(2)])])
  }

  private static let busy = rule("busy", "Where a writer holds it off, opening goes on without.") { kit in
    let place = try emptied(kit)
    let first = try kit.open([Item.self], at: place)
    var options = Asked(true).options
    options.busyTimeout = 0.1
    let given = options
    try first.write { tx in
      try tx.insert(Item(7_000))
      try onAnotherThread {
        let store = try Store(models: [Item.self], in: place, options: given)
        defer { try? store.close() }
        try expectEqual(store.openingReport.compacted, nil)
        try expectEqual(try store.count(Item.all), 151)
      }
    }
    try expectEqual(try first.count(Item.all), 152)
  }

  private static let beside = ConformanceCase.shared(
    "CARE.rule-beside-process", ["CARE-10", "CARE-9"],
    "Where another process has the store open, opening with a rule is no error, and both go on.",
    needs: [.compact, .check, .statistics]
  ) { scene in
    try scene.store.close()
    let asked = Asked(true)
    let store = try scene.kit.open([Item.self], at: scene.place, options: asked.options)
    try expectEqual(asked.all.count, 1)
    try scene.child.ask("insert 4")
    try expectEqual(try store.keys(Item.all), [1, 2, 3, 4])
    try store.insert(Item(5))
    try scene.child.expect("ids", "1 2 3 4 5")
    try expectEqual(try store.check(), [])
  }

  private static let never = ConformanceCase(
    "CARE.rule-not-offered", ["CARE-10"],
    "On an engine without compaction opening goes on, and the rule is not asked; on others it is."
  ) { kit in
    let asked = Asked(true)
    let store = try kit.open([Item.self], at: kit.makePlace(), options: asked.options)
    let isOffered = kit.manifest.capabilities[.compact]?.isSupported == true
    try expectEqual(asked.all.count, isOffered ? 1 : 0)
    try expectEqual(store.openingReport.compacted != nil, isOffered)
    try store.insert(Item(1))
    try expectEqual(try store.fetch(Item.all), [Item(1)])
  }

  private static let failedOpening = rule("failed", "Where opening is refused, it is not asked.") { kit in
    let place = try kit.makePlace()
    let first = try kit.open(program: [.migrating("Book", .string("title"))], at: place)
    try first.close()
    let asked = Asked(true)
    try expectError(.schemaMismatch) {
      try kit.open(program: [.migrating("Book", .int("title"))], at: place, options: asked.options)
    }
    try expectEqual(asked.all.count, 0)
  }

  private static let linked = rule(
    "linked", "Where a file has other names, opening goes on, and these are not left with older content."
  ) { kit in
    let place = try emptied(kit)
    try CopyScene.inFolder { path in
      let names = try kit.files(at: place).enumerated().map { number, file in
        try FileManager.default.linkItem(atPath: file, toPath: path + "\(number)")
        return (file: file, other: path + "\(number)")
      }
      let store = try kit.open([Item.self], at: place, options: Asked(true).options)
      try expectWhole(store)
      try store.insert(Item(6_000))
      try store.close()
      for (file, other) in names {
        let (bytes, others) = try (
          Data(contentsOf: URL(fileURLWithPath: file)), Data(contentsOf: URL(fileURLWithPath: other))
        )
        try expect(bytes == others, "the other name of \(file) has other content")
      }
    }
    try expectEqual(try kit.open([Item.self], at: place).count(Item.all), 152)
  }

  private static let kept = rule("snapshots", "What is open elsewhere sees what it saw.", needs: [.snapshots]) { kit in
    let place = try emptied(kit)
    let first = try kit.open([Item.self], at: place)
    let frozen = try first.freeze()
    defer { frozen.close() }
    try first.delete(Item.all)
    let second = try kit.open([Item.self], at: place, options: Asked(true).options)
    try expectEqual(try frozen.count(Item.all), 151)
    try second.insert(Item(1))
    try expectEqual(try first.keys(Item.all), [1])
    try expectEqual(try frozen.fetch(Item.where { $0.id < 150 }), Array(items.prefix(150)))
  }
}
