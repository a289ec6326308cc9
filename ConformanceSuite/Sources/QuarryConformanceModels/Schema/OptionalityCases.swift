import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Properties that are made optional, and no longer, with rows from before in every place where one is looked for.
enum OptionalityCases {
  static let all: [ConformanceCase] =
    Samples.orderedTypes.map { both($0) }
    + [trees, aged, unique, undone, reopened, frozen, primaryKey, random]

  private static let needs: Set<Capability> = [.schemaChangeOptionality]

  private static func change(_ tx: WriteTransaction, _ model: String, _ names: [String], _ isOptional: Bool) throws {
    for name in names {
      let stored = try tx.model(named: model)
      let slot = try unwrap(stored.slot(named: name), name)
      try tx.apply(.changeOptionality(stored.id, slot: slot, isOptional: isOptional))
      try expectEqual(try tx.model(named: model).properties[slot].isOptional, isOptional, name)
    }
  }

  /// The change to what is not optional is refused, names the object, and leaves everything as it was.
  private static func expectRefused(
    _ tx: WriteTransaction, _ model: String, _ property: String, key: String, file: String = #fileID, line: Int = #line
  ) throws {
    let before = try StoreImage(tx)
    let error = try expectError(.missingValue, property, file: file, line: line) {
      try change(tx, model, [property], false)
    }
    try expectEqual(error.model, model, file: file, line: line)
    try expectEqual(error.property, property, file: file, line: line)
    try expectEqual(error.key, key, file: file, line: line)
    try expectEqual(try StoreImage(tx), before, file: file, line: line)
  }

  private static func expectSound(_ store: Store, _ kit: ConformanceContext) throws {
    if kit.manifest.capabilities[.check]?.isSupported == true { try expectEqual(try store.check(), []) }
  }

  // MARK: Each type

