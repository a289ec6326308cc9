import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Where a store enters a plan, and what its stages do one after another.
enum PlanStageCases {
  static let all: [ConformanceCase] = [entersWithMost, entersAtEnd, stagesDrop, progress, unknownForReading]

  private typealias First = Library.First.Book
  private typealias Shelf = Library.Third.Shelf

  /// Opens a store by a plan in a way for which the kit has no call.
  private static func open(
    _ plan: any MigrationPlan.Type, at place: any BackendProvider, options: OpenOptions = OpenOptions(),
    progress: Progress? = nil
  ) throws -> Store {
    // The decorator of a variant is not of one type.
    func open(_ provider: some BackendProvider) throws -> Store {
      try Store(plan: plan, in: provider, options: options, progress: progress)
    }
    return try open(place)
  }

  // MARK: Where a store enters

  private enum Alone: VersionedSchema {
    static let version = 1
    static let models: [any Model.Type] = [First.self]
  }
  private enum WithShelves: VersionedSchema {
    static let version = 2
    static let models: [any Model.Type] = [First.self, Shelf.self]
  }
  private enum Short: VersionedSchema {
    static let version = 3
    static let models: [any Model.Type] = [Leaflet.self, Shelf.self]
  }
  private enum Growing: MigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [Alone.self, WithShelves.self, Short.self]
    static let stages: [MigrationStage] = [
      .custom(from: Alone.self, to: WithShelves.self) { m in
        try m.afterwards { tx in try tx.insert(Shelf(id: 7, books: try tx.count(First.all))) }
      },
      .lightweight(from: WithShelves.self, to: Short.self, dropping: "Book.year"),
    ]
  }

  private static let entersWithMost = ConformanceCase(
    "MIG.plan-from-most", ["MIG-8"],
    "A store without a version enters a plan where all its models are, and not where some of them are.",
    requiresPersistence: true
  ) { kit in
    for hasShelves in [false, true] {
      let stage = try MigratingStore(kit)
      let store = try kit.open(hasShelves ? [First.self, Shelf.self] : [First.self], at: stage.place)
      try store.insert(First(id: 1, title: "a", year: "1970"))
      if hasShelves { try store.insert(Shelf(id: 1, books: 1)) }
      try store.close()
      let opened = try kit.open(plan: Growing.self, at: stage.place)
      try expectEqual(opened.schemaVersion, 3)
      try expectEqual(try opened.fetch(Shelf.all), [Shelf(id: hasShelves ? 1 : 7, books: 1)])
      try expectEqual(try opened.fetch(Leaflet.all), [Leaflet(id: 1, title: "a")])
    }
  }

  private enum Ending: MigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [Library.First.self, Library.Second.self]
    static let stages: [MigrationStage] = [Library.Plan.stages[0]]
  }

  private static let entersAtEnd = ConformanceCase(
    "MIG.plan-from-none-at-end", ["MIG-8", "MIG-1", "SCH-5"],
    "A store without a version that has the models of a plan's last version gets that version and its indexes.",
    needs: [.openReadOnly], requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(
      kit, [.migrating("Book", .string("title"), PropertySchema(name: "year", type: .int32))], [:])
    let store = try kit.open(plan: Ending.self, at: stage.place)
    try expectEqual(store.schemaVersion, 2)
    try expectEqual(try store.models().flatMap(\.indexes).map(\.isUnique), [true])
    try store.close()
    var options = OpenOptions()
    options.isReadOnly = true
    let reading = try open(Ending.self, at: stage.place, options: options)
    try expectEqual(reading.schemaVersion, 2)
    try reading.close()
    let again = try kit.open(plan: Ending.self, at: stage.place)
    try expectEqual(again.openingReport.schemaChanges, [])
  }

  // MARK: What goes

  private enum Bare: VersionedSchema {
    static let version = 3
    static let models: [any Model.Type] = [Leaflet.self]
  }
  private enum Shrinking: MigrationPlan {
    static let schemas: [any VersionedSchema.Type] = [Alone.self, WithShelves.self, Bare.self]
    static let stages: [MigrationStage] = [
      .lightweight(from: Alone.self, to: WithShelves.self),
      .lightweight(from: WithShelves.self, to: Bare.self, dropping: "Book.year", "Shelf", "Book.nothing"),
    ]
  }
  private enum ShrinkingInBody: MigrationPlan {
    static let schemas = Shrinking.schemas
    static let stages: [MigrationStage] = [
      .lightweight(from: Alone.self, to: WithShelves.self),
      .custom(from: WithShelves.self, to: Bare.self, dropping: "Shelf") { m in
        try m.drop("year", in: "Book")
      },
    ]
  }
  private enum Losing: MigrationPlan {
    static let schemas = Shrinking.schemas
    static let stages: [MigrationStage] = [
      .lightweight(from: Alone.self, to: WithShelves.self, dropping: "Book.year"),
      .lightweight(from: WithShelves.self, to: Bare.self, dropping: "Shelf"),
    ]
  }

  private static let stagesDrop = ConformanceCase(
    "MIG.plan-drops", ["MIG-8", "MIG-3"],
    "A stage of a plan drops the models and properties that it names, and none that another names.",
    requiresPersistence: true
  ) { kit in
    for plan in [Shrinking.self, ShrinkingInBody.self] as [any MigrationPlan.Type] {
      for version in [1, 2] {
        let stage = try MigratingStore(kit)
        let store = try kit.open(
          version == 1 ? [First.self] : [First.self, Shelf.self], at: stage.place, migration: .to(version))
        try store.insert(First(id: 1, title: "a", year: "1970"))
        if version == 2 { try store.insert(Shelf(id: 1, books: 1)) }
        try store.close()
        let before = try stage.content()
        let error = try expectError(.schemaMismatch) { try kit.open(plan: Losing.self, at: stage.place) }
        try expect(error.message.contains("Book.year"), error.message)
        try expectEqual(try stage.content(), before)
        let opened = try kit.open(plan: plan, at: stage.place)
        try expectEqual(opened.schemaVersion, 3)
        try expectEqual(try opened.models().map(\.name), ["Book"])
        try expectEqual(try opened.fetch(Leaflet.all), [Leaflet(id: 1, title: "a")])
        try expectEqual(try opened.check(), [])
        try opened.close()
      }
    }
  }

  // MARK: Reports and refusals

  private static let progress = ConformanceCase(
    "MIG.plan-progress", ["MIG-6", "MIG-8"], "The progress of a plan counts the rows that each of its stages reads.",
    requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit)
    let store = try kit.open([First.self], at: stage.place, migration: .to(1))
    try store.insert(contentsOf: (1...5).map { First(id: $0, title: "t", year: $0 == 3 ? "soon" : "\($0)") })
    try store.close()
    let progress = Progress(totalUnitCount: 0)
    let opened = try open(Library.Plan.self, at: stage.place, progress: progress)
    try expectEqual(opened.schemaVersion, 5)
    try opened.close()
    // The second stage reads what the first has left.
    try expectEqual(progress.completedUnitCount, 9)
    try expectEqual(progress.totalUnitCount, 9)
  }

  private static let unknownForReading = ConformanceCase(
    "MIG.plan-unknown-for-reading", ["MIG-8", "OPEN-2"],
    "Opening a store that the plan does not know for reading fails with the same error as opening it for writing.",
    needs: [.openReadOnly], requiresPersistence: true
  ) { kit in
    var options = OpenOptions()
    options.isReadOnly = true
    let author = ModelSchema.migrating("Book", .string("title"), .string("year"), .string("author"))
    let known: [(Int?, [String])] = [(3, ["version 3", "1, 2, 5"]), (nil, ["no version", "Book.author"])]
    for (version, words) in known {
      let stage = try MigratingStore(kit, [author], [:], version: version)
      let before = try stage.content()
      let error = try expectError(.schemaMismatch) {
        try open(Library.Plan.self, at: stage.place, options: options)
      }
      for word in words { try expect(error.message.contains(word), error.message) }
      try expectEqual(try stage.content(), before)
    }
  }
}

/// ``Library/First/Book`` without its year.
private struct Leaflet: Model, Equatable {
  var id: Int
  var title: String

  static let modelDefinition = ModelDefinition<Leaflet>(
    name: "Book",
    properties: [
      PropertyDefinition("id", \Leaflet.id, Int.self), PropertyDefinition("title", \Leaflet.title, String.self),
    ], primaryKey: "id")

  struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)
    var title = Column<String>("title", 1)
  }

  var primaryKeyValue: Int { id }

  init(id: Int, title: String) { (self.id, self.title) = (id, title) }

  init(reading row: ModelReader) throws(StorageError) { (id, title) = (try row.get(0), try row.get(1)) }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, title)
  }
}
