import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryDrafts

/// Models that check their objects before they are written.
enum RuleCases {
  static let all: [ConformanceCase] = writes.map { refused($0, $1, $2) } + unchecked + errors

  /// A store with objects of the amounts 10 and 20.
  private static func stage(_ kit: ConformanceContext) throws -> Store {
    let store = try kit.store(Tariff.self)
    try store.insert(contentsOf: [Tariff(1, 10), Tariff(2, 20)])
    return store
  }

  /// Calls that write an object that breaks a rule, with its key.
  private static let writes: [(name: String, key: Int, call: @Sendable (WriteTransaction) throws -> Void)] = [
    ("insert", 3, { try $0.insert(Tariff(3, -1)) }),
    ("insert-many", 3, { try $0.insert(contentsOf: [Tariff(4, 1), Tariff(3, -1)]) }),
    (
      "insert-with-progress", 3,
      { try $0.insert(contentsOf: [Tariff(4, 1), Tariff(3, -1)], progress: Progress(totalUnitCount: 2)) }
    ),
    ("upsert", 3, { try $0.upsert(Tariff(3, -1)) }),
    ("upsert-stored", 1, { try $0.upsert(Tariff(1, -1)) }),
    ("upsert-many", 3, { try $0.upsert(contentsOf: [Tariff(4, 1), Tariff(3, -1)]) }),
    ("upsert-column", 1, { try $0.upsert(Tariff(1, -1), updating: \.amount) }),
    ("upsert-default", 3, { try $0.upsert(Tariff.self, 3, default: Tariff(3, 0)) { $0.amount -= 1 } }),
    ("upsert-default-stored", 1, { try $0.upsert(Tariff.self, 1, default: Tariff(1, 0)) { $0.amount = -1 } }),
    ("get-or-insert", 3, { _ = try $0.getOrInsert(Tariff(3, -1)) }),
    ("get-or-insert-closure", 3, { _ = try $0.getOrInsert(Tariff.self, 3) { Tariff(3, -1) } }),
    ("update-closure", 1, { try $0.update(Tariff.self, 1) { $0.amount = -1 } }),
    ("update", 1, { try $0.update(Tariff(1, -1)) }),
    ("update-if-unchanged", 1, { try $0.update(Tariff(1, -1), ifUnchangedFrom: Tariff(1, 10)) }),
    ("update-if-stored", 1, { try $0.update(Tariff(1, -1), ifStored: \.amount, is: 10) }),
    ("update-query", 1, { try $0.update(Tariff.all) { $0.amount -= 15 } }),
  ]

