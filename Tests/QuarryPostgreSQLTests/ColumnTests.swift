#if PostgreSQL
  import Foundation
  import QuarryBackend
  import QuarryCore
  import Testing

  @testable import QuarryPostgreSQL
  @testable import QuarryTestSupport

  @Suite struct ColumnTests {
    @Test func everyTypeComesBack() throws {
      let place = try TestPlace()
      let store = try place.open()
      defer { try? store.close() }
      try EveryType.fill(store)
      for key in EveryType.keys {
        let found = try store.read { try $0.records.get(in: "Every", key: .int(Int64(key))) }
        let (row, model) = (EveryType.row(key), EveryType.model)
        for property in model.properties { #expect(found?[property.name] == row[property.name], "\(property.name)") }
      }
      #expect(try store.check().isEmpty)
    }

    /// Trees that JSON, or the server's form of it, cannot say.
    static let trees: [Value] = [
      .double(.nan), .double(-0.0), .double(1e300), .double(1e-7), .string("\0"), .uint(.max), .int(.min),
      .object([.init("a\0", .int(1)), .init("b", .double(-0.0))]), .object([.init("when", .date(.distantPast))]),
      .array([.float(0.1), .data(Data([1])), .null, .double(1.5)]), .object([.init("", .object([]))]),
    ]

    private static let note = ModelSchema(
      name: "Note",
      properties: [
        PropertySchema(name: "id", type: .int64), PropertySchema(name: "tree", type: .nested, isOptional: true),
        PropertySchema(name: "other", type: .nested, isOptional: true), PropertySchema(name: "xmin", type: .int64),
      ], primaryKey: 0)

    private static func record(_ id: Int, _ tree: Value, _ other: Value) -> Record {
      Record(["id": .int(Int64(id)), "tree": tree, "other": other, "xmin": .int(7)])
    }

    @Test func everyTreeComesBack() throws {
      let place = try TestPlace()
      let store = try place.open()
      defer { try? store.close() }
      try store.write { tx in
        try tx.apply(.createModel(Self.note))
        for (id, tree) in Self.trees.enumerated() {
          try tx.records.insert(into: "Note", [Self.record(id, tree, Self.trees[(id + 1) % Self.trees.count])])
        }
      }
      for (id, tree) in Self.trees.enumerated() {
        let found = try store.read { try $0.records.get(in: "Note", key: .int(Int64(id))) }
        // Bit by bit: NaN does not equal itself.
        #expect("\(found?["tree"] as Any)" == "\(tree as Value? as Any)", "\(tree)")
      }
    }

    @Test func anEditOfTheJSONCounts() throws {
      let place = try TestPlace()
      let store = try place.open()
      defer { try? store.close() }
      try store.write { tx in
        try tx.apply(.createModel(Self.note))
        try tx.records.insert(into: "Note", [Self.record(1, .double(.nan), .string("\0"))])
      }
      try place.server("UPDATE \(place.schema).\"Note\" SET tree = '{\"b\": 1, \"a\": 2.0}'")
      let found = try store.read { try $0.records.get(in: "Note", key: .int(1)) }
      #expect(found?["tree"] == .object([.init("a", .double(2)), .init("b", .int(1))]))
      #expect(found?["other"] == .string("\0"))
    }

    @Test func whatNoPropertyHoldsIsCorrupt() throws {
      let place = try TestPlace()
      let store = try place.open()
      defer { try? store.close() }
      try EveryType.fill(store)
      try place.server("UPDATE \(place.schema).\"Every\" SET uint8 = 999 WHERE id = 3")
      let error = #expect(throws: StorageError.self) {
        try store.read { _ = try $0.records.get(in: "Every", key: .int(3)) }
      }
      #expect(error?.code == .corrupt && error?.property == "uint8" && error?.key == "3")
      #expect(try !store.check().isEmpty)
    }

    /// Values that differ only behind what an index has of them.
    @Test func longValuesAreUniqueAndFound() throws {
      let place = try TestPlace()
      let store = try place.open()
      defer { try? store.close() }
      let model = ModelSchema(
        name: "Long",
        properties: [
          PropertySchema(name: "id", type: .int64), PropertySchema(name: "text", type: .string),
          PropertySchema(name: "bytes", type: .data),
        ], primaryKey: 0,
        indexes: [
          IndexSchema(name: "text", columns: [.init(slot: 1)], isUnique: true),
          IndexSchema(name: "bytes", columns: [.init(slot: 2)], isUnique: true),
        ])
      let start = String(repeating: "é\\", count: 5_000)
      func record(_ id: Int, _ end: String) -> Record {
        Record(["id": .int(Int64(id)), "text": .string(start + end), "bytes": .data(Data((start + end).utf8))])
      }
      try store.write { tx in
        try tx.apply(.createModel(model))
        try tx.records.insert(into: "Long", [record(1, "a"), record(2, "b")])
      }
      #expect(code { try store.write { try $0.records.insert(into: "Long", [record(3, "b")]) } } == .uniqueViolation)
      let backend = try place.place.open(OpenOptions())
      defer { try? backend.close() }
      let tx = try backend.beginRead()
      defer { tx.end() }
      let query = BoundQuery(
        model: tx.schema.models[0].id, predicate: .compare(slot: 1, .equal, .string(start + "b")),
        order: [BoundSortKey(slot: 0)])
      #expect(try tx.count(query) == 1)
      let plan = try tx.explain(query)
      #expect(plan.residual.isEmpty)
      #expect(plan.statement?.contains("left(\"text\", 150) = left($1, 150)") == true)
    }
  }
#endif
