import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryDump
import Synchronization

/// Stores that are mended.
enum RepairCases {
  private static func repair(
    _ name: String, _ summary: String, without: Set<ConformanceVariant> = [],
    _ body: @escaping @Sendable (ConformanceContext) async throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      "CARE.repair-\(name)", ["CARE-11"], summary, needs: [.check, .repair, .schemaCreateIndex, .schemaDropIndex],
      without: without, body)
  }

  static let all: [ConformanceCase] = sound + foreign + refused + [asynchronous]

  private static let asynchronous = ConformanceCase(
    "CARE.async", ["CARE-1", "CARE-4", "CARE-11"], "The asynchronous forms do the same.",
    needs: [.check, .repair, .compact, .schemaCreateIndex, .schemaDropIndex]
  ) { kit in
    guard let (store, _) = try damaged(kit) else { return }
    let defects = try await store.check()
    try expect(!defects.isEmpty, "the check finds nothing")
    let report = try await store.repair(keeping: RowKeeper())
    try expectEqual(report.removedRows, 1)
    try expectEqual(report.defects, defects)
    try await store.compact()
    let (remaining, items) = (try await store.check(), try await store.fetch(Item.all))
    try expectEqual(remaining, [])
    try expectEqual(items, (0..<40).map { Item($0, rank: $0 % 3) })
    try await store.write { tx in
      try expectError(.reentrant) { try store.compact() }
      try expectError(.reentrant) { try store.repair(keeping: RowKeeper()) }
    }
    let task = Task.ofCase {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await store.check()
    }
    do {
      _ = try await task.value
      throw ConformanceFailure(message: "the check of a cancelled task began", file: #fileID, line: #line)
    } catch is CancellationError {}
  }

  /// A store of items with rows that cannot be read; nil where the backend refuses such rows.
  private static func damaged(
    _ kit: ConformanceContext, rows numbers: [Int] = [500]
  ) throws -> (store: Store, rows: [[UInt8]])? {
    let place = KeptPlace(try kit.makePlace())
    let store = try kit.open([Item.self], at: place)
    try store.insert(contentsOf: (0..<40).map { Item($0, rank: $0 % 3) })
    let layout = RowLayout(try store.models()[0])
    var rows: [[UInt8]] = []
    for number in numbers {
      let writer = RowWriter(layout)
      writer.begin()
      try writer.set(layout.slots[0], value: .int(Int64(number)))
      try writer.set(layout.slots[1], value: .string("marker\(number)"))
      try writer.set(layout.slots[3], value: .string("n"))
      try writer.set(layout.slots[4], value: .double(0))
      try writer.set(layout.slots[6], value: .array([]))
      var bytes = Array(try writer.finish())
      for place in bytes.indices where bytes[place...].starts(with: Array("marker".utf8)) { bytes[place] = 0xFF }
      if try ForeignRowCases.insert(bytes, into: try unwrap(place.backend)) { return nil }
      rows.append(bytes)
    }
    return try store.check().isEmpty ? nil : (store, rows)
  }

  private static func expectWhole(_ store: Store) throws {
    try expectEqual(try store.check(), [])
    let model = try unwrap(store.models().first)
    let indexes = model.indexes.map { index in
      (index.isUnique ? "unique " : "") + index.columns.map { model.properties[$0.slot].name }.joined(separator: ",")
    }
    try expectEqual(indexes.sorted(), ["name,score", "rank", "unique code"], "the indexes")
    try expectEqual(try store.fetch(Item.all), (0..<40).map { Item($0, rank: $0 % 3) })
    for rank in 0..<3 {
      try expectEqual(
        try store.fetch(Item.where { $0.rank == rank }).map(\.id), (0..<40).filter { $0 % 3 == rank }, "rank \(rank)")
    }
    try expectError(.uniqueViolation) { try store.insert(Item(900, code: "c7")) }
    try store.insert(Item(900))
    try store.delete(Item.self, 900)
  }

  // MARK: Nothing to do

  private static let sound: [ConformanceCase] = [
    repair("sound", "A sound store is left as it is.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(contentsOf: (0..<40).map { Item($0, rank: $0 % 3) })
      let version = try store.read { try $0.version }
      let keeper = RowKeeper()
      let report = try store.repair(keeping: keeper)
      try expectEqual(report.defects + report.actions + report.remaining, [])
      try expectEqual(report.removedRows, 0)
      try expect(!keeper.isFinished && keeper.rows.isEmpty)
      try expectEqual(try store.read { try $0.version }, version)
      try CopyScene.inFolder { path in
        _ = try store.repair(quarantine: path)
        try expect(!FileManager.default.fileExists(atPath: path), "a file for nothing")
      }
      try expectWhole(store)
    },
    repair("empty", "A store without objects, or without models, is sound.") { kit in
      try expectEqual(try kit.store(Item.self).repair(keeping: RowKeeper()).defects, [])
      try expectEqual(try kit.open([], at: kit.makePlace()).repair(keeping: RowKeeper()).defects, [])
    },
  ]

  // MARK: Rows that cannot be read

  private static let foreign: [ConformanceCase] = [
    repair("row", "A row that cannot be read is kept as it is, and taken out; all others stay.") { kit in
      guard let (store, rows) = try damaged(kit) else { return }
      let keeper = RowKeeper()
      let report = try store.repair(keeping: keeper)
      try expect(!report.defects.isEmpty)
      try expectEqual(report.removedRows, 1)
      try expectEqual(report.remaining, [])
      try expect(report.actions.contains { $0.contains("Item") && $0.contains("taken out") }, "\(report.actions)")
      try expect(report.actions.contains { $0.contains("code") && $0.contains("rebuilt") }, "\(report.actions)")
      try expect(keeper.isFinished)
      let kept = try unwrap(keeper.rows.first)
      try expectEqual(keeper.rows.count, 1)
      try expectEqual([kept.model, kept.key], ["Item", "500"])
      if case .bytes(let bytes) = kept.content { try expectEqual(bytes, rows[0]) }
      try expectWhole(store)
      try expectEqual(try store.repair(keeping: RowKeeper()).defects, [])
    },
    repair("rows", "Many such rows are taken out, between others.") { kit in
      guard let (store, rows) = try damaged(kit, rows: (0..<150).map { $0 * 2 - 1_000 }) else { return }
      let keeper = RowKeeper()
      let report = try store.repair(keeping: keeper)
      try expectEqual(report.removedRows, rows.count)
      try expectEqual(keeper.rows.map(\.key), (0..<150).map { "\($0 * 2 - 1_000)" })
      try expectEqual(report.remaining, [])
      try expectWhole(store)
    },
    repair("file", "The file of a repair has each row that was taken out, and replaces nothing.") { kit in
      guard let (store, rows) = try damaged(kit, rows: [500, 501]) else { return }
      try CopyScene.inFolder { path in
        try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
        try expectError(.inUse) { try store.repair(quarantine: path) }
        try expectEqual(try Data(contentsOf: URL(fileURLWithPath: path)), Data("mine".utf8))
        try expect(try !store.check().isEmpty)
        try FileManager.default.removeItem(atPath: path)
        _ = try store.repair(quarantine: path)
        let lines = try String(contentsOf: URL(fileURLWithPath: path), encoding: .utf8).split(separator: "\n")
        try expectEqual(lines.count, 2)
        for (line, row) in zip(lines, rows) {
          try expect(line.hasPrefix("{\"model\":\"Item\",\"key\":\"50"), "\(line)")
          try expect(
            line.contains(Data(row).base64EncodedString()) || line.contains("\"columns\":"), "\(line)")
        }
      }
      try expectWhole(store)
    },
  ]

  // MARK: Refusals

  private static let refused: [ConformanceCase] = [
    repair("keeper-throws", "What the keeper throws comes out, and the store is as it was.") { kit in
      for keeper in [RowKeeper(refusesAt: 0), RowKeeper(refusesAt: 1), RowKeeper(refusesEnd: true)] {
        guard let (store, _) = try damaged(kit, rows: [500, 501]) else { return }
        let before = try store.check()
        let version = try store.read { try $0.version }
        try expectThrows(RowKeeper.Refuses.self) { try store.repair(keeping: keeper) }
        try expectEqual(try store.check(), before)
        try expectEqual(try store.read { try $0.version }, version)
        try expectEqual(try store.repair(keeping: RowKeeper()).removedRows, 2)
        try expectWhole(store)
      }
    },
    repair("inside", "Inside a transaction a repair is reentrant.") { kit in
      let store = try kit.store(Item.self)
      _ = try store.read { _ in try expectError(.reentrant) { try store.repair(keeping: RowKeeper()) } }
      try store.write { _ in _ = try expectError(.reentrant) { try store.repair(keeping: RowKeeper()) } }
    },
    repair("closed", "A store that was closed is not repaired.") { kit in
      let store = try kit.store(Item.self)
      try store.close()
      try expectError(.closed) { try store.repair(keeping: RowKeeper()) }
    },
    ConformanceCase(
      "CARE.repair-read-only", ["CARE-11", "OPEN-2"], "A store that is opened for reading is not repaired.",
      needs: [.check, .repair, .openReadOnly], requiresPersistence: true
    ) { kit in
      let place = try kit.makePlace()
      try kit.open([Item.self], at: place).close()
      var options = OpenOptions()
      options.isReadOnly = true
      let store = try kit.open([Item.self], at: place, options: options)
      try expectError(.readOnly) { try store.repair(keeping: RowKeeper()) }
    },
  ]
}
