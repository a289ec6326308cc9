#if PostgreSQL
  import Foundation
  import QuarryBackend
  import QuarryCore
  import QuarryQuery
  import Testing

  @testable import QuarryPostgreSQL

  /// Indexes of more, and of longer, values than an index of the server has room for.
  @Suite struct IndexTests {
    private static let types: [PropertyType] = [
      .string, .double, .data, .decimal, .uuid, .bool, .float, .uint64, .int8, .date,
    ]

    /// A model with an index of 40 columns, of all types in turn.
    private static func wide(isUnique: Bool) -> ModelSchema {
      let properties = (0..<40).map { PropertySchema(name: "p\($0)", type: types[$0 % 10], isOptional: $0 == 39) }
      let index = IndexSchema(name: "all", columns: (1...40).map { .init(slot: $0) }, isUnique: isUnique)
      return ModelSchema(
        name: "Wide", properties: [PropertySchema(name: "id", type: .int64)] + properties, primaryKey: 0,
        indexes: [index])
    }

    private static func value(_ type: PropertyType, _ other: Bool) -> Value {
      switch type {
      case .string: .string(other ? "\\" : "é\0")
      case .double: .double(other ? -0.0 : 0)
      case .data: .data(Data(other ? [1] : [92, 0]))
      case .decimal: .decimal(other ? 1.5 : 2)
      case .uuid: .uuid(UUID(uuid: (other ? 1 : 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
      case .bool: .bool(other)
      case .float: .float(other ? -.nan : .nan)
      case .uint64: .uint(other ? .max : 1)
      case .int8: .int(other ? 1 : 2)
      default: .date(Date(timeIntervalSinceReferenceDate: other ? 1 : 2))
      }
    }

    /// - Parameters:
    ///   - changed: The property with the other value.
    ///   - hasLast: Whether the last property has a value.
    private static func record(_ id: Int64, changed: Int? = nil, hasLast: Bool = true) -> Record {
      let fields = (0..<(hasLast ? 40 : 39)).map { ("p\($0)", value(types[$0 % 10], $0 == changed)) }
      return Record([("id", .int(id))] + fields)
    }

    @Test func anIndexHasAnyNumberOfColumns() throws {
      let place = try TestPlace()
      let store = try place.open()
      defer { try? store.close() }
      try store.write { tx in
        try tx.apply(.createModel(Self.wide(isUnique: true)))
        try tx.records.insert(into: "Wide", [Self.record(0)])
        for changed in 0..<40 {
          // Two zeros are equal, and so are two NaNs.
          let isEqual = [.double, .float].contains(Self.types[changed % 10])
          let found = code { try tx.records.insert(into: "Wide", [Self.record(Int64(changed + 1), changed: changed)]) }
          #expect(found == (isEqual ? .uniqueViolation : nil), "p\(changed)")
        }
        // Nil equals nothing.
        try tx.records.insert(into: "Wide", [Self.record(100, hasLast: false), Self.record(101, hasLast: false)])
      }
      #expect(try store.check().isEmpty)
    }

    @Test func aPlainIndexHasAnyNumberOfColumns() throws {
      let place = try TestPlace()
      let store = try place.open()
      defer { try? store.close() }
      try store.write { tx in
        try tx.apply(.createModel(Self.wide(isUnique: false)))
        try tx.records.insert(into: "Wide", (0..<5).map { Self.record($0) })
      }
      #expect(try store.check().isEmpty)
      #expect(try store.read { try $0.records.fetch(in: "Wide").count } == 5)
    }

    @Test func entriesOfTheLongestValuesHaveRoom() throws {
      let place = try TestPlace()
      let store = try place.open()
      defer { try? store.close() }
      let names = ["a", "b", "c", "d", "e", "f"]
      for isUnique in [false, true] {
        let name = isUnique ? "Unique" : "Plain"
        let model = ModelSchema(
          name: name,
          properties: [PropertySchema(name: "id", type: .string)]
            + names.map { PropertySchema(name: $0, type: .string) },
          primaryKey: 0,
          indexes: [IndexSchema(name: "all", columns: (1...6).map { .init(slot: $0) }, isUnique: isUnique)])
        try store.write { tx in
          try tx.apply(.createModel(model))
          for id in 0..<3 {
            // Random, because the server compresses what it can.
            let fields = names.map { ($0, Value.string(Self.random())) }
            try tx.records.insert(into: name, [Record([("id", .string(Self.random()))] + fields)])
            let found = code { try tx.records.insert(into: name, [Record([("id", .string("\(id)"))] + fields)]) }
            #expect(found == (isUnique ? .uniqueViolation : nil))
          }
        }
      }
    }

    /// A text of 2,000 characters with four bytes each.
    private static func random() -> String {
      var text = String.UnicodeScalarView()
      for _ in 0..<2_000 {
        if let scalar = Unicode.Scalar(UInt32.random(in: 0x10000...0x1FFFF)) { text.append(scalar) }
      }
      return String(text)
    }

    /// With so few rows, the server reads all of them unless it may not.
    @Test func listsAndUniqueValuesAreFoundInIndexes() throws {
      let place = try TestPlace()
      var configuration = place.place
      configuration.connection += " options='-c enable_seqscan=off'"
      let store = try Store(opening: configuration)
      defer { try? store.close() }
      let model = ModelSchema(
        name: "Note",
        properties: [PropertySchema(name: "id", type: .string), PropertySchema(name: "data", type: .data)],
        primaryKey: 0,
        indexes: [IndexSchema(name: "data", columns: [.init(slot: 1)])])
      try store.write { tx in
        try tx.apply(.createModel(model))
        try tx.records.insert(
          into: "Note", (0..<100).map { Record(["id": .string("\($0)"), "data": .data(Data([UInt8($0)]))]) })
      }
      let lists: [(String, [Value])] = [
        ("id", [.string("7"), .string("x"), .string("8")]),
        ("data", [.data(Data([7])), .data(Data([8, 0])), .data(Data([9]))]),
      ]
      for (name, list) in lists {
        let query = QueryTree(model: "Note", predicate: .oneOf(.property(PropertyPath(name)), list))
        try store.read { tx in
          let plan = try tx.records.explain(query)
          #expect(plan.access.contains { $0.description.contains("Index") }, "\(plan)")
          #expect(plan.residual.isEmpty)
          #expect(try tx.records.fetch(query).count == 2)
        }
      }
    }

    @Test func aBatchOfLargeRowsIsSmall() throws {
      let model = ModelSchema(
        name: "Note",
        properties: [PropertySchema(name: "id", type: .int64), PropertySchema(name: "text", type: .string)],
        primaryKey: 0)
      let table = try PostgreSQLTable(model, in: PostgreSQLPlace(schema: "s"))
      #expect(table.rows(in: 4 << 20, most: 256) == 16)
      table.note(rowOf: 1 << 20)
      #expect(table.rows(in: 4 << 20, most: 256) == 4)
      table.note(rowOf: 64 << 20)
      #expect(table.rows(in: 4 << 20, most: 256) == 1)
      for _ in 0..<60 { table.note(rowOf: 100) }
      #expect(table.rows(in: 4 << 20, most: 256) == 256)
    }
  }
#endif