  private static func refused(
    _ name: String, _ key: Int, _ call: @escaping @Sendable (WriteTransaction) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      "RULE.\(name)", ["RULE-1", "RULE-2", "RULE-3"],
      "This call refuses an object that breaks a rule, changes nothing, and its transaction continues."
    ) { kit in
      let store = try stage(kit)
      let before = try StoreImage(store)
      let error = try expectError(.invalidValue) { try store.write { try call($0) } }
      try expectEqual(error.model, "Tariff")
      try expectEqual(error.key, "\(key)")
      try expect(error.cause is Tariff.IsNegative, "the cause is \(String(describing: error.cause))")
      try expectEqual(try StoreImage(store), before)
      try store.write { tx in
        try tx.insert(Tariff(8, 8))
        try expectError(.invalidValue) { try call(tx) }
        try tx.insert(Tariff(9, 9))
      }
      try expectEqual(
        try store.fetch(Tariff.all.sorted(by: \.id)), [Tariff(1, 10), Tariff(2, 20), Tariff(8, 8), Tariff(9, 9)])
      try store.expectWhole()
    }
  }

  private static let unchecked: [ConformanceCase] = [
    ConformanceCase("RULE.assignment", ["RULE-1"], "Assignments and records check nothing.") { kit in
      let store = try stage(kit)
      try store.assign(Tariff.self, 1) { $0.amount = -5 }
      try store.assign(Tariff.where { $0.id == 2 }) { $0.amount = -6 }
      try store.records.insert(into: "Tariff", [Record(["id": .int(3), "amount": .int(-7), "note": .string("?")])])
      try expectEqual(try store.fetch(Tariff.all.sorted(by: \.id)).map(\.amount), [-5, -6, -7])
    },
    ConformanceCase("RULE.unchanged", ["RULE-1"], "An update does not check an object that it leaves as it was.") {
      kit in
      let store = try stage(kit)
      try store.assign(Tariff.self, 1) { $0.amount = -5 }
      try store.update(Tariff.self, 1) { _ in }
      try store.update(Tariff.all) { if $0.id == 2 { $0.amount = 21 } }
      try expectEqual(try store.fetch(Tariff.all.sorted(by: \.id)).map(\.amount), [-5, 21])
    },
    ConformanceCase("RULE.compared", ["RULE-1"], "An object that is only compared, or not stored, is not checked.") {
      kit in
      let store = try stage(kit)
      try store.assign(Tariff.self, 1) { $0.amount = -5 }
      try store.update(Tariff(1, 5), ifUnchangedFrom: Tariff(1, -5))
      try expectEqual(try store.getOrInsert(Tariff.self, 2) { Tariff(2, -9) }, Tariff(2, 20))
    },
    ConformanceCase("RULE.read", ["RULE-1"], "Objects that break a rule are read and deleted like others.") { kit in
      let store = try stage(kit)
      try store.assign(Tariff.all) { $0.amount -= 15 }
      try expectEqual(try store.fetch(Tariff.where { $0.amount < 0 }), [Tariff(1, -5)])
      try expect(try store.delete(Tariff.self, 1))
    },
  ]

  private static let errors: [ConformanceCase] = [
    ConformanceCase("RULE.storage-error", ["RULE-2"], "A storage error of a rule keeps its code and property.") { kit in
      let store = try stage(kit)
      let error = try expectError(.missingValue) { try store.insert(Tariff(7, 1, "?")) }
      try expectEqual(error.property, "note")
      try expectEqual(error.key, "7")
      try expectEqual(error.model, "Tariff")
    },
    ConformanceCase(
      "RULE.storage-error-of-update", ["RULE-2"], "A storage error of a rule in an update has the model and the key."
    ) { kit in
      let store = try stage(kit)
      let calls: [(String, (WriteTransaction) throws -> Void)] = [
        ("1", { try $0.update(Tariff.self, 1) { $0.note = "?" } }),
        ("2", { try $0.update(Tariff.where { $0.id == 2 }) { $0.note = "?" } }),
        ("1", { try $0.update(Tariff(1, 10, "?")) }), ("2", { try $0.upsert(Tariff(2, 10, "?")) }),
      ]
      for (key, call) in calls {
        let error = try expectError(.missingValue) { try store.write { try call($0) } }
        try expectEqual(error.model, "Tariff")
        try expectEqual(error.key, key)
        try expectEqual(error.property, "note")
      }
      try expectEqual(try store.fetch(Tariff.all), [Tariff(1, 10), Tariff(2, 20)])
    },
    ConformanceCase(
      "RULE.savepoint", ["RULE-3", "TXN-3"], "A refused object inside a savepoint undoes what the caller undoes."
    ) {
      kit in
      let store = try stage(kit)
      try store.write { tx in
        try expectError(.invalidValue) {
          try tx.savepoint {
            try tx.insert(Tariff(5, 5))
            try tx.insert(Tariff(6, -6))
          }
        }
        try tx.insert(Tariff(7, 7))
      }
      try expectEqual(try store.keys(Tariff.all.sorted(by: \.id)), [1, 2, 7])
    },
    ConformanceCase(
      "RULE.many", ["RULE-3", "CRUD-3"], "Of many objects of which a late one breaks a rule, none is stored.",
      within: .seconds(30)
    ) { kit in
      let store = try stage(kit)
      let objects = (10..<1_500).map { Tariff($0, $0 == 1_400 ? -1 : $0) }
      try store.write { tx in
        let error = try expectError(.invalidValue) { try tx.insert(contentsOf: objects) }
        try expectEqual(error.key, "1400")
        try tx.insert(Tariff(3, 3))
      }
      try expectEqual(try store.keys(Tariff.all.sorted(by: \.id)), [1, 2, 3])
      try store.expectWhole()
    },
    ConformanceCase(
      "RULE.draft", ["RULE-4", "DRAFT-8"], "A draft takes edits that break a rule, and is saved without them."
    ) {
      kit in
      let store = try stage(kit)
      let draft = Draft(on: store)
      try draft.update(Tariff.self, 1) { $0.amount = -1 }
      try draft.insert(Tariff(3, 3))
      try expectEqual(try draft.get(Tariff.self, 1)?.amount, -1)
      for _ in 0..<2 {
        let error = try expectError(.invalidValue) { try draft.validate() }
        try expectEqual(error.key, "1")
        try expect(error.cause is Tariff.IsNegative)
      }
      let before = try StoreImage(store)
      try expectInvalid(draft)
      try expectEqual(try StoreImage(store), before)
      try draft.update(Tariff.self, 1) { $0.amount = 1 }
      try draft.validate()
      try save(draft)
      try expectEqual(try store.fetch(Tariff.all.sorted(by: \.id)), [Tariff(1, 1), Tariff(2, 20), Tariff(3, 3)])
    },
    ConformanceCase("RULE.asynchronous", ["RULE-1", "RULE-2"], "Asynchronous writes check their objects.") { kit in
      let store = try stage(kit)
      let code: StorageError.Code?
      do {
        try await store.insert(Tariff(3, -1))
        code = nil
      } catch let error as StorageError {
        code = error.code
      }
      try expectEqual(code, .invalidValue)
      let keys = try await store.keys(Tariff.all)
      try expectEqual(keys, [1, 2])
    },
  ]

  // Synchronous, because an expectation takes no asynchronous call.
  private static func expectInvalid(_ draft: Draft) throws { try expectError(.invalidValue) { try draft.save() } }
  private static func save(_ draft: Draft) throws { try draft.save() }
}
