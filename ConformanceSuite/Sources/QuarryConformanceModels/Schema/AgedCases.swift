import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Rows from before a property was added, beside rows that have it: each type in each question and statement.
enum AgedCases {
  static let all: [ConformanceCase] =
    Samples.orderedTypes.flatMap { [found($0), ordered($0), totalled($0), written($0)] }
    + Samples.numericTypes.map { summed($0) } + [trees, treesCompared]

  static let name = "Aged"
  /// Optional, with a default, optional with a default: all of them added later.
  private static let columns = ["value", "sure", "maybe"]

  private static func properties(_ type: PropertyType, _ standard: Value) -> [PropertySchema] {
    [
      PropertySchema(name: "value", type: type, isOptional: true),
      PropertySchema(name: "sure", type: type, defaultValue: standard),
      PropertySchema(name: "maybe", type: type, isOptional: true, defaultValue: standard),
    ]
  }

  /// A model with rows, to which the properties are added then. It has a property of the type from the beginning.
  private static func store(
    _ kit: ConformanceContext, _ type: PropertyType, _ properties: [PropertySchema], _ rows: [Record]
  ) throws -> Store {
    let model = ModelSchema(
      name: name,
      properties: [
        PropertySchema(name: "id", type: .int64), PropertySchema(name: "first", type: type, isOptional: true),
      ], primaryKey: 0)
    let store = try kit.open([], at: kit.makePlace())
    try store.write { tx in
      try tx.apply(.createModel(model))
      try tx.records.insert(into: name, rows.map { Record(["id": $0["id"] ?? .null, "first": $0["first"] ?? .null]) })
    }
    try store.write { tx in
      let id = try tx.model(named: name).id
      for property in properties { try tx.apply(.addProperty(id, property)) }
    }
    return store
  }

  private static func old(_ id: Int64, _ first: Value, _ standard: Value) -> Record {
    Record(["id": .int(id), "first": first, "value": .null, "sure": standard, "maybe": standard])
  }

  /// Calls the body with the old rows alone, with new ones among them, and with indexes over both.
  private static func inspect(
    _ kit: ConformanceContext, _ type: PropertyType, _ values: [Value], _ standard: Value,
    _ body: (ColumnTable.View) throws -> Void
  ) throws {
    let olds = zip([0, 2, 4, 100], [standard, .null, values[0], values[values.count - 1]]).map { old($0, $1, standard) }
    let news = (values + [.null]).enumerated().map { place, value in
      Record([
        "id": .int(Int64(place * 2 + 1)), "first": place == 1 ? .null : values[(place + 2) % values.count],
        "value": value, "sure": values[(place + 1) % values.count], "maybe": value,
      ])
    }
    let store = try store(kit, type, properties(type, standard), olds)
    func look(_ stage: String, _ rows: [Record]) throws {
      try store.read { try body(ColumnTable.View(name: stage, transaction: $0, columns: columns, rows: rows)) }
    }
    try look("old rows", olds)
    try store.write { try $0.records.insert(into: name, news) }
    try look("old and new rows", olds + news)
    try store.write { tx in
      let id = try tx.model(named: name).id
      try tx.apply(.createIndex(id, IndexSchema(name: "value", columns: [.init(slot: 2)])))
      try tx.apply(.createIndex(id, IndexSchema(name: "sure", columns: [.init(slot: 3, isDescending: true)])))
      try tx.apply(
        .createIndex(id, IndexSchema(name: "both", columns: [.init(slot: 4), .init(slot: 2, isDescending: true)])))
    }
    try look("indexed", olds + news)
  }

  // MARK: Questions

