import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// What a store says of relations when it is opened, and what becomes of them when the program is another.
enum RelatedOpeningCases {
  private typealias Rule = PropertySchema.Reference.DeleteRule

  static let all: [ConformanceCase] = sides + inverses + [related, kept] + becoming + migrating

  // MARK: The two sides

  private static let rules: [PropertySchema.Reference.DeleteRule?] = [nil, .cascade, .nullify, .deny]

  private static let sides = rules.flatMap { rule in [true, false].map { side(rule, isOptional: $0) } }

  /// A reference with the rule, or none, and every other side of it.
  private static func side(_ rule: PropertySchema.Reference.DeleteRule?, isOptional: Bool) -> ConformanceCase {
    let name = rule?.rawValue ?? "nothing"
    return ConformanceCase(
      "REL.sides-\(name)-\(isOptional ? "optional" : "required")", ["REL-6", "REL-4"],
      "A reference that says \(name), with each other side: the rule is theirs, or they contradict each other.",
      requiresPersistence: true, without: ConformanceVariant.ofReads.union([.reopened])
    ) { kit in
      for other in rules {
        let relation =
          isOptional
          ? RelationDefinition("links", inverse: \Ruled.maybe, deleteRule: other)
          : RelationDefinition("links", inverse: \Ruled.sure, deleteRule: other)
        let due = rule ?? other ?? (isOptional ? .nullify : .deny)
        let isRight = (other == nil || other == due) && (isOptional || due != .nullify)
        let place = try kit.makePlace()
        try Ruled.$definition.withValue(Ruled.make(rule, isOptional: isOptional)) {
          try Ruler.$definition.withValue(Ruler.make([relation])) {
            guard isRight else {
              try expectError(.schemaMismatch, "\(String(describing: other))") { try kit.open([Ruled.self], at: place) }
              return
            }
            let store = try kit.open([Ruled.self], at: place)
            let model = try unwrap(try store.models().first { $0.name == "Ruled" })
            let slot = try unwrap(model.slot(named: "link"))
            try expectEqual(model.properties[slot].reference, .init(to: "Ruler", deleteRule: due))
            try expect(model.indexes.contains { $0.columns.first?.slot == slot }, "there is no index")
            try store.records.insert(into: "Ruler", [Record([("id", .int(1))]), Record([("id", .int(2))])])
            try store.records.insert(into: "Ruled", [Record(["id": .int(1), "link": .int(1)])])
            try store.close()
            let again = try kit.open([Ruled.self], at: place)
            try expectEqual(again.openingReport.schemaChanges, [])
            try again.close()
          }
        }
        guard isRight else { continue }
        // Without the program's models the rule is that of the store.
        let store = try kit.open([], at: place)
        if due == .deny {
          try expectError(.referenced) { try store.write { try $0.delete("Ruler", 1) } }
        } else {
          try expectEqual(try store.write { try $0.delete("Ruler", 1) }, 1)
        }
        let left: [Int: Int?] = due == .deny ? [1: 1] : due == .nullify ? [1: nil] : [:]
        try expectEqual(try store.links("Ruled", "link"), left, "\(due)")
        try store.close()
      }
    }
  }

  private static let inverses: [ConformanceCase] = [
    inverse("of-another-model", Ruled.make([PropertyDefinition("link", \Ruled.other, Ref<Poet>?.self)]), \Ruled.maybe),
    inverse("that-is-not-stored", Ruled.make([]), \Ruled.maybe),
    inverse("that-is-plain", Ruled.make([PropertyDefinition("number", \Ruled.number, Int?.self)]), \Ruled.maybe),
  ]

  private static func inverse(
    _ name: String, _ definition: ModelDefinition<Ruled>, _ keyPath: any KeyPath<Ruled, Ref<Ruler>?> & Sendable
  ) -> ConformanceCase {
    ConformanceCase(
      "REL.inverse-\(name)", ["REL-6"], "The other side of what is no reference to the model is schemaMismatch.",
      without: ConformanceVariant.ofReads
    ) { kit in
      let place = try kit.makePlace()
      try Ruled.$definition.withValue(definition) {
        try Ruler.$definition.withValue(Ruler.make([RelationDefinition("links", inverse: keyPath)])) {
          let error = try expectError(.schemaMismatch) { try kit.open([Ruler.self], at: place) }
          try expectEqual(error.model, "Ruler")
          try expectEqual(error.property, "links")
        }
      }
      try expectEqual(try kit.open([], at: place).models().map(\.name), [])
    }
  }

