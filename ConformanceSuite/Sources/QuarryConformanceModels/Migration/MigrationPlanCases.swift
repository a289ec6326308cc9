import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Plans of versioned schemas.
enum MigrationPlanCases {
  static let all: [ConformanceCase] =
    [
      entered("first", version: 1), entered("second", version: 2), enteredWithoutVersion, new, atTheEnd, tooNew,
      unknownVersion, unlike, reordered, stageThrows, lastStageThrows,
    ] + wrong.map { refused($0.name, $0.plan, $0.words) }

  private typealias First = Library.First.Book
  private typealias Second = Library.Second.Book
  private typealias Third = Library.Third.Book

  /// A store that version 1 or 2 of the program has left.
  private static func stage(_ kit: ConformanceContext, version: Int, isTold: Bool = true) throws -> MigratingStore {
    let stage = try MigratingStore(kit)
    if version == 1 {
      let store = try kit.open([First.self], at: stage.place, migration: isTold ? .to(1) : .automatic)
      try store.insert(contentsOf: [
        First(id: 1, title: "a", year: "1970"), First(id: 2, title: "b", year: "soon"),
        First(id: 3, title: "c", year: "1999"),
      ])
      try store.close()
    } else {
      let store = try kit.open([Second.self], at: stage.place, migration: isTold ? .to(2) : .automatic)
      try store.insert(contentsOf: [Second(id: 1, title: "a", year: 1970), Second(id: 3, title: "c", year: 1999)])
      try store.close()
    }
    return stage
  }

  private static func expectThird(_ store: Store) throws {
    try expectEqual(store.schemaVersion, 5)
    try expectEqual(
      try store.fetch(Third.all),
      [Third(id: 1, name: "a", year: 1970, shelf: 1), Third(id: 3, name: "c", year: 1999, shelf: 1)])
    try expectEqual(try store.fetch(Library.Third.Shelf.all), [Library.Third.Shelf(id: 1, books: 2)])
    try expectEqual(try store.check(), [])
    try expectEqual(try store.models().flatMap(\.indexes).count, 0)
  }

  private static func entered(_ name: String, version: Int) -> ConformanceCase {
    ConformanceCase(
      "MIG.plan-from-\(name)", ["MIG-8", "MIG-6"],
      "A store enters a plan at its version, and passes every stage after it.",
      requiresPersistence: true
    ) { kit in
      let stage = try stage(kit, version: version)
      let store = try kit.open(plan: Library.Plan.self, at: stage.place)
      try expectThird(store)
      try store.close()
      let again = try kit.open(plan: Library.Plan.self, at: stage.place)
      try expectEqual(again.openingReport.schemaChanges, [])
      try expectThird(again)
    }
  }

  private static let enteredWithoutVersion = ConformanceCase(
    "MIG.plan-from-none", ["MIG-8"], "A store without a version enters a plan where its models are.",
    requiresPersistence: true
  ) { kit in
    for version in [1, 2] {
      let stage = try stage(kit, version: version, isTold: false)
      try expectThird(try kit.open(plan: Library.Plan.self, at: stage.place))
    }
  }

  private static let new = ConformanceCase(
    "MIG.plan-of-new-store", ["MIG-8", "MIG-4"], "A new store begins with a plan's last version, and no stage runs."
  ) { kit in
    let store = try kit.open(plan: Library.Plan.self, at: kit.makePlace())
    try expectEqual(store.schemaVersion, 5)
    try expectEqual(try store.count(Library.Third.Shelf.all), 0)
    try store.insert(Third(id: 1, name: "x", year: 1))
    try expectEqual(try store.fetch(Third.all).map(\.name), ["x"])
  }

