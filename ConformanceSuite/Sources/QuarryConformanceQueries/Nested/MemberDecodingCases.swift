import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// What the decoding of nested types meets: numbers that are not stored, arrays that are shorter than it thinks.
enum MemberDecodingCases {
  /// Three elements, whatever there are.
  private struct Three: Codable, Hashable {
    var elements: [Int]

    init(elements: [Int]) { self.elements = elements }

    init(from decoder: any Decoder) throws {
      var list = try decoder.unkeyedContainer()
      elements = [try list.decode(Int.self), try list.decode(Int.self), try list.decode(Int.self)]
    }

    func encode(to encoder: any Encoder) throws {
      var list = encoder.unkeyedContainer()
      for element in elements { try list.encode(element) }
    }
  }

  private struct Triple: Codable, Hashable, Storable {
    var three: Three
  }

  private struct Wide: Codable, Hashable, Storable {
    var signed: Int128
    var unsigned: UInt128
    var many: [Int128]
  }

  private struct Decoded: Model {
    var id: Int
    var triple: Triple?
    var wide: Wide?

    static let modelDefinition = ModelDefinition<Decoded>(
      name: "Decoded",
      properties: [
        PropertyDefinition("id", \Decoded.id, Int.self), PropertyDefinition("triple", \Decoded.triple, Triple?.self),
        PropertyDefinition("wide", \Decoded.wide, Wide?.self),
      ],
      primaryKey: "id")

    struct Columns: ModelColumns {
      var id = Column<Int>("id", 0)
      var triple = Column<Triple?>("triple", 1)
      var wide = Column<Wide?>("wide", 2)
    }

    var primaryKeyValue: Int { id }

    init(id: Int, triple: Triple? = nil, wide: Wide? = nil) {
      self.id = id
      self.triple = triple
      self.wide = wide
    }

    init(reading row: ModelReader) throws(StorageError) {
      id = try row.get(0)
      triple = try row.get(1)
      wide = try row.get(2)
    }

    func write(to row: ModelWriter) throws(StorageError) {
      try row.set(0, id)
      try row.set(1, triple)
      try row.set(2, wide)
    }
  }

  static let all: [ConformanceCase] = [
    ConformanceCase(
      "NEST.wide-integers", ["NEST-5", "VAL-4"],
      "Members of 128 bits come back exactly: integers where they fit into 64 bits, else decimals; others are invalidValue."
    ) { kit in
      let store = try kit.store(Decoded.self)
      let wide = [
        Wide(signed: 1, unsigned: 2, many: [-1]),
        Wide(signed: .min, unsigned: .max, many: [.max, .min + 1, -(1 << 64), 1 << 64, Int128(UInt64.max)]),
      ]
      for (id, wide) in wide.enumerated() { try store.insert(Decoded(id: id, wide: wide)) }
      try expectEqual(try store.fetch(Decoded.all).map(\.wide), wide)
      let stored = Value.object([
        .init("many", .array([.int(-1)])), .init("signed", .int(1)), .init("unsigned", .int(2)),
      ])
      try expectEqual(try store.read { try $0.records.get(in: "Decoded", key: .int(0)) }?["wide"], stored)
      let fraction = Value.object([
        .init("many", .array([])), .init("signed", .decimal(Samples.decimal("0.5"))), .init("unsigned", .int(2)),
      ])
      try store.write {
        try $0.records.insert(into: "Decoded", [Record(["id": .int(2), "triple": .null, "wide": fraction])])
      }
      try expectError(.invalidValue, "reading") { try store.get(Decoded.self, 2) }
    },
    ConformanceCase(
      "NEST.short-array", ["VAL-4"],
      "A type that decodes more elements than are stored is invalidValue; more elements than it decodes are read past."
    ) { kit in
      let store = try kit.store(Decoded.self)
      for count in [0, 1, 2, 3, 4] {
        try store.insert(Decoded(id: count, triple: Triple(three: Three(elements: Array(0..<count)))))
        if count < 3 {
          let error = try expectError(.invalidValue, "\(count)") { try store.get(Decoded.self, count) }
          try expectEqual(error.model, "Decoded", "\(count)")
        } else {
          try expectEqual(try store.get(Decoded.self, count)?.triple?.three.elements, [0, 1, 2], "\(count)")
        }
      }
      try expectEqual(try store.count(Decoded.all), 5)
    },
  ]
}
