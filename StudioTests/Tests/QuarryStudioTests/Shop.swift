import Foundation
import QuarryBackend
import QuarryCore
import QuarryEngines

/// Stores of customers and orders, without types of a program.
enum Shop {
  static func store() throws -> Store {
    let store = try Store(opening: StoreURL(parsing: "memory:"))
    try fill(store)
    return store
  }

  static func fill(_ store: Store) throws {
    try store.write { tx in
      for model in models { try tx.apply(.createModel(model)) }
      try tx.records.insert(
        into: "Customer", [Record(["id": 1, "name": "Ada"]), Record(["id": 2, "name": "Grace"])])
      try tx.records.insert(
        into: "Order",
        (1...120).map {
          Record(["id": .int($0), "customer": .int(1 + $0 % 2), "amount": .int($0 * 10), "note": .null])
        })
    }
  }

  static let models: [ModelSchema] = [
    ModelSchema(
      id: ModelID(1), name: "Customer",
      properties: [
        PropertySchema(name: "id", type: .int64), PropertySchema(name: "name", type: .string),
        PropertySchema(name: "picture", type: .data, isOptional: true),
      ], primaryKey: 0),
    ModelSchema(
      id: ModelID(2), name: "Order",
      properties: [
        PropertySchema(name: "id", type: .int64),
        PropertySchema(
          name: "customer", type: .int64, isOptional: true, reference: .init(to: "Customer", deleteRule: .cascade)),
        PropertySchema(name: "amount", type: .int32), PropertySchema(name: "note", type: .string, isOptional: true),
      ], primaryKey: 0, indexes: [IndexSchema(name: "amounts", columns: [.init(slot: 2)])]),
  ]

  /// Writes without a task, which a test in a task would begin.
  static func write(_ store: Store, _ body: (WriteTransaction) throws -> Void) throws {
    try store.write { tx in try body(tx) }
  }

  static func insert(_ model: String, _ record: Record, _ store: Store) throws {
    try store.write { tx in try tx.records.insert(into: model, [record]) }
  }

  static func model(_ name: String, _ store: Store) throws -> ModelSchema? {
    try store.models().first { $0.name == name }
  }

  static func value(_ property: String, of key: Value, in model: String, _ store: Store) throws -> Value? {
    try store.read { tx in try tx.records.get(in: model, key: key)?[property] }
  }
}
