import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// What a model has, indexes and defaults among it, after it was renamed and properties were added and renamed.
enum RenameCases {
  private static let model = ModelSchema(
    name: "Before",
    properties: [
      PropertySchema(name: "id", type: .int64), PropertySchema(name: "code", type: .string, isOptional: true),
      PropertySchema(name: "rank", type: .int32, isOptional: true),
      PropertySchema(name: "price", type: .decimal, isOptional: true),
    ], primaryKey: 0,
    indexes: [
      IndexSchema(name: "both", columns: [.init(slot: 1), .init(slot: 2, isDescending: true)], isUnique: true),
      IndexSchema(name: "price", columns: [.init(slot: 3, isDescending: true)]),
      IndexSchema(name: "price_unique", columns: [.init(slot: 3), .init(slot: 1)], isUnique: true),
    ])

  private static let standard = Value.decimal(Samples.decimal("-12.50"))

  private static func row(_ id: Int64, _ code: String?, _ rank: Int64?, _ price: String? = nil) -> Record {
    Record([
      "id": .int(id), "code": code.map { .string($0) } ?? .null, "rank": rank.map { .int($0) } ?? .null,
      "price": price.map { .decimal(Samples.decimal($0)) } ?? .null,
    ])
  }

  private static let rows = [
    row(1, "a", 1, "10"), row(2, "a", 2, "9"), row(3, "b", 1, "-1"), row(4, nil, 1), row(5, nil, 1), row(6, "a", nil),
    row(7, "a", nil),
  ]

  /// The changes, each a transaction of its own.
  private static let changes: [@Sendable (WriteTransaction, ModelID) throws -> Void] = [
    { try $0.apply(.renameModel($1, to: "After")) },
    { tx, id in
      let extra = PropertySchema(name: "extra", type: .decimal, isOptional: true, defaultValue: standard)
      try tx.apply(.addProperty(id, extra))
    },
    { try $0.apply(.renameProperty($1, slot: 1, to: "name")) },
    { try $0.apply(.renameModel($1, to: "after")) },
    { tx, id in
      try tx.apply(.renameProperty(id, slot: 4, to: "more"))
      try tx.apply(.addProperty(id, PropertySchema(name: "note", type: .double, isOptional: true)))
      try tx.apply(.renameModel(id, to: "Before"))
    },
  ]

  /// Throws unless the model, whatever its names are now, has its rows, its order, its unique indexes and its defaults.
  private static func expectSound(_ store: Store, _ about: String) throws {
    let model = try unwrap(try store.models().first)
    let names = model.liveSlots.map { model.properties[$0].name }
    func named(_ record: Record) -> Record {
      Record(record.fields.map { ($0.name == "code" ? names[1] : $0.name, $0.value) })
    }
    try expectEqual(model.indexes.map(\.isUnique), [true, false, true], about)
    try store.read { tx in
      let stored = try tx.records.fetch(QueryTree(model: model.name))
      for (found, row) in zip(stored, rows) {
        for (name, value) in named(row).fields { try expectEqual(found[name], value, "\(about): \(name)") }
        if names.count > 4 { try expectEqual(found[names[4]], standard, about) }
      }
      try expectEqual(stored.count, rows.count, about)
      let order = [QueryTree.SortKey(names[1]), .init("rank", isDescending: true)]
      try expectEqual(
        try tx.records.fetch(QueryTree(model: model.name, order: order)).map { $0["id"]?.integer },
        [5, 4, 2, 1, 7, 6, 3].map(Int128.init), about)
      try expectEqual(
        try tx.records.fetch(QueryTree(model: model.name, order: [.init("price", isDescending: true)], limit: 3))
          .map { $0["id"]?.integer }, [1, 2, 3].map(Int128.init), about)
      if names.count > 4 {
        let isStandard = PredicateTree.compare(.named(names[4]), .equal, .value(standard))
        try expectEqual(try tx.records.count(QueryTree(model: model.name, predicate: isStandard)), rows.count, about)
        let least = try tx.records.aggregate(QueryTree(model: model.name), [(.min, names[4]), (.sum, names[4])])
        let total = Value.decimal(Samples.decimal("-87.5"))
        try expectEqual(least.map(\.values), [[standard, total]], about)
      }
    }
    do {
      try store.write { tx in
        for taken in [row(90, "a", 1), row(91, "b", 1)] {
          let error = try expectError(.uniqueViolation, about) {
            try tx.records.insert(into: model.name, [named(taken)])
          }
          try expectEqual(error.model, model.name, about)
        }
        try expectError(.uniqueViolation, about) {
          try tx.records.insert(into: model.name, [named(row(92, "a", 77, "10.00"))])
        }
        try expectError(.uniqueViolation, about) {
          let isSecond = PredicateTree.compare(.named("id"), .equal, .value(.int(2)))
          try tx.records.assign(QueryTree(model: model.name, predicate: isSecond), [.init("rank", .set, .int(1))])
        }
        try tx.records.insert(into: model.name, [row(93, "b", 2), row(94, nil, 1), row(95, "a", nil)].map(named))
        throw Abandoned()
      }
    } catch is Abandoned {}
  }

