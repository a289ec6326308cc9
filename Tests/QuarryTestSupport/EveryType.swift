import Foundation
package import QuarryBackend
package import QuarryCore

/// A model with a property of every type, one that must and one that need not be there, and rows of it: what the stores
/// in `Tests/Golden` hold.
package enum EveryType {
  package static let types: [(name: String, type: PropertyType, element: PropertyType?, value: Value)] = [
    ("bool", .bool, nil, .bool(true)), ("int8", .int8, nil, .int(-128)), ("int16", .int16, nil, .int(-32_768)),
    ("int32", .int32, nil, .int(2_147_483_647)), ("int64", .int64, nil, .int(.min)), ("uint8", .uint8, nil, .int(255)),
    ("uint16", .uint16, nil, .int(65_535)), ("uint32", .uint32, nil, .int(4_294_967_295)),
    ("uint64", .uint64, nil, .uint(.max)), ("float", .float, nil, .float(-0.0)),
    ("double", .double, nil, .double(Double(bitPattern: 0x7FF8_0000_0000_0123))),
    ("string", .string, nil, .string("e\u{301}\0\u{1F642}")),
    ("date", .date, nil, .date(Date(timeIntervalSinceReferenceDate: 0.125))),
    ("data", .data, nil, .data(Data([0, 255, 1]))),
    (
      "uuid", .uuid, nil,
      .uuid(UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255)))
    ),
    ("decimal", .decimal, nil, .decimal(Decimal(sign: .minus, exponent: -3, significand: 1_234_567))),
    ("url", .url, nil, .url(URL(fileURLWithPath: "/a"))),
    ("nested", .nested, nil, .object([.init("a", .int(1)), .init("b", .array([.null, .string("x")]))])),
    ("array", .array, .int32, .array([.int(3), .int(-1)])),
  ]

  package static let model = ModelSchema(
    name: "Every",
    properties: [PropertySchema(name: "id", type: .int64)]
      + types.flatMap { name, type, element, _ in
        [
          PropertySchema(name: name, type: type, elementType: element),
          PropertySchema(name: name + "Maybe", type: type, isOptional: true, elementType: element),
        ]
      },
    primaryKey: 0,
    indexes: [
      IndexSchema(name: "string_id", columns: [.init(slot: 23), .init(slot: 0, isDescending: true)], isUnique: true),
      IndexSchema(name: "doubleMaybe", columns: [.init(slot: 22)]),
    ])

  /// The keys of the rows that a golden store has.
  package static let keys = [0, 1, 2, 3, 5]

  /// Makes the model in a store without it, and stores the rows, in three commits.
  package static func fill(_ store: Store) throws {
    try store.write { tx in try tx.apply(.createModel(model)) }
    try store.write { tx in try tx.records.insert(into: model.name, (0..<6).map { row($0) }) }
    try store.write { tx in _ = try tx.records.delete(in: model.name, keys: [.int(4)]) }
  }

  /// The row with that key; the values that need not be there are there in rows with odd keys.
  package static func row(_ id: Int) -> Record {
    var fields: [(String, Value)] = [("id", .int(Int64(id)))]
    for (name, _, _, value) in types {
      fields.append((name, name == "string" ? .string("s\(id)") : value))
      fields.append((name + "Maybe", id % 2 == 1 ? value : .null))
    }
    return Record(fields)
  }
}