  private static let related = ConformanceCase(
    "REL.opens-related", ["REL-7"],
    "A store is opened for the models that its models are related to, from either side.",
    without: ConformanceVariant.ofReads
  ) { kit in
    for models in [[Poem.self], [Poet.self], [Poem.self, Poet.self], [Poet.self, Poem.self]] as [[any Model.Type]] {
      let store = try kit.open(models, at: kit.makePlace())
      try expectEqual(try store.models().map(\.name).sorted(), ["Poem", "Poet"])
      try store.insert(Poet(1))
      try store.insert(Poem(1, poet: 1))
    }
  }

  private static let kept = ConformanceCase(
    "REL.own-index", ["REL-1"],
    "A reference has the model's own index where it begins with it, else one of its name; a primary key has none."
  ) { kit in
    let store = try kit.store(Poem.self)
    let models = try store.models()
    let poem = try unwrap(models.first { $0.name == "Poem" })
    func columns(_ name: String) -> [[String]] {
      poem.indexes.map { $0.columns.map { poem.properties[$0.slot].name } }.filter { $0.first == name }
    }
    try expectEqual(columns("poet"), [["poet", "title"]])
    try expectEqual(columns("editor"), [["editor"]])
    try expectEqual(columns("answers"), [["answers"]])
    try expectEqual(poem.indexes.first { $0.columns.map(\.slot) == [3] }?.name, "editor")
  }

  // MARK: From plain properties and back

  private static let plain: [ModelSchema] = [.linked("A"), .migrating("B", .int("link", isOptional: true))]

  private static func referring(
    _ rule: PropertySchema.Reference.DeleteRule, isOptional: Bool = true, to target: String = "A"
  ) -> [ModelSchema] {
    [
      .linked("A"),
      .migrating(
        "B", .reference("link", to: target, rule, isOptional: isOptional),
        indexes: [
          IndexSchema(name: "link", columns: [.init(slot: 1)])
        ]),
    ]
  }

  private static func rows(_ links: [Int?]) -> [String: [Record]] {
    [
      "A": (0..<20).map { Record(["id": .int($0), "note": .null]) },
      "B": links.enumerated().map { .linked($0.offset, ["link": $0.element]) },
    ]
  }

