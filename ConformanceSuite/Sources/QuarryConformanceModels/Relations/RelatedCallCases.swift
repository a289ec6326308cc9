import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Streams that are open while rules write, and sequences and closures that write what is referred to.
enum RelatedCallCases {
  private struct Undone: Error {}

  private static func call(
    _ name: String, _ clauses: [String], _ summary: String, line: Int = #line,
    _ body: @escaping @Sendable (Store) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      "REL.\(name)", clauses, summary, needs: [.savepoints, .upsert, .deleteWhere],
      without: ConformanceVariant.ofWholeTransactions, line: line
    ) { kit in
      let store = try kit.store(Poem.self)
      try store.insert(contentsOf: [Poet(1, "one"), Poet(2, "two", teacher: 1), Poet(3, "three")])
      try store.insert(contentsOf: [Poem(1, poet: 1), Poem(2, poet: 2), Poem(3, poet: 3, editor: 2)])
      try body(store)
      try store.expectWhole(name)
    }
  }

  static let all: [ConformanceCase] = streams + closures

  private static let streams: [ConformanceCase] = [
    call(
      "stream-over-cascade", ["REL-8", "STMT-8"], "A stream over what a cascade would remove refuses the statement."
    ) {
      store in
      let before = try StoreImage(store)
      try store.write { tx in
        let cursor = try tx.cursor(Poem.all)
        try expectEqual(try cursor.next()?.id, 1)
        try expectError(.iterationActive) { try tx.delete(Poet.self, 1) }
        try expectError(.iterationActive) { try tx.delete(Poet.where { $0.id == 1 }) }
        try expectError(.iterationActive) { try tx.records.delete(in: "Poet", keys: [.int(1)]) }
        try expectEqual(try StoreImage(tx), before)
        try expectEqual(try cursor.next()?.id, 2)
        try expectEqual(try cursor.next()?.id, 3)
        try expectEqual(try cursor.next(), nil)
        try expect(try tx.delete(Poet.self, 1))
      }
      try expectEqual(try store.keys(Poem.all), [2, 3])
    },
    call("stream-over-nullify", ["REL-8", "STMT-8"], "A stream over what would become nil refuses the statement.") {
      store in
      try store.write { tx in
        try tx.insert(Poem(9, answers: 3))
        let cursor = try tx.cursor(Poem.where { $0.id == 9 })
        try expectError(.iterationActive) { try tx.delete(Poem.self, 3) }
        try expectEqual(try cursor.next(), Poem(9, answers: 3))
      }
      try expectEqual(try store.get(Poem.self, 9), Poem(9, answers: 3))
    },
    call("stream-elsewhere", ["REL-8"], "A stream over a model that no rule writes to does not disturb.") { store in
      try store.write { tx in
        let cursor = try tx.cursor(Poet.all)
        try expectEqual(try cursor.next()?.id, 1)
        try expect(try tx.delete(Poem.self, 1))
        try tx.insert(Poem(7, poet: 3, answers: 7))
        try expectEqual(try cursor.next()?.id, 2)
      }
      try expectEqual(try store.keys(Poem.all), [2, 3, 7])
    },
    call(
      "stream-while-checked", ["REL-8", "REL-2"],
      "What is referred to may be read in a stream while objects refer to it."
    ) {
      store in
      try store.write { tx in
        let cursor = try tx.cursor(Poet.all)
        var seen: [Int] = []
        while let poet = try cursor.next() {
          seen.append(poet.id)
          try tx.insert(Poem(10 + poet.id, poet: poet.id))
          try expectError(.missingReference) { try tx.insert(Poem(20 + poet.id, poet: 70 + poet.id)) }
        }
        try expectEqual(seen, [1, 2, 3])
      }
      try expectEqual(try store.keys(Poem.all), [1, 2, 3, 11, 12, 13])
    },
  ]

  private static let closures: [ConformanceCase] = [
    call("sequence-stores-target", ["REL-2", "REENT-2"], "A sequence may store what its objects refer to.") { store in
      try store.write { tx in
        try tx.insert(
          contentsOf: (10..<14).lazy.map { id in
            _ = try? tx.insert(Poet(id))
            return Poem(id, poet: id, answers: 23 - id)
          })
        try expectEqual(
          try tx.upsert(
            contentsOf: (20..<24).lazy.map { id in
              _ = try? tx.insert(Poet(id))
              return Poem(id - 10, poet: id)
            }), 0)
      }
      try expectEqual(try store.fetch(Poem.where { $0.id >= 10 }), (10..<14).map { Poem($0, poet: $0 + 10) })
    },
    call(
      "sequence-removes-target", ["REL-2", "REENT-2"], "A sequence that removes what its objects refer to fails whole."
    ) {
      store in
      let before = try StoreImage(store)
      try store.write { tx in
        try expectError(.missingReference) {
          try tx.insert(
            contentsOf: (10..<14).lazy.map { id in
              if id == 13 { _ = try? tx.delete(Poet.self, 1) }
              return Poem(id, poet: 1)
            })
        }
        try expectEqual(try StoreImage(tx), before)
        try expectError(.missingReference) {
          try tx.upsert(
            contentsOf: (10..<14).lazy.map { id in
              if id == 13 { _ = try? tx.delete(Poet.self, 1) }
              return Poem(id, poet: 1)
            })
        }
        try expectEqual(try StoreImage(tx), before)
      }
    },
    call(
      "large-sequence-removes-target", ["REL-2", "REENT-2"], "So does one whose first objects have gone to the engine."
    ) {
      store in
      let before = try StoreImage(store)
      let long = String(repeating: "x", count: 400_000)
      try store.write { tx in
        for rule in ["cascade", "deny"] {
          var isRemoved = false
          _ = try? tx.insert(
            contentsOf: (10..<20).lazy.map { id in
              if id == 18 { isRemoved = (try? tx.delete(Poet.self, 1)) ?? false }
              return Poem(id, long, poet: rule == "cascade" ? 1 : nil, editor: rule == "deny" ? 1 : nil)
            })
          // Whatever the calls decide, nothing may lead to what is not there.
          let poets = Set(try tx.keys(Poet.all))
          for poem in try tx.fetch(Poem.all) {
            try expect(poem.poet.map { poets.contains($0.key) } ?? true, "\(rule): a poet is missing")
            try expect(poem.editor.map { poets.contains($0.key) } ?? true, "\(rule): an editor is missing")
          }
          try expect(!isRemoved || rule == "cascade", "what denies had been stored")
          try tx.delete(Poem.where { $0.id >= 10 })
          try tx.upsert(Poet(1, "one"))
          try tx.upsert(Poet(2, "two", teacher: 1))
          try tx.upsert(Poem(1, poet: 1))
        }
        try expectEqual(try StoreImage(tx), before)
      }
    },
    call(
      "closure-stores-target", ["REL-2", "REENT-2"], "A closure of an update may store what its object will refer to."
    ) { store in
      try store.write { tx in
        try tx.update(Poem.self, 1) { poem in
          try tx.insert(Poet(30))
          poem.poet = Ref(30)
        }
        try expectEqual(
          try tx.update(Poem.where { $0.id > 1 }) { (poem: inout Poem) in
            try tx.insert(Poet(30 + poem.id))
            poem.poet = Ref(30 + poem.id)
          }, 2)
        _ = try tx.getOrInsert(Poem.self, 8) {
          try tx.insert(Poet(40))
          return Poem(8, poet: 40)
        }
      }
      try expectEqual(try store.fetch(Poem.all).map { $0.poet?.key }, [30, 32, 33, 40])
    },
    call(
      "closure-removes-target", ["REL-2", "REENT-2"],
      "A closure that removes what its object refers to is refused, or fails."
    ) {
      store in
      let before = try StoreImage(store)
      try store.write { tx in
        try expectError(.missingReference) {
          try tx.update(Poem.self, 1) { poem in
            try tx.delete(Poet.self, 3)
            poem.poet = Ref(3)
          }
        }
        try expectEqual(try StoreImage(tx), before)
        try expectError(.missingReference) {
          _ = try tx.getOrInsert(Poem.self, 8) {
            try tx.delete(Poet.self, 3)
            return Poem(8, poet: 3)
          }
        }
        try expectEqual(try StoreImage(tx), before)
      }
    },
    call("record-sequence-stores-target", ["REL-2", "REENT-2"], "A sequence of records may store what they refer to.") {
      store in
      try store.write { tx in
        try tx.records.insert(
          into: "Poem",
          (10..<14).lazy.map { id in
            _ = try? tx.insert(Poet(id))
            return Record(["id": .int(Int64(id)), "title": .string(""), "poet": .int(Int64(id))])
          })
      }
      try expectEqual(try store.fetch(Poem.where { $0.id >= 10 }), (10..<14).map { Poem($0, poet: $0) })
    },
    call(
      "deferred-inside-a-sequence", ["REL-3", "REENT-2"],
      "A sequence may hold a block of its own, which looks at its end."
    ) {
      store in
      try store.write { tx in
        try tx.insert(
          contentsOf: (10..<12).lazy.map { id in
            _ = try? tx.deferringReferences {
              try tx.insert(Poem(100 + id, answers: 200 + id))
              if id == 10 { try tx.insert(Poem(200 + id)) }
            }
            return Poem(id)
          })
      }
      try expectEqual(try store.keys(Poem.where { $0.id >= 10 }), [10, 11, 110, 210])
    },
  ]
}
