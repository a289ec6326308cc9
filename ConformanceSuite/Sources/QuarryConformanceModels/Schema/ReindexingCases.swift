import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Programs that index a model in another way than the store that they open.
enum ReindexingCases {
  static let all: [ConformanceCase] = changes + uniqueness + others

  private static let objects = (0..<40).map { Reindexed(id: $0, rank: $0 % 7 == 6 ? nil : $0 % 7) }

  /// A place with a closed store of the objects, and what it has.
  private static func filled(
    _ kit: ConformanceContext, _ objects: [Reindexed] = objects
  ) throws -> (place: any BackendProvider, models: [ModelSchema]) {
    let place = try kit.makePlace()
    let store = try kit.open([Reindexed.self, Numbered.self], at: place)
    try store.insert(contentsOf: objects)
    try store.insert(Numbered(id: 1, number: 5))
    let models = try store.models()
    try store.close()
    return (place, models)
  }

  /// The indexes of the model in words, without their numbers.
  private static func indexes(_ models: [ModelSchema]) -> [String] {
    guard let model = models.first(where: { $0.name == "Reindexed" }) else { return [] }
    return model.indexes.map { index in
      let columns = index.columns.map { "\($0.isDescending ? "-" : "")\(model.properties[$0.slot].name)" }
      return "\(index.name): \(index.isUnique ? "unique " : "")\(columns.joined(separator: ","))"
    }.sorted()
  }

  private static func expectAnswers(_ store: Store, _ objects: [Reindexed], _ about: String = "") throws {
    try expectEqual(try store.fetch(Reindexed.all), objects, about)
    try expectEqual(
      try store.keys(Reindexed.where { $0.rank == 3 }), objects.filter { $0.rank == 3 }.map(\.id), about)
    try expectEqual(
      try store.keys(Reindexed.where { $0.rank == nil }), objects.filter { $0.rank == nil }.map(\.id), about)
    try expectEqual(
      try store.keys(Reindexed.where { $0.rank > 4 }.sorted(by: \.rank)),
      objects.filter { $0.rank ?? 0 > 4 }.sorted { ($0.rank ?? 0, $0.id) < ($1.rank ?? 0, $1.id) }.map(\.id), about)
    try expectEqual(try store.keys(Reindexed.where { $0.code == "c11" }), [11], about)
    let descending = objects.sorted { Array($0.code.utf8).lexicographicallyPrecedes(Array($1.code.utf8)) }.reversed()
    try expectEqual(
      try store.keys(Reindexed.all.sorted(by: \.code, order: .reverse)), descending.map(\.id), about)
    if store.manifest.capabilities[.check]?.isSupported == true { try expectEqual(try store.check(), [], about) }
  }

  // MARK: Changes

  private static let changes: [ConformanceCase] = Reindexed.changes.map { name, definition in
    ConformanceCase(
      "SCH.reindexed.\(name)", ["SCH-5", "IDX-4", "IDX-1"],
      "Other indexes (\(name)) are made from the rows when the store is opened, and hold from then on.",
      requiresPersistence: true
    ) { kit in
      let (place, before) = try filled(kit)
      try Reindexed.$modelDefinition.withValue(definition) {
        let fresh = try kit.open([Reindexed.self], at: kit.makePlace())
        let expected = indexes(try fresh.models())
        let store = try kit.open([Reindexed.self], at: place)
        try expectEqual(indexes(try store.models()), expected)
        try expect(indexes(before) != expected, "nothing was changed")
        try expect(!store.openingReport.schemaChanges.isEmpty, "the report says nothing")
        try expectAnswers(store, objects)
        try expectEqual(
          try store.models().first { $0.name == "Numbered" }, before.first { $0.name == "Numbered" })
        // Whether two may have one code is what the new indexes say, of old rows as of new ones.
        for code in ["c11", "new"] {
          if code == "new" { try store.insert(Reindexed(id: 100, code: "new", rank: 3)) }
          if expected.contains(where: { $0.hasSuffix(": unique code") || $0.hasSuffix(": unique -code") }) {
            try expectError(.uniqueViolation) { try store.insert(Reindexed(id: 101, code: code)) }
          } else {
            try store.insert(Reindexed(id: 101, code: code))
            try store.delete(Reindexed.self, 101)
          }
        }
        try store.close()
        let again = try kit.open([Reindexed.self], at: place)
        try expectEqual(again.openingReport.schemaChanges, [], "the second opening")
        try expectAnswers(again, objects + [Reindexed(id: 100, code: "new", rank: 3)], "opened again")
        try again.close()
      }
      // And back.
      let store = try kit.open([Reindexed.self], at: place)
      try expectEqual(indexes(try store.models()), indexes(before))
      try expectAnswers(store, objects + [Reindexed(id: 100, code: "new", rank: 3)], "the first indexes again")
    }
  }

  // MARK: Uniqueness

  private static let unique = Reindexed.make([IndexDefinition(["rank", "code"], isUnique: true)])

