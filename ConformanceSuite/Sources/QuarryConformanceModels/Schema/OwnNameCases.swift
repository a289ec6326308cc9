import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryDump
import QuarryQuery

/// Names that Quarry keeps for itself, and names that users have in spite of what Quarry once kept for itself.
enum OwnNameCases {
  static let all: [ConformanceCase] = [
    names("old-mark-as-model", "A user's model may be called as the mark of a copy once was, whatever it has.") { kit in
      for (number, rows) in [
        [], [row(1, "a text", 0)], [row(1, "1 ab 2,3", 1), row(2, "", 0)], [row(7, "1 ab 2,3", 1)],
      ].enumerated() {
        let place = try kit.makePlace()
        let store = try kit.open([], at: place)
        try store.write { tx in
          try tx.apply(.createModel(oldMark))
          try tx.records.insert(into: oldMark.name, rows)
        }
        try store.close()
        let again = try kit.open([], at: place)
        try expectEqual(try again.records.fetch(in: oldMark.name).count, rows.count, "model \(number)")
        try expectEqual(try again.check(), [])
        let other = try kit.makePlace()
        try again.copy(to: other)
        try expectSame(again, try kit.open([], at: other))
        try again.close()
        let renamed = try kit.open(
          program: [], at: place, migration: .to(2) { m in try m.rename("unfinished copy", to: "Kept") })
        try expectEqual(try renamed.records.fetch(in: "Kept").count, rows.count)
        try renamed.close()
        let back = try kit.open(
          program: [], at: place, migration: .to(3) { m in try m.rename("Kept", to: "unfinished copy") })
        try back.close()
        try expectEqual(try kit.open([], at: place).records.fetch(in: oldMark.name).count, rows.count)
      }
    },
    names("old-mark", "An unfinished copy of an older version is one still, and the next copy begins again.") { kit in
      let source = try kit.store(Item.self)
      try source.insert(contentsOf: (0..<50).map { Item($0) })
      for text in ["12 ab12f 50", ""] {
        let place = try kit.makePlace()
        let store = try kit.open([], at: place)
        try store.write { tx in
          try tx.apply(.createModel(oldMark))
          try tx.apply(.createModel(.migrating("Left", .int("n"))))
          try tx.records.insert(into: oldMark.name, [row(1, text, 0)])
        }
        try store.close()
        let error = try expectError(.schemaMismatch) { try kit.open([], at: place) }
        try expect(error.message.contains("unfinished copy"), error.message)
        let report = try source.copy(to: place)
        try expect(report.restartReason != nil, "\(report)")
        try expectSame(source, try kit.open([], at: place))
      }
    },
    names("own-models", "No user makes a model that Quarry keeps for itself, with its very declaration.") { kit in
      let own = InternalModel.unfinished
      let place = try kit.makePlace()
      let store = try kit.open([], at: place)
      try expectError(.schemaMismatch) { try store.write { tx in try tx.apply(.createModel(own)) } }
      try store.write { tx in
        var model = own
        model.name = "Mine"
        try tx.apply(.createModel(model))
        let id = try tx.model(named: "Mine").id
        try expectError(.schemaMismatch) { try tx.apply(.renameModel(id, to: own.name)) }
      }
      try expectEqual(try store.models().map(\.name), ["Mine"])
      try store.close()
      try expectError(.schemaMismatch) { try kit.open(program: [own], at: place) }
      try expectError(.schemaMismatch) {
        try kit.open(program: [], at: place, migration: .to(2) { m in try m.rename("Mine", to: own.name) })
      }
      try expectEqual(try kit.open([], at: place).models().map(\.name), ["Mine"])
    },
  ]

  /// The mark as versions before 0.2 declared it.
  private static let oldMark = ModelSchema(
    name: "unfinished copy",
    properties: [
      PropertySchema(name: "id", type: .int64), PropertySchema(name: "source", type: .string),
      PropertySchema(name: "models", type: .int64),
    ], primaryKey: 0)

  private static func row(_ id: Int64, _ source: String, _ models: Int64) -> Record {
    Record([("id", .int(id)), ("source", .string(source)), ("models", .int(models))])
  }

  private static func names(
    _ name: String, _ summary: String, _ body: @escaping @Sendable (ConformanceContext) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      "SCH.\(name)", ["SCH-9"], summary, requiresPersistence: true, without: ConformanceVariant.allButFresh,
      within: .seconds(30)
    ) { kit in try body(kit) }
  }
}
