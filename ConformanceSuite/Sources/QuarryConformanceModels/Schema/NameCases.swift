import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Names that engines trip over, for each thing that has one: each works or is refused, alone.
enum NameCases {
  private enum Kind: String, CaseIterable {
    case model, property, index
  }

  private static let good: [(name: String, text: String)] = [
    ("space", "a b"), ("emoji", "\u{1F600}\u{1F469}\u{200D}\u{1F4BB}"), ("composed", "caf\u{E9}"),
    ("decomposed", "cafe\u{301}"), ("quote", "a\"b'c`d]e"), ("keyword", "select"), ("dot", "a.b"), ("newline", "a\nb"),
    ("percent", "%s%@?1:a"), ("digits", "123"), ("63-bytes", String(repeating: "x", count: 63)),
    ("63-bytes-of-emoji", String(repeating: "\u{1F600}", count: 15) + "xyz"), ("rowid", "rowid"),
    ("right-to-left", "\u{202E}abc"),
    ("like-internal", "quarry_index"), ("comment", "a--b/*"), ("like-infix", "a_quarry"),
    ("old-mark", "unfinished copy"), ("like-rebuilt", "new_2"),
  ]

  private static let bad: [(name: String, text: String, code: StorageError.Code)] = [
    ("empty", "", .schemaMismatch), ("nul", "a\0b", .schemaMismatch), ("reserved", "_quarry_x", .schemaMismatch),
    ("reserved-folded", "_QUARRY", .schemaMismatch), ("engine", "sqlite_x", .schemaMismatch),
    ("64-bytes", String(repeating: "x", count: 64), .limitExceeded),
    ("64-bytes-of-emoji", String(repeating: "\u{1F600}", count: 16), .limitExceeded),
  ]

  static let all: [ConformanceCase] = Kind.allCases.flatMap { kind in
    good.map { works(kind, $0.name, $0.text) } + bad.map { refused(kind, $0.name, $0.text, $0.code) }
      + [twice(kind), folded(kind)]
  }

  private static func model(_ kind: Kind, _ text: String) -> ModelSchema {
    ModelSchema(
      name: kind == .model ? text : "Named",
      properties: [
        PropertySchema(name: "id", type: .int64),
        PropertySchema(name: kind == .property ? text : "value", type: .string, isOptional: true),
        PropertySchema(name: "other", type: .string, isOptional: true),
      ], primaryKey: 0,
      indexes: [
        IndexSchema(name: kind == .index ? text : "i", columns: [.init(slot: 1)], isUnique: true),
        IndexSchema(name: "second", columns: [.init(slot: 2)]),
      ])
  }

  private static func works(_ kind: Kind, _ name: String, _ text: String) -> ConformanceCase {
    ConformanceCase(
      "SCH.name.\(kind.rawValue).\(name)", ["SCH-3", "CRUD-1"],
      "The name of a \(kind.rawValue) may be such (\(name)): everything works by it.",
      without: ConformanceVariant.ofReads
    ) { kit in
      let place = try kit.makePlace()
      let store = try kit.open([], at: place)
      let model = model(kind, text)
      let property = model.properties[1].name
      let rows = (0..<4).map {
        Record([("id", .int(Int64($0))), (property, $0 == 0 ? .null : .string("v\($0)")), ("other", .string("o"))])
      }
      try store.write { tx in
        try tx.apply(.createModel(model))
        try tx.records.insert(into: model.name, rows)
        try expectError(.uniqueViolation) {
          try tx.records.insert(into: model.name, [Record([("id", .int(9)), (property, .string("v1"))])])
        }
        try tx.records.assign(
          QueryTree(model: model.name, predicate: .compare(.named(property), .equal, .value(.string("v3")))),
          [.init(property, .set, .string("w"))])
      }
      try store.read { tx in
        let query = QueryTree(
          model: model.name, predicate: .compare(.named(property), .greater, .value(.string("v1"))),
          order: [.init(property, isDescending: true)])
        try expectEqual(try tx.records.fetch(query).map { $0[property] }, [.string("w"), .string("v2")])
        try expectEqual(
          try tx.records.aggregate(QueryTree(model: model.name), groupedBy: [property], [(.max, property)]).count, 4)
        try expectEqual(try tx.model(named: model.name).indexes.map(\.name), model.indexes.map(\.name))
      }
      try store.close()
      guard kit.harness.isPersistent else { return }
      let second = try kit.open([], at: place)
      try expectEqual(try second.read { try $0.records.get(in: model.name, key: .int(3))?[property] }, .string("w"))
    }
  }

