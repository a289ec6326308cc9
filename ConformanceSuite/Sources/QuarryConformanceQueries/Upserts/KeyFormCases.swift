import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Keys that are one key and differ in their bits.
enum KeyFormCases {
  static let all: [ConformanceCase] = [PropertyType.float, .double, .date].map { replaced($0) }

  private static func values(_ type: PropertyType) -> [(old: Value, new: Value)] {
    let doubles = [
      (0.0, -0.0), (-0.0, 0.0), (Double.nan, Double(bitPattern: 0x7FF8_0000_0000_0ABC)),
      (Double(bitPattern: 0xFFF8_0000_0000_0001), Double.nan),
    ]
    switch type {
    case .float:
      return [
        (.float(0), .float(-0.0)), (.float(-0.0), .float(0)), (.float(.nan), .float(Float(bitPattern: 0x7FC0_0ABC))),
        (.float(Float(bitPattern: 0xFFC0_0001)), .float(.nan)),
      ]
    case .date:
      return doubles.map {
        (.date(Date(timeIntervalSinceReferenceDate: $0)), .date(Date(timeIntervalSinceReferenceDate: $1)))
      }
    default: return doubles.map { (.double($0), .double($1)) }
    }
  }

  private static func replaced(_ type: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "UPS.\(type.name).key-form", ["UPS-1", "VAL-1", "SORT-3", "CRUD-2"],
      "A \(type.name) key is found by another form of it, and an upsert stores the form that it was given.",
      needs: [.upsert], without: ConformanceVariant.ofReads
    ) { kit in
      let model = ModelSchema(
        name: "Formed",
        properties: [
          PropertySchema(name: "key", type: type), PropertySchema(name: "value", type: .double, isOptional: true),
          PropertySchema(name: "note", type: .string),
        ], primaryKey: 0, indexes: [IndexSchema(name: "value", columns: [.init(slot: 1)])])
      for (old, new) in values(type) {
        let store = try kit.store(making: [model])
        let payload = Value.double(Double(bitPattern: 0x7FF8_0000_0000_0B0B))
        let before = Record(["key": old, "value": payload, "note": .string("a")])
        try store.write { try $0.records.insert(into: "Formed", [before]) }
        try expectEqual(try store.read { try $0.records.fetch(QueryTree(model: "Formed")) }, [before])
        try expectEqual(try store.read { try $0.records.get(in: "Formed", key: new) }, before)
        try store.write { tx in
          try expectError(.duplicateKey) {
            try tx.records.insert(into: "Formed", [Record(["key": new, "note": .string("b")])])
          }
          // What is assigned to other properties leaves the key as it was.
          try tx.records.assign(QueryTree(model: "Formed"), [.init("note", .set, .string("c"))])
        }
        let changed = Record(["key": old, "value": payload, "note": .string("c")])
        try expectEqual(try store.read { try $0.records.fetch(QueryTree(model: "Formed")) }, [changed])
        let after = Record(["key": new, "value": .double(-0.0), "note": .string("d")])
        try store.write { try expectEqual(try $0.records.upsert(into: "Formed", [after]), 0) }
        try expectEqual(try store.read { try $0.records.fetch(QueryTree(model: "Formed")) }, [after])
        let isZero = PredicateTree.compare(.named("value"), .equal, .value(.double(0)))
        try expectEqual(try store.read { try $0.records.fetch(QueryTree(model: "Formed", predicate: isZero)) }, [after])
      }
    }
  }
}
