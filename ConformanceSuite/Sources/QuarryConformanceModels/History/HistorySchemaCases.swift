import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Histories of stores whose models change, of copies with other numbers, and of logs that are damaged.
enum HistorySchemaCases {
  static let all: [ConformanceCase] = changes + moved + damage

  private static let note = ModelSchema.migrating("Note", .string("text"), .int("size", isOptional: true))
  private static let page = ModelSchema.migrating("Page", .string("text"))

  private static func text(_ id: Int, _ text: String) -> Record {
    Record(["id": .int(Int64(id)), "text": .string(text)])
  }

  /// A store without types, with a history and a note.
  private static func schema(
    _ name: String, _ clauses: [String], _ summary: String, needs: Set<Capability> = [],
    _ body: @escaping @Sendable (Store) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase("HIST.\(name)", clauses, summary, needs: needs, within: .seconds(20)) { kit in
      let store = try kit.open(program: [note], at: kit.makePlace(), options: HistoryScene.options())
      try store.records.insert(into: "Note", [text(1, "one")])
      try body(store)
      try expectEqual(try store.check(), [])
    }
  }

  // MARK: Models

  private static let changes: [ConformanceCase] = [
    schema(
      "schema-change", ["HIST-7"], "A change of the schema is one change set, which is unknown.",
      needs: [.schemaRenameProperty]
    ) { store in
      let first = try unwrap(try store.history().last)
      try store.write { tx in
        let model = try tx.model(named: "Note")
        try tx.apply(.renameProperty(model.id, slot: 1, to: "body"))
      }
      let sets = try store.history(after: first.position)
      try expectEqual(sets.map(\.isUnknown), [true])
      try expectError(.notFound) { try sets[0].changes(in: "Note") }
      try expectError(.notFound) { try store.undo(sets[0]) }
      try store.records.insert(into: "Note", [Record(["id": 2, "body": "two"])])
      try expectEqual(
        try store.history(after: sets[0].position).map { try $0.changes(in: "Note").map { $0.new?["body"] } }, [["two"]]
      )
      try expectEqual(try store.history().first?.changes(in: "Note").map { $0.new?["body"] }, ["one"])
    },
    schema(
      "travel-names", ["HIST-7", "SCH-10"], "A change set has the names by which models and properties travel.",
      needs: [.schemaRenameProperty, .schemaRenameModel]
    ) { store in
      try store.write { tx in
        let model = try tx.model(named: "Note")
        try tx.apply(.renameProperty(model.id, slot: 1, to: "body"))
        try tx.apply(.renameModel(model.id, to: "Page"))
      }
      try store.records.insert(into: "Page", [Record(["id": 2, "body": "two"])])
      for set in try store.history() where !set.isUnknown {
        try expectEqual(set.models, ["Page"])
        try expectEqual(set.travelName(of: "Page"), "Note")
        let record = try unwrap(try set.changes(in: "Page").first?.new)
        try expectEqual(record.fields.map { set.travelName(of: $0.name, in: "Page") }, ["id", "text", "size"])
        try expectEqual(set.travelName(of: "Note"), nil)
        try expectEqual(set.travelName(of: "text", in: "Page"), nil)
      }
    },
    schema("added-model", ["HIST-7", "HIST-12"], "The changes of a model that is added later are read and undone.") {
      store in
      let start = try store.history.newest
      try store.write { tx in try tx.apply(.createModel(page)) }
      let made = try store.history.newest
      try expect(made > start, "the new model has no change set")
      try store.records.insert(into: "Page", [text(1, "a"), text(2, "b")])
      let set = try unwrap(try store.history(after: made).first)
      try expectEqual(set.models, ["Page"])
      try expect(!set.isUnknown && !set.isUnknown("Page"), "the change set is unknown")
      try expectEqual(try set.changes(in: "Page").map { $0.new?["text"] }, ["a", "b"])
      try store.undo(set)
      try expectEqual(try store.records.count(.init(model: "Page")), 0)
      try expectEqual(try store.history().count, 4)
    },
    schema(
      "replaced-model", ["HIST-7"], "The changes of a model that was dropped and made again are unknown.",
      needs: [.schemaDropModel]
    ) { store in
      let first = try unwrap(try store.history().last)
      try store.write { tx in try tx.apply(.dropModel(try tx.model(named: "Note").id)) }
      try store.write { tx in try tx.apply(.createModel(note)) }
      try store.records.insert(into: "Note", [text(1, "another")])
      let old = try unwrap(try store.history().first)
      try expectEqual(old.position, first.position)
      try expect(old.isUnknown("Note") && !old.isUnknown, "the model alone is unknown")
      try expectEqual(old.models, ["Note"])
      try expectError(.notFound) { try old.changes(in: "Note") }
      try expectError(.notFound) { try store.undo(old) }
      let new = try unwrap(try store.history().last)
      try expect(!new.isUnknown("Note"), "the model that is there is unknown")
      try expectEqual(try new.changes(in: "Note").map { $0.new?["text"] }, ["another"])
    },
    ConformanceCase(
      "HIST.migrated", ["HIST-7"], "A migration at the opening is one unknown change set, and reading continues.",
      needs: [.schemaAddProperty], requiresPersistence: true, within: .seconds(20)
    ) { kit in
      let place = try kit.makePlace()
      var store = try kit.open(program: [page], at: place, options: HistoryScene.options())
      try store.records.insert(into: "Page", [text(1, "one")])
      let first = try store.history.newest
      try store.close()
      let wider = ModelSchema.migrating("Page", .string("text"), .int("size", isOptional: true))
      store = try kit.open(program: [wider], at: place)
      try store.records.insert(into: "Page", [text(2, "two")])
      let sets = try store.history(after: first)
      try expectEqual(sets.map(\.isUnknown), [true, false])
      try expectEqual(try sets[1].changes(in: "Page").map { $0.new?["text"] }, ["two"])
      try expectEqual(try store.history().first?.changes(in: "Page").map { $0.new?["size"] }, [.null])
      try store.undo(unwrap(try store.history().first))
      try expectEqual(try store.records.fetch(in: "Page").map { $0["id"] }, [2])
      try expectEqual(try store.check(), [])
    },
    ConformanceCase(
      "HIST.started-over", ["HIST-14", "MIG-11"],
      "A store that a migration starts over keeps a history with the same bounds, which begins empty.",
      requiresPersistence: true, within: .seconds(20)
    ) { kit in
      guard try StartingOverCases.canPutAside(kit) else { return }
      let place = try kit.makePlace()
      var store = try kit.open(
        program: [StartingOverCases.old, page], at: place,
        options: HistoryScene.options(.on(keeping: .forever, bytes: 20_000, leavingOut: ["Book"])))
      try store.records.insert(into: "Page", [text(1, "one")])
      try store.close()
      store = try kit.open(program: [StartingOverCases.new, page], at: place, migration: StartingOverCases.startOver)
      try expect(try store.history.isOn, "the new store keeps no history")
      try expectEqual(try store.history().count, 0)
      let long = String(repeating: "x", count: 500)
      for id in 1...80 { try store.records.insert(into: "Page", [text(id, long)]) }
      try expect(try store.history.byteCount <= 20_000, "the size")
      let newest = try store.history.newest
      try store.records.insert(into: "Book", [Record(["id": 1, "title": 7])])
      try expectEqual(try store.history.newest, newest, "a model that is left out")
      try expectEqual(try store.check(), [])
    },
  ]

