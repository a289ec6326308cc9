import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

enum SchemaCases {
  static let all: [ConformanceCase] = growing + mismatches + names

  // MARK: Growing

  /// A store that was written in the first version, opened in the second.
  private static func grown(_ kit: ConformanceContext, _ count: Int = 4) throws -> Store {
    let place = try kit.makePlace()
    let first = try kit.open([FirstVersion.self], at: place)
    try first.insert(contentsOf: (0..<count).map { FirstVersion(id: $0, title: "t\($0)") })
    try first.close()
    return try kit.open([SecondVersion.self], at: place)
  }

  private static func growing(
    _ id: String, _ summary: String, _ body: @escaping @Sendable (Store) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(id, ["SCH-1"], summary, requiresPersistence: true) { kit in try body(grown(kit)) }
  }

  private static let growing: [ConformanceCase] = [
    ConformanceCase(
      "SCH.same-and-subset", ["SCH-1"], "A store opens for the same models, for some of them, and for none.",
      requiresPersistence: true
    ) { kit in
      let place = try kit.makePlace()
      let first = try kit.open([Item.self, Numbered.self], at: place)
      try first.insert(Item(1))
      try first.insert(Numbered(id: 1, number: 5))
      let models = try first.models()
      try first.close()
      for types: [any Model.Type] in [[Numbered.self, Item.self], [Item.self], [Numbered.self], []] {
        let store = try kit.open(types, at: place)
        try expectEqual(try store.models(), models)
        if types.count > 1 {
          try expectEqual(try store.fetch(Item.all), [Item(1)])
          try expectEqual(try store.fetch(Numbered.all), [Numbered(id: 1, number: 5)])
        }
        try store.close()
      }
    },
    ConformanceCase(
      "SCH.new-model", ["SCH-1"], "A store gets models that it does not have yet.", requiresPersistence: true
    ) { kit in
      let place = try kit.makePlace()
      let first = try kit.open([Item.self], at: place)
      try first.insert(Item(1))
      try first.close()
      let second = try kit.open([Item.self, Numbered.self], at: place)
      try second.insert(Numbered(id: 1, number: 5))
      try expectError(.uniqueViolation) { try second.insert(Numbered(id: 2, number: 5)) }
      try expectEqual(try second.fetch(Item.all), [Item(1)])
      try second.close()
      try expectEqual(try kit.open([Numbered.self], at: place).fetch(Numbered.all), [Numbered(id: 1, number: 5)])
    },
    growing("SCH.new-property-read", "Objects stored before have nil or the default in a new property.") { store in
      let expected = (0..<4).map { SecondVersion(id: $0, title: "t\($0)") }
      try expectEqual(try store.fetch(SecondVersion.all), expected)
      try expectEqual(try store.get(SecondVersion.self, 2), expected[2])
      try expectEqual(try store.frozen(SecondVersion.all).map { try $0.thawed() }, expected)
      try expectEqual(try store.frozen(SecondVersion.self, 1)?.bonus, 7)
      try store.insert(SecondVersion(id: 9, title: "new", rank: 1, bonus: 2, score: nil))
      try expectEqual(try store.fetch(SecondVersion.all).map(\.bonus), [7, 7, 7, 7, 2])
    },
    growing("SCH.new-property-predicate", "Conditions see nil or the default in objects stored before.") { store in
      try store.insert(SecondVersion(id: 9, title: "new", rank: 1, bonus: 8, score: nil))
      for (query, keys) in [
        (SecondVersion.where { $0.rank == nil }, [0, 1, 2, 3]), (SecondVersion.where { $0.bonus == 7 }, [0, 1, 2, 3]),
        (SecondVersion.where { $0.bonus > 7 }, [9]), (SecondVersion.where { $0.note == "n\u{E9}" }, [0, 1, 2, 3, 9]),
        (SecondVersion.where { $0.note.hasPrefix("n") && $0.id < 2 }, [0, 1]),
        (SecondVersion.where { $0.tags.contains("t") && $0.id > 2 }, [3, 9]),
        (SecondVersion.where { $0.score == 2.5 }, [0, 1, 2, 3]), (SecondVersion.where { $0.score == nil }, [9]),
        (try SecondVersion.where("rank < score OR bonus < score OR rank == 1"), [9]),
        (SecondVersion.where { $0.tags.count == 1 }, [0, 1, 2, 3, 9]),
      ] as [(Query<SecondVersion>, [Int])] {
        try expectEqual(try store.keys(query), keys, "\(query.tree)")
        try expectEqual(try store.count(query), keys.count, "\(query.tree)")
      }
    },
    growing("SCH.new-property-sort", "Orders, groups and sums see nil or the default in objects stored before.") {
      store in
      try store.insert(contentsOf: [
        SecondVersion(id: 8, title: "x", rank: 1, bonus: 6, score: 3), SecondVersion(id: 9, title: "y", bonus: 8),
      ])
      try expectEqual(try store.keys(SecondVersion.all.sorted(by: \.bonus)), [8, 0, 1, 2, 3, 9])
      try expectEqual(try store.keys(SecondVersion.all.sorted(by: \.rank, order: .reverse)), [8, 9, 3, 2, 1, 0])
      try store.read { tx in
        try expectEqual(try tx.sum(SecondVersion.all, of: \.bonus), 7 * 4 + 14)
        try expectEqual(try tx.distinct(SecondVersion.all, \.score), [2.5, 3])
        try expectEqual(try tx.count(SecondVersion.all, by: \.rank).map(\.value), [5, 1])
        try expectEqual(try tx.max(SecondVersion.where { $0.id < 8 }, of: \.score), 2.5)
      }
    },
    growing("SCH.new-property-write", "Objects stored before are updated, replaced and compared as they read.") {
      store in
      let old = SecondVersion(id: 0, title: "t0")
      var changed = old
      changed.rank = 4
      try store.update(changed, ifUnchangedFrom: old)
      try store.update(SecondVersion.self, 1) { $0.note = "new" }
      try store.assign(SecondVersion.where { $0.id >= 1 }) { $0.bonus += 1 }
      try store.upsert(SecondVersion(id: 2, title: "t2", bonus: 70))
      try expectError(.uniqueViolation) { try store.update(SecondVersion.self, 3) { $0.title = "t0" } }
      let objects = try store.fetch(SecondVersion.all)
      try expectEqual(objects[0], changed)
      try expectEqual(objects.map(\.bonus), [7, 8, 70, 8])
      try expectEqual(objects.map(\.note), ["n\u{E9}", "new", "n\u{E9}", "n\u{E9}"])
      try expectEqual(objects.map(\.score), [2.5, 2.5, 2.5, 2.5])
    },
    growing("SCH.new-property-rows", "Records and schemas show the new properties.") { store in
      let rows = try store.read {
        try $0.records.fetch(in: "Versioned", where: "bonus == 7 AND rank == nil", sortedBy: "-title")
      }
      try expectEqual(rows.count, 4)
      try expectEqual(rows[0]["title"], .string("t3"))
      try expectEqual(rows[0]["tags"], .array([.string("t")]))
      let schema = try unwrap(try store.models().first)
      try expectEqual(Set(schema.liveSlots.map { schema.properties[$0].name }).count, 7)
    },
    ConformanceCase(
      "SCH.new-property-index", ["SCH-1", "IDX-4", "IDX-1"],
      "An index on a property that was added covers old objects.",
      requiresPersistence: true
    ) { kit in
      let place = try kit.makePlace()
      let first = try kit.open([FirstVersion.self], at: place)
      try first.insert(contentsOf: (0..<4).map { FirstVersion(id: $0, title: "t\($0)") })
      try first.close()
      let store = try kit.open([], at: place)
      try store.write { tx in
        let id = try tx.model(named: "Versioned").id
        try tx.apply(.addProperty(id, PropertySchema(name: "bonus", type: .int16, defaultValue: .int(7))))
        try tx.apply(.addProperty(id, PropertySchema(name: "rank", type: .double, isOptional: true)))
        try expectError(.uniqueViolation) {
          try tx.apply(.createIndex(id, IndexSchema(name: "u", columns: [.init(slot: 2)], isUnique: true)))
        }
        try tx.apply(.createIndex(id, IndexSchema(name: "u", columns: [.init(slot: 3)], isUnique: true)))
        try tx.apply(
          .createIndex(id, IndexSchema(name: "b", columns: [.init(slot: 2), .init(slot: 1, isDescending: true)])))
        try tx.records.insert(into: "Versioned", [Record(["id": .int(9), "title": .string("x"), "rank": .double(0)])])
        try expectError(.uniqueViolation) {
          try tx.records.assign(QueryTree(model: "Versioned"), [.init("rank", .set, .double(-0.0))])
        }
      }
      try store.read { tx in
        func keys(_ text: String, _ order: String) throws -> [Value?] {
          try tx.records.fetch(in: "Versioned", where: text, sortedBy: order).map { $0["id"] }
        }
        try expectEqual(try keys("bonus == 7", "bonus,-title"), [.int(9), .int(3), .int(2), .int(1), .int(0)])
        try expectEqual(try keys("rank == nil", "id"), [.int(0), .int(1), .int(2), .int(3)])
        try expectEqual(try keys("rank == 0", "id"), [.int(9)])
      }
    },
  ]