  private static func opening(
    _ name: String, _ clauses: [String], _ summary: String, line: Int = #line,
    _ body: @escaping @Sendable (ConformanceContext) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      "REL.\(name)", clauses, summary,
      needs: [.savepoints, .schemaCreateIndex, .schemaDropModel, .schemaRenameModel, .schemaRenameProperty],
      requiresPersistence: true, without: ConformanceVariant.ofReads, line: line, body)
  }

  private static let becoming: [ConformanceCase] = [
    opening("becomes-reference", ["REL-9"], "A plain property whose values lead to objects becomes a reference.") {
      kit in
      let stage = try MigratingStore(kit, plain, rows([3, nil, 3, 19, 0]))
      try stage.expectRows(referring(.cascade), rows([3, nil, 3, 19, 0]))
      let store = try kit.open([], at: stage.place)
      try expectError(.missingReference) { try store.records.insert(into: "B", [.linked(9, ["link": 20])]) }
      try expectEqual(try store.write { try $0.delete("A", 3) }, 1)
      try expectEqual(try store.links("B", "link"), [1: nil, 3: 19, 4: 0])
    },
    opening(
      "becomes-reference-dangling", ["REL-9"], "Values that lead to nothing refuse it, with the first ten of them."
    ) {
      kit in
      let stage = try MigratingStore(kit, plain, rows([3, 40] + (0..<30).map { 100 - $0 } + [nil, 40]))
      let error = try stage.expectRefusal(.missingReference, referring(.deny))
      try error.expect(model: "B", property: "link", key: "1", says: "primary key 40")
      let first = ([40] + (71...79)).map { "\($0)" }.joined(separator: ", ")
      try expect(error.message.contains("31 keys"), error.message)
      try expect(error.message.contains(first), "\(error.message) does not name \(first)")
      try expect(!error.message.contains("80"), "\(error.message) names more than ten")
      let store = try kit.open([], at: stage.place)
      try store.records.delete(.rows("B", "link", .greater, 19))
      try store.close()
      try stage.expectRows(
        referring(.deny), rows([3]).merging(["B": [.linked(0, ["link": 3]), .linked(32, ["link": nil])]]) { $1 })
    },
    opening("becomes-reference-one-dangling", ["REL-9"], "One value that leads to nothing is named.") { kit in
      for broken in [0, 5, 11] {
        let stage = try MigratingStore(kit, plain, rows((0..<12).map { $0 == broken ? 33 : $0 }))
        try stage.expectRefusal(.missingReference, referring(.nullify))
          .expect(model: "B", property: "link", key: "\(broken)", says: "no A with the primary key 33")
      }
    },
    opening(
      "becomes-plain", ["REL-9"], "A reference becomes a plain property without a word, and is no longer checked."
    ) {
      kit in
      let stage = try MigratingStore(kit, referring(.deny), rows([3, nil, 4]))
      var indexed = plain
      indexed[1].indexes = referring(.deny)[1].indexes
      try stage.expectRows(indexed, rows([3, nil, 4]))
      let store = try kit.open([], at: stage.place)
      try store.records.insert(into: "B", [.linked(9, ["link": 99])])
      try expectEqual(try store.write { try $0.delete("A", 3) }, 1)
      try expectEqual(try store.links("B", "link"), [0: 3, 1: nil, 2: 4, 9: 99])
    },
    opening("another-rule", ["REL-9", "REL-6"], "A reference gets another rule when the store is opened with that.") {
      kit in
      let stage = try MigratingStore(kit, referring(.deny), rows([3, nil, 4]))
      try stage.expectRows(referring(.nullify), rows([3, nil, 4]))
      var store = try kit.open([], at: stage.place)
      try expectEqual(try store.write { try $0.delete("A", 3) }, 1)
      try expectEqual(try store.links("B", "link"), [0: nil, 1: nil, 2: 4])
      try store.close()
      try stage.open(referring(.cascade)).close()
      store = try kit.open([], at: stage.place)
      try expectEqual(try store.write { try $0.delete("A", 4) }, 1)
      try expectEqual(try store.ids("B"), [0, 1])
    },
    opening("another-type", ["REL-1"], "A reference of another type than the key that it leads to is schemaMismatch.") {
      kit in
      let stage = try MigratingStore(kit, plain, rows([3]))
      for type in PropertyType.allCases where type != .int64 && type != .array {
        var models = plain
        models.append(
          .migrating(
            "C", .reference("link", to: "A", .deny, type: type),
            indexes: [
              IndexSchema(name: "link", columns: [.init(slot: 1)])
            ]))
        try stage.expectRefusal(.schemaMismatch, models)
      }
    },
    opening("to-nothing", ["REL-9"], "A reference to a model that there is not is schemaMismatch.") { kit in
      let stage = try MigratingStore(kit, plain, rows([3]))
      try stage.expectRefusal(.schemaMismatch, referring(.deny, to: "Z"))
    },
    opening(
      "new-model", ["REL-9", "REL-2"], "A model that refers is added to a store, before or after what it leads to."
    ) {
      kit in
      for models in [referring(.deny), referring(.deny).reversed()] {
        let stage = try MigratingStore(kit, [.linked("Other")], [:])
        let store = try stage.open([.linked("Other")] + models)
        try expectError(.missingReference) { try store.records.insert(into: "B", [.linked(1, ["link": 1])]) }
        try store.records.insert(into: "A", [.linked(1)])
        try store.records.insert(into: "B", [.linked(1, ["link": 1])])
      }
    },
    opening("drop-target", ["REL-9"], "A model that is referred to is dropped with what refers to it, and not without.")
    {
      kit in
      let stage = try MigratingStore(kit, referring(.cascade), rows([3, nil]))
      let before = try stage.content()
      let store = try kit.open([], at: stage.place)
      try expectError(.schemaMismatch) {
        try store.write { tx in try tx.apply(.dropModel(try tx.model(named: "A").id)) }
      }
      try expectError(.schemaMismatch) {
        try store.write { tx in try tx.apply(.dropModel(try tx.model(named: "A").id)) }
      }.expect(model: "B", property: "link", key: nil, says: "A")
      try store.close()
      try expectEqual(try stage.content(), before)
      let again = try kit.open([], at: stage.place)
      try again.write { tx in
        try tx.apply(.dropModel(try tx.model(named: "A").id))
        try tx.apply(.dropModel(try tx.model(named: "B").id))
      }
      try expectEqual(try again.models().map(\.name), [])
    },
    opening("drop-source", ["REL-9"], "What refers can be dropped; what it referred to is then free.") { kit in
      let stage = try MigratingStore(kit, referring(.deny), rows([3, nil]))
      let store = try kit.open([], at: stage.place)
      try expectError(.referenced) { try store.write { try $0.delete("A", 3) } }
      try store.write { tx in try tx.apply(.dropModel(try tx.model(named: "B").id)) }
      try expectEqual(try store.write { try $0.delete("A", 3) }, 1)
    },
    opening("drop-reference", ["REL-9"], "A reference can be dropped; what it referred to is then free.") { kit in
      let stage = try MigratingStore(kit, referring(.deny), rows([3, nil]))
      let store = try kit.open([], at: stage.place)
      try store.write { tx in
        let model = try tx.model(named: "B")
        for index in model.indexes { try tx.apply(.dropIndex(model.id, index: index.id)) }
        try tx.apply(.dropProperty(model.id, slot: 1))
        try expectEqual(try tx.delete("A", 3), 1)
      }
      try expectEqual(try store.ids("B"), [0, 1])
    },
    opening(
      "renamed-target", ["REL-9", "REL-4"], "A reference follows a model that gets another name, and a property."
    ) {
      kit in
      let stage = try MigratingStore(kit, referring(.cascade), rows([3, nil, 4]))
      let store = try kit.open([], at: stage.place)
      try store.write { tx in
        try tx.apply(.renameModel(try tx.model(named: "A").id, to: "New"))
        try expectError(.missingReference) { try tx.records.insert(into: "B", [.linked(9, ["link": 77])]) }
          .expect(model: "B", property: "link", key: "9", says: "no New with the primary key 77")
        try tx.apply(.renameProperty(try tx.model(named: "B").id, slot: 1, to: "bond"))
        try tx.apply(.renameModel(try tx.model(named: "B").id, to: "C"))
      }
      let model = try unwrap(try store.models().first { $0.name == "C" })
      try expectEqual(model.properties[1].reference, .init(to: "New", deleteRule: .cascade))
      try expectEqual(try store.write { try $0.delete("New", 3) }, 1)
      try expectEqual(try store.links("C", "bond"), [1: nil, 2: 4])
      try store.expectWhole()
    },
    opening("schema-undone", ["REL-9", "TXN-3"], "A reference that was undone with its savepoint is not checked.") {
      kit in
      let store = try kit.store(making: [.linked("A")])
      struct Undone: Error {}
      try store.write { tx in
        try? tx.savepoint {
          try tx.apply(.createModel(.linked("B", .reference("link", to: "A", .deny))))
          try tx.records.insert(into: "A", [.linked(1)])
          try tx.records.insert(into: "B", [.linked(1, ["link": 1])])
          try expectError(.referenced) { try tx.delete("A", 1) }
          throw Undone()
        }
        try tx.records.insert(into: "A", [.linked(1)])
        try expectEqual(try tx.delete("A", 1), 1)
      }
      try expectEqual(try store.models().map(\.name), ["A"])
    },
  ]

  // MARK: Objects that are made anew

  private static let migrating: [ConformanceCase] = [
    opening("migration-of-references", ["REL-9"], "A migration that gives references others is looked at when it ends.")
    {
      kit in
      let stage = try MigratingStore(kit, referring(.cascade), rows([3, nil, 4]), version: 1)
      try stage.expectRefusal(
        .missingReference, referring(.cascade),
        .to(2) { m in try m.enumerate("B") { old, new in new["link"] = .int(Int64(30 + (old["id"].intValue ?? 0))) } })
      try stage.expectRows(
        referring(.cascade),
        .to(2) { m in try m.enumerate("B") { old, new in new["link"] = .int(Int64(10 + (old["id"].intValue ?? 0))) } },
        rows([10, 11, 12]))
    },
    opening("migration-of-targets", ["REL-9"], "A migration that leaves objects away is looked at when it ends.") {
      kit in
      let stage = try MigratingStore(kit, referring(.cascade), rows([3, nil, 4]), version: 1)
      try stage.expectRefusal(
        .missingReference, referring(.cascade),
        .to(2) { m in
          try m.enumerate("A") { old, new in new["id"] = .int(Int64(100 + (old["id"].intValue ?? 0))) }
        })
      var all = rows([3, nil, 4])
      all["A"] = (0..<20).map { Record(["id": .int($0), "note": .string("n")]) }
      try stage.expectRows(
        referring(.cascade), .to(2) { m in try m.enumerate("A") { _, new in new["note"] = .string("n") } }, all)
    },
    opening("migration-converts", ["REL-9"], "A conversion may give a reference of another type, which is looked at.") {
      kit in
      let texts: [ModelSchema] = [.linked("A"), .migrating("B", .string("link", isOptional: true))]
      func rows(_ texts: [String?]) -> [String: [Record]] {
        [
          "A": Self.rows([])["A"] ?? [],
          "B": texts.enumerated().map {
            Record(["id": .int(Int64($0.offset)), "link": $0.element.map { .string($0) } ?? .null])
          },
        ]
      }
      let migration = Migration.to(2) { m in
        try m.convert("link", in: "B", Int.self) { (old: String?) in old.flatMap { Int($0) } }
      }
      let bad = try MigratingStore(kit, texts, rows(["3", nil, "40"]), version: 1)
      try bad.expectRefusal(.missingReference, referring(.deny), migration)
        .expect(model: "B", property: "link", key: "2", says: "no A with the primary key 40")
      let good = try MigratingStore(kit, texts, rows(["3", nil, "14"]), version: 1)
      try good.expectRows(referring(.deny), migration, Self.rows([3, nil, 14]))
    },
    opening(
      "migration-afterwards", ["REL-9", "REL-2"], "What a migration writes afterwards is looked at as any statement."
    ) {
      kit in
      let stage = try MigratingStore(kit, referring(.deny), rows([3, nil, 4]), version: 1)
      try stage.expectRefusal(
        .missingReference, referring(.deny),
        .to(2) { m in try m.afterwards { try $0.records.insert(into: "B", [.linked(9, ["link": 44])]) } })
      try stage.expectRefusal(
        .referenced, referring(.deny), .to(2) { m in try m.afterwards { try $0.delete("A", 4) } })
      try stage.expectRows(
        referring(.deny), .to(2) { m in try m.afterwards { try $0.delete("A", 0, 1, 2) } },
        rows([3, nil, 4]).merging(["A": (3..<20).map { Record(["id": .int($0), "note": .null]) }]) { $1 })
    },
    opening("migration-drops", ["REL-9"], "A migration that drops what is referred to is refused unless that goes too.")
    {
      kit in
      let stage = try MigratingStore(kit, referring(.deny), rows([3, nil, 4]), version: 1)
      try stage.expectRefusal(
        .schemaMismatch, [referring(.deny)[1]], .to(2) { m in try m.drop("A") })
      try stage.expectRows(
        [],
        .to(2) { m in
          try m.drop("A")
          try m.drop("B")
        }, [:])
    },
  ]
}
