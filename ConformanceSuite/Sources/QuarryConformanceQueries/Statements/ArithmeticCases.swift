import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Each calculation in each numeric type: what fits, what does not, and nil.
enum ArithmeticCases {
  static let all: [ConformanceCase] = Samples.numericTypes.flatMap { type in
    [AssignmentOperation.add, .subtract, .multiply].flatMap { operation in
      [calculated(type, operation), past(type, operation), withNil(type, operation)]
    } + [refused(type)]
  }

  private static func store(_ kit: ConformanceContext, _ type: PropertyType, _ values: [Value]) throws -> Store {
    let model = ModelSchema(
      name: "Number",
      properties: [
        PropertySchema(name: "id", type: .int64), PropertySchema(name: "value", type: type, isOptional: true),
        PropertySchema(name: "indexed", type: type, isOptional: true),
      ], primaryKey: 0, indexes: [IndexSchema(name: "i", columns: [.init(slot: 2)])])
    let store = try kit.open([], at: kit.makePlace())
    try store.write { tx in
      try tx.apply(.createModel(model))
      try tx.records.insert(
        into: "Number",
        values.enumerated().map { Record(["id": .int(Int64($0)), "value": $1, "indexed": $1]) })
    }
    return store
  }

  private static func assign(_ tx: WriteTransaction, _ operation: AssignmentOperation, _ value: Value) throws -> Int {
    try tx.records.assign(
      QueryTree(model: "Number"), [.init("value", operation, value), .init("indexed", operation, value)])
  }

  private static func expectValues(_ store: Store, _ expected: [Value], line: Int = #line) throws {
    try store.read { tx in
      let rows = try tx.records.fetch(QueryTree(model: "Number"))
      for column in ["value", "indexed"] {
        let values = rows.map { $0[column] ?? .null }
        try expect(
          values.count == expected.count && zip(values, expected).allSatisfy { Reference.rank($0, $1) == 0 },
          "\(column): got \(values), the contract says \(expected)", line: line)
      }
      // The index follows.
      for (place, value) in expected.enumerated() where Reference.areEqual(value, value) {
        let isEqual = PredicateTree.compare(.named("indexed"), .equal, .value(value))
        let found = try tx.records.fetch(QueryTree(model: "Number", predicate: isEqual)).map { $0["id"] }
        try expect(found.contains(.int(Int64(place))), "\(value) is not found", line: line)
      }
    }
  }

  private static func calculated(_ type: PropertyType, _ operation: AssignmentOperation) -> ConformanceCase {
    ConformanceCase(
      "STMT.\(operation.rawValue).\(type.name)", ["STMT-5", "STMT-6"],
      "To \(operation.rawValue) in a \(type.name) is exact where the result fits, and its index follows.",
      needs: [.updateWhere], without: ConformanceVariant.ofReads
    ) { kit in
      let numbers = type.integerRange?.lowerBound == 0 ? [3, 4, 20, 40] : [-7, 0, 3, 40]
      let store = try store(kit, type, numbers.map { Samples.number($0, type) })
      try store.write { try expectEqual(try assign($0, operation, Samples.number(3, type)), 4) }
      try expectValues(
        store,
        numbers.map { number in
          switch operation {
          case .add: Samples.number(number + 3, type)
          case .subtract: Samples.number(number - 3, type)
          default: Samples.number(number * 3, type)
          }
        })
    }
  }

  private static func past(_ type: PropertyType, _ operation: AssignmentOperation) -> ConformanceCase {
    ConformanceCase(
      "STMT.\(operation.rawValue).\(type.name).past-range", ["STMT-1", "STMT-6"],
      "A result of \(operation.rawValue) beyond \(type.name) is invalidValue and nothing is changed; floating point is infinite.",
      needs: [.updateWhere], without: ConformanceVariant.ofReads
    ) { kit in
      let edge = operation == .subtract ? Samples.least(type) : Samples.greatest(type)
      let values = [Samples.number(1, type), edge, Samples.number(2, type)]
      let operand: Value = type.isInteger ? Samples.number(2, type) : Samples.greatest(type)
      let store = try store(kit, type, values)
      switch type {
      case .float, .double:
        try store.write { try expectEqual(try assign($0, operation, operand), 3) }
        let row = try store.read { try $0.records.get(in: "Number", key: .int(1)) }
        let infinity: Value = .double(operation == .subtract ? -.infinity : .infinity)
        try expect(Reference.rank(row?["value"] ?? .null, infinity) == 0, "\(row?["value"] ?? .null)")
      default:
        try store.write { tx in
          let error = try expectError(.invalidValue) { try assign(tx, operation, operand) }
          try expectEqual(error.model, "Number")
        }
        try expectValues(store, values)
      }
    }
  }

  private static func withNil(_ type: PropertyType, _ operation: AssignmentOperation) -> ConformanceCase {
    ConformanceCase(
      "STMT.\(operation.rawValue).\(type.name).nil", ["STMT-6"],
      "Nil stays nil under \(operation.rawValue), and to \(operation.rawValue) nil is refused.", needs: [.updateWhere],
      without: ConformanceVariant.ofReads
    ) { kit in
      let store = try store(kit, type, [.null, Samples.number(5, type), .null])
      try store.write { try expectEqual(try assign($0, operation, Samples.number(1, type)), 3) }
      try store.read { tx in
        let isNil = PredicateTree.compare(.named("indexed"), .equal, .value(.null))
        try expectEqual(
          try tx.records.fetch(QueryTree(model: "Number", predicate: isNil)).map { $0["id"] }, [.int(0), .int(2)])
      }
      let rows = try store.read { try $0.records.fetch(QueryTree(model: "Number")) }
      try store.write { tx in
        let error = try expectError(.invalidValue) { try assign(tx, operation, .null) }
        try expectEqual(error.property, "value")
      }
      try expectEqual(try store.read { try $0.records.fetch(QueryTree(model: "Number")) }, rows)
    }
  }

  private static func refused(_ type: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "STMT.set.\(type.name).refused", ["STMT-1", "STMT-6", "STMT-7"],
      "What no \(type.name) can be is not assigned, nor a key, and nothing is changed.", needs: [.updateWhere],
      without: ConformanceVariant.ofReads
    ) { kit in
      let values = [Samples.number(1, type), .null]
      let store = try store(kit, type, values)
      try store.write { tx in
        for value: Value in [.string("one"), .bool(true), .array([]), .data(Data())] {
          do {
            _ = try assign(tx, .set, value)
            throw ConformanceFailure(message: "\(value) was assigned", file: #fileID, line: #line)
          } catch let error as StorageError {
            try expect([.invalidValue, .invalidQuery].contains(error.code), "\(error)")
          }
        }
        for operation in AssignmentOperation.allCases {
          try expectError(.invalidQuery, operation.rawValue) {
            try tx.records.assign(QueryTree(model: "Number"), [.init("id", operation, .int(1))])
          }
        }
        try expectError(.invalidQuery) {
          try tx.records.assign(QueryTree(model: "Number"), [.init("no", .set, .int(1))])
        }
      }
      try expectValues(store, values)
    }
  }
}