  // MARK: Differences

  private static let mismatches: [ConformanceCase] =
    Shaped.differences.map { name, definition in
      ConformanceCase(
        "SCH.mismatch-\(name)", ["SCH-2"], "Another \(name) is schemaMismatch, and the store is left as it is.",
        requiresPersistence: true
      ) { kit in
        let place = try kit.makePlace()
        let first = try kit.open([Shaped.self], at: place)
        let row = Record(["id": .int(1), "other": .int(2), "title": .string("a"), "rank": .int(3), "tags": .array([])])
        try first.write { try $0.records.insert(into: "Shaped", [row]) }
        let models = try first.models()
        try first.close()
        let error = try Shaped.$definition.withValue(definition) {
          // Numbered is new and could be added: nothing is, when something else is in the way.
          try expectError(.schemaMismatch) { try kit.open([Numbered.self, Shaped.self], at: place) }
        }
        try expect(error.message.contains("Shaped"), error.message)
        let second = try kit.open([Shaped.self], at: place)
        try expectEqual(try second.models(), models)
        try expectEqual(try second.read { try $0.records.get(in: "Shaped", key: .int(1)) }, row)
      }
    } + [
      ConformanceCase(
        "SCH.mismatch-all", ["SCH-2"], "The error lists every difference.", requiresPersistence: true
      ) { kit in
        let place = try kit.makePlace()
        try kit.open([Shaped.self], at: place).close()
        let definition = Shaped.make(
          [
            PropertyDefinition("title", \Shaped.titleNumber, Int.self),
            PropertyDefinition("rank", \Shaped.rankSure, Int.self),
          ],
          indexes: [])
        let error = try Shaped.$definition.withValue(definition) {
          try expectError(.schemaMismatch) { try kit.open([Shaped.self], at: place) }
        }
        for name in ["title", "tags", "rank"] { try expect(error.message.contains(name), error.message) }
      },
      ConformanceCase(
        "SCH.reordered", ["SCH-2"], "The order of declaration means nothing.", requiresPersistence: true
      ) { kit in
        let place = try kit.makePlace()
        let first = try kit.open([Shaped.self], at: place)
        let models = try first.models()
        try first.close()
        let definition = Shaped.make([Shaped.tags, Shaped.title, Shaped.rank], indexes: Shaped.indexes.reversed())
        let second = try Shaped.$definition.withValue(definition) { try kit.open([Shaped.self], at: place) }
        try expectEqual(try second.models(), models)
      },
    ]