  private static let uniqueness: [ConformanceCase] = [
    ConformanceCase(
      "SCH.reindexed.duplicates", ["SCH-5", "ERR-2", "STMT-4"],
      "A unique index that two objects violate is uniqueViolation with both keys, and the store is left as it is.",
      requiresPersistence: true
    ) { kit in
      let place = try kit.makePlace()
      let plain = Reindexed.make([IndexDefinition(["rank"])])
      let objects = [
        Reindexed(id: 1, code: "a", rank: 1), Reindexed(id: 7, code: "b", rank: 2),
        Reindexed(id: 8, code: "b", rank: 1),
        Reindexed(id: 23, code: "b", rank: 2), Reindexed(id: 30, code: "x"), Reindexed(id: 31, code: "x"),
      ]
      var models: [ModelSchema] = []
      try Reindexed.$modelDefinition.withValue(plain) {
        let store = try kit.open([Reindexed.self], at: place)
        try store.insert(contentsOf: objects)
        models = try store.models()
        try store.close()
      }
      try Reindexed.$modelDefinition.withValue(unique) {
        for _ in 0..<2 {
          let error = try expectError(.uniqueViolation) {
            try kit.open([Numbered.self, Reindexed.self], at: place)
          }
          try expectEqual(error.model, "Reindexed")
          try expectEqual(error.property, "rank, code")
          try expectEqual(error.key, "23")
          try expect(error.message.contains("7") && error.message.contains("23"), error.message)
        }
      }
      try Reindexed.$modelDefinition.withValue(plain) {
        let store = try kit.open([Reindexed.self], at: place)
        try expectEqual(store.openingReport.schemaChanges, [])
        try expectEqual(try store.models(), models)
        try expectEqual(try store.fetch(Reindexed.all), objects)
        try store.delete(Reindexed.self, 23)
        try store.close()
      }
      // Nil is no value: the two with one code and no rank are in nobody's way.
      try Reindexed.$modelDefinition.withValue(unique) {
        let store = try kit.open([Reindexed.self], at: place)
        try expectEqual(try store.count(Reindexed.all), 5)
        try expectError(.uniqueViolation) { try store.insert(Reindexed(id: 23, code: "b", rank: 2)) }
        try store.insert(Reindexed(id: 32, code: "x"))
      }
    }
  ]

  // MARK: Subsets, readers, and others that have the store open

  private static let others: [ConformanceCase] = [
    ConformanceCase(
      "SCH.reindexed.subset", ["SCH-5", "SCH-1"], "Indexes of models that a program does not open are left alone.",
      requiresPersistence: true
    ) { kit in
      let (place, models) = try filled(kit)
      for types: [any Model.Type] in [[Numbered.self], []] {
        let store = try kit.open(types, at: place)
        try expectEqual(store.openingReport.schemaChanges, [])
        try expectEqual(try store.models(), models)
        try store.close()
      }
      try expectAnswers(kit.open([Reindexed.self], at: place), objects)
    },
    ConformanceCase(
      "SCH.reindexed.with-property", ["SCH-5", "SCH-1"],
      "An index on a property that is added in the same opening has the rows from before it.",
      requiresPersistence: true
    ) { kit in
      let place = try kit.makePlace()
      let bare = ModelDefinition<Reindexed>(
        name: "Reindexed",
        properties: [
          PropertyDefinition("id", \Reindexed.id, Int.self), PropertyDefinition("code", \Reindexed.code, String.self),
        ], primaryKey: "id", indexes: [])
      try Reindexed.$modelDefinition.withValue(bare) {
        let store = try kit.open([Reindexed.self], at: place)
        let rows = (0..<5).map { Record(["id": .int(Int64($0)), "code": .string("c\($0)")]) }
        try store.write { _ = try $0.records.insert(into: "Reindexed", rows) }
        try store.close()
      }
      let store = try kit.open([Reindexed.self], at: place)
      try expectEqual(store.openingReport.schemaChanges.count, 3)
      try expectEqual(try store.fetch(Reindexed.all), (0..<5).map { Reindexed(id: $0) })
      try expectEqual(try store.keys(Reindexed.where { $0.rank == nil }), [0, 1, 2, 3, 4])
      try expectEqual(try store.keys(Reindexed.all.sorted(by: \.rank, order: .reverse)), [4, 3, 2, 1, 0])
      try expectError(.uniqueViolation) { try store.insert(Reindexed(id: 9, code: "c2")) }
    },
    ConformanceCase(
      "SCH.reindexed.read-only", ["SCH-6", "OPEN-2", "IDX-4"],
      "Opened for reading, a store keeps the indexes that it has, and answers alike.", requiresPersistence: true
    ) { kit in
      let (place, models) = try filled(kit)
      var options = OpenOptions()
      options.isReadOnly = true
      for (name, definition) in Reindexed.changes {
        try Reindexed.$modelDefinition.withValue(definition) {
          let store = try kit.open([Reindexed.self], at: place, options: options)
          try expectEqual(try store.models(), models, name)
          try expectEqual(store.openingReport.schemaChanges, [], name)
          try expectAnswers(store, objects, name)
          try store.close()
        }
      }
    },
    ConformanceCase(
      "SCH.reindexed.beside", ["SCH-6", "MP-4", "IDX-4", "OPEN-5"],
      "A store goes on with its models when another opening of it has changed their indexes, and keeps to these.",
      requiresPersistence: true
    ) { kit in
      let place = try kit.makePlace()
      let first = try kit.open([Reindexed.self], at: place)
      try first.insert(contentsOf: objects)
      let (_, definition) = try unwrap(Reindexed.changes.first { $0.name == "added" })
      let second = try Reindexed.$modelDefinition.withValue(definition) {
        try kit.open([Reindexed.self], at: place)
      }
      try expectAnswers(first, objects)
      try first.insert(Reindexed(id: 50, rank: 3))
      try expectAnswers(first, objects + [Reindexed(id: 50, rank: 3)])
      try Reindexed.$modelDefinition.withValue(definition) {
        try expectAnswers(second, objects + [Reindexed(id: 50, rank: 3)], "the second")
        try second.close()
      }
      try first.delete(Reindexed.self, 50)
      try first.close()
      try Reindexed.$modelDefinition.withValue(definition) {
        try expectAnswers(kit.open([Reindexed.self], at: place), objects, "opened again")
      }
    },
  ]
}
