import QuarryBackend
import QuarryCore

/// What others see of a migration: snapshots, frozen objects, stores that are open, and processes that end.
enum MigrationStateCases {
  static let all: [ConformanceCase] = [frozenObjects, frozenStore, openElsewhere, twoAtOnce]

  private typealias First = Library.First.Book
  private typealias Second = Library.Second.Book

  private static let migration = Migration.to(2) { m in
    try m.transform(First.self, to: Second.self) { old in Second(id: old.id, title: old.title, year: Int32(old.id)) }
  }

  private static func stage(_ kit: ConformanceContext) throws -> (MigratingStore, Store) {
    let stage = try MigratingStore(kit)
    let store = try kit.open([First.self], at: stage.place)
    try store.insert(contentsOf: (1...100).map { First(id: $0, title: "t\($0)", year: "y") })
    return (stage, store)
  }

  private static let frozenObjects = ConformanceCase(
    "MIG.frozen-objects", ["MIG-9", "SNAP-3"], "Frozen objects stay what they were after their model was migrated.",
    requiresPersistence: true
  ) { kit in
    let (stage, store) = try stage(kit)
    let frozen = try store.frozen(First.where { $0.id <= 3 })
    try store.close()
    try kit.open([Second.self], at: stage.place, migration: migration).close()
    try expectEqual(try frozen.map { try $0.thawed() }, (1...3).map { First(id: $0, title: "t\($0)", year: "y") })
  }

  private static let frozenStore = ConformanceCase(
    "MIG.frozen-store", ["MIG-9", "SNAP-1"], "A frozen store of before sees the objects of before.",
    needs: [.snapshots], requiresPersistence: true
  ) { kit in
    let (stage, store) = try stage(kit)
    let frozen = try store.freeze()
    defer { frozen.close() }
    let second = try kit.open([Second.self], at: stage.place, migration: migration)
    try expectEqual(try second.count(Second.self), 100)
    try expectEqual(try frozen.count(First.where { $0.year == "y" }), 100)
    try expectEqual(try frozen.get(First.self, 7), First(id: 7, title: "t7", year: "y"))
  }

  private static let openElsewhere = ConformanceCase(
    "MIG.open-elsewhere", ["MIG-9", "SCH-2", "MP-4"],
    "A store that is open when its model is migrated is schemaMismatch from its next transaction on.",
    requiresPersistence: true
  ) { kit in
    let (stage, store) = try stage(kit)
    let second = try kit.open([Second.self], at: stage.place, migration: migration)
    try expectError(.schemaMismatch) { try store.fetch(First.self) }
    try expectError(.schemaMismatch) { try store.insert(First(id: 1000, title: "x", year: "y")) }
    try expectEqual(try second.count(Second.self), 100)
    try expectEqual(try second.check(), [])
  }

  private static let twoAtOnce = ConformanceCase(
    "MIG.two-at-once", ["MIG-9"], "Of several that migrate at once one does, and the others open the result.",
    requiresPersistence: true, without: ConformanceVariant.allButFresh, within: .seconds(30)
  ) { kit in
    let (stage, store) = try stage(kit)
    try store.close()
    let place = stage.place
    let versions = try await withThrowingTaskGroup(of: [String].self) { group in
      for _ in 0..<4 {
        group.addTask {
          var options = OpenOptions()
          options.busyTimeout = 20
          let store = try Store(models: [Second.self], in: place, options: options, migration: migration)
          defer { try? store.close() }
          try expectEqual(try store.read { try $0.count(Second.self) }, 100)
          return store.openingReport.schemaChanges
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    try expectEqual(versions.filter { !$0.isEmpty }.count, 1, "how many of four have migrated")
    try expectEqual(try kit.open([Second.self], at: place).schemaVersion, 2)
  }
}