  private static let atTheEnd = ConformanceCase(
    "MIG.plan-at-end", ["MIG-8", "MIG-2"], "At its last version a plan does what opening does by itself.",
    requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit)
    let old = ModelSchema.migrating("Book", .string("title"), .int("year"))
    try kit.open(program: [old], at: stage.place, migration: .to(5)).close()
    let store = try kit.open(plan: Library.Plan.self, at: stage.place)
    try expectEqual(try store.models().map(\.name).sorted(), ["Book", "Shelf"])
    try expectEqual(try store.count(Library.Third.Shelf.all), 0)
  }

  private static let tooNew = ConformanceCase(
    "MIG.plan-too-new", ["MIG-4", "MIG-8"],
    "A store of a version after a plan's last is schemaTooNew, and left as it is.",
    requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit)
    try kit.open(program: [], at: stage.place, migration: .to(6)).close()
    let before = try stage.content()
    let error = try expectError(.schemaTooNew) { try kit.open(plan: Library.Plan.self, at: stage.place) }
    for word in ["6", "5"] { try expect(error.message.contains(word), error.message) }
    try expectEqual(try stage.content(), before)
  }

  private static let unknownVersion = ConformanceCase(
    "MIG.plan-unknown-version", ["MIG-8"],
    "A version that a plan does not know is schemaMismatch, with those that it knows.",
    requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit)
    try kit.open(program: [.migrating("Book")], at: stage.place, migration: .to(3)).close()
    let before = try stage.content()
    let error = try expectError(.schemaMismatch) { try kit.open(plan: Library.Plan.self, at: stage.place) }
    for word in ["3", "1, 2, 5"] { try expect(error.message.contains(word), error.message) }
    try expectEqual(try stage.content(), before)
  }

  private static let unlike = ConformanceCase(
    "MIG.plan-unlike", ["MIG-8"],
    "A store without a version and like none of a plan is schemaMismatch, with the differences.",
    requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(
      kit, [.migrating("Book", .string("title"), .string("year"), .string("author"))], [:])
    let before = try stage.content()
    let error = try expectError(.schemaMismatch) { try kit.open(plan: Library.Plan.self, at: stage.place) }
    try expect(error.message.contains("Book.author"), error.message)
    try expectEqual(try stage.content(), before)
  }

  private static let reordered = ConformanceCase(
    "MIG.plan-reordered", ["MIG-8", "MIG-2"], "The order of the schemas in a plan has no effect.",
    requiresPersistence: true
  ) { kit in
    let stage = try stage(kit, version: 2)
    let store = try kit.open(plan: Library.PlainPlan.self, at: stage.place)
    try expectEqual(
      try store.fetch(Third.all), [Third(id: 1, name: "a", year: 1970), Third(id: 3, name: "c", year: 1999)])
    try expectEqual(try store.check(), [])
  }

  // MARK: What ends a plan

  private struct Ended: Error {}

  private enum ThrowingPlan: MigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [Library.First.self, Library.Second.self]
    static let stages: [MigrationStage] = [
      .custom(from: Library.First.self, to: Library.Second.self) { m in
        try m.transform(First.self, to: Second.self) { old in
          if old.id == 3 { throw Ended() }
          return Second(id: old.id, title: old.title, year: 0)
        }
      }
    ]
  }

  private static let stageThrows = ConformanceCase(
    "MIG.plan-throws", ["MIG-1", "MIG-8"], "An error of a transformation is thrown, and the store is as it was.",
    requiresPersistence: true
  ) { kit in
    let stage = try stage(kit, version: 1)
    let before = try stage.content()
    try expectThrows(Ended.self) { try kit.open(plan: ThrowingPlan.self, at: stage.place) }
    try expectEqual(try stage.content(), before)
    try expectThird(try kit.open(plan: Library.Plan.self, at: stage.place))
  }

  private enum LateThrowingPlan: MigrationPlan {
    static let schemas: [any VersionedSchema.Type] = Library.Plan.schemas
    static let stages: [MigrationStage] = [
      Library.Plan.stages[0],
      .custom(from: Library.Second.self, to: Library.Third.self) { m in
        try m.afterwards { tx in
          try tx.delete(Third.all)
          throw Ended()
        }
      },
    ]
  }

  private static let lastStageThrows = ConformanceCase(
    "MIG.plan-throws-late", ["MIG-1", "MIG-8"], "A last stage that throws undoes those before it.",
    requiresPersistence: true
  ) { kit in
    let stage = try stage(kit, version: 1)
    let before = try stage.content()
    try expectThrows(Ended.self) { try kit.open(plan: LateThrowingPlan.self, at: stage.place) }
    try expectEqual(try stage.content(), before)
  }

  // MARK: Plans that are none

  private enum Empty: MigrationPlan {
    static let schemas: [any VersionedSchema.Type] = []
    static let stages: [MigrationStage] = []
  }
  private enum Hole: MigrationPlan {
    static let schemas = Library.Plan.schemas
    static let stages: [MigrationStage] = [.lightweight(from: Library.First.self, to: Library.Second.self)]
  }
  private enum Twice: MigrationPlan {
    static let schemas = Library.Plan.schemas
    static let stages: [MigrationStage] = Library.Plan.stages + [Library.Plan.stages[0]]
  }
  private enum Cycle: MigrationPlan {
    static let schemas = Library.Plan.schemas
    static let stages: [MigrationStage] = [
      Library.Plan.stages[0], .lightweight(from: Library.Second.self, to: Library.First.self),
    ]
  }
  private enum Standing: MigrationPlan {
    static let schemas = Library.Plan.schemas
    static let stages: [MigrationStage] = [.lightweight(from: Library.First.self, to: Library.First.self)]
  }
  private enum Jump: MigrationPlan {
    static let schemas = Library.Plan.schemas
    static let stages: [MigrationStage] = [.lightweight(from: Library.First.self, to: Library.Third.self)]
  }
  private enum Foreign: MigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [Library.First.self, Library.Second.self]
    static let stages: [MigrationStage] = Library.Plan.stages
  }
  private enum Same: VersionedSchema {
    static let version = 2
    static let models: [any Model.Type] = []
  }
  private enum Repeated: MigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [Library.First.self, Library.Second.self, Same.self]
    static let stages: [MigrationStage] = []
  }
  private enum Zero: VersionedSchema {
    static let version = 0
    static let models: [any Model.Type] = []
  }
  private enum FromZero: MigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [Zero.self]
    static let stages: [MigrationStage] = []
  }

  private static let wrong: [(name: String, plan: any MigrationPlan.Type, words: [String])] = [
    ("empty", Empty.self, ["no schemas"]), ("hole", Hole.self, ["no stage from the version 2 to 5"]),
    ("two-stages", Twice.self, ["two stages from the version 1"]), ("cycle", Cycle.self, ["from 2 to 1"]),
    ("standing", Standing.self, ["from 1 to 1"]), ("jump", Jump.self, ["from 1 to 5", "version 2"]),
    ("foreign-stage", Foreign.self, ["from 2 to 5", "version 5"]), ("repeated", Repeated.self, ["version 2", "Same"]),
    ("from-zero", FromZero.self, ["version 0"]),
  ]

  private static func refused(
    _ name: String, _ plan: any MigrationPlan.Type, _ words: [String]
  ) -> ConformanceCase {
    ConformanceCase(
      "MIG.plan-\(name)", ["MIG-8"], "A plan that contradicts itself is invalidValue, before the store is made."
    ) { kit in
      let place = try kit.makePlace()
      let error = try expectError(.invalidValue) { try kit.open(plan: plan, at: place) }
      for word in words { try expect(error.message.contains(word), error.message) }
      try expectEqual(kit.files(at: place), [])
    }
  }
}
