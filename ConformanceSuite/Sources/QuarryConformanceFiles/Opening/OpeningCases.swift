import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

enum OpeningCases {
  static let all: [ConformanceCase] = [
    ConformanceCase(
      "OPEN.missing", ["OPEN-2"], "A store that is not there and is not to be made is notFound, and stays away.",
      requiresPersistence: true
    ) { kit in
      let place = try kit.makePlace()
      var options = OpenOptions()
      options.isReadOnly = true
      try expectError(.notFound) { try kit.open([Item.self], at: place, options: options) }
      options = OpenOptions()
      options.createsIfMissing = false
      try expectError(.notFound) { try kit.open([Item.self], at: place, options: options) }
      try expectError(.notFound) { try kit.open([Item.self], at: place, options: options) }
      try expectEqual(try kit.open([Item.self], at: place).count(Item.all), 0)
    },
    ConformanceCase(
      "OPEN.read-only", ["OPEN-2"], "What was opened for reading is read, and every write is readOnly.",
      needs: [.openReadOnly], requiresPersistence: true
    ) { kit in
      let place = try kit.makePlace()
      let first = try kit.open([Item.self], at: place)
      let items = (0..<10).map { Item($0, rank: $0) }
      try first.insert(contentsOf: items)
      try first.close()
      var options = OpenOptions()
      options.isReadOnly = true
      let store = try kit.open([Item.self], at: place, options: options)
      try expectError(.readOnly) { try store.insert(Item(99)) }
      try expectError(.readOnly) { try store.upsert(Item(1)) }
      try expectError(.readOnly) { try store.update(Item.self, 1) { $0.name = "x" } }
      try expectError(.readOnly) { try store.delete(Item.self, 1) }
      try expectError(.readOnly) { try store.delete(Item.all) }
      try expectError(.readOnly) { try store.write { _ in } }
      try expectEqual(try store.fetch(Item.all), items)
      try expectEqual(try store.keys(Item.where { $0.rank > 7 }), [8, 9])
      try expectEqual(try store.freeze().count(Item.all), 10)
      try store.close()
      try expectEqual(try kit.open([Item.self], at: place).fetch(Item.all), items)
    },
    ConformanceCase(
      "OPEN.read-only-lacking", ["OPEN-2", "SCH-2"], "Opened for reading, a store does not get what it lacks.",
      needs: [.openReadOnly], requiresPersistence: true
    ) { kit in
      let place = try kit.makePlace()
      let first = try kit.open([FirstVersion.self], at: place)
      try first.insert(FirstVersion(id: 1, title: "a"))
      let models = try first.models()
      try first.close()
      var options = OpenOptions()
      options.isReadOnly = true
      try expectError(.schemaMismatch) { try kit.open([SecondVersion.self], at: place, options: options) }
      try expectError(.schemaMismatch) { try kit.open([Item.self], at: place, options: options) }
      try expectEqual(try kit.open([], at: place, options: options).models(), models)
    },
    ConformanceCase(
      "OPEN.many-models", ["SCH-1"], "A store of very many models and indexes opens again with all of them.",
      needs: [.indexPlain], requiresPersistence: true, without: ConformanceVariant.allButFresh, within: .seconds(60)
    ) { kit in
      let names = ["a", "b", "c"]
      let models = (0..<160).map { number in
        ModelSchema(
          name: "Model\(number)",
          properties: [PropertySchema(name: "id", type: .int64)] + names.map { PropertySchema(name: $0, type: .int64) },
          primaryKey: 0,
          indexes: names.indices.map { IndexSchema(name: names[$0], columns: [IndexSchema.Column(slot: $0 + 1)]) })
      }
      func row(_ id: Int64) -> Record {
        Record(["id": .int(id), "a": .int(id + 1), "b": .int(id + 2), "c": .int(id + 3)])
      }
      let place = try kit.makePlace()
      let first = try kit.open(program: models, at: place)
      try first.write { tx in
        for model in models { try tx.records.insert(into: model.name, [row(1)]) }
      }
      try first.close()
      let store = try kit.open(program: models, at: place)
      try store.write { tx in
        for model in models { try tx.records.insert(into: model.name, [row(2)]) }
      }
      for model in models {
        let query = QueryTree(model: model.name, predicate: .compare(.named("c"), .equal, .value(.int(5))))
        try expectEqual(try store.records.fetch(query), [row(2)], model.name)
      }
      try expectEqual(try store.check(), [])
    },
    ConformanceCase("OPEN.closed", ["OPEN-3"], "After close every call is closed; a second close does nothing.") {
      kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(1))
      let frozen = try store.freeze()
      try store.close()
      try store.close()
      try expectError(.closed) { try store.get(Item.self, 1) }
      try expectError(.closed) { try store.fetch(Item.all) }
      try expectError(.closed) { try store.count(Item.all) }
      try expectError(.closed) { try store.insert(Item(2)) }
      try expectError(.closed) { try store.read { _ in } }
      try expectError(.closed) { try store.write { _ in } }
      try expectError(.closed) { try store.freeze() }
      try expectError(.closed) { try store.models() }
      try expectError(.closed) { try store.statistics() }
      try expectError(.closed) { try store.compact() }
      try expectError(.closed) { try frozen.count(Item.all) }
      frozen.close()
    },
    ConformanceCase("OPEN.not-opened-for", ["SCH-1"], "A model that the store was not opened for is schemaMismatch.") {
      kit in
      let store = try kit.store(Item.self)
      try expectError(.schemaMismatch) { try store.insert(Numbered(id: 1, number: 1)) }
      try expectError(.schemaMismatch) { try store.fetch(Numbered.all) }
      try expectError(.schemaMismatch) { try store.get(Numbered.self, 1) }
      try store.insert(Item(1))
    },
  ]
}
