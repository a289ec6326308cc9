import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Models whose own code makes calls while a row is read or written.
enum CodingInsideCases {
  /// A call that reads or writes a row, and where in the model's code it meets the probe.
  private struct Coding: Sendable {
    let name: String
    let spot: Meddler.Spot
    let call: @Sendable (WriteTransaction) throws -> Void

    init(_ name: String, _ spot: Meddler.Spot, _ call: @escaping @Sendable (WriteTransaction) throws -> Void) {
      self.name = name
      self.spot = spot
      self.call = call
    }
  }

  private static let one = Meddler.Key(1)
  private static let before = (1...100).map { Meddler($0) }

  private static let codings: [Coding] = [
    Coding("read-by-get", .reading) { try expectEqual(try $0.get(Meddler.self, one), Meddler(1)) },
    Coding("read-by-get-keys", .reading) {
      try expectEqual(try $0.get(Meddler.self, keys: [one, Meddler.Key(2)]), [Meddler(1), Meddler(2)])
    },
    Coding("read-by-fetch", .reading) { try expectEqual(try $0.fetch(Meddler.all), before) },
    Coding("read-by-page", .reading) {
      try expectEqual(try $0.page(Meddler.all, size: 2).elements, [Meddler(1), Meddler(2)])
    },
    Coding("read-by-cursor", .reading) { tx in
      let cursor = try tx.cursor(Meddler.all)
      try expectEqual(try cursor.next(), Meddler(1))
      try expectEqual(try cursor.next(), Meddler(2))
      cursor.close()
    },
    Coding("read-by-update", .reading) { tx in _ = try tx.update(Meddler.self, one) { $0.second = "changed" } },
    Coding("read-by-update-of-a-query", .reading) { tx in _ = try tx.update(Meddler.all) { $0.second = "changed" } },
    Coding("write-by-insert", .writing) { try $0.insert(Meddler(200)) },
    Coding("write-by-insert-of-many", .writing) { try $0.insert(contentsOf: [Meddler(200), Meddler(201)]) },
    Coding("write-by-upsert", .writing) { try $0.upsert(Meddler(1)) },
    Coding("write-by-update", .writing) { tx in _ = try tx.update(Meddler.self, one) { $0.second = "changed" } },
    Coding("write-by-get-or-insert", .writing) { _ = try $0.getOrInsert(Meddler(200)) },
    Coding("key-of-get", .key) { try expectEqual(try $0.get(Meddler.self, one), Meddler(1)) },
    Coding("key-of-insert", .key) { try $0.insert(Meddler(200)) },
    Coding("key-of-assign", .key) { tx in try tx.assign(Meddler.self, one) { $0.second = "changed" } },
    Coding("key-of-delete", .key) { try expect(try $0.delete(Meddler.self, keys: [one, Meddler.Key(2)]) == 2) },
  ]

  private static func store(_ kit: ConformanceContext) throws -> Store {
    let store = try kit.store(Item.self, Numbered.self, Meddler.self)
    try TwoModels.before.put(into: store)
    try store.insert(contentsOf: before)
    return store
  }

  private struct Undone: Error {}

  /// Writes, and undoes it.
  private static func undoing(_ store: Store, _ body: (WriteTransaction) throws -> Void) throws {
    do {
      try store.write { tx in
        try body(tx)
        throw Undone()
      }
    } catch is Undone {}
  }

  private static let own: [InnerCall] = [
    InnerCall("its own get", .reading) { _, tx in _ = try tx.get(Meddler.self, Meddler.Key(7)) },
    InnerCall("its own fetch", .reading) { _, tx in _ = try tx.fetch(Meddler.all) },
    InnerCall("its own insert", .writing) { _, tx in try tx.insert(Meddler(300)) },
    InnerCall("its own insert of many", .writing) { _, tx in try tx.insert(contentsOf: [Meddler(300), Meddler(301)]) },
    InnerCall("its own update", .writing) { _, tx in _ = try tx.update(Meddler.self, one) { $0.first = "inner" } },
    InnerCall("its own deletion", .writing) { _, tx in _ = try tx.delete(Meddler.self, one) },
    InnerCall("its own deletion by the store", .writing) { store, _ in _ = try store.delete(Meddler.all) },
    InnerCall("a read of the store", .reading) { store, _ in try store.read { _ in } },
    InnerCall("a write of the store", .writing) { store, _ in try store.write { _ in } },
    InnerCall("a savepoint", .writing) { _, tx in try tx.savepoint {} },
  ]

  static let all: [ConformanceCase] =
    codings.map { coding in
      ConformanceCase(
        "REENT.\(coding.name)", ["REENT-4", "REENT-1"],
        "A call of the transaction while a row is read or written (\(coding.name)) is reentrant, and without effect.",
        without: ConformanceVariant.ofWholeTransactions, within: .seconds(30)
      ) { kit in
        let store = try store(kit)
        var expected: [Meddler] = []
        try undoing(store) { tx in
          try coding.call(tx)
          expected = try tx.fetch(Meddler.all)
        }
        var others = TwoModels.before
        others.put(Numbered(id: 50, number: 50))
        for call in (InnerCall.all + own).filter(\.isRefusedWhileCoding) {
          try undoing(store) { tx in
            let probe = Probe { try call.call(store, tx) }
            try Meddler.$probe.withValue((coding.spot, probe)) { try coding.call(tx) }
            try probe.expect(.reentrant, call.name)
            try tx.insert(Numbered(id: 50, number: 50))
            try expectEqual(try tx.fetch(Meddler.all), expected, call.name)
            try expectEqual(try TwoModels(tx), others, call.name)
          }
        }
        try expectEqual(try store.fetch(Meddler.all), before)
        try expectEqual(try TwoModels(store), TwoModels.before)
      }
    } + unreadable + ends

