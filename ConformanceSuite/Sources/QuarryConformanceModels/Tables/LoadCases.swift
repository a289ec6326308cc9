import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryData
import QuarryDump
import QuarryQuery

/// Many rows at once: what is stored, what their indexes give, what an error leaves.
enum LoadCases {
  static let all: [ConformanceCase] = [many, full, duplicates, violations, references, ended]

  private static let model = ModelSchema(
    name: "T",
    properties: [
      PropertySchema(name: "id", type: .int64), PropertySchema(name: "name", type: .string),
      PropertySchema(name: "age", type: .int64, isOptional: true), PropertySchema(name: "code", type: .string),
    ], primaryKey: 0,
    indexes: [
      IndexSchema(name: "age", columns: [.init(slot: 2)]),
      IndexSchema(name: "code", columns: [.init(slot: 3)], isUnique: true),
      IndexSchema(name: "both", columns: [.init(slot: 2, isDescending: true), .init(slot: 1)]),
    ])

  /// Rows in an order that is none of their keys or values.
  private static func rows(_ count: Int) -> [[String]] {
    (0..<count).map { place in
      let number = place * 7_919 % count
      let name = String(repeating: "n", count: number % 20) + "\(number % 50)"
      return [
        String(number), name, number % 10 == 3 ? "" : String(number % 37), "c\(number * 31 % count)\u{0}\(number)",
      ]
    }
  }

  private static func text(_ rows: [[String]]) -> String {
    (["id,name,age,code"] + rows.map { $0.joined(separator: ",") }).joined(separator: "\n") + "\n"
  }

  private static func records(_ rows: [[String]]) -> [Record] {
    rows.map { row in
      Record([
        ("id", .int(Int64(row[0]) ?? 0)), ("name", .string(row[1])), ("age", Int64(row[2]).map { .int($0) } ?? .null),
        ("code", .string(row[3])),
      ])
    }
  }

  /// The keys of the rows in the order of an index.
  private static func keys(_ store: Store, _ order: [QueryTree.SortKey]) throws -> [Value] {
    try store.records.fetch(QueryTree(model: "T", order: order), columns: ["id"]).map { $0.values[0] }
  }

  /// Throws unless both have the same rows, and their indexes give them in the same order.
  private static func expectEqualStores(_ loaded: Store, _ inserted: Store) throws {
    try expectEqual(try loaded.records.fetch(QueryTree(model: "T")), try inserted.records.fetch(QueryTree(model: "T")))
    let orders: [[QueryTree.SortKey]] = [
      [.init("age")], [.init("age", isDescending: true), .init("name")], [.init("code")],
      [.init("age"), .init("name", isDescending: true)],
    ]
    for order in orders { try expectEqual(try keys(loaded, order), try keys(inserted, order), "\(order)") }
    for age in [0, 3, 36] as [Int64] {
      let query = QueryTree(model: "T", predicate: try PredicateParser.parse("age == \(age)"))
      try expectEqual(try loaded.records.count(query), try inserted.records.count(query), "age \(age)")
    }
    if loaded.manifest.capabilities[.check]?.isSupported == true { try expectEqual(try loaded.check(), []) }
  }

  private static func store(_ kit: ConformanceContext) throws -> Store {
    let store = try kit.open([], at: kit.makePlace())
    try store.write { tx in try tx.apply(.createModel(model)) }
    return store
  }

  private static let many = ConformanceCase.table(
    "load", ["DATA-12", "DATA-1"],
    "Rows that are loaded are those that are inserted, and so is what their indexes give."
  ) { table in
    let rows = rows(1_500)
    try table.store.write { tx in try tx.apply(.createModel(model)) }
    try expectEqual(try table.imported(text(rows)).rows, rows.count)
    let inserted = try store(table.kit)
    try inserted.write { tx in try tx.records.insert(into: "T", records(rows)) }
    try expectEqualStores(table.store, inserted)
    // Indexes that were made last are kept by what is written next.
    for one in [table.store, inserted] {
      try one.write { tx in
        try tx.records.delete(QueryTree(model: "T", predicate: try PredicateParser.parse("age < 9")))
        try tx.records.insert(into: "T", [Record([("id", .int(-1)), ("name", .string("")), ("code", .string("new"))])])
      }
    }
    try expectEqualStores(table.store, inserted)
  }

  private static let full = ConformanceCase.table(
    "load-more", ["DATA-12", "DATA-1"], "Rows that are loaded beside others are those that are inserted."
  ) { table in
    let rows = rows(600)
    try table.store.write { tx in try tx.apply(.createModel(model)) }
    let inserted = try store(table.kit)
    for part in [rows[..<200], rows[200..<201], rows[201...]] {
      try table.imported(text(Array(part)))
      try inserted.write { tx in try tx.records.insert(into: "T", records(Array(part))) }
    }
    try expectEqualStores(table.store, inserted)
  }