  private static func refused(
    _ kind: Kind, _ name: String, _ text: String, _ code: StorageError.Code
  ) -> ConformanceCase {
    ConformanceCase(
      "SCH.name.\(kind.rawValue).refused-\(name)", ["SCH-3", "LIM-1"],
      "The name of a \(kind.rawValue) may not be such (\(name)), new or by renaming, and nothing is made.",
      needs: [.schemaRenameModel, .schemaRenameProperty, .schemaRenameIndex], without: ConformanceVariant.ofReads
    ) { kit in
      let store = try kit.store(making: [model(.model, "Kept")])
      let before = try store.models()
      try store.write { tx in
        try expectError(code) { try tx.apply(.createModel(model(kind, text))) }
        let kept = try tx.model(named: "Kept")
        try expectError(code) {
          switch kind {
          case .model: try tx.apply(.renameModel(kept.id, to: text))
          case .property: try tx.apply(.renameProperty(kept.id, slot: 1, to: text))
          case .index: try tx.apply(.renameIndex(kept.id, index: kept.indexes[0].id, to: text))
          }
        }
      }
      try expectEqual(try store.models(), before)
    }
  }

  /// A change that gives a second thing of the kind a name.
  private static func rename(_ kind: Kind, _ tx: WriteTransaction, to text: String) throws {
    let kept = try tx.model(named: "Kept")
    switch kind {
    case .model: try tx.apply(.createModel(model(.model, text)))
    case .property: try tx.apply(.renameProperty(kept.id, slot: 2, to: text))
    case .index: try tx.apply(.renameIndex(kept.id, index: kept.indexes[1].id, to: text))
    }
  }

  private static func first(_ kind: Kind) -> String {
    switch kind {
    case .model: "Kept"
    case .property: "value"
    case .index: "i"
    }
  }

  private static func twice(_ kind: Kind) -> ConformanceCase {
    ConformanceCase(
      "SCH.name.\(kind.rawValue).twice", ["SCH-3"], "No two of a kind (\(kind.rawValue)) have one name.",
      needs: [.schemaRenameProperty, .schemaRenameIndex], without: ConformanceVariant.ofReads
    ) { kit in
      let store = try kit.store(making: [model(.model, "Kept")])
      let before = try store.models()
      try store.write { tx in _ = try expectError(.schemaMismatch) { try rename(kind, tx, to: first(kind)) } }
      try expectEqual(try store.models(), before)
    }
  }

  private static func folded(_ kind: Kind) -> ConformanceCase {
    ConformanceCase(
      "SCH.name.\(kind.rawValue).folded", ["SCH-3", "TEXT-1"],
      "Names of a \(kind.rawValue) that differ in ASCII case only are one; in other letters they are two.",
      needs: [.schemaRenameProperty, .schemaRenameIndex], without: ConformanceVariant.ofReads
    ) { kit in
      let store = try kit.store(making: [model(.model, "Kept")])
      try store.write { tx in
        try expectError(.schemaMismatch) { try rename(kind, tx, to: first(kind).uppercased()) }
        try rename(kind, tx, to: "\u{E9}")
        if kind == .model {
          try rename(kind, tx, to: "\u{C9}")
          try rename(kind, tx, to: "e\u{301}")
        }
      }
      try expectEqual(try store.models().count, kind == .model ? 4 : 1)
    }
  }
}
