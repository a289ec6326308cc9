import Foundation
package import QuarryBackend
package import QuarryCore
package import QuarryQuery

/// Models, rows and queries from a seed: few values that meet often, and those that engines get wrong.
package struct QueryGenerator {
  private var random: SeededGenerator

  package init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
  }

  static let properties: [PropertySchema] = [
    PropertySchema(name: "id", type: .int64), PropertySchema(name: "small", type: .int8, isOptional: true),
    PropertySchema(name: "count", type: .int64), PropertySchema(name: "big", type: .uint64, isOptional: true),
    PropertySchema(name: "ratio", type: .float, isOptional: true), PropertySchema(name: "score", type: .double),
    PropertySchema(name: "name", type: .string), PropertySchema(name: "note", type: .string, isOptional: true),
    PropertySchema(name: "price", type: .decimal, isOptional: true), PropertySchema(name: "date", type: .date),
    PropertySchema(name: "flag", type: .bool, isOptional: true),
    PropertySchema(name: "token", type: .uuid, isOptional: true),
    PropertySchema(name: "bytes", type: .data, isOptional: true), PropertySchema(name: "link", type: .url),
    PropertySchema(name: "tags", type: .array, isOptional: true, elementType: .string),
  ]

  /// The same model three times: without an index, with one on each property, with compound ones.
  package static let models: [ModelSchema] = [
    ModelSchema(name: "Bare", properties: properties, primaryKey: 0),
    ModelSchema(
      name: "Single", properties: properties, primaryKey: 0,
      indexes: properties.indices.dropFirst().dropLast().map {
        IndexSchema(name: "i\($0)", columns: [.init(slot: $0, isDescending: $0 % 3 == 0)])
      }),
    ModelSchema(
      name: "Compound", properties: properties, primaryKey: 0,
      indexes: [
        IndexSchema(name: "a", columns: [.init(slot: 10), .init(slot: 1, isDescending: true)]),
        IndexSchema(name: "b", columns: [.init(slot: 1), .init(slot: 5), .init(slot: 6)]),
        IndexSchema(name: "c", columns: [.init(slot: 7, isDescending: true), .init(slot: 4)]),
        IndexSchema(name: "d", columns: [.init(slot: 6), .init(slot: 0)], isUnique: true),
        IndexSchema(name: "e", columns: [.init(slot: 8), .init(slot: 3), .init(slot: 9, isDescending: true)]),
      ]),
  ]

  package mutating func chance(_ of: Int) -> Bool { Int.random(in: 0..<of, using: &random) == 0 }

  package mutating func pick<T>(_ values: [T]) -> T { values[Int.random(in: values.indices, using: &random)] }

  package mutating func value(_ property: PropertySchema) -> Value {
    if property.isOptional, chance(4) { return .null }
    if property.type == .array { return .array((0..<Int.random(in: 0...3, using: &random)).map { _ in text() }) }
    let values = Samples.values(property.type)
    // Ten of the values, so that rows have some in common.
    return values[Int.random(in: 0..<min(10, values.count), using: &random) * values.count / min(10, values.count)]
  }

  private mutating func text() -> Value { .string(pick(Samples.strings)) }

  package mutating func rows(_ count: Int) -> [Record] {
    (0..<count).map { id in
      Record(
        Self.properties.map { ($0.name, $0.name == "id" ? .int(Int64(id * 3 - 40)) : value($0)) })
    }
  }

  // MARK: Predicates

  private mutating func comparable() -> PropertySchema { pick(Self.properties.filter { $0.type.isOrdered }) }

  private mutating func constant(_ property: PropertySchema) -> Value {
    if property.name == "id" { return .int(Int64.random(in: -45...200, using: &random)) }
    return chance(3) ? pick(Samples.constants(property.type)) : value(property)
  }

  private mutating func leaf() -> PredicateTree {
    let property = comparable()
    switch Int.random(in: 0..<12, using: &random) {
    case 0: return .compare(.named(property.name), pick([.equal, .notEqual]), .value(.null))
    case 1:
      return .oneOf(.named(property.name), (0..<Int.random(in: 0...6, using: &random)).map { _ in constant(property) })
    case 2, 3:
      let texts = ["name", "note", "link"]
      return .text(
        .named(pick(texts)), pick(TextOperator.allCases),
        pick(["", "a", "e", "\u{E9}", "%", "*", "A*", "?", "\0", "/"]),
        TextOptions(rawValue: UInt8.random(in: 0...3, using: &random)))
    case 4:
      let numbers = Self.properties.filter { $0.type.isNumeric }
      return .compare(.named(pick(numbers).name), pick(Comparison.allCases), .named(pick(numbers).name))
    case 5:
      switch Int.random(in: 0..<4, using: &random) {
      case 0: return .containsElement(PropertyPath("tags"), text())
      case 1:
        return .any(PropertyPath("tags"), .compare(.property(.element), pick(Comparison.allCases), .value(text())))
      case 2: return .all(PropertyPath("tags"), .text(.property(.element), .contains, pick(["a", "", "\0"]), []))
      default:
        return .compare(
          .count(PropertyPath("tags")), pick(Comparison.allCases),
          .value(.int(Int64.random(in: -1...3, using: &random))))
      }
    default: return .compare(.named(property.name), pick(Comparison.allCases), .value(constant(property)))
    }
  }

  package mutating func predicate(_ depth: Int = 3) -> PredicateTree {
    guard depth > 0, !chance(4) else { return leaf() }
    switch Int.random(in: 0..<6, using: &random) {
    case 0, 1: return .and((0..<Int.random(in: 1...3, using: &random)).map { _ in predicate(depth - 1) })
    case 2, 3: return .or((0..<Int.random(in: 1...3, using: &random)).map { _ in predicate(depth - 1) })
    case 4: return .not(predicate(depth - 1))
    default:
      // A range of one property, which planners look for.
      let property = comparable()
      return .and([
        .compare(.named(property.name), pick([.greater, .greaterOrEqual]), .value(constant(property))),
        .compare(.named(property.name), pick([.less, .lessOrEqual]), .value(constant(property))),
      ])
    }
  }

  // MARK: Queries

  mutating func order() -> [QueryTree.SortKey] {
    (0..<Int.random(in: 0...3, using: &random)).map { _ in
      QueryTree.SortKey(comparable().name, isDescending: chance(2))
    }
  }

  package mutating func query() -> QueryTree {
    QueryTree(
      model: "", predicate: chance(6) ? .constant(true) : predicate(), order: order(),
      limit: chance(2) ? Int.random(in: 0...20, using: &random) : nil,
      offset: chance(3) ? Int.random(in: 0...15, using: &random) : 0)
  }
}
