import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Stores on ordered trees of which entries were changed, so that rows, indexes and counts do not fit together: what a check
/// names, and what a repair makes of it.
enum TreeDamageCases {
  private static func damaged(
    _ name: String, _ clauses: [String], _ summary: String, needs: Set<Capability> = [],
    _ body: @escaping @Sendable (ConformanceContext) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      "CARE.\(name)", clauses, summary, needs: needs.union([.check]), without: ConformanceVariant.allButFresh, body)
  }

  private static let items = (0..<40).map { Item($0, rank: $0 % 3) }

  /// A store of the items; nil on an engine of another kind.
  private static func scene(_ kit: ConformanceContext) throws -> TreeScene? {
    guard let scene = try TreeScene(kit, Item.self) else { return nil }
    try scene.store.insert(contentsOf: items)
    try expectEqual(try scene.store.check(), [])
    return scene
  }

  private static func model(_ scene: TreeScene) throws -> ModelSchema {
    try unwrap(scene.store.models().first, "the model")
  }

  /// The index over one property alone, and its entries.
  private static func index(
    _ scene: TreeScene, of property: String
  ) throws -> (index: IndexSchema, entries: [(key: [UInt8], value: [UInt8])]) {
    let model = try model(scene)
    let slot = model.properties.firstIndex { $0.name == property }
    let found = try unwrap(model.indexes.first { $0.columns.map(\.slot) == [slot] }, "the index of \(property)")
    return (found, try scene.entries(found.id))
  }

  private static func expectNamed(
    _ defects: [String], _ words: String..., file: String = #fileID, line: Int = #line
  ) throws {
    try expect(
      defects.contains { defect in words.allSatisfy { defect.contains($0) } },
      "no defect has \(words.joined(separator: " and ")): \(defects)", file: file, line: line)
  }

  static let all: [ConformanceCase] = [
    damaged(
      "entry-of-another-value", ["CARE-2", "CARE-11"],
      "A check names an entry of an index for a value that its row does not have, and a repair takes it out.",
      needs: [.repair, .schemaCreateIndex, .schemaDropIndex]
    ) { kit in
      for property in ["rank", "code"] {
        guard let scene = try scene(kit) else { return }
        let (index, entries) = try index(scene, of: property)
        // One more entry behind all others, which leads to the row of the first.
        var key = try unwrap(entries.last).key
        key[key.count - 1] += 1
        try scene.set(index.id, key, to: try unwrap(entries.first).value)
        let defects = try scene.store.check()
        try expectNamed(defects, "Item", index.name, "leads to 0")
        try expectEqual(try scene.store.repair(keeping: RowKeeper()).remaining, [])
        try expectEqual(try scene.store.check(), [])
        try expectEqual(try scene.store.fetch(Item.all), items)
      }
    },
    damaged(
      "entry-of-another-row", ["CARE-2", "CARE-11"],
      "A check names the row whose entry of an index leads to another row, and a repair mends it.",
      needs: [.repair, .schemaCreateIndex, .schemaDropIndex]
    ) { kit in
      guard let scene = try scene(kit) else { return }
      let (index, entries) = try index(scene, of: "code")
      // In the order of the codes, c0, c1 and c10 are the first.
      try scene.set(index.id, entries[1].key, to: entries[2].value)
      let defects = try scene.store.check()
      try expectNamed(defects, "key 1, index \(index.name)")
      try expectNamed(defects, index.name, "leads to 10, which")
      try expectEqual(try scene.store.repair(keeping: RowKeeper()).remaining, [])
      try expectEqual(try scene.store.check(), [])
      try expectEqual(try scene.store.keys(Item.where { $0.code == "c1" }), [1])
    },
    damaged(
      "entry-missing", ["CARE-2", "CARE-11"],
      "A check names the row that an index lacks, and a repair gives the index its entry.",
      needs: [.repair, .schemaCreateIndex, .schemaDropIndex]
    ) { kit in
      guard let scene = try scene(kit) else { return }
      let (index, entries) = try index(scene, of: "rank")
      try scene.set(index.id, try unwrap(entries.last).key, to: nil)
      try expectNamed(try scene.store.check(), "key 38, index \(index.name)")
      try expectEqual(try scene.store.repair(keeping: RowKeeper()).remaining, [])
      try expectEqual(try scene.store.check(), [])
      try expectEqual(try scene.store.fetch(Item.where { $0.rank == 2 }), items.filter { $0.rank == 2 })
    },
    damaged(
      "row-under-another-key", ["CARE-2", "CARE-11"],
      "A check names a row that is stored under another key than its own, and a repair hands it over and takes it out.",
      needs: [.repair, .schemaCreateIndex, .schemaDropIndex]
    ) { kit in
      guard let scene = try scene(kit) else { return }
      let model = try model(scene)
      let rows = try scene.entries(model.id.rawValue)
      try scene.set(model.id.rawValue, rows[7].key, to: rows[11].value)
      try expectNamed(try scene.store.check(), "Item", "key 7", "11")
      let keeper = RowKeeper()
      let report = try scene.store.repair(keeping: keeper)
      try expectEqual(report.removedRows, 1)
      try expectEqual(report.remaining, [])
      let kept = try unwrap(keeper.rows.first, "the row that was handed over")
      try expectEqual([kept.model, kept.key], ["Item", "7"])
      if case .bytes(let bytes) = kept.content { try expectEqual(bytes, rows[11].value) }
      try expect(keeper.isFinished)
      try expectEqual(try scene.store.check(), [])
      try expectEqual(try scene.store.fetch(Item.all), items.filter { $0.id != 7 })
    },
    damaged(
      "counts", ["CARE-2"], "A check names the models and indexes of which the engine counts more than there is."
    ) { kit in
      let place = TwistedTrees(kit.undecorated(try kit.makePlace()), .init(excess: 1))
      let store = try kit.open([Item.self], at: place)
      try store.insert(contentsOf: items)
      guard place.isTwisted else { return }
      let model = try unwrap(store.models().first)
      let defects = try store.check()
      try expectNamed(defects, "model Item", "40 rows, which are counted as 4")
      for index in model.indexes {
        try expectNamed(defects, "index \(index.name)", "40 entries, which are counted as 4")
      }
    },
  ]
}
