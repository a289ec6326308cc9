import Foundation
import QuarryBackend
import QuarryCore
import QuarryQuery

/// The model that texts and files are read for: a property of every type, one that must and one that need not be there.
enum FuzzModel {
  static let types: [(name: String, type: PropertyType, element: PropertyType?, value: Value)] = [
    ("bool", .bool, nil, .bool(true)), ("int8", .int8, nil, .int(-128)), ("int16", .int16, nil, .int(-32_768)),
    ("int32", .int32, nil, .int(2_147_483_647)), ("int64", .int64, nil, .int(.min)), ("uint8", .uint8, nil, .int(255)),
    ("uint16", .uint16, nil, .int(65_535)), ("uint32", .uint32, nil, .int(4_294_967_295)),
    ("uint64", .uint64, nil, .uint(.max)), ("float", .float, nil, .float(-0.5)),
    ("double", .double, nil, .double(1e300)),
    ("string", .string, nil, .string("e\u{301}\0\u{1F642}")),
    ("date", .date, nil, .date(Date(timeIntervalSinceReferenceDate: 0.125))),
    ("data", .data, nil, .data(Data([0, 255, 1]))),
    ("uuid", .uuid, nil, .uuid(UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255)))),
    ("decimal", .decimal, nil, .decimal(Decimal(sign: .minus, exponent: -3, significand: 1_234_567))),
    ("url", .url, nil, .url(URL(fileURLWithPath: "/a"))),
    ("nested", .nested, nil, .object([.init("a", .int(1)), .init("b", .array([.null, .string("x")]))])),
    ("array", .array, .int32, .array([.int(3), .int(-1)])),
  ]

  static let schema = ModelSchema(
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

  /// The row with that key; the values that need not be there are there in rows with odd keys.
  static func row(_ id: Int) -> Record {
    var fields: [(String, Value)] = [("id", .int(Int64(id)))]
    for (name, _, _, value) in types {
      fields.append((name, name == "string" ? .string("s\(id)") : value))
      fields.append((name + "Maybe", id % 2 == 1 ? value : .null))
    }
    return Record(fields)
  }

  /// Makes the model in a new store, and some rows of it in two commits.
  static func fill(_ store: Store, rows: Int = 6) throws {
    try store.write { tx in
      try tx.apply(.createModel(schema))
      try tx.records.insert(into: schema.name, (0..<rows).map { row($0) })
    }
    try store.write { tx in _ = try tx.records.delete(in: schema.name, keys: [.int(4)]) }
  }

  /// All that a store has, model by model.
  static func content(_ store: Store) throws -> [[Record]] {
    try store.read { tx in
      try tx.models().map { try tx.records.fetch(QueryTree(model: $0.name)) }
    }
  }
}