  private static func found(_ type: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "SCH.old-\(type.name).found", ["SCH-7", "SCH-1", "PRED-1", "PRED-2", "PRED-3", "PRED-4"],
      "Conditions on a \(type.name) that was added see nil or the default in the rows from before.",
      needs: [.schemaAddProperty, .schemaCreateIndex], without: ConformanceVariant.ofReads
    ) { kit in
      let values = Samples.few(type, 5)
      let standard = values[2]
      try inspect(kit, type, values, standard) { view in
        func ask(_ test: PredicateTree) throws {
          try view.expectRows(QueryTree(model: name, predicate: test))
          try view.expectRows(QueryTree(model: name, predicate: .not(test)))
        }
        for column in view.columns {
          for constant in [values[0], standard, values[values.count - 1], .null] {
            for comparison in Comparison.allCases {
              try ask(.compare(.named(column), comparison, .value(constant)))
            }
          }
          try ask(.oneOf(.named(column), [standard, values[0]]))
          try ask(.oneOf(.named(column), [values[1], values[0], .null]))
          for other in ["first"] + view.columns where other != column {
            for comparison in Comparison.allCases {
              try ask(.compare(.named(column), comparison, .named(other)))
              if other == "first" { try ask(.compare(.named(other), comparison, .named(column))) }
            }
          }
          guard type == .string || type == .url else { continue }
          for needle in ["", standard.text, "\(standard.text)?"] {
            for operation in TextOperator.allCases {
              try ask(.text(.named(column), operation, needle, []))
              try ask(.text(.named(column), operation, needle, .caseInsensitive))
            }
          }
        }
      }
    }
  }

  private static func ordered(_ type: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "SCH.old-\(type.name).ordered", ["SCH-7", "SORT-1", "SORT-2", "PAGE-2", "PAGE-4"],
      "Orders by a \(type.name) that was added, and their pages, have the rows from before in their places.",
      needs: [.schemaAddProperty, .schemaCreateIndex, .queryPaging], without: ConformanceVariant.ofReads
    ) { kit in
      let values = Samples.few(type, 5)
      try inspect(kit, type, values, values[2]) { view in
        for column in view.columns {
          for isDescending in [false, true] {
            var query = QueryTree(model: name, order: [.init(column, isDescending: isDescending)])
            try view.expectPages(query, sizes: [1, 3])
            query.order.append(.init(column == "sure" ? "maybe" : "sure", isDescending: !isDescending))
            try view.expectPages(query, sizes: [2])
            query.limit = 4
            query.offset = 2
            try view.expectRows(query)
          }
        }
      }
    }
  }

  private static func totalled(_ type: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "SCH.old-\(type.name).totalled", ["SCH-7", "AGG-1", "AGG-4"],
      "Groups, counts, the least and the greatest of a \(type.name) that was added have the rows from before.",
      needs: [.schemaAddProperty, .schemaCreateIndex, .queryAggregate], without: ConformanceVariant.ofReads
    ) { kit in
      let values = Samples.few(type, 5)
      try inspect(kit, type, values, values[2]) { view in
        for column in view.columns {
          let present = view.rows.compactMap { $0[column] }.filter { !$0.isNull }
          let ends = try view.transaction.records.aggregate(
            QueryTree(model: name), [(.min, column), (.max, column), (.count, column)])
          let about = "\(view.name): \(column)"
          try expectEqual(ends.count, 1, about)
          let least = present.min { Reference.rank($0, $1) < 0 } ?? .null
          let greatest = present.max { Reference.rank($0, $1) < 0 } ?? .null
          try expect(Reference.rank(ends[0].values[0], least) == 0, "\(about): the least is \(ends[0].values[0])")
          try expect(Reference.rank(ends[0].values[1], greatest) == 0, "\(about): the greatest is \(ends[0].values[1])")
          try expectEqual(ends[0].values[2], .int(Int64(present.count)), about)
          var groups: [(value: Value, count: Int64)] = []
          for value in view.rows.compactMap({ $0[column] }).sorted(by: { Reference.rank($0, $1) < 0 }) {
            if let last = groups.last, Reference.rank(last.value, value) == 0 {
              groups[groups.count - 1].count += 1
            } else {
              groups.append((value, 1))
            }
          }
          let found = try view.transaction.records.aggregate(
            QueryTree(model: name), groupedBy: [column], [(.count, nil)])
          try expectEqual(found.map { $0.values[0] }, groups.map { .int($0.count) }, about)
          try expect(
            zip(found, groups).allSatisfy { Reference.rank($0.groups[0], $1.value) == 0 }, "\(about): other groups")
        }
      }
    }
  }

  private static func summed(_ type: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "SCH.old-\(type.name).summed", ["SCH-7", "AGG-1", "AGG-2", "AGG-3"],
      "Sums and averages of a \(type.name) that was added take the default of the rows from before.",
      needs: [.schemaAddProperty, .schemaCreateIndex, .queryAggregate], without: ConformanceVariant.ofReads
    ) { kit in
      let numbers = [1, 2, 6]
      try inspect(kit, type, numbers.map { Samples.number($0, type) }, Samples.number(5, type)) { view in
        let isMixed = view.rows.count > 4
        for (column, all) in [
          ("value", isMixed ? numbers : []), ("sure", [5, 5, 5, 5] + (isMixed ? [2, 6, 1, 2] : [])),
          ("maybe", [5, 5, 5, 5] + (isMixed ? numbers : [])),
        ] {
          let row = try unwrap(
            try view.transaction.records.aggregate(
              QueryTree(model: name), [(.sum, column), (.average, column), (.count, column)]
            ).first)
          let about = "\(view.name): \(column), got \(row.values)"
          try expectEqual(row.values[2], .int(Int64(all.count)), about)
          guard !all.isEmpty else {
            try expect(row.values[0].isNull && row.values[1].isNull, about)
            continue
          }
          let sum = all.reduce(0, +)
          try expect(Reference.rank(row.values[0], .int(Int64(sum))) == 0, about)
          if case .double(let average) = row.values[1] {
            try expectEqual(average, Double(sum) / Double(all.count), about)
          } else if case .decimal(let average) = row.values[1] {
            let back = average * Decimal(all.count) - Decimal(sum)
            try expect(abs(back) < Samples.decimal("0.000000000000000000000000000000001"), about)
          } else {
            try expect(false, about)
          }
        }
      }
    }
  }

  // MARK: Statements

  private static func written(_ type: PropertyType) -> ConformanceCase {
    ConformanceCase(
      "SCH.old-\(type.name).written", ["SCH-7", "STMT-5", "UPS-1", "IDX-1", "IDX-2"],
      "Rows from before a \(type.name) was added are assigned to, replaced, deleted and kept unique as they read.",
      needs: [.schemaAddProperty, .schemaCreateIndex, .upsert, .updateWhere, .deleteWhere],
      without: ConformanceVariant.ofReads
    ) { kit in
      let values = Samples.distinct(type, 4)
      let (standard, other) = (values[0], values[values.count - 1])
      var rows = (0..<6).map { old($0, .null, standard) }
      let store = try store(kit, type, properties(type, standard), rows)
      func isID(_ id: Int64) -> QueryTree {
        QueryTree(model: name, predicate: .compare(.named("id"), .equal, .value(.int(id))))
      }
      func change(_ place: Int, _ column: String, _ value: Value) {
        rows[place] = Record(rows[place].fields.map { ($0.name, $0.name == column ? value : $0.value) })
      }
      try store.write { tx in
        let id = try tx.model(named: name).id
        // All old rows have one value there, and none a value in the other.
        try expectError(.uniqueViolation) {
          try tx.apply(.createIndex(id, IndexSchema(name: "s", columns: [.init(slot: 3)], isUnique: true)))
        }
        try tx.apply(.createIndex(id, IndexSchema(name: "v", columns: [.init(slot: 2)], isUnique: true)))
        try tx.apply(
          .createIndex(
            id, IndexSchema(name: "c", columns: [.init(slot: 3), .init(slot: 2, isDescending: true)], isUnique: true)))
        try tx.records.assign(isID(1), [.init("maybe", .set, .null)])
        change(1, "maybe", .null)
        try tx.records.assign(isID(2), [.init("value", .set, other)])
        change(2, "value", other)
        try expectError(.uniqueViolation) { try tx.records.assign(isID(3), [.init("value", .set, other)]) }
        // What is stored is the default, which then is assigned.
        try tx.records.assign(isID(3), [.init("sure", .set, standard)])
        try tx.records.upsert(into: name, [Record(["id": .int(4), "sure": other, "maybe": other])])
        change(4, "sure", other)
        change(4, "maybe", other)
      }
      func look(_ about: String) throws {
        try store.read { tx in
          try expectEqual(try tx.records.fetch(QueryTree(model: name)), rows, about)
          let view = ColumnTable.View(name: about, transaction: tx, columns: columns, rows: rows)
          for column in columns {
            for value in [standard, other, .null] {
              try view.expectRows(
                QueryTree(model: name, predicate: .compare(.named(column), .equal, .value(value))))
            }
          }
        }
      }
      try look("written")
      let isOld = PredicateTree.and([
        .compare(.named("value"), .equal, .value(.null)), .compare(.named("maybe"), .equal, .value(.null)),
      ])
      try store.write { try expectEqual(try $0.records.delete(QueryTree(model: name, predicate: isOld)), 1) }
      rows.remove(at: 1)
      try look("deleted")
      guard kit.manifest.capabilities[.check]?.isSupported == true else { return }
      try expectEqual(try store.check(), [])
    }
  }

  // MARK: Arrays and nested values

  private static let part = Value.object(unordered: [.init("city", .string("Oslo")), .init("floor", .null)])

  private static func withTrees(
    _ kit: ConformanceContext, _ body: (ColumnTable.View) throws -> Void
  ) throws {
    let list = Value.array([.int(1), .int(2)])
    let ids = [0, 2, 4].map { Record(["id": .int($0)]) }
    let store = try store(
      kit, .bool,
      [
        PropertySchema(name: "list", type: .array, isOptional: true, elementType: .int64),
        PropertySchema(name: "sureList", type: .array, elementType: .int64, defaultValue: list),
        PropertySchema(name: "part", type: .nested, isOptional: true),
        PropertySchema(name: "surePart", type: .nested, defaultValue: part),
      ], ids)
    let olds = [0, 2, 4].map {
      Record(["id": .int($0), "list": .null, "sureList": list, "part": .null, "surePart": part])
    }
    try store.read { try body(ColumnTable.View(name: "old", transaction: $0, columns: [], rows: olds)) }
    let news = [
      Record(["id": .int(1), "list": .array([]), "sureList": .array([]), "part": part, "surePart": .object([])]),
      Record(["id": .int(3), "list": .array([.int(2)]), "sureList": list, "part": .null, "surePart": part]),
    ]
    try store.write { try $0.records.insert(into: name, news) }
    try store.read { try body(ColumnTable.View(name: "both", transaction: $0, columns: [], rows: olds + news)) }
  }

  private static func ask(_ view: ColumnTable.View, _ tests: [PredicateTree]) throws {
    for test in tests {
      try view.expectRows(QueryTree(model: name, predicate: test))
      try view.expectRows(QueryTree(model: name, predicate: .not(test)))
    }
  }

  private static let trees = ConformanceCase(
    "SCH.old-trees", ["SCH-7", "NEST-1", "NEST-3"],
    "Conditions on arrays and nested values that were added see nil or the default in the rows from before.",
    needs: [.schemaAddProperty, .queryNested], without: ConformanceVariant.ofReads
  ) { kit in
    try withTrees(kit) { view in
      for name in ["list", "sureList"] {
        let path = PropertyPath(name)
        try ask(
          view,
          [
            .compare(.named(name), .equal, .value(.null)), .compare(.count(path), .equal, .value(.int(2))),
            .compare(.count(path), .less, .value(.int(1))), .containsElement(path, .int(2)),
            .any(path, .compare(.property(.element), .greater, .value(.int(1)))),
            .all(path, .compare(.property(.element), .greater, .value(.int(1)))),
            .compare(.named(name), .equal, .value(.array([.int(1), .int(2)]))),
          ])
      }
    }
  }

  private static let treesCompared = ConformanceCase(
    "SCH.old-members", ["SCH-7", "NEST-1", "NEST-2", "NEST-10"],
    "Members of nested values that were added are those of the default, or nil.",
    needs: [.schemaAddProperty, .queryNested], without: ConformanceVariant.ofReads
  ) { kit in
    try withTrees(kit) { view in
      for name in ["part", "surePart"] {
        let (city, floor) = (PropertyPath(name, members: ["city"]), PropertyPath(name, members: ["floor"]))
        try ask(
          view,
          [
            .compare(.named(name), .equal, .value(.null)), .compare(.named(name), .equal, .value(part)),
            .compare(.property(city), .equal, .value(.string("Oslo"))),
            .compare(.property(city), .less, .value(.string("P"))), .text(.property(city), .hasPrefix, "O", []),
            .compare(.property(floor), .equal, .value(.null)), .compare(.property(floor), .greater, .value(.int(0))),
          ])
      }
    }
  }
}

extension Value {
  /// The text of a string or a URL.
  fileprivate var text: String {
    switch self {
    case .string(let text): text
    case .url(let url): url.absoluteString
    default: ""
    }
  }
}