  // MARK: Names

  private static func named(_ model: String, _ property: String = "p", _ index: String = "i") -> ModelSchema {
    ModelSchema(
      name: model,
      properties: [
        PropertySchema(name: "id", type: .int64), PropertySchema(name: property, type: .string, isOptional: true),
      ],
      primaryKey: 0, indexes: [IndexSchema(name: index, columns: [.init(slot: 1)])])
  }

  private static let names: [ConformanceCase] = [
    ConformanceCase("SCH.names", ["SCH-3"], "Names with every scalar work, words of the engine's language too.") {
      kit in
      let names = [
        "select", "Table", "a b", "\"", "'", "`", "]", ";--", "%s", "\u{E9}", "e\u{301}", "\u{1F600}", "rowid", "oid",
        "a.b", "*", "-a", "quarry", "\n", String(repeating: "x", count: 63), "1", "?1", ":a", "\\", "_rowid_",
      ]
      let store = try kit.store(making: names.map { named($0, $0, $0) })
      try store.write { tx in
        for name in names {
          try tx.records.insert(
            into: name, [Record([("id", .int(1)), (name, .string(name))]), Record(["id": .int(2)])])
        }
      }
      try store.read { tx in
        for name in names {
          let query = QueryTree(
            model: name, predicate: .compare(.named(name), .equal, .value(.string(name))),
            order: [.init(name, isDescending: true)])
          try expectEqual(try tx.records.fetch(query).map { $0[name] }, [.string(name)], name)
          let total = try tx.records.aggregate(QueryTree(model: name), groupedBy: [name], [(.max, name)])
          try expectEqual(total.map { $0.values[0] }, [.null, .string(name)], name)
        }
      }
    },
    ConformanceCase("SCH.names-refused", ["SCH-3", "CAP-2"], "Names that are reserved or broken are refused.") { kit in
      let store = try kit.store(Item.self)
      let models = try store.models()
      for name in ["", "_quarry", "_Quarry_x", "sqlite_", "SQLite_a", "a\0b", "\0"] {
        for model in [named(name), named("M", name), named("M", "p", name)] {
          try expectError(.schemaMismatch, name) { try store.write { try $0.apply(.createModel(model)) } }
        }
      }
      let long = String(repeating: "\u{E9}", count: 32)
      for model in [named(long), named("M", long), named("M", "p", long)] {
        let error = try expectError(.limitExceeded) { try store.write { try $0.apply(.createModel(model)) } }
        try expect(error.message.contains("63") && error.message.contains("64"), error.message)
      }
      try expectEqual(try store.models(), models)
    },
    ConformanceCase("SCH.names-folded", ["SCH-3"], "Names that differ in ASCII case only are refused.") { kit in
      let store = try kit.store(making: [named("Alpha")])
      try expectError(.schemaMismatch) { try store.write { try $0.apply(.createModel(named("aLPHA"))) } }
      try expectError(.schemaMismatch) { try store.write { try $0.apply(.createModel(named("Alpha"))) } }
      try expectError(.schemaMismatch) { try store.write { try $0.apply(.createModel(named("Beta", "ID"))) } }
      try store.write { tx in
        try tx.apply(.createModel(named("\u{C9}")))
        try tx.apply(.createModel(named("\u{E9}")))
        try tx.apply(.createModel(named("E\u{301}")))
      }
      try expectEqual(try store.models().count, 4)
    },
    ConformanceCase("SCH.renamed", ["SCH-3", "CRUD-1"], "Renamed models, properties and indexes keep what they have.") {
      kit in
      let store = try kit.store(making: [named("Old")])
      try store.write { tx in
        try tx.records.insert(into: "Old", [Record(["id": .int(1), "p": .string("a")])])
        let model = try tx.model(named: "Old")
        try tx.apply(.renameModel(model.id, to: "New"))
        try tx.apply(.renameProperty(model.id, slot: 1, to: "q"))
        try tx.apply(.renameIndex(model.id, index: model.indexes[0].id, to: "j"))
        try tx.records.insert(into: "New", [Record(["id": .int(2), "q": .string("b")])])
      }
      try store.read { tx in
        try expectError(.invalidQuery) { try tx.records.fetch(in: "Old") }
        try expectError(.invalidQuery) { try tx.records.fetch(in: "New", where: "p == 'a'") }
        try expectEqual(
          try tx.records.fetch(in: "New", where: "q <= 'b'", sortedBy: "-q").map { $0["id"] }, [.int(2), .int(1)])
        try expectEqual(try tx.model(named: "New").indexes.map(\.name), ["j"])
      }
    },
    ConformanceCase("SCH.dropped", ["SCH-3", "CRUD-1"], "Dropped properties and models are gone, the rest stays.") {
      kit in
      let store = try kit.store(making: [named("Kept"), named("Dropped")])
      try store.write { tx in
        for name in ["Kept", "Dropped"] {
          try tx.records.insert(into: name, [Record(["id": .int(1), "p": .string("a")])])
        }
        let model = try tx.model(named: "Kept")
        try expectError(.schemaMismatch) { try tx.apply(.dropProperty(model.id, slot: 1)) }
        try tx.apply(.dropIndex(model.id, index: model.indexes[0].id))
        try tx.apply(.dropProperty(model.id, slot: 1))
        try tx.apply(.dropModel(try tx.model(named: "Dropped").id))
        try tx.apply(.addProperty(model.id, PropertySchema(name: "p", type: .int64, isOptional: true)))
        try tx.apply(.createModel(named("Dropped")))
      }
      try store.read { tx in
        try expectEqual(try tx.records.fetch(in: "Kept"), [Record(["id": .int(1), "p": .null])])
        try expectEqual(try tx.records.fetch(in: "Dropped").count, 0)
      }
    },
  ]
}
