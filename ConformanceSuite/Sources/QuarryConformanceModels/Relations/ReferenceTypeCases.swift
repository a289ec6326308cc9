import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// References to keys of each type, by each rule, that may be nil and that may not.
enum ReferenceTypeCases {
  static let all: [ConformanceCase] =
    types.flatMap { type in
      [checked(type), indexed(type)] + rules.map { ruled(type, $0.rule, isOptional: $0.isOptional) }
    }
    + notKeys.map(refused)

  private static let types: [PropertyType] = [
    .bool, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .string, .data, .uuid, .decimal, .url,
  ]

  private static let rules: [(rule: PropertySchema.Reference.DeleteRule, isOptional: Bool)] = [
    (.cascade, false), (.cascade, true), (.nullify, true), (.deny, false), (.deny, true),
  ]

  /// Types of floating point are no keys to refer to.
  private static let notKeys: [PropertyType] = [.float, .double, .date]

  /// Keys of the type that differ, in their order, long ones and the edges among them.
  private static func keys(_ type: PropertyType) -> [Value] {
    var values = Samples.values(type)
    switch type {
    case .string: values += ["x", "y"].map { .string(String(repeating: "k", count: 300) + $0) }
    case .data: values += [1, 2].map { .data(Data(repeating: 0x55, count: 300) + [$0]) }
    default: break
    }
    var keys: [Value] = []
    for value in values.sorted(by: { ValueOrder.compare($0, $1) < 0 })
    where keys.last.map({ ValueOrder.compare($0, value) != 0 }) ?? true {
      keys.append(value)
    }
    return keys
  }

  private static func models(
    _ type: PropertyType, _ rule: PropertySchema.Reference.DeleteRule, isOptional: Bool
  ) -> [ModelSchema] {
    [
      .linked("Target", key: type),
      .linked("Source", .reference("link", to: "Target", rule, type: type, isOptional: isOptional)),
    ]
  }

  private static func source(_ id: Int, _ link: Value) -> Record { Record(["id": .int(Int64(id)), "link": link]) }

  /// What each source refers to.
  private static func links(_ store: Store) throws -> [Value] {
    try store.records.fetch(QueryTree(model: "Source")).map { $0["link"] ?? .null }
  }

  /// Whether two lists have the same keys: a decimal has its value and not its digits.
  private static func expectLinks(
    _ store: Store, _ due: [Value], file: String = #fileID, line: Int = #line
  ) throws {
    let found = try links(store)
    try expectEqual(found.count, due.count, "how many sources there are", file: file, line: line)
    for (found, due) in zip(found, due) {
      try expect(ValueOrder.compare(found, due) == 0, "a link is \(found), not \(due)", file: file, line: line)
    }
  }

