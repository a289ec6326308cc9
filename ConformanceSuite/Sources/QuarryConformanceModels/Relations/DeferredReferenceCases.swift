import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// References that are looked at at the end of a block.
enum DeferredReferenceCases {
  private struct Undone: Error {}

  private static func deferred(
    _ name: String, _ clauses: [String], _ summary: String, line: Int = #line,
    _ body: @escaping @Sendable (Store) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase("REL.deferred-\(name)", clauses, summary, needs: [.savepoints, .upsert], line: line) { kit in
      let store = try kit.store(Poem.self)
      try store.insert(contentsOf: [Poet(1, "one"), Poet(2, "two")])
      try store.insert(contentsOf: [Poem(1, poet: 1, editor: 2)])
      try body(store)
      try store.expectWhole(name)
    }
  }

  /// Throws unless the block ends with the code, and leaves the store as it was.
  private static func expectRefusal(
    _ store: Store, _ code: StorageError.Code, model: String, property: String, key: String?, says text: String,
    file: String = #fileID, line: Int = #line, _ body: (WriteTransaction) throws -> Void
  ) throws {
    let before = try StoreImage(store)
    try store.write { tx in
      let error = try expectError(code, file: file, line: line) { try tx.deferringReferences { try body(tx) } }
      try error.expect(model: model, property: property, key: key, says: text, file: file, line: line)
      try expectEqual(try StoreImage(tx), before, "within the transaction", file: file, line: line)
    }
    try expectEqual(try StoreImage(store), before, file: file, line: line)
  }