  /// Calls from where it is told that an object cannot be read.
  private static let unreadable: [ConformanceCase] = [
    ConformanceCase(
      "REENT.unreadable-in-a-stream", ["REENT-5", "STMT-8"], "What is told of unreadable objects is inside the stream.",
      without: ConformanceVariant.ofWholeTransactions
    ) { kit in
      let store = try store(kit)
      try store.write { tx in
        try Meddler.$unreadable.withValue(70) {
          var told: [Meddler.Key?] = []
          let found = try tx.fetch(Meddler.all) { key, error in
            told.append(key)
            try expectEqual(error.code, .invalidValue)
            try expectError(.iterationActive) { try tx.insert(Meddler(200)) }
            try expectEqual(try tx.get(Meddler.self, Meddler.Key(71)), Meddler(71))
            try tx.insert(Numbered(id: 50, number: 50))
            do {
              try tx.savepoint {
                try tx.delete(Item.all)
                throw Undone()
              }
            } catch is Undone {}
          }
          try expectEqual(told, [Meddler.Key(70)])
          try expectEqual(found, before.filter { $0.id.number != 70 })
        }
        try tx.insert(Meddler(200))
      }
      var others = TwoModels.before
      others.put(Numbered(id: 50, number: 50))
      try expectEqual(try TwoModels(store), others)
    },
    ConformanceCase(
      "REENT.unreadable-of-keys", ["REENT-1"], "What is told of unreadable objects of several keys is told afterwards.",
      without: ConformanceVariant.ofWholeTransactions
    ) { kit in
      let store = try store(kit)
      try store.write { tx in
        try Meddler.$unreadable.withValue(2) {
          let keys = [1, 2, 3].map { Meddler.Key($0) }
          let found = try tx.get(Meddler.self, keys: keys) { key, _ in
            try expectEqual(key, Meddler.Key(2))
            try tx.delete(Meddler.all)
          }
          try expectEqual(found, [Meddler(1), nil, Meddler(3)])
        }
        try expectEqual(try tx.count(Meddler.all), 0)
      }
    },
  ]

  private static let ends: [ConformanceCase] = [
    ConformanceCase(
      "REENT.coding-in-a-read", ["REENT-4"], "In a read, too, code that reads a row makes no calls of its transaction.",
      without: ConformanceVariant.ofWholeTransactions
    ) { kit in
      let store = try store(kit)
      try store.read { tx in
        for _ in 0..<2 {
          let probe = Probe { _ = try tx.fetch(Item.all) }
          try Meddler.$probe.withValue((.reading, probe)) { try expectEqual(try tx.fetch(Meddler.all), before) }
          try probe.expect(.reentrant, "fetch")
        }
        let write = Probe { try store.insert(Item(50)) }
        try Meddler.$probe.withValue((.reading, write)) { try expectEqual(try tx.fetch(Meddler.all), before) }
        try write.expect(.reentrant, "write")
      }
      // Where there is no transaction, a call is one of its own.
      let free = Probe { try store.insert(Item(50)) }
      try Meddler.$probe.withValue((.reading, free)) { try expectEqual(try store.get(Meddler.self, one), Meddler(1)) }
      try free.expect(nil, "write in store.get")
      let read = Probe { try expectEqual(try store.get(Meddler.self, Meddler.Key(2)), Meddler(2)) }
      try Meddler.$probe.withValue((.reading, read)) { try expectEqual(try store.get(Meddler.self, one), Meddler(1)) }
      try read.expect(nil, "get in store.get")
      try expectEqual(try store.get(Item.self, 50), Item(50))
    },
    ConformanceCase(
      "REENT.coding-closes", ["REENT-7", "ERR-1"],
      "A store that is closed while a row is read is closed, and nothing crashes.",
      without: ConformanceVariant.ofWholeTransactions
    ) { kit in
      for coding in codings {
        let store = try store(kit)
        let probe = Probe { try store.close() }
        try expectError(.closed, coding.name) {
          try store.write { tx in
            try Meddler.$probe.withValue((coding.spot, probe)) { try coding.call(tx) }
          }
        }
        try probe.expect(nil, coding.name)
      }
      let store = try store(kit)
      let probe = Probe { try store.close() }
      try Meddler.$probe.withValue((.reading, probe)) {
        do {
          try expectEqual(try store.get(Meddler.self, one), Meddler(1))
        } catch let error as StorageError where error.code == .closed {}
      }
      try probe.expect(nil, "get")
      try expectError(.closed) { _ = try store.count(Item.all) }
    },
    ConformanceCase(
      "REENT.coding-closes-its-cursor", ["REENT-1", "ERR-1"],
      "A cursor that is closed while it reads a row gives that row.",
      without: ConformanceVariant.ofWholeTransactions
    ) { kit in
      let store = try store(kit)
      for query in [Meddler.all, Meddler.all.sorted(by: \.second, order: .reverse)] {
        let first = try unwrap(try store.first(query))
        try store.write { tx in
          let cursor = try tx.cursor(query)
          let probe = Probe { cursor.close() }
          try Meddler.$probe.withValue((.reading, probe)) { try expectEqual(try cursor.next(), first) }
          try probe.expect(nil, "close")
          try expectEqual(try cursor.next(), nil)
          try tx.insert(Meddler(900))
          try tx.delete(Meddler.self, Meddler.Key(900))
        }
      }
    },
  ]
}

extension InnerCall {
  /// Whether the call itself is refused. A check is no call of the transaction, and one call says itself what it expects.
  fileprivate var isRefusedWhileCoding: Bool { name != "check" && name != "failing-insert-of-another" }
}