  private static func checked(_ type: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "REL.key-\(type.name)", ["REL-1", "REL-2"],
      "A reference to a \(type.name) leads to each key that is stored, and to none that is not.",
      without: ConformanceVariant.ofReads
    ) { kit in
      let keys = keys(type)
      let store = try kit.store(making: models(type, .deny, isOptional: true))
      let (first, rest) = (keys[0], keys.dropFirst())
      try store.records.insert(into: "Target", [Record([("id", first)])])
      for key in rest {
        let error = try expectError(.missingReference, "\(key)") {
          try store.records.insert(into: "Source", [source(1, first), source(2, key)])
        }
        try error.expect(model: "Source", property: "link", key: "2", says: "no Target")
      }
      try expectEqual(try links(store), [])
      try store.records.insert(into: "Target", rest.map { Record([("id", $0)]) })
      let due = keys.flatMap { [$0, $0] } + [.null]
      try store.records.insert(into: "Source", due.enumerated().map { source($0.offset, $0.element) })
      try expectLinks(store, due)
      try store.expectWhole(type.name)
    }
  }

  private static func indexed(_ type: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "REL.query-\(type.name)", ["REL-1"],
      "A reference to a \(type.name) is found, ordered, counted and set as a property of that type.",
      needs: [.updateWhere]
    ) { kit in
      let keys = keys(type)
      let store = try kit.store(making: models(type, .nullify, isOptional: true))
      try store.records.insert(into: "Target", keys.map { Record([("id", $0)]) })
      try store.records.insert(into: "Source", keys.enumerated().map { source($0.offset, $0.element) })
      try store.records.insert(into: "Source", [source(1_000, .null)])
      for (place, key) in keys.enumerated() {
        let query = QueryTree(model: "Source", predicate: .compare(.named("link"), .equal, .value(key)))
        try expectEqual(try store.records.fetch(query).map { $0["id"]?.intValue }, [place], "\(key)")
        let lesser = QueryTree(model: "Source", predicate: .compare(.named("link"), .less, .value(key)))
        try expectEqual(try store.records.count(lesser), place, "below \(key)")
      }
      try expectPaths(store, keys)
      let falling = QueryTree(model: "Source", order: [.init("link", isDescending: true)], limit: 2)
      try expectEqual(try store.records.fetch(falling).map { $0["id"]?.intValue }, [keys.count - 1, keys.count - 2])
      let last = try unwrap(keys.last)
      let none = QueryTree(model: "Source", predicate: .compare(.named("link"), .equal, .value(.null)))
      try expectEqual(try store.records.assign(none, [.init("link", .set, last)]), 1)
      try expectEqual(try store.records.count(none), 0)
      try expectLinks(store, keys + [last])
    }
  }

  /// Conditions that lead through the reference of each source to its own target, from both sides.
  private static func expectPaths(_ store: Store, _ keys: [Value], line: Int = #line) throws {
    func sources(_ predicate: PredicateTree) throws -> [Int] {
      try store.records.fetch(QueryTree(model: "Source", predicate: predicate)).compactMap { $0["id"]?.intValue }
    }
    func targets(_ predicate: PredicateTree) throws -> Int {
      try store.records.count(QueryTree(model: "Target", predicate: predicate))
    }
    let (path, others) = (PropertyPath("link", members: ["id"]), PropertyPath("Source.link"))
    let ids = Array(keys.indices)
    for (place, key) in keys.enumerated() {
      let lesser = PredicateTree.compare(.property(path), .less, .value(key))
      try expectEqual(try sources(lesser), Array(ids.prefix(place)), "below \(key)", line: line)
      try expectEqual(try sources(.not(lesser)), Array(ids.dropFirst(place)) + [1_000], "not below \(key)", line: line)
    }
    let few = PredicateTree.any(others, .compare(.property(PropertyPath("", members: ["id"])), .less, .value(2)))
    try expectEqual(try targets(few), min(2, keys.count), line: line)
    try expectEqual(try targets(.not(few)), max(0, keys.count - 2), line: line)
    try expectEqual(try targets(.compare(.count(others), .equal, .value(1))), keys.count, line: line)
    try expectEqual(try targets(.compare(.count(others), .greater, .value(1))), 0, line: line)
  }

  private static func ruled(
    _ type: PropertyType, _ rule: PropertySchema.Reference.DeleteRule, isOptional: Bool
  ) -> ConformanceCase {
    ConformanceCase(
      "REL.\(rule.rawValue)-\(isOptional ? "optional-" : "")\(type.name)", ["REL-4", "REL-5"],
      "What refers to a \(type.name)\(isOptional ? " or to nothing" : "") follows \(rule.rawValue), and nothing else does.",
      needs: [.deleteWhere], without: ConformanceVariant.ofReads
    ) { kit in
      let keys = keys(type)
      let store = try kit.store(making: models(type, rule, isOptional: isOptional))
      try store.records.insert(into: "Target", keys.map { Record([("id", $0)]) })
      let links = keys.flatMap { [$0, $0] } + (isOptional ? [.null] : [])
      try store.records.insert(into: "Source", links.enumerated().map { source($0.offset, $0.element) })
      var left = links
      for (place, key) in keys.enumerated() {
        func remove() throws -> Int {
          place % 2 == 0
            ? try store.records.delete(in: "Target", keys: [key])
            : try store.records.delete(
              QueryTree(model: "Target", predicate: .compare(.named("id"), .equal, .value(key))))
        }
        switch rule {
        case .cascade: left.removeAll { ValueOrder.compare($0, key) == 0 }
        case .nullify: left = left.map { ValueOrder.compare($0, key) == 0 ? .null : $0 }
        case .deny:
          let error = try expectError(.referenced, "\(key)") { try remove() }
          let text = String("the Source with the primary key \(2 * place) refers to it")
          try error.expect(model: "Target", property: "link", key: error.key, says: text)
          try expect(error.key != nil, "the key is not told")
          try expectEqual(try store.records.count(QueryTree(model: "Target")), keys.count - place)
          try expectLinks(store, left)
          // Without the two that refer it can go.
          try store.records.delete(in: "Source", keys: [.int(Int64(2 * place)), .int(Int64(2 * place + 1))])
          left.removeAll { ValueOrder.compare($0, key) == 0 }
        }
        try expectEqual(try remove(), 1, "\(key)")
        try expectEqual(try remove(), 0, "\(key) again")
        try expectLinks(store, left)
      }
      try store.expectWhole(type.name)
    }
  }

  private static func refused(_ type: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "REL.no-\(type.name)", ["REL-1"], "A reference to a \(type.name) is refused, and nothing is made.",
      without: ConformanceVariant.ofReads
    ) { kit in
      let store = try kit.open([], at: kit.makePlace())
      let error = try expectError(.schemaMismatch) {
        try store.write { tx in
          for model in models(type, .deny, isOptional: true) { try tx.apply(.createModel(model)) }
        }
      }
      try error.expect(model: "Source", property: "link", key: nil, says: "Target")
      try expectEqual(try store.models().map(\.name), [])
    }
  }
}
