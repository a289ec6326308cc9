import QuarryBackend
import QuarryCore

/// Members of 128 bits, which no stored number has: they are refused in both directions.
enum WideIntegerCases {
  private struct Wide: Codable, Hashable, Storable {
    var signed: Int128
    var unsigned: UInt128
    var many: [Int128]
  }

  private struct Holder: Model {
    var id: Int
    var wide: Wide

    static let modelDefinition = ModelDefinition<Holder>(
      name: "Holder",
      properties: [
        PropertyDefinition("id", \Holder.id, Int.self), PropertyDefinition("wide", \Holder.wide, Wide.self),
      ],
      primaryKey: "id")

    struct Columns: ModelColumns {
      var id = Column<Int>("id", 0)
      var wide = Column<Wide>("wide", 1)
    }

    var primaryKeyValue: Int { id }

    init(id: Int, wide: Wide) {
      self.id = id
      self.wide = wide
    }

    init(reading row: ModelReader) throws(StorageError) {
      id = try row.get(0)
      wide = try row.get(1)
    }

    func write(to row: ModelWriter) throws(StorageError) {
      try row.set(0, id)
      try row.set(1, wide)
    }
  }

  static let all: [ConformanceCase] = [
    ConformanceCase(
      "NEST.wide-integers", ["NEST-5", "VAL-4"],
      "Members of 128 bits are invalidValue, where they are written and where they are read."
    ) { kit in
      let store = try kit.store(Holder.self)
      let wide = Wide(signed: 1, unsigned: 2, many: [-1])
      try expectError(.invalidValue, "writing") { try store.insert(Holder(id: 1, wide: wide)) }
      try expectEqual(try store.count(Holder.all), 0)
      let stored = Value.object([
        .init("many", .array([.int(-1)])), .init("signed", .int(1)), .init("unsigned", .int(2)),
      ])
      try store.write { try $0.insertRows(into: "Holder", [Record(["id": .int(1), "wide": stored])]) }
      try expectError(.invalidValue, "reading") { try store.get(Holder.self, 1) }
      try expectEqual(try store.read { try $0.row(in: "Holder", key: .int(1)) }?["wide"], stored)
    }
  ]
}