  static let all: [ConformanceCase] = [
    ConformanceCase(
      "SCH.renamed-compound", ["SCH-7", "SCH-3", "IDX-1", "IDX-2", "IDX-4"],
      "Compound unique indexes and the default of an optional decimal survive renames and added properties.",
      needs: [.schemaRenameModel, .schemaAddProperty, .schemaRenameProperty, .indexCompound, .indexDescending],
      without: ConformanceVariant.ofReads
    ) { kit in
      let store = try kit.store(making: [model])
      try store.write { try $0.records.insert(into: "Before", rows) }
      try expectSound(store, "at first")
      let id = try unwrap(try store.models().first).id
      for (place, change) in changes.enumerated() {
        try store.write { try change($0, id) }
        try expectSound(store, "after change \(place)")
      }
      guard kit.manifest.capabilities[.check]?.isSupported == true else { return }
      try expectEqual(try store.check(), [])
    },
    ConformanceCase(
      "SCH.renamed-compound-reopened", ["SCH-7", "SCH-3", "IDX-1", "IDX-2", "IDX-4"],
      "Compound unique indexes and the default of an optional decimal are there when a renamed model is opened again.",
      needs: [.schemaRenameModel, .schemaAddProperty, .schemaRenameProperty, .indexCompound, .indexDescending],
      requiresPersistence: true, level: .transactional, without: ConformanceVariant.ofReads
    ) { kit in
      let place = try kit.makePlace()
      var store = try kit.open([], at: place)
      try store.write { tx in
        try tx.apply(.createModel(model))
        try tx.records.insert(into: "Before", rows)
      }
      let id = try unwrap(try store.models().first).id
      for (number, change) in changes.enumerated() {
        try store.write { try change($0, id) }
        try store.close()
        store = try kit.open([], at: place)
        try expectSound(store, "opened after change \(number)")
      }
    },
    ConformanceCase(
      "SCH.renamed-in-one", ["SCH-7", "SCH-3", "IDX-1", "TXN-3"],
      "Renames and added properties of one transaction are seen in it, and gone when it is undone.",
      needs: [
        .schemaRenameModel, .schemaAddProperty, .schemaRenameProperty, .indexCompound, .indexDescending, .savepoints,
      ], without: ConformanceVariant.ofReads
    ) { kit in
      let store = try kit.store(making: [model])
      try store.write { try $0.records.insert(into: "Before", rows) }
      let id = try unwrap(try store.models().first).id
      let before = try StoreImage(store)
      try store.write { tx in
        do {
          try tx.savepoint {
            for change in changes { try change(tx, id) }
            throw Abandoned()
          }
        } catch is Abandoned {}
        try expectEqual(try StoreImage(tx), before)
        for change in changes { try change(tx, id) }
        try expectEqual(try tx.records.fetch(QueryTree(model: "Before")).map { $0["more"] }, rows.map { _ in standard })
      }
      try expectSound(store, "in one transaction")
    },
    ConformanceCase(
      "SCH.names-alike", ["SCH-3", "IDX-1", "IDX-4"],
      "Models that are named like another's index, with its model's name or without, are no other's trouble.",
      needs: [.schemaRenameModel, .schemaRenameIndex], without: ConformanceVariant.ofReads
    ) { kit in
      func make(_ name: String, _ index: String) -> ModelSchema {
        ModelSchema(
          name: name,
          properties: [
            PropertySchema(name: "id", type: .int64), PropertySchema(name: "p", type: .string, isOptional: true),
          ], primaryKey: 0, indexes: [IndexSchema(name: index, columns: [.init(slot: 1)], isUnique: true)])
      }
      let names = ["A_i", "A", "i", "A_A", "A_j", "B_i", "a_i_i"]
      let store = try kit.open([], at: kit.makePlace())
      for name in names { try store.write { try $0.apply(.createModel(make(name, name == "A_A" ? "i_i" : "i"))) } }
      func look(_ names: [String], _ about: String) throws {
        try store.write { tx in
          for name in names {
            _ = try tx.records.delete(QueryTree(model: name))
            try tx.records.insert(into: name, [Record(["id": .int(1), "p": .string("x")]), Record(["id": .int(2)])])
            try expectError(.uniqueViolation, "\(about): \(name)") {
              try tx.records.insert(into: name, [Record(["id": .int(3), "p": .string("x")])])
            }
            let isX = PredicateTree.compare(.named("p"), .equal, .value(.string("x")))
            try expectEqual(
              try tx.records.fetch(QueryTree(model: name, predicate: isX)).map { $0["id"] }, [.int(1)],
              "\(about): \(name)")
          }
        }
      }
      try look(names, "made")
      try store.write { tx in
        let (first, last) = (try tx.model(named: "A"), try tx.model(named: "B_i"))
        try tx.apply(.renameIndex(first.id, index: first.indexes[0].id, to: "j"))
        try tx.apply(.renameModel(last.id, to: "B"))
        try tx.apply(.createModel(make("B_i", "i")))
      }
      try look(names + ["B"], "renamed")
      try store.write { tx in
        try tx.apply(.dropModel(try tx.model(named: "A_i").id))
        let first = try tx.model(named: "A")
        try tx.apply(.renameIndex(first.id, index: first.indexes[0].id, to: "i"))
        try tx.apply(.renameModel(try tx.model(named: "i").id, to: "A_i"))
      }
      try look(["A", "A_i", "A_A", "A_j", "B_i", "B", "a_i_i"], "dropped and renamed")
    },
    ConformanceCase(
      "SCH.mismatch-again", ["SCH-2", "MP-4"],
      "A store whose model was changed is told schemaMismatch at every transaction, not at the next alone.",
      needs: [.schemaAddProperty, .schemaDropProperty], without: ConformanceVariant.ofReads
    ) { kit in
      let store = try kit.store(Numbered.self, Plain.self)
      try store.insert(Numbered(id: 1, number: 1))
      try store.write { tx in
        let id = try tx.model(named: "Plain").id
        try tx.apply(.addProperty(id, PropertySchema(name: "more", type: .int64, isOptional: true)))
      }
      for round in 0..<3 {
        try expectError(.schemaMismatch, "\(round)") { try store.count(Numbered.all) }
        try expectError(.schemaMismatch, "\(round)") { try store.insert(Plain(round)) }
        try expectError(.schemaMismatch, "\(round)") { try store.read { _ in } }
        try expectError(.schemaMismatch, "\(round)") { try store.write { _ in } }
        let frozen = try store.freeze()
        defer { frozen.close() }
        try expectError(.schemaMismatch, "\(round)") { try frozen.count(Numbered.all) }
        try expectError(.schemaMismatch, "\(round)") { try store.count(Plain.all) }
      }
    },
  ]
}