  // MARK: Copies

  private static let moved: [ConformanceCase] = [
    ConformanceCase(
      "HIST.copied-with-other-numbers", ["HIST-5", "HIST-14"],
      "A copy leaves out the models that its source leaves out, whatever their numbers are.",
      needs: [.schemaDropModel], requiresPersistence: true, within: .seconds(30)
    ) { kit in
      let names = ["First", "Second", "Third", "Fourth"]
      let store = try kit.open(
        program: names.map { ModelSchema.migrating($0, .string("text")) }, at: kit.makePlace(),
        options: HistoryScene.options(.on(keeping: .forever, leavingOut: ["Second"])))
      try store.write { tx in try tx.apply(.dropModel(try tx.model(named: "First").id)) }
      try store.records.insert(into: "Third", [text(1, "one")])
      let places = [try kit.makePlace(), try kit.makePlace()]
      try store.copy(to: places[0])
      try StoreDump.restore(try StoreDump.text(store), to: places[1])
      for place in places {
        let copy = try kit.open([], at: place)
        for name in names.dropFirst() {
          let start = try copy.history.newest
          try copy.records.insert(into: name, [text(7, name)])
          try expectEqual(try copy.history(after: start).map(\.models), name == "Second" ? [] : [[name]], name)
        }
        try expectEqual(try copy.check(), [])
      }
    }
  ]

  // MARK: Damage

  /// Changes the log of a closed store through the engine, and looks for what a check says.
  private static func damaged(
    _ name: String, _ summary: String,
    _ change: @escaping @Sendable (any BackendWriteTransaction, ModelSchema) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      "HIST.\(name)", ["HIST-14", "CARE-1"], summary, needs: [.check], requiresPersistence: true,
      without: ConformanceVariant.ofReads, within: .seconds(20)
    ) { kit in
      let place = try kit.makePlace()
      var store = try kit.open(HistoryScene.models, at: place, options: HistoryScene.options())
      try HistoryScene.fill(store)
      for id in 10...12 { try store.insert(Poet(id, "")) }
      try expectEqual(try store.check(), [])
      try store.close()
      let backend = try place.open(OpenOptions())
      do {
        let writer = try backend.beginWrite(WriteOptions())
        let log = try unwrap(writer.schema.models.first { $0.name == "_quarry_log" }, "the log")
        try change(writer, log)
        _ = try writer.commit()
      }
      try backend.close()
      store = try kit.open(HistoryScene.models, at: place)
      try expect(try !store.check().isEmpty, "the check finds nothing")
    }
  }

  private static let damage: [ConformanceCase] = [
    damaged("lost-row", "A check finds that a change set is gone from the middle of the log.") { writer, log in
      try expectEqual(try writer.delete(log.id, [try Key.primary(.int(2), log)]), 1)
    },
    damaged("lost-end", "A check finds that the newest change set is gone.") { writer, log in
      try expectEqual(try writer.delete(log.id, [try Key.primary(.int(4), log)]), 1)
    },
  ]
}
