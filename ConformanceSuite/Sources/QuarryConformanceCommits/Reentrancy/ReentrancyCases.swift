import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Every call from every place at which Quarry runs the caller's code.
enum ReentrancyCases {
  static let all: [ConformanceCase] =
    CallPlace.all.flatMap { place in InnerCall.groups.map { table(place, $0.name, $0.calls) } + [closing(place)] }
    + CallPlace.statements.map(failing) + [schemas]

  private static func table(_ place: CallPlace, _ group: String, _ calls: [InnerCall]) -> ConformanceCase {
    ConformanceCase(
      "REENT.\(place.name).\(group)", ["REENT-1", "REENT-2", "REENT-5", "REENT-6", "REENT-7", "REENT-8", "STMT-8"],
      "Calls inside \(place.name), \(group): each has its answer or its error, and what is stored is what both say.",
      without: ConformanceVariant.ofWholeTransactions, within: .seconds(30)
    ) { kit in
      let store = try kit.store(Item.self, Numbered.self)
      for call in calls {
        try TwoModels.before.put(into: store)
        let code = call.error(at: place.kind)
        var expected = TwoModels.before
        if code == nil { call.effect(&expected) }
        place.effect(&expected)
        try store.write { tx in
          let probe = Probe { try call.call(store, tx) }
          try place.run(tx, probe)
          try probe.expect(code, call.name)
          try expectEqual(try TwoModels(tx), expected, "\(call.name), inside")
        }
        try expectEqual(try TwoModels(store), expected, "\(call.name), afterwards")
        if store.manifest.capabilities[.check]?.isSupported == true {
          try expectEqual(try store.check(), [], call.name)
        }
      }
    }
  }

  private static let schemas = ConformanceCase(
    "REENT.schema-change-after-write", ["REENT-6", "REENT-2"],
    "The schema does not change inside a statement whose own code has written, and what that has written stays.",
    without: ConformanceVariant.ofWholeTransactions, within: .seconds(30)
  ) { kit in
    let store = try kit.store(Item.self, Numbered.self)
    let schema = try unwrap(InnerCall.ofTheStore.first { $0.kind == .schema })
    for place in CallPlace.statements {
      try TwoModels.before.put(into: store)
      var expected = TwoModels.before
      expected.put(Numbered(id: 8, number: 8))
      place.effect(&expected)
      try store.write { tx in
        let probe = Probe {
          try tx.insert(Numbered(id: 8, number: 8))
          try schema.call(store, tx)
        }
        try place.run(tx, probe)
        try probe.expect(.reentrant, place.name)
      }
      try expectEqual(try TwoModels(store), expected, place.name)
      try expectEqual(try store.models().map(\.name).sorted(), ["Item", "Numbered"], place.name)
    }
  }

  /// A statement that fails after its own code has written.
  private static func failing(_ place: CallPlace) -> ConformanceCase {
    ConformanceCase(
      "REENT.\(place.name).fails", ["REENT-3", "STMT-1"],
      "A statement that fails undoes what was written inside \(place.name), and nothing else.",
      without: ConformanceVariant.ofWholeTransactions, within: .seconds(30)
    ) { kit in
      let writes = InnerCall.all.filter { $0.kind == .writing }
      let store = try kit.store(Item.self, Numbered.self)
      for call in writes {
        try TwoModels.before.put(into: store)
        var expected = TwoModels.before
        expected.items[3]?.name = "before"
        expected.put(Item(70))
        try store.write { tx in
          try tx.update(Item.self, 3) { $0.name = "before" }
          var held: AnyObject?
          let probe = Probe {
            try call.call(store, tx)
            held = try obstruct(place, tx)
          }
          var failure: (any Error)?
          do { try place.run(tx, probe) } catch { failure = error }
          try expect(
            failure is StorageError, "\(call.name): the statement did not fail: \(failure.map { "\($0)" } ?? "")")
          try probe.expect(nil, call.name)
          try tx.insert(Item(70))
          try expectEqual(try TwoModels(tx), expected, "\(call.name), inside")
          withExtendedLifetime(held) {}
        }
        try expectEqual(try TwoModels(store), expected, "\(call.name), afterwards")
      }
    }
  }

  /// Makes the statement of the place fail: what it needs is taken, gone or, by a stream, protected.
  ///
  /// - Returns: The stream.
  private static func obstruct(_ place: CallPlace, _ tx: WriteTransaction) throws -> AnyObject? {
    switch place.name {
    case "insert-sequence", "insert-with-progress": try tx.insert(Item(22, code: "taken"))
    case "upsert-sequence", "mapped-upsert-sequence": try tx.insert(Item(60, code: "c21"))
    case "insert-records", "upsert-records", "upsert-records-in-part": try tx.insert(Item(60, code: "r21"))
    case "delete-keys", "delete-records", "assign-query-closure": return try tx.cursor(Item.all)
    case "update-closure", "assign-closure": try expect(try tx.delete(Item.self, 1))
    case "get-or-insert-closure", "mapped-insert": try tx.insert(Item(60, code: "c20"))
    default: throw ConformanceFailure(message: "nothing obstructs \(place.name)", file: #fileID, line: #line)
    }
    return nil
  }

  private static func closing(_ place: CallPlace) -> ConformanceCase {
    ConformanceCase(
      "REENT.\(place.name).close", ["REENT-7", "OPEN-3", "ERR-1"],
      "A store that is closed inside \(place.name) is closed, and nothing of the transaction is stored.",
      without: ConformanceVariant.ofWholeTransactions
    ) { kit in
      let location = try kit.makePlace()
      let store = try kit.open([Item.self, Numbered.self], at: location)
      try TwoModels.before.put(into: store)
      try expectError(.closed) {
        try store.write { tx in
          try tx.insert(Numbered(id: 50, number: 50))
          let probe = Probe { try store.close() }
          do { try place.run(tx, probe) } catch let error as StorageError where error.code == .closed {}
          try probe.expect(nil, "close")
          try expectError(.closed) { _ = try tx.fetch(Item.all) }
          try expectError(.closed) { try tx.insert(Item(99)) }
        }
      }
      guard kit.harness.isPersistent else { return }
      try expectEqual(try TwoModels(kit.open([Item.self, Numbered.self], at: location)), TwoModels.before)
    }
  }
}