  static let all: [ConformanceCase] = [
    deferred("forward", ["REL-3"], "In the block an object may refer to one that is stored later in it.") { store in
      let result = try store.write { tx in
        try tx.deferringReferences {
          try tx.insert(Poem(2, poet: 5, answers: 3))
          try tx.insert(Poem(3, answers: 2))
          try tx.insert(Poet(5, teacher: 6))
          try tx.insert(Poet(6, teacher: 5))
          return "done"
        }
      }
      try expectEqual(result, "done")
      try expectEqual(try store.count(Poem.where { $0.answers != nil }), 2)
      try expectEqual(try store.get(Poet.self, 5), Poet(5, teacher: 6))
    },
    deferred("open", ["REL-3"], "What is left open at the end is missingReference, and all is undone.") { store in
      try expectRefusal(store, .missingReference, model: "Poem", property: "poet", key: "2", says: "primary key 5") {
        try $0.insert(Poet(4))
        try $0.insert(Poem(2, poet: 5))
        try $0.insert(Poem(3, poet: 4))
      }
    },
    deferred("each-call", ["REL-3"], "Each way to write may leave a reference open until the end.") { store in
      let calls: [(String, (WriteTransaction) throws -> Void)] = [
        ("upsert", { try $0.upsert(Poem(1, poet: 5, editor: 2)) }),
        ("many", { try $0.insert(contentsOf: [Poem(7, poet: 1), Poem(8, poet: 5)]) }),
        ("columns", { try $0.upsert(Poem(1, poet: 5), updating: \.poet) }),
        ("get-or-insert", { _ = try $0.getOrInsert(Poem(2, poet: 5)) }),
        ("update", { try $0.update(Poem(1, poet: 5)) }),
        ("closure", { try $0.update(Poem.self, 1) { $0.poet = Ref(5) } }),
        ("update-query", { try $0.update(Poem.all) { (poem: inout Poem) in poem.poet = Ref(5) } }),
        ("assign", { try $0.assign(Poem.self, 1) { $0.poet = Ref(5) } }),
        ("assign-query", { try $0.assign(Poem.all) { $0.poet = Ref(5) } }),
        (
          "records",
          { try $0.records.insert(into: "Poet", [.init(["id": .int(9), "name": .string(""), "teacher": .int(5)])]) }
        ),
      ]
      for (name, call) in calls {
        let before = try StoreImage(store)
        try expectError(.missingReference, name) {
          try store.write { tx in try tx.deferringReferences { try call(tx) } }
        }
        try expectEqual(try StoreImage(store), before, name)
        try expectThrows(Undone.self) {
          try store.write { tx in
            try tx.deferringReferences {
              try call(tx)
              try tx.insert(Poet(5))
            }
            throw Undone()
          }
        }
        try expectEqual(try StoreImage(store), before, name)
      }
    },
    deferred("set-back", ["REL-3"], "A reference that leads nowhere and is set to another before the end is none.") {
      store in
      try store.write { tx in
        try tx.deferringReferences {
          try tx.insert(contentsOf: [Poem(2, poet: 5), Poem(3, poet: 6), Poem(4, poet: 7), Poem(5, poet: 8)])
          try tx.update(Poem(2, poet: 1))
          try tx.assign(Poem.self, 3) { $0.poet = nil }
          try tx.delete(Poem.self, 4)
          try tx.upsert(contentsOf: [Poem(5, poet: 2)])
        }
      }
      try expectEqual(try store.fetch(Poem.all).map { $0.poet?.key }, [1, 1, nil, 2])
    },
    deferred("deny", ["REL-3", "REL-4"], "What is referred to may be removed in the block and stored again.") { store in
      try store.write { tx in
        try tx.deferringReferences {
          try expect(try tx.delete(Poet.self, 2))
          try expectEqual(try tx.get(Poem.self, 1), Poem(1, poet: 1, editor: 2))
          try tx.insert(Poet(2, "again"))
        }
      }
      try expectEqual(try store.get(Poet.self, 2), Poet(2, "again"))
    },
    deferred("deny-left", ["REL-3", "REL-4"], "What is removed and still referred to at the end is referenced.") {
      store in
      try expectRefusal(
        store, .referenced, model: "Poet", property: "editor", key: "2", says: "the Poem with the primary key 1"
      ) {
        try $0.delete(Poet.self, 2)
        try $0.insert(Poet(3))
      }
    },
    deferred("deny-left-by-another", ["REL-3", "REL-4"], "Another that refers to what was removed is told of, too.") {
      store in
      try expectRefusal(
        store, .referenced, model: "Poet", property: "editor", key: "2", says: "the Poem with the primary key 8"
      ) {
        try $0.delete(Poet.self, 2)
        try $0.insert(Poem(8, editor: 2))
        try $0.delete(Poem.self, 1)
      }
    },
    deferred("deny-released", ["REL-3", "REL-4"], "What denies may be removed or set to another after it.") { store in
      try store.write { tx in
        try tx.deferringReferences {
          try tx.delete(Poet.self, 2)
          try tx.assign(Poem.self, 1) { $0.editor = Ref(1) }
        }
        try tx.insert(Poet(2))
        try tx.upsert(Poem(1, editor: 2))
        try tx.deferringReferences {
          try tx.delete(Poet.self, 2)
          try tx.delete(Poem.self, 1)
        }
      }
      try expectEqual(try store.keys(Poet.all), [1])
      try expectEqual(try store.count(Poem.all), 0)
    },
    deferred("rules-at-once", ["REL-3", "REL-4"], "Cascade and nullify are followed at once in the block.") { store in
      try store.write { tx in
        try tx.insert(Poet(3, teacher: 1))
        try tx.deferringReferences {
          try tx.delete(Poet.self, 1)
          try expectEqual(try tx.get(Poem.self, 1), nil)
          try expectEqual(try tx.get(Poet.self, 3), Poet(3))
          try tx.insert(Poet(1, "again"))
        }
      }
      try expectEqual(try store.count(Poem.all), 0)
      try expectEqual(try store.get(Poet.self, 3), Poet(3))
    },
    deferred("nested", ["REL-3"], "Blocks nest, and the outermost looks.") { store in
      try store.write { tx in
        try tx.deferringReferences {
          try tx.deferringReferences {
            try tx.deferringReferences { try tx.insert(Poem(2, poet: 5)) }
            try tx.insert(Poem(3, answers: 4))
          }
          try tx.insert(Poem(4, answers: 2))
          try tx.insert(Poet(5))
        }
      }
      try expectEqual(try store.count(Poem.all), 4)
      try expectRefusal(store, .missingReference, model: "Poem", property: "poet", key: "7", says: "primary key 6") {
        tx in
        try tx.deferringReferences { try tx.insert(Poem(7, poet: 6)) }
        try tx.insert(Poet(9))
      }
    },
    deferred("throws", ["REL-3"], "A block that throws is undone whole, and what it left open is forgotten.") { store in
      let before = try StoreImage(store)
      try store.write { tx in
        try expectThrows(Undone.self) {
          try tx.deferringReferences {
            try tx.insert(Poem(2, poet: 5))
            try tx.delete(Poet.self, 2)
            throw Undone()
          }
        }
        try expectEqual(try StoreImage(tx), before)
        try tx.deferringReferences { try tx.insert(Poet(6)) }
        try expectError(.missingReference) { try tx.insert(Poem(2, poet: 5)) }
      }
      try expectEqual(try store.keys(Poet.all), [1, 2, 6])
    },
    deferred("inner-throws", ["REL-3"], "What an inner block that was undone left open does not count.") { store in
      try store.write { tx in
        try tx.deferringReferences {
          try tx.insert(Poem(2, poet: 5))
          try expectThrows(Undone.self) {
            try tx.deferringReferences {
              try tx.insert(Poem(3, poet: 6))
              try tx.delete(Poet.self, 2)
              throw Undone()
            }
          }
          try tx.insert(Poet(5))
        }
      }
      try expectEqual(try store.keys(Poem.all), [1, 2])
      try expectEqual(try store.keys(Poet.all), [1, 2, 5])
    },
    deferred(
      "inner-throws-open", ["REL-3"], "An inner block that is undone does not close what the outer one left open."
    ) {
      store in
      try expectRefusal(store, .missingReference, model: "Poem", property: "poet", key: "2", says: "primary key 5") {
        tx in
        try tx.insert(Poem(2, poet: 5))
        try expectThrows(Undone.self) {
          try tx.deferringReferences {
            try tx.insert(Poem(3, poet: 5))
            try tx.insert(Poet(5))
            throw Undone()
          }
        }
      }
    },
    deferred(
      "savepoint-undone", ["REL-3", "TXN-3"], "A savepoint inside that is undone takes what closed a reference."
    ) { store in
      try expectRefusal(store, .missingReference, model: "Poem", property: "poet", key: "2", says: "primary key 5") {
        tx in
        try tx.insert(Poem(2, poet: 5))
        try? tx.savepoint {
          try tx.insert(Poet(5))
          throw Undone()
        }
      }
      try expectRefusal(store, .referenced, model: "Poet", property: "editor", key: "2", says: "primary key 1") { tx in
        try tx.delete(Poet.self, 2)
        try? tx.savepoint {
          try tx.insert(Poet(2))
          throw Undone()
        }
      }
      try store.write { tx in
        try tx.deferringReferences {
          try? tx.savepoint {
            try tx.insert(Poem(2, poet: 5))
            try tx.delete(Poet.self, 2)
            throw Undone()
          }
        }
      }
    },
    deferred("catches", ["REL-3", "STMT-1"], "A statement that fails in the block is undone alone.") { store in
      try store.write { tx in
        try tx.deferringReferences {
          try tx.insert(Poem(2, poet: 5))
          try expectError(.duplicateKey) { try tx.insert(contentsOf: [Poem(3, poet: 6), Poem(1)]) }
          try expectError(.duplicateKey) { try tx.insert(contentsOf: [Poem(4, poet: 5), Poem(2)]) }
          try tx.insert(Poet(5))
        }
      }
      try expectEqual(try store.keys(Poem.all), [1, 2])
    },
    deferred("statement-reopens", ["REL-3"], "A failing statement with an open reference leaves that of another open.")
    { store in
      try expectRefusal(store, .missingReference, model: "Poem", property: "poet", key: "2", says: "primary key 5") {
        tx in
        try tx.insert(Poem(2, poet: 5))
        try expectError(.duplicateKey) { try tx.insert(contentsOf: [Poem(3, poet: 5), Poem(1)]) }
      }
    },
    deferred("outside-again", ["REL-2", "REL-3"], "After the block each statement is looked at again.") { store in
      try store.write { tx in
        try tx.deferringReferences { try tx.insert(Poem(2, poet: 1)) }
        try expectError(.missingReference) { try tx.insert(Poem(3, poet: 5)) }
        try expectError(.referenced) { try tx.delete(Poet.self, 2) }
        try tx.deferringReferences {}
      }
    },
    deferred("many", ["REL-3"], "A block may leave 3,000 references open and close them.") { store in
      try store.write { tx in
        try tx.deferringReferences {
          for id in 100..<200 { try tx.insert(Poem(id, poet: 1_000 + id)) }
          try tx.insert(contentsOf: (1_000..<3_900).map { Poem($0, poet: $0 + 5_000, answers: 4_899 - $0) })
          try tx.insert(contentsOf: (0..<10_000).map { Poet(1_000 + $0) })
        }
      }
      try expectEqual(try store.count(Poem.all), 3_001)
      try expectRefusal(store, .missingReference, model: "Poem", property: "poet", key: "50150", says: "90150") { tx in
        for id in 50_100..<50_200 { try tx.insert(Poem(id, poet: 40_000 + id)) }
        try tx.insert(contentsOf: (90_100..<90_200).filter { $0 != 90_150 }.map { Poet($0) })
      }
    },
    deferred("records", ["REL-3", "REL-6"], "A store without types defers as well.") { store in
      try store.write { tx in
        try tx.deferringReferences {
          try tx.records.assign(
            QueryTree(model: "Poem"), [.init("poet", .set, .int(5)), .init("answers", .set, .int(1))])
          try tx.records.delete(in: "Poet", keys: [.int(2)])
          try tx.records.insert(
            into: "Poet", [5, 2].map { Record(["id": .int($0), "name": .string("r"), "teacher": .int(7 - $0)]) })
        }
      }
      try expectEqual(try store.fetch(Poem.all), [Poem(1, poet: 5, editor: 2, answers: 1)])
      try expectEqual(try store.get(Poet.self, 2), Poet(2, "r", teacher: 5))
    },
  ]
}