  private static let duplicates = ConformanceCase.table(
    "duplicates", ["DATA-2", "DATA-1"], "A key that comes again is an error with its line, and nothing is stored."
  ) { table in
    let text = "id,name\n1,\"a\nb\"\n2,x\n1,y\n3,z\n"
    let error = try expectError(.duplicateKey, "1 comes twice") {
      try table.imported(text) {
        $0.key = .column("id")
        $0.indexed = ["name"]
      }
    }
    try expect(error.message.hasPrefix("line 5: ") && error.key == "1", "\(error)")
    try expectEqual(try table.store.models().count, 0)
    try table.imported("id,name\n1,a\n2,b\n") { $0.key = .column("id") }
    let stored = try expectError(.duplicateKey, "2 is stored") { try table.imported("id,name\n3,c\n2,d\n4,e\n") }
    try expect(stored.message.hasPrefix("line 3: ") && stored.key == "2", "\(stored)")
    try expectEqual(try table.rows().count, 2)
  }

  private static let violations = ConformanceCase.table(
    "violations", ["DATA-2", "DATA-12"], "A value of a unique index that comes again is an error with its line."
  ) { table in
    let text = "id,code\n1,a\n2,b\n3,\n4,\n5,b\n6,c\n"
    func unique(_ import: inout TableImport) {
      `import`.key = .column("id")
      `import`.unique = ["code"]
    }
    let error = try expectError(.uniqueViolation, "b comes twice") { try table.imported(text, .csv, unique) }
    try expect(error.message.hasPrefix("line 6: ") && error.key == "5" && error.property == "code", "\(error)")
    try expectEqual(try table.store.models().count, 0)
    try table.imported("id,code\n1,a\n3,\n4,\n", .csv, unique)
    let stored = try expectError(.uniqueViolation, "a is stored") { try table.imported("id,code\n7,z\n8,a\n") }
    try expect(stored.message.hasPrefix("line 3: ") && stored.key == "8", "\(stored)")
    try expectEqual(try table.rows().count, 3)
  }

  private static let references = ConformanceCase.table(
    "references", ["DATA-2"], "Rows of one file may refer to each other in any order, and to nothing else."
  ) { table in
    func referring(_ import: inout TableImport) {
      `import`.key = .column("id")
      `import`.references = [.init(column: "parent", target: "T.id")]
    }
    let error = try expectError(.missingReference, "9 is not there") {
      try table.imported("id,parent\n1,2\n2,\n3,9\n", .csv, referring)
    }
    try expect(error.message.hasPrefix("line 4: ") && error.key == "3", "\(error)")
    try expectEqual(try table.store.models().count, 0)
    try table.imported("id,parent\n1,2\n2,\n3,1\n", .csv, referring)
    try expectEqual(try table.rows().map { $0[1] }, [.int(2), .null, .int(1)])
    try expectError(.missingReference, "of rows beside others") { try table.imported("id,parent\n4,5\n") }
    try table.imported("id,parent\n4,5\n5,1\n")
    try expectEqual(try table.rows().count, 5)
  }

  private static let ended = ConformanceCase.table(
    "load-fails", ["DATA-12"], "After a load that failed the transaction takes no calls and leaves nothing."
  ) { table in
    let store = try store(table.kit)
    try store.write { tx in try tx.records.insert(into: "T", records(rows(3))) }
    let before = try store.records.fetch(QueryTree(model: "T"))
    for isStored in [true, false] {
      if !isStored { try store.write { tx in try tx.records.delete(QueryTree(model: "T")) } }
      let left = try store.records.fetch(QueryTree(model: "T"))
      try expectError(.duplicateKey, "the key comes twice") {
        try store.write { tx in
          let model = try tx.model(named: "T")
          let writer = RowWriter(RowLayout(model))
          var given = 0
          do {
            try tx.loadRows(into: model) { batch throws(StorageError) in
              given += 1
              guard given <= 2 else { return }
              for slot in RowLayout(model).slots where !slot.isOptional {
                if slot.index == 0 { writer.begin() }
                try writer.set(slot, value: slot.type == .int64 ? .int(77) : .string("x\(given)"))
              }
              batch.append(try writer.finish())
            }
          } catch {
            try expectError(.duplicateKey, "a call after it") { try tx.records.count(QueryTree(model: "T")) }
            throw error
          }
        }
      }
      try expectEqual(try store.records.fetch(QueryTree(model: "T")), left)
    }
    try store.write { tx in try tx.records.insert(into: "T", records(rows(3))) }
    try expectEqual(try store.records.fetch(QueryTree(model: "T")), before)
  }
}
