import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// What a schema change of another process does to this one.
enum SharedSchemaCases {
  static let all: [ConformanceCase] = [
    .shared("MP.model-added", ["MP-4", "SCH-1"], "A model that another process adds is there at the next transaction.")
    { scene in
      try expectEqual(try scene.store.models().map(\.name), ["Item"])
      try scene.child.ask("create-model")
      try expectEqual(Set(try scene.store.models().map(\.name)), ["Item", ColumnTable.name])
      try expectEqual(
        try scene.store.read { try $0.records.count(QueryTree(model: ColumnTable.name)) },
        ColumnTable.rows([.string("x"), .string("y")]).count)
      try scene.store.insert(Item(4))
      try expectEqual(try scene.ids(), [1, 2, 3, 4])
    },
    .shared(
      "MP.index-added", ["MP-4", "IDX-4"],
      "An index that another process adds is kept up by all, and changes no answer.", needs: [.schemaCreateIndex]
    ) { scene in
      let store = try scene.kit.open([], at: scene.place)
      let before = try store.read { try $0.model(named: "Item").indexes.count }
      try scene.child.ask("create-index")
      try expectEqual(try store.read { try $0.model(named: "Item").indexes.count }, before + 1)
      try store.write { tx in
        try tx.records.insert(
          into: "Item", [Record(["id": .int(4), "code": .string("c4"), "name": .string(""), "score": .double(4.5)])])
      }
      let query = QueryTree(model: "Item", predicate: .compare(.named("score"), .equal, .value(.double(4.5))))
      try scene.child.ask("close")
      try expectEqual(try store.read { try $0.records.fetch(query) }.map { $0["id"] }, [.int(4)])
      if scene.kit.manifest.capabilities[.check]?.isSupported == true { try expectEqual(try store.check(), []) }
    },
    .shared(
      "MP.model-changed", ["MP-4"],
      "A model that another process has changed is a mismatch, until the store is opened anew.",
      needs: [.schemaDropModel]
    ) { scene in
      try scene.child.ask("drop-model")
      try expectError(.schemaMismatch) { try scene.store.count(Item.all) }
      try expectError(.schemaMismatch) { try scene.store.insert(Item(9)) }
      try expectEqual(try scene.kit.open([Item.self], at: scene.place).count(Item.all), 0)
    },
    .shared(
      "MP.change-rolled-back", ["MP-4", "TXN-1"], "A schema change that another process rolls back is never seen."
    ) { scene in
      try scene.child.ask("write")
      try scene.child.ask("create-model")
      try expectEqual(try scene.store.models().map(\.name), ["Item"])
      try scene.child.ask("rollback")
      try expectEqual(try scene.store.models().map(\.name), ["Item"])
      try expectEqual(try scene.ids(), [1, 2, 3])
    },
    .processes(
      "MP.versions-of-a-program", ["MP-4", "SCH-1"],
      "A program that knows more properties adds them beside one that does not.",
      needs: [.multipleProcesses, .schemaAddProperty]
    ) { kit in
      let place = try kit.makePlace()
      let first = try kit.open([FirstVersion.self], at: place)
      try first.insert(FirstVersion(id: 1, title: "a"))
      let child = try kit.secondProcess(at: place, "open second")
      try expectError(.schemaMismatch) { try first.count(FirstVersion.all) }
      let second = try kit.open([SecondVersion.self], at: place)
      try expectEqual(try second.fetch(SecondVersion.all), [SecondVersion(id: 1, title: "a")])
      try child.ask("close")
    },
  ]
}