  private static func both(_ type: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "SCH.optionality-\(type.name)", ["SCH-8", "SCH-7", "CRUD-12", "SORT-2", "PRED-1"],
      "A \(type.name) that was made optional takes nil and is found, and one that was made required is found as before.",
      needs: needs.union([.indexPlain, .indexDescending, .deleteWhere]), without: ConformanceVariant.ofReads
    ) { kit in
      let name = ColumnTable.name
      let values = Samples.few(type, 5)
      let store = try kit.store(making: [ColumnTable.model(type)])
      let olds = ColumnTable.rows(values)
      func look(_ stage: String, _ rows: [Record]) throws {
        try store.read { tx in
          try questions(
            ColumnTable.View(name: stage, transaction: tx, columns: ColumnTable.allColumns, rows: rows), values)
        }
      }
      try store.write { try $0.records.insert(into: name, olds) }
      try store.write { try change($0, name, ["present", "presentIndexed"], true) }
      try look("made optional", olds)
      let news = (0..<3).map { place in
        Record([
          "id": .int(Int64(1_000 + place)), "plain": .null, "indexed": values[place % values.count], "falling": .null,
          "present": place == 1 ? values[0] : .null, "presentIndexed": place == 2 ? values[0] : .null,
        ])
      }
      try store.write { try $0.records.insert(into: name, news) }
      try look("with nil", olds + news)
      try store.write { tx in
        try expectRefused(tx, name, "present", key: "1000")
        try expectRefused(tx, name, "presentIndexed", key: "1000")
        try expectEqual(
          try tx.records.delete(
            QueryTree(model: name, predicate: .compare(.named("id"), .greaterOrEqual, .value(.int(1_000))))), 3)
        try change(tx, name, ["present", "presentIndexed"], false)
        try expectError(.missingValue) { try tx.records.insert(into: name, news) }
      }
      try look("required again", olds)
      try expectEqual(try store.models().map(\.properties), [ColumnTable.model(type).properties])
      try expectSound(store, kit)
    }
  }

  private static func questions(_ view: ColumnTable.View, _ values: [Value]) throws {
    for column in view.columns {
      for constant in [values[0], values[values.count - 1], .null] {
        for comparison in [Comparison.equal, .notEqual, .less, .greaterOrEqual] {
          try view.expectRows(.compare(.named(column), comparison, .value(constant)))
        }
      }
      for isDescending in [false, true] {
        try view.expectRows(
          QueryTree(model: ColumnTable.name, order: [.init(column, isDescending: isDescending)], limit: 7, offset: 1))
      }
    }
  }

  // MARK: Single cases

  private static let trees = ConformanceCase(
    "SCH.optionality-trees", ["SCH-8", "SCH-7", "CRUD-12"],
    "Nested values, arrays and data are as they were when their property was made optional, and required again.",
    needs: needs, without: ConformanceVariant.ofReads
  ) { kit in
    let names = ["tree", "list", "bytes"]
    let store = try kit.store(making: [
      ModelSchema(
        name: "Tree",
        properties: [
          PropertySchema(name: "id", type: .string), PropertySchema(name: "tree", type: .nested),
          PropertySchema(name: "list", type: .array, elementType: .string), PropertySchema(name: "bytes", type: .data),
        ], primaryKey: 0)
    ])
    let rows = ["a", "b"].map { key in
      Record([
        "id": .string(key), "tree": .object([.init("k", .string(key)), .init("n", .null)]),
        "list": .array([.string(key), .string("")]), "bytes": .data(.init(key.utf8)),
      ])
    }
    try store.write { try $0.records.insert(into: "Tree", rows) }
    let nothing = Record(["id": .string("aa"), "tree": .null, "list": .null, "bytes": .null])
    try store.write { try change($0, "Tree", names, true) }
    try store.write { try $0.records.insert(into: "Tree", [nothing]) }
    try expectEqual(try store.read { try $0.records.fetch(QueryTree(model: "Tree")) }, [rows[0], nothing, rows[1]])
    try store.write { tx in
      for name in names { try expectRefused(tx, "Tree", name, key: "aa") }
      try tx.records.delete(QueryTree(model: "Tree", predicate: .compare(.named("id"), .equal, .value(.string("aa")))))
      try change(tx, "Tree", names, false)
    }
    try expectEqual(try store.read { try $0.records.fetch(QueryTree(model: "Tree")) }, rows)
    try expectSound(store, kit)
  }

  private static func aging(_ kit: ConformanceContext, _ added: [PropertySchema]) throws -> Store {
    let store = try kit.store(making: [
      ModelSchema(name: "Old", properties: [PropertySchema(name: "id", type: .int64)], primaryKey: 0)
    ])
    try store.write { tx in
      try tx.records.insert(into: "Old", [9, 4, 6].map { Record(["id": .int($0)]) })
      for property in added { try tx.apply(.addProperty(try tx.model(named: "Old").id, property)) }
    }
    return store
  }

  private static let aged = ConformanceCase(
    "SCH.optionality-old-rows", ["SCH-8", "SCH-7", "CRUD-12"],
    "A row from before a property was added has its default or nil, for which the property cannot be made required.",
    needs: needs.union([.schemaAddProperty, .updateWhere]), without: ConformanceVariant.ofReads
  ) { kit in
    let store = try aging(
      kit,
      [
        PropertySchema(name: "none", type: .string, isOptional: true),
        PropertySchema(name: "some", type: .string, isOptional: true, defaultValue: .string("d")),
        PropertySchema(name: "sure", type: .int32, defaultValue: .int(5)),
      ])
    try store.write { tx in
      try expectRefused(tx, "Old", "none", key: "4")
      try change(tx, "Old", ["some"], false)
      try change(tx, "Old", ["sure"], true)
      try tx.records.insert(
        into: "Old", [Record(["id": .int(5), "none": .string("n"), "some": .string("s"), "sure": .null])])
      try tx.records.assign(
        QueryTree(model: "Old", predicate: .compare(.named("id"), .less, .value(.int(5)))),
        [.init("none", .set, .string("x"))])
      try expectRefused(tx, "Old", "none", key: "6")
      try expectRefused(tx, "Old", "sure", key: "5")
    }
    let rows = try store.read { try $0.records.fetch(QueryTree(model: "Old")) }
    try expectEqual(rows.map { $0["none"] }, [.string("x"), .string("n"), .null, .null])
    try expectEqual(rows.map { $0["some"] }, [.string("d"), .string("s"), .string("d"), .string("d")])
    try expectEqual(rows.map { $0["sure"] }, [.int(5), .null, .int(5), .int(5)])
    try expectSound(store, kit)
  }

  private static let unique = ConformanceCase(
    "SCH.optionality-unique", ["SCH-8", "SCH-7", "IDX-1", "IDX-2"],
    "A unique property that was made optional takes many nils and no value twice, before and after.",
    needs: needs.union([.indexUnique, .indexCompound, .deleteWhere]), without: ConformanceVariant.ofReads
  ) { kit in
    let store = try kit.store(making: [thing])
    func row(_ id: Int64, _ code: Value, _ rank: Value) -> Record {
      Record(["id": .int(id), "code": code, "rank": rank, "note": .null])
    }
    try store.write { tx in
      try tx.records.insert(into: "Thing", [row(1, .string("a"), .int(1)), row(2, .string("b"), .int(2))])
      try change(tx, "Thing", ["code", "rank"], true)
      try tx.records.insert(into: "Thing", [row(3, .null, .null), row(4, .null, .null), row(5, .null, .int(9))])
      for taken in [row(6, .string("a"), .int(8)), row(7, .string("c"), .int(1))] {
        try expectError(.uniqueViolation) { try tx.records.insert(into: "Thing", [taken]) }
      }
      try expectRefused(tx, "Thing", "code", key: "3")
      try tx.records.delete(QueryTree(model: "Thing", predicate: .compare(.named("id"), .greater, .value(.int(2)))))
      try change(tx, "Thing", ["code", "rank"], false)
      try expectError(.uniqueViolation) { try tx.records.insert(into: "Thing", [row(6, .string("a"), .int(8))]) }
    }
    try expectError(.uniqueViolation) {
      try store.write { try $0.records.insert(into: "Thing", [row(7, .string("c"), .int(1))]) }
    }
    try expectSound(store, kit)
  }

  /// Two unique values, and an index of two columns of which one descends.
  private static let thing = ModelSchema(
    name: "Thing",
    properties: [
      PropertySchema(name: "id", type: .int64), PropertySchema(name: "code", type: .string),
      PropertySchema(name: "rank", type: .int32), PropertySchema(name: "note", type: .string, isOptional: true),
    ], primaryKey: 0,
    indexes: [
      IndexSchema(name: "code", columns: [.init(slot: 1)], isUnique: true),
      IndexSchema(name: "rank", columns: [.init(slot: 2)], isUnique: true),
      IndexSchema(name: "falling", columns: [.init(slot: 3), .init(slot: 2, isDescending: true)]),
    ])

  private static func things(_ kit: ConformanceContext, at place: any BackendProvider) throws -> Store {
    let store = try kit.open([], at: place)
    try store.write { tx in
      try tx.apply(.createModel(thing))
      try tx.records.insert(
        into: "Thing",
        (0..<40).map { id in
          Record([
            "id": .int(id), "code": .string("c\(id)"), "rank": .int(id * 7 % 40),
            "note": id % 3 == 0 ? .null : .string("n\(id % 5)"),
          ])
        })
    }
    return store
  }

  private static let undone = ConformanceCase(
    "SCH.optionality-undone", ["SCH-8", "SCH-7", "TXN-3"],
    "A change of optionality that is undone with its savepoint or its transaction leaves the store as it was.",
    needs: needs.union([.savepoints, .updateWhere]), without: ConformanceVariant.ofReads
  ) { kit in
    let store = try things(kit, at: kit.makePlace())
    let before = try StoreImage(store)
    func changed(_ tx: WriteTransaction) throws {
      try change(tx, "Thing", ["code", "rank"], true)
      try tx.records.assign(QueryTree(model: "Thing"), [.init("rank", .set, .null), .init("note", .set, .string("z"))])
      try change(tx, "Thing", ["note"], false)
      throw Abandoned()
    }
    try store.write { tx in
      do { try tx.savepoint { try changed(tx) } } catch is Abandoned {}
      try expectEqual(try StoreImage(tx), before)
      try expectError(.missingValue) { try tx.records.assign(QueryTree(model: "Thing"), [.init("rank", .set, .null)]) }
    }
    do { try store.write { try changed($0) } } catch is Abandoned {}
    try expectEqual(try StoreImage(store).rows, before.rows)
    try expectEqual(try StoreImage(store).models, before.models)
    try expectSound(store, kit)
  }

  private static let reopened = ConformanceCase(
    "SCH.optionality-reopened", ["SCH-8", "SCH-7", "DUR-1"],
    "A change of optionality, and what was stored after it, is there when the store is opened again.",
    needs: needs.union([.updateWhere]), requiresPersistence: true, level: .transactional,
    without: ConformanceVariant.ofReads
  ) { kit in
    let place = try kit.makePlace()
    var store = try things(kit, at: place)
    try store.write { tx in
      try change(tx, "Thing", ["code", "rank"], true)
      try tx.records.assign(
        QueryTree(model: "Thing", predicate: .compare(.named("id"), .less, .value(.int(9)))),
        [.init("code", .set, .null), .init("note", .set, .string("z"))])
    }
    var image = try StoreImage(store)
    try store.close()
    store = try kit.open([], at: place)
    try expectEqual(try StoreImage(store), image)
    try store.write { tx in
      try tx.records.assign(
        QueryTree(model: "Thing", predicate: .compare(.named("note"), .equal, .value(.null))),
        [.init("note", .set, .string("y"))])
      try change(tx, "Thing", ["note", "rank"], false)
      try expectRefused(tx, "Thing", "code", key: "0")
    }
    image = try StoreImage(store)
    try store.close()
    store = try kit.open([], at: place)
    try expectEqual(try StoreImage(store), image)
    try expectSound(store, kit)
  }

  private static let frozen = ConformanceCase(
    "SCH.optionality-frozen", ["SCH-8", "SCH-7", "SNAP-1"],
    "A frozen store sees the property as it was, and its values, whatever is changed after.",
    needs: needs.union([.snapshots, .updateWhere]), without: ConformanceVariant.ofReads
  ) { kit in
    let store = try things(kit, at: kit.makePlace())
    let before = try StoreImage(store)
    let frozen = try store.freeze()
    defer { frozen.close() }
    try store.write { tx in
      try change(tx, "Thing", ["rank"], true)
      try tx.records.assign(QueryTree(model: "Thing"), [.init("rank", .set, .null), .init("note", .set, .string("z"))])
      try change(tx, "Thing", ["note"], false)
    }
    try expectEqual(try frozen.read { try StoreImage($0) }, before)
    let ranks = try store.read { try $0.records.fetch(QueryTree(model: "Thing")) }.map { $0["rank"] }
    try expectEqual(ranks, Array(repeating: .null, count: 40))
  }

  private static let primaryKey = ConformanceCase(
    "SCH.optionality-key", ["SCH-8", "SCH-7"],
    "The primary key cannot be made optional, nor a property that is not there; what is as it is stays.",
    needs: needs, without: ConformanceVariant.ofReads
  ) { kit in
    let store = try things(kit, at: kit.makePlace())
    let before = try StoreImage(store)
    try store.write { tx in
      let id = try tx.model(named: "Thing").id
      for slot in [0, -1, 4, Int.max] {
        try expectError(.schemaMismatch, "slot \(slot)") {
          try tx.apply(.changeOptionality(id, slot: slot, isOptional: true))
        }
      }
      try change(tx, "Thing", ["id", "code"], false)
      try change(tx, "Thing", ["note"], true)
    }
    try expectEqual(try StoreImage(store), before)
    try expectSound(store, kit)
  }

  private static let random = ConformanceCase(
    "SCH.optionality-random", ["SCH-8", "SCH-7", "CRUD-12"],
    "After many random changes of optionality, writes and refusals the store has what was kept beside it.",
    needs: needs.union([.upsert, .deleteWhere, .indexCompound, .indexDescending]),
    without: ConformanceVariant.ofReads
  ) { kit in
    var random = kit.random(7)
    let names = ["code", "rank", "note"]
    var model = thing
    model.indexes[0].isUnique = false
    model.indexes[1].isUnique = false
    let store = try kit.store(making: [model])
    var rows: [Int64: Record] = [:]
    for _ in 0..<40 {
      try store.write { tx in
        let stored = try tx.model(named: "Thing")
        for _ in 0..<Int.random(in: 0...4, using: &random) {
          let id = Int64.random(in: 0..<12, using: &random)
          func value(_ name: String, _ value: Value) -> Value {
            let isOptional = stored.slot(named: name).map { stored.properties[$0].isOptional } ?? false
            return isOptional && Int.random(in: 0..<4, using: &random) == 0 ? .null : value
          }
          let number = Int64.random(in: 0..<5, using: &random)
          let row = Record([
            "id": .int(id), "code": value("code", .string("c\(number)")), "rank": value("rank", .int(number)),
            "note": value("note", .string("n\(number)")),
          ])
          _ = try tx.records.upsert(into: "Thing", [row])
          rows[id] = row
        }
        let name = names[Int.random(in: 0..<3, using: &random)]
        let isOptional = Bool.random(using: &random)
        let nils = rows.filter { $0.value[name]?.isNull == true }.keys
        if !isOptional, let first = nils.min() {
          try expectRefused(tx, "Thing", name, key: String(first))
          if Bool.random(using: &random) {
            try tx.records.delete(QueryTree(model: "Thing", predicate: .compare(.named(name), .equal, .value(.null))))
            for id in Array(nils) { rows[id] = nil }
            try change(tx, "Thing", [name], false)
          }
        } else {
          try change(tx, "Thing", [name], isOptional)
        }
      }
      try store.read { tx in
        let expected = rows.sorted { $0.key < $1.key }.map(\.value)
        try expectEqual(try tx.records.fetch(QueryTree(model: "Thing")), expected)
        for name in names {
          let query = QueryTree(model: "Thing", order: [.init(name, isDescending: Bool.random(using: &random))])
          try expectEqual(
            try tx.records.fetch(query).map { $0["id"] }, Reference.rows(query, from: expected).map { $0["id"] }, name)
        }
      }
    }
    try expectSound(store, kit)
  }
}
