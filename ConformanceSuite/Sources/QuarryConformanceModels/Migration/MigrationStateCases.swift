import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import Synchronization

/// What others see of a migration: snapshots, frozen objects, stores that are open, and processes that end.
enum MigrationStateCases {
  static let all: [ConformanceCase] =
    [
      frozenObjects, frozenStore, openElsewhere, renamedElsewhere, twoAtOnce, overtaken, backupOfMigrated,
    ] + changesElsewhere.map { changedElsewhere($0) }

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
    "MIG.frozen-store", ["MIG-9", "SNAP-1"],
    "A store that was frozen before a migration reads the objects of that state.",
    needs: [.snapshots], requiresPersistence: true
  ) { kit in
    let (stage, store) = try stage(kit)
    let frozen = try store.freeze()
    defer { frozen.close() }
    let second = try kit.migrate(beside: frozen, of: store) { options in
      try kit.open([Second.self], at: stage.place, options: options, migration: migration)
    } seeing: { tx in
      try expectEqual(try tx.count(First.where { $0.year == "y" }), 100)
      try expectEqual(try tx.get(First.self, 7), First(id: 7, title: "t7", year: "y"))
    }
    try expectEqual(try second.count(Second.all), 100)
  }

  private static let openElsewhere = ConformanceCase(
    "MIG.open-elsewhere", ["MIG-9", "SCH-2", "MP-4"],
    "A store that is open when its model is migrated is schemaMismatch from its next transaction on.",
    requiresPersistence: true
  ) { kit in
    let (stage, store) = try stage(kit)
    let second = try kit.open([Second.self], at: stage.place, migration: migration)
    try expectError(.schemaMismatch) { try store.fetch(First.all) }
    try expectError(.schemaMismatch) { try store.insert(First(id: 1000, title: "x", year: "y")) }
    try expectEqual(try second.count(Second.all), 100)
    try expectEqual(try second.check(), [])
  }

  private static let renamedElsewhere = ConformanceCase(
    "MIG.renamed-elsewhere", ["MIG-9", "SCH-2", "MP-4"],
    "A store that is open while only names change is schemaMismatch from its next transaction on, and its snapshots stay valid.",
    needs: [.snapshots], requiresPersistence: true
  ) { kit in
    let (stage, store) = try stage(kit)
    let frozen = try store.freeze()
    defer { frozen.close() }
    let program = ModelSchema.migrating("Book", .string("name"), .string("year"))
    let renaming = Migration.to(3) { m in try m.rename("title", to: "name", in: "Book") }
    let other = try kit.migrate(beside: frozen, of: store) { options in
      try kit.open(program: [program], at: stage.place, options: options, migration: renaming)
    } seeing: { tx in
      try expectEqual(try tx.get(First.self, 7), First(id: 7, title: "t7", year: "y"))
      try expectEqual(try tx.count(First.where { $0.title == "t9" }), 1)
    }
    try expectError(.schemaMismatch) { try store.get(First.self, 1) }
    try expectError(.schemaMismatch) { try store.fetch(First.all) }
    try expectError(.schemaMismatch) { try store.insert(First(id: 1000, title: "x", year: "y")) }
    try expectEqual(try other.read { try $0.records.fetch(in: "Book", where: "name = 't9'").count }, 1)
    try expectEqual(try other.check(), [])
  }

  private static let backupOfMigrated = ConformanceCase(
    "MIG.backup-of-migrated", ["CARE-7", "MIG-4"],
    "A backup has the version of the program's models, and an older backup is migrated by itself.", needs: [.backup],
    requiresPersistence: true
  ) { kit in
    let place = try kit.makePlace()
    let copies = [try kit.makePlace(), try kit.makePlace()]
    let paths = copies.compactMap { kit.harness.secondProcess?.address(kit.undecorated($0)) }
    guard paths.count == copies.count else { return }
    try MigrationWorkload.plan.fill(kit, at: place)
    let old = try kit.open([First.self], at: place)
    try old.backup(to: paths[0])
    try old.close()
    let migrated = try kit.open(plan: Library.Plan.self, at: place)
    try migrated.backup(to: paths[1])
    let content = try MigrationContent(migrated)
    try MigrationWorkload.plan.expectMigrated(content)
    let copy = try kit.open([], at: copies[1])
    try expectEqual(try MigrationContent(copy), content)
    try copy.close()
    try expectError(.schemaTooNew) { try kit.open([First.self], at: copies[1], migration: .to(1)) }
    let before = try kit.open([First.self], at: copies[0])
    try expectEqual(before.schemaVersion, 1)
    try before.close()
    let second = try kit.open(plan: Library.Plan.self, at: copies[0])
    try expectEqual(try MigrationContent(second), content)
    try second.expectWhole()
    try expectEqual(try MigrationContent(migrated), content)
  }

  /// What another opening makes of the first version of the program.
  private struct ChangeElsewhere: Sendable {
    var name: String
    /// Whether it concerns a store that is open for that version.
    var isTold: Bool
    var program: [ModelSchema]
    var migration: Migration
  }

  private static let book = ModelSchema.migrating("Book", .string("title"), .string("year"))

  private static let changesElsewhere: [ChangeElsewhere] = {
    var indexed = book
    indexed.indexes = [IndexSchema(name: "year", columns: [.init(slot: 2)])]
    var renamed = book
    renamed.name = "Volume"
    return [
      ChangeElsewhere(
        name: "model-renamed", isTold: true, program: [renamed],
        migration: .to(3) { m in try m.rename("Book", to: "Volume") }),
      ChangeElsewhere(
        name: "optional", isTold: true,
        program: [.migrating("Book", .string("title", isOptional: true), .string("year"))],
        migration: .automatic),
      ChangeElsewhere(
        name: "added", isTold: true,
        program: [.migrating("Book", .string("title"), .string("year"), .string("more", isOptional: true))],
        migration: .automatic),
      ChangeElsewhere(
        name: "dropped", isTold: true, program: [.migrating("Book", .string("title"))],
        migration: .dropping("Book.year")),
      ChangeElsewhere(
        name: "rewritten", isTold: true, program: [book], migration: .to(3) { m in try m.enumerate("Book") { _, _ in } }
      ),
      ChangeElsewhere(name: "gone", isTold: true, program: [], migration: .dropping("Book")),
      ChangeElsewhere(name: "index", isTold: false, program: [indexed], migration: .automatic),
      ChangeElsewhere(name: "another", isTold: false, program: [book, .migrating("Other")], migration: .automatic),
      ChangeElsewhere(name: "version", isTold: false, program: [book], migration: .to(3)),
    ]
  }()

  private static func changedElsewhere(_ change: ChangeElsewhere) -> ConformanceCase {
    ConformanceCase(
      "MIG.elsewhere-\(change.name)", ["MIG-9", "SCH-2", "SCH-6"],
      "Each call of an open store, also by key, is schemaMismatch after a change of its model, and not after changes of others.",
      requiresPersistence: true
    ) { kit in
      // Each call comes first once, and once after a call that has met what is new.
      let calls: [(Store) throws -> Void] = [
        { try expectEqual(try $0.get(First.self, 7), First(id: 7, title: "t7", year: "y")) },
        { try expectEqual(try $0.get(First.self, 700), nil) },
        { try expectEqual(try $0.fetch(First.where { $0.title == "t9" }).map(\.id), [9]) },
        {
          try $0.insert(First(id: 1000, title: "x", year: "y")); try $0.delete(First.self, 1000)
        },
      ]
      for first in calls {
        let (stage, store) = try stage(kit)
        try expectEqual(try store.get(First.self, 1)?.title, "t1")
        let other = try stage.open(change.program, change.migration)
        for call in [first] + calls {
          if change.isTold {
            try expectError(.schemaMismatch) { try call(store) }
          } else {
            try call(store)
          }
        }
        try expectEqual(try other.check(), [])
      }
    }
  }

  private static let twoAtOnce = ConformanceCase(
    "MIG.two-at-once", ["MIG-9"],
    "Of several openings that migrate at once, one migrates and the others open the result.",
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
          try expectEqual(try store.read { try $0.count(Second.all) }, 100)
          return store.openingReport.schemaChanges
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    try expectEqual(versions.filter { !$0.isEmpty }.count, 1, "how many of four have migrated")
    try expectEqual(try kit.open([Second.self], at: place).schemaVersion, 2)
  }

  private static let overtaken = ConformanceCase(
    "MIG.overtaken", ["MIG-9", "MIG-4"],
    "An opening that another one overtakes migrates from what that one has left, and is refused where it is newer.",
    requiresPersistence: true, without: ConformanceVariant.allButFresh
  ) { kit in
    for version in 1...3 {
      let (stage, store) = try stage(kit)
      try store.close()
      let calls = MigrationBodyCases.Calls()
      @Sendable func marking(_ version: Int) -> Migration {
        .to(version) { m in
          calls.versions.append(m.storedVersion)
          try m.enumerate("Book") { old, new in new["title"] = .string("\(old["title"].stringValue ?? "")!") }
        }
      }
      let place = OvertakenPlace(inner: stage.place) { try stage.open([book], marking(version)).close() }
      let open = { try kit.open(program: [book], at: place, migration: marking(2)) }
      if version == 3 {
        try expectError(.schemaTooNew) { try open() }
      } else {
        let changes = try open().openingReport.schemaChanges
        try expectEqual(changes.isEmpty, version == 2, "\(changes)")
      }
      try expectEqual(calls.versions, version == 1 ? [0, 1] : [0], "overtaken by \(version)")
      let content = try stage.content()
      try expectEqual(content.version, max(version, 2))
      try expectEqual(content.rows["Book"]?.first?["title"], .string(version == 1 ? "t1!!" : "t1!"))
    }
  }
}

/// A place at which another opening comes first when the first write begins.
private struct OvertakenPlace: BackendProvider {
  let inner: any BackendProvider
  let other: @Sendable () throws -> Void

  func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
    OvertakenBackend(try inner.open(options), other)
  }
}

private final class OvertakenBackend: BackendLayer, @unchecked Sendable {
  // Unchecked as its superclass is: the field is immutable and Sendable.
  private let other: Mutex<(@Sendable () throws -> Void)?>

  init(_ backend: any Backend, _ other: @escaping @Sendable () throws -> Void) {
    self.other = Mutex(other)
    super.init(backend)
  }

  override func beginWrite(_ options: WriteOptions) throws(StorageError) -> any BackendWriteTransaction {
    let first = other.withLock { other in
      defer { other = nil }
      return other
    }
    do {
      try first?()
    } catch {
      throw error as? StorageError ?? StorageError(.io, "the other opening failed", cause: error)
    }
    return try super.beginWrite(options)
  }
}
