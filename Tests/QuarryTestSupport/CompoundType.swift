import Foundation
package import QuarryBackend
package import QuarryCore

/// A model whose key has a member of every type that a key can have, and one that refers to it: what the stores of version 0.7 in
/// `Tests/Golden` hold.
package enum CompoundType {
  private static let types = EveryType.types.filter { $0.type.isOrdered }
  /// A key has at most 16 members: two of the types are left out.
  private static let members = types.filter { !["uint8", "uint16"].contains($0.name) }.prefix(KeyMember.maximumCount)

  package static let models = [
    ModelSchema(
      name: "Compound",
      properties: members.map { PropertySchema(name: $0.name, type: $0.type) } + [
        PropertySchema(name: "note", type: .string, isOptional: true),
        PropertySchema(name: "_key", type: .data, keyMembers: members.map { KeyMember($0.type) }),
      ], primaryKey: members.count + 1, keyMembers: Array(members.indices)),
    ModelSchema(
      name: "Holder",
      properties: [
        PropertySchema(name: "id", type: .int64),
        PropertySchema(
          name: "compound", type: .data, isOptional: true, reference: .init(to: "Compound", deleteRule: .nullify),
          keyMembers: members.map { KeyMember($0.type) }),
      ], primaryKey: 0, indexes: [IndexSchema(name: "compound", columns: [.init(slot: 1)])]),
  ]

  /// The members of an object's key, of which the last differs.
  private static func values(_ number: Int) -> [Value] {
    members.map(\.value).dropLast() + [.url(URL(fileURLWithPath: "/\(number)"))]
  }

  /// The key of an object. Zero and NaN have the one form of keys.
  package static func key(_ number: Int) -> Value {
    .array(
      values(number).map { value in
        switch value {
        case .float: .float(0)
        case .double: .double(.nan)
        default: value
        }
      })
  }

  package static func row(_ number: Int) -> Record {
    Record(zip(members.map(\.name), values(number)) + [("note", .string("note \(number)"))])
  }

  /// Stores five objects, and a holder of each.
  package static func fill(_ store: Store) throws {
    try store.write { tx in
      for model in models { try tx.apply(.createModel(model)) }
      try tx.records.insert(into: "Compound", (1...5).map(row))
      try tx.records.insert(
        into: "Holder", (1...5).map { Record([("id", .int(Int64($0))), ("compound", key($0))]) })
    }
  }
}
