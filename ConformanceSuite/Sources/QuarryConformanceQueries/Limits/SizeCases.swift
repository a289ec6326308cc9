import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Texts and data of each size at which engines change their ways, in each kind of column.
enum SizeCases {
  private static let sizes = [0, 1, 255, 256, 510, 511, 512, 513, 4095, 4096, 4097, 65_535, 65_536, 1_000_000]

  /// A megabyte in a debug build takes a second or more.
  private static let allButTwo = Set(ConformanceVariant.allCases).subtracting([.fresh, .reopened])

  private enum Place: String, CaseIterable {
    case plain, indexed, unique, key
  }

  static let all: [ConformanceCase] =
    [PropertyType.string, .data].flatMap { type in
      Place.allCases.flatMap { place in sizes.map { sized(type, place, $0) } }
    } + [.string, .data].flatMap { type in [lists(type), growing(type)] } + large

  private static func bytes(_ size: Int, _ last: UInt8) -> [UInt8] {
    guard size > 0 else { return [] }
    return Array(repeating: 0x61, count: size - 1) + [last]
  }

  private static func value(_ type: PropertyType, _ size: Int, _ last: UInt8) -> Value {
    let bytes = bytes(size, last)
    return type == .string ? .string(String(decoding: bytes, as: UTF8.self)) : .data(Data(bytes))
  }

  private static func sized(_ type: PropertyType, _ place: Place, _ size: Int) -> ConformanceCase {
    ConformanceCase(
      "LIM.\(type.name).\(place.rawValue).\(size)", ["VAL-1", "LIM-1", "IDX-1", "CRUD-1", "SORT-4"],
      "A \(type.name) of \(size) bytes (\(place.rawValue)) is stored, found, kept apart from its neighbours, or limitExceeded.",
      without: size < 1_000_000 ? ConformanceVariant.ofReads : allButTwo, within: .seconds(30)
    ) { kit in
      let model = ModelSchema(
        name: "Sized",
        properties: [
          PropertySchema(name: "id", type: place == .key ? type : .int64),
          PropertySchema(name: "value", type: place == .key ? .int64 : type, isOptional: true),
        ], primaryKey: 0,
        indexes: place == .indexed || place == .unique
          ? [IndexSchema(name: "i", columns: [.init(slot: 1)], isUnique: place == .unique)] : [])
      // Neighbours that differ in the last byte alone, and one that is a byte longer.
      let values = [value(type, size, 0x61), value(type, size, 0x62), value(type, size + 1, 0x61)]
      let different = size == 0 ? [values[0], values[2]] : [values[0], values[2], values[1]]
      let column = place == .key ? "id" : "value"
      let rows = different.enumerated().map { number, value in
        Record([
          "id": place == .key ? value : .int(Int64(number)), "value": place == .key ? .int(Int64(number)) : value,
        ])
      }
      let store = try kit.store(making: [model])
      if let limit = kit.manifest.limits.keyBytes, place == .key, size > limit {
        try expectError(.limitExceeded) { try store.write { try $0.records.insert(into: "Sized", rows) } }
        return try expectEqual(try store.read { try $0.records.count(QueryTree(model: "Sized")) }, 0)
      }
      try store.write { try $0.records.insert(into: "Sized", rows.reversed()) }
      try store.read { tx in
        try expectEqual(try tx.records.fetch(QueryTree(model: "Sized", order: [.init(column)])), rows)
        for (row, value) in zip(rows, different) {
          let isEqual = PredicateTree.compare(.named(column), .equal, .value(value))
          try expectEqual(try tx.records.fetch(QueryTree(model: "Sized", predicate: isEqual)), [row])
        }
        let isMore = PredicateTree.compare(.named(column), .greater, .value(different[0]))
        try expectEqual(
          try tx.records.count(QueryTree(model: "Sized", predicate: isMore)), different.count - 1)
      }
      if place == .unique || place == .key {
        let again = Record([
          "id": place == .key ? different[0] : .int(99), "value": place == .key ? .int(99) : different[0],
        ])
        try expectError(place == .key ? .duplicateKey : .uniqueViolation) {
          try store.write { try $0.records.insert(into: "Sized", [again]) }
        }
      }
      try store.write { tx in
        let isFirst = PredicateTree.compare(.named(column), .equal, .value(different[0]))
        try expectEqual(try tx.records.delete(QueryTree(model: "Sized", predicate: isFirst)), 1)
      }
      try expectEqual(
        try store.read { try $0.records.fetch(QueryTree(model: "Sized", order: [.init(column)])) },
        Array(rows.dropFirst()))
    }
  }

