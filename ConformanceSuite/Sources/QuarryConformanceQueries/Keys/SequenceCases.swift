import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryDrafts

/// Keys that the store gives from a sequence.
enum SequenceCases {
  private static func sequence(
    _ name: String, _ clauses: [String], _ summary: String,
    _ body: @escaping @Sendable (Store) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase("KEY.sequence-\(name)", clauses, summary) { kit in
      let store = try kit.store(Ticket.self, Stub.self)
      try body(store)
      try store.expectWhole()
    }
  }

  /// A store that goes on in another place, or at another time.
  private static func continued(
    _ name: String, _ summary: String, needs: Set<Capability> = [],
    _ next: @escaping @Sendable (Store, any BackendProvider, ConformanceContext) throws -> Store?
  ) -> ConformanceCase {
    ConformanceCase(
      "KEY.sequence-\(name)", ["KEY-5"], summary, needs: needs, requiresPersistence: true, within: .seconds(20)
    ) { kit in
      let place = try kit.makePlace()
      let store = try kit.open([Ticket.self, Stub.self], at: place)
      try store.insert(contentsOf: (1...5).map { Ticket("\($0)") })
      try store.delete(Ticket.self, keys: [4, 5])
      guard let store = try next(store, place, kit) else { return }
      try expect(try store.insert(Ticket("later")).id > 5, "a number that was given before")
      try expectEqual(try store.keys(Ticket.all).prefix(3), [1, 2, 3])
      try store.expectWhole()
    }
  }

  /// What a migration needs that makes objects again.
  private static let rewriting: Set<Capability> = [
    .schemaDropModel, .schemaRenameModel, .schemaAddProperty, .schemaRenameProperty, .schemaDropProperty,
    .schemaCreateIndex, .schemaDropIndex, .schemaSetVersion,
  ]

  private static let plain = ModelSchema.migrating("Ticket", .string("code"))

  static let all: [ConformanceCase] =
    sequences + [
      ConformanceCase(
        "KEY.sequence-zero", ["KEY-10"], "Keys become generated where no object has the key zero.", needs: rewriting,
        requiresPersistence: true, within: .seconds(20)
      ) { kit in
        let rows = [(Int64(0), "zero"), (3, "three")].map { Record(["id": .int($0.0), "code": .string($0.1)]) }
        let stage = try MigratingStore(kit, [plain], ["Ticket": rows])
        let before = try stage.content()
        let error = try expectError(.invalidValue) { try kit.open([Ticket.self], at: stage.place) }
        try expectEqual(error.model, "Ticket")
        try expectEqual(error.key, "0")
        try expectEqual(try stage.content(), before, "the store after the refusal")
        var store = try kit.open(
          [Ticket.self], at: stage.place, migration: .to(2) { m in try m.enumerate("Ticket") { _, _ in } })
        try expectEqual(try store.fetch(Ticket.all), [Ticket("three", id: 3), Ticket("zero", id: 4)])
        try expect(try store.insert(Ticket("next")).id > 4)
        try store.close()
        // A model whose keys are no longer generated stores the key zero like any other.
        store = try kit.open(program: [plain], at: stage.place, migration: .to(2))
        try store.records.insert(into: "Ticket", [Record(["id": 0, "code": "zero"])])
        try expectEqual(try store.records.get(in: "Ticket", key: 0)?["code"], "zero")
      },
      ConformanceCase("KEY.sequence-of-records", ["KEY-4", "KEY-9", "KEY-12"], "Integers and UUIDs can be generated.") {
        kit in
        let store = try kit.store(making: [])
        for type in [PropertyType.int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .uuid] {
          var model = ModelSchema.migrating("Of\(type.name)", .string("code"), key: type)
          model.keyGeneration = type == .uuid ? .uuid : .sequence
          try store.write { try $0.apply(.createModel(model)) }
          let before = UUID.generated()
          try store.records.insert(into: model.name, [Record(["code": "a"]), Record(["id": .null, "code": "b"])])
          let keys = try store.records.fetch(in: model.name).map { $0["id"] }
          try expectEqual(Set(keys).count, 2, "\(type)")
          for case .uuid(let key)? in keys {
            try expect(key.uuidString > before.uuidString && key.uuidString < UUID.generated().uuidString, "\(key)")
          }
        }
        for type in [PropertyType.string, .bool, .double, .decimal, .date, .data, .url] {
          var model = ModelSchema.migrating("Of\(type.name)", .string("code"), key: type)
          model.keyGeneration = .sequence
          try expectError(.schemaMismatch, "\(type)") { try store.write { try $0.apply(.createModel(model)) } }
        }
      },
      ConformanceCase(
        "KEY.sequence-in-advance", ["KEY-5", "KEY-11"], "Two stores with many writers take different numbers.",
        requiresPersistence: true, within: .seconds(20)
      ) { kit in
        let place = try kit.makePlace()
        let stores = try (0..<2).map { _ in try kit.open([Ticket.self], at: place) }
        var keys: [Int] = []
        for number in 0..<150 { keys.append(try stores[number % 2].insert(Ticket("\(number)")).id) }
        try expectEqual(Set(keys).count, 150)
        // A number that the other store has taken in advance.
        let given = (keys.max() ?? 0) + 1
        try stores[0].insert(Ticket("given", id: given))
        for store in stores {
          for _ in 0..<140 {
            do {
              try expect(try store.insert(Ticket("more")).id != given)
            } catch let error as StorageError where error.code == .duplicateKey {
              try expectEqual(error.key, "\(given)")
            }
          }
        }
        try stores[0].expectWhole()
      }.only(.many),
    ]

