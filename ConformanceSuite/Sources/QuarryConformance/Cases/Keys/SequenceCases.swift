import QuarryBackend
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

  static let all: [ConformanceCase] = [
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
    sequence("end", ["KEY-7"], "A sequence that has given its last number stores nothing more.") { store in
      try store.insert(contentsOf: (0..<254).map { _ in Stub() })
      try expectError(.limitExceeded) { try store.insert(contentsOf: [Stub(), Stub()]) }
      try expectEqual(try store.count(Stub.all), 254)
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
    sequence("hidden", ["KEY-13"], "The numbers that were reached are no objects.") { store in
      let commits = Pulled(store.commits())
      try store.insert(Ticket("a"))
      try expectEqual(try store.models().map(\.name), ["Ticket", "Stub"])
      let change = try unwrap(try commits.next())
      try expectEqual(change.models.map(\.model), ["Ticket"])
      try expectEqual(change["Ticket"]?.inserted, [1])
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
      try DumpCases.restore(try DumpCases.text(store), to: place)
      return try kit.open([Ticket.self, Stub.self], at: place)
    },
    continued("backed-up", "A sequence goes on in a backup.", needs: [.backup]) { store, _, kit in
      try BackupCases.copy(store, kit, [Ticket.self, Stub.self])
    },
  ]
}