  private static func lists(_ type: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "LIM.\(type.name).many-long", ["VAL-1", "IDX-4", "SORT-4"],
      "Fifty \(type.name) values that begin with the same thousands of bytes are in order, each found.",
      without: ConformanceVariant.ofReads
    ) { kit in
      let values = (0..<50).map { value(type, 3000 + $0 % 5, UInt8(0x61 + $0 / 5)) }
      let sorted = values.sorted { Reference.rank($0, $1) < 0 }
      let model = ModelSchema(
        name: "Long",
        properties: [PropertySchema(name: "id", type: type), PropertySchema(name: "value", type: type)], primaryKey: 0,
        indexes: [IndexSchema(name: "i", columns: [.init(slot: 1, isDescending: true)])])
      let store = try kit.store(making: [model])
      let unique = Set(values)
      try store.write { tx in
        try tx.records.insert(into: "Long", unique.map { Record(["id": $0, "value": $0]) })
      }
      try store.read { tx in
        let expected = sorted.filter { unique.contains($0) }
        try expectEqual(try tx.records.fetch(QueryTree(model: "Long")).map { $0["id"] }, expected)
        try expectEqual(
          try tx.records.fetch(QueryTree(model: "Long", order: [.init("value", isDescending: true)])).map {
            $0["value"]
          },
          expected.reversed())
        for value in expected { try expectEqual(try tx.records.get(in: "Long", key: value)?["value"], value) }
      }
    }
  }

  private static func growing(_ type: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "LIM.\(type.name).growing", ["STMT-5", "VAL-1"], "A \(type.name) grows and shrinks in its place, beside others.",
      without: ConformanceVariant.ofReads
    ) { kit in
      let model = ModelSchema(
        name: "Growing",
        properties: [PropertySchema(name: "id", type: .int64), PropertySchema(name: "value", type: type)],
        primaryKey: 0, indexes: [IndexSchema(name: "i", columns: [.init(slot: 1)])])
      let store = try kit.store(making: [model])
      let beside = value(type, 10, 0x62)
      try store.write { tx in
        try tx.records.insert(into: "Growing", (0..<3).map { Record(["id": .int($0), "value": beside]) })
      }
      let isMiddle = QueryTree(model: "Growing", predicate: .compare(.named("id"), .equal, .value(.int(1))))
      for size in sizes + sizes.reversed() {
        let new = value(type, size, 0x61)
        try store.write { _ = try $0.records.assign(isMiddle, [.init("value", .set, new)]) }
        try expectEqual(
          try store.read { try $0.records.fetch(QueryTree(model: "Growing")).map { $0["value"] } },
          [beside, new, beside])
      }
    }
  }

  private static let large: [ConformanceCase] = [
    ConformanceCase(
      "LIM.rows-large", ["LIM-1", "CRUD-1"], "A transaction of many megabytes commits and comes back.",
      without: ConformanceVariant.ofReads, within: .seconds(30)
    ) { kit in
      let model = ModelSchema(
        name: "Big",
        properties: [PropertySchema(name: "id", type: .int64), PropertySchema(name: "data", type: .data)], primaryKey: 0
      )
      let store = try kit.store(making: [model])
      let rows = (0..<8).map { number in
        Record(["id": .int(Int64(number)), "data": .data(Data(repeating: UInt8(number), count: 1 << 20))])
      }
      try store.write { try $0.records.insert(into: "Big", rows) }
      try expectEqual(try store.read { try $0.records.fetch(QueryTree(model: "Big")) }, rows)
    }
  ]
}