  private static let sequences: [ConformanceCase] = [
    sequence("insert", ["KEY-4", "KEY-5", "KEY-8"], "Numbers begin at 1, and insert returns the object with its key.") {
      store in
      try expectEqual(try store.insert(Ticket("a")), Ticket("a", id: 1))
      try store.write { tx in
        try expectEqual(try tx.insert(Ticket("b")).id, 2)
        try expectEqual(try tx.insertAndFetch(contentsOf: [Ticket("c"), Ticket("d")]).map(\.id), [3, 4])
        try expectEqual(try tx.get(Ticket.self, 3)?.code, "c")
      }
      try expectEqual(try store.fetch(Ticket.all).map(\.code), ["a", "b", "c", "d"])
      try expectEqual(try store.get(Ticket.self, 0), nil)
    },
    sequence("calls", ["KEY-4", "KEY-8"], "Each call that stores an object without a key gives it one.") { store in
      try expect(try store.upsert(Ticket("1")))
      try expectEqual(try store.upsert(contentsOf: [Ticket("2"), Ticket("one", id: 1), Ticket("3")]), 2)
      try expectEqual(try store.getOrInsert(Ticket("4")).id, 4)
      try expectEqual(try store.getOrInsert(Ticket("x", id: 4)).code, "4")
      try store.records.insert(into: "Ticket", [Record(["code": "5"]), Record(["id": .null, "code": "6"])])
      try store.records.upsert(into: "Ticket", [Record(["id": 0, "code": "7"])])
      try expectEqual(
        try store.fetch(Ticket.all), ["one", "2", "3", "4", "5", "6", "7"].enumerated().map { Ticket($1, id: $0 + 1) })
    },
    sequence(
      "given", ["KEY-5", "KEY-6"], "A given key stays, and the sequence goes on after it unless it is negative."
    ) {
      store in
      try store.insert(Ticket("negative", id: -7))
      try expectEqual(try store.insert(Ticket("a")).id, 1)
      try store.insert(Ticket("b", id: 40))
      try expectError(.duplicateKey) { try store.insert(Ticket("c", id: 40)) }
      try expectEqual(try store.insert(Ticket("d")).id, 41)
      try store.upsert(Ticket("e", id: 50))
      try store.insert(contentsOf: [Ticket("f"), Ticket("g", id: 60), Ticket("h"), Ticket("i", id: 61)])
      let keys = try store.keys(Ticket.all)
      try expectEqual(Array(keys.prefix(7)), [-7, 1, 40, 41, 50, 60, 61])
      try expectEqual(Array(keys.dropFirst(7)), [62, 63])
    },
    sequence("deleted", ["KEY-5"], "A number is not given again after its object was deleted.") { store in
      try store.insert(contentsOf: (1...5).map { Ticket("\($0)") })
      try store.delete(Ticket.all)
      try expectEqual(try store.insert(Ticket("6")).id, 6)
      try store.write { tx in
        try tx.delete(Ticket.self, 6)
        try tx.insert(Ticket("7"))
      }
      try expectEqual(try store.keys(Ticket.all), [7])
    },
    sequence("undone", ["KEY-5", "TXN-3"], "After an undone write, keys are still distinct and ascend.") { store in
      struct Stop: Error {}
      try store.insert(Ticket("a"))
      try store.write { tx in
        try tx.undoing { try tx.insert(contentsOf: [Ticket("b"), Ticket("c")]) }
        try tx.insert(Ticket("d"))
      }
      do {
        try store.write { tx in
          try tx.insert(Ticket("e"))
          throw Stop()
        }
      } catch is Stop {}
      try store.insert(Ticket("f"))
      try expectEqual(try store.fetch(Ticket.all).map(\.code), ["a", "d", "f"])
    },
    sequence("end", ["KEY-5", "KEY-7"], "A sequence that has given its last number stores nothing more.") { store in
      try store.insert(contentsOf: (0..<253).map { _ in Stub() })
      try store.insert(Stub(id: 254))
      try expectEqual(try store.insert(Stub()).id, 255)
      let error = try expectError(.limitExceeded) { try store.insert(Stub()) }
      try expectEqual(error.model, "Stub")
      try expectEqual(error.property, "id")
      try store.delete(Stub.self, 3)
      try expectError(.limitExceeded) { try store.insert(Stub()) }
      try store.insert(Stub(id: 3))
      try store.insert(Ticket("greatest", id: .max))
      try expectError(.limitExceeded) { try store.insert(Ticket("more")) }
      try expectEqual(try store.count(Ticket.all), 1)
    },
    sequence("end-undone", ["KEY-5", "KEY-7"], "A call that comes to the end of a sequence stores nothing.") { store in
      try store.insert(Stub(id: 254))
      try expectError(.limitExceeded) { try store.insert(contentsOf: [Stub(), Stub()]) }
      try expectEqual(try store.keys(Stub.all), [254])
      // The number of an undone write may be given again. Where numbers are taken in advance, it is not.
      do {
        try expectEqual(try store.insert(Stub()).id, 255)
      } catch let error as StorageError where error.code == .limitExceeded {
        try store.insert(Stub(id: 255))
      }
      try expectEqual(try store.keys(Stub.all), [254, 255])
      try expectError(.limitExceeded) { try store.insert(Stub()) }
    },
    sequence("hidden", ["KEY-13"], "The numbers that were reached are no objects.") { store in
      let commits = Pulled(store.commits())
      try store.insert(Ticket("a"))
      try expectEqual(try store.models().map(\.name), ["Ticket", "Stub"])
      let change = try unwrap(try commits.next())
      try expectEqual(change.models.map(\.model), ["Ticket"])
      try expectEqual(change["Ticket"]?.inserted, [1])
    },
    sequence(
      "told", ["KEY-13", "OBS-3", "OBS-7"], "A commit that leaves nothing but a number that was reached is not told."
    ) { store in
      let commits = Pulled(store.commits())
      try store.write { tx in
        try tx.insert(contentsOf: [Ticket("a"), Ticket("b")])
        try tx.delete(Ticket.all)
      }
      try store.insert(Stub())
      let change = try unwrap(try commits.next())
      try expectEqual(change.models.map(\.model), ["Stub"])
      try expect(try store.insert(Ticket("c")).id > 2, "a number that was given before")
    },
    sequence("draft", ["KEY-14"], "A draft takes no object without a key.") { store in
      let draft = Draft(on: store)
      try expectError(.invalidValue) { try draft.insert(Ticket("a")) }
      try draft.insert(Ticket("a", id: 4))
      try draft.save()
      try expectEqual(try store.insert(Ticket("b")).id, 5)
    },
    continued("reopened", "A sequence goes on when the store is opened again.") { store, place, kit in
      try store.close()
      return try kit.open([Ticket.self, Stub.self], at: place)
    },
    continued("copied", "A sequence goes on in a copy.") { store, _, kit in
      let place = try kit.makePlace()
      try store.copy(to: place)
      return try kit.open([Ticket.self, Stub.self], at: place)
    },
    continued("restored", "A sequence goes on in a restored dump.") { store, _, kit in
      let place = try kit.makePlace()
      try StoreDump.restore(try StoreDump.text(store), to: place)
      return try kit.open([Ticket.self, Stub.self], at: place)
    },
    continued("rewritten", "A sequence goes on after a migration that makes the objects again.", needs: rewriting) {
      store, place, kit in
      try store.close()
      return try kit.open(
        [Ticket.self, Stub.self], at: place,
        migration: .to(2) { m in try m.enumerate("Ticket") { _, new in new["code"] = "rewritten" } })
    },
    continued("backed-up", "A sequence goes on in a backup.", needs: [.backup]) { store, _, kit in
      try CopyScene.copy(store, kit, [Ticket.self, Stub.self])
    },
  ]
}
