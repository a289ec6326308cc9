import Foundation
import QuarryBackend
import QuarryCore
import QuarryQuery
import Synchronization

/// Every call that writes, once on each front: in a transaction and on a store, by a thread and by a task.
enum WriteCallCases {
  /// One call in its three forms; what it gives is compared as text, and so is what is stored afterwards.
  private struct Call: Sendable {
    let name: String
    let inside: @Sendable (WriteTransaction) throws -> String
    let alone: @Sendable (Store) throws -> String
    let task: @Sendable (Store) async throws -> String

    init<Answer>(
      _ name: String, _ inside: @escaping @Sendable (WriteTransaction) throws -> Answer,
      _ alone: @escaping @Sendable (Store) throws -> Answer, _ task: @escaping @Sendable (Store) async throws -> Answer
    ) {
      self.name = name
      self.inside = { "\(try inside($0))" }
      self.alone = { "\(try alone($0))" }
      self.task = { "\(try await task($0))" }
    }
  }

  private static let items: [Item] = (0..<6).map { Item($0, rank: $0, name: "n\($0)", tags: ["t"]) }
  private static var low: Query<Item> { Item.where { $0.rank < 3 } }
  private static var lowRows: QueryTree {
    QueryTree(model: "Item", predicate: .compare(.named("rank"), .less, .value(.int(3))))
  }

  private static func new(_ id: Int) -> Item { Item(id, rank: 70, name: "new") }
  private static var record: Record {
    Record([
      "id": .int(8), "code": .string("c8"), "name": .string("record"), "score": .double(1), "rank": .int(5),
      "note": .null, "tags": .array([]),
    ])
  }

  static let all: [ConformanceCase] =
    [
      writes("objects", "objects", objects), writes("records", "records", records),
      writes("mapped", "mapped values", mapped),
    ] + mappedErrors + progress + partial

  private static func writes(_ id: String, _ what: String, _ calls: [Call]) -> ConformanceCase {
    ConformanceCase(
      "FRONT.calls-write-\(id)", ["CRUD-14"],
      "Calls that write \(what) do and give the same in a transaction and on a store, to threads and tasks.",
      within: .seconds(60)
    ) { kit in
      let store = try kit.store(Item.self)
      for call in calls {
        try Self.reset(store)
        let due = try "\(Self.inside(store, call)): \(store.fetchNow())"
        try expect(try store.fetchNow() != items, "\(call.name) changes nothing, the case tells nothing")
        try Self.reset(store)
        try expectEqual(try "\(call.alone(store)): \(store.fetchNow())", due, "\(call.name) on a store")
        try Self.reset(store)
        let given = try await call.task(store)
        try expectEqual(try "\(given): \(store.fetchNow())", due, "\(call.name) on a store by a task")
      }
    }
  }

  private static func reset(_ store: Store) throws {
    try store.write { tx in
      try tx.deleteAll(Item.self)
      try tx.insert(contentsOf: items)
    }
  }

  private static func inside(_ store: Store, _ call: Call) throws -> String { try store.write { try call.inside($0) } }

  private static let objects: [Call] = [
    Call("insert", { try $0.insert(new(9)) }, { try $0.insert(new(9)) }, { try await $0.insert(new(9)) }),
    Call(
      "insert many", { try $0.insert(contentsOf: [new(9), new(10)]) },
      { try $0.insert(contentsOf: [new(9), new(10)]) },
      { try await $0.insert(contentsOf: [new(9), new(10)]) }),
    Call(
      "insert with progress", { try $0.insert(contentsOf: [new(9)], progress: Progress(totalUnitCount: 0)) },
      { try $0.insert(contentsOf: [new(9)], progress: Progress(totalUnitCount: 0)) },
      { try await $0.insert(contentsOf: [new(9)], progress: Progress(totalUnitCount: 0)) }),
    Call("upsert", { try $0.upsert(new(3)) }, { try $0.upsert(new(3)) }, { try await $0.upsert(new(3)) }),
    Call(
      "upsert many", { try $0.upsert(contentsOf: [new(3), new(9)]) }, { try $0.upsert(contentsOf: [new(3), new(9)]) },
      { try await $0.upsert(contentsOf: [new(3), new(9)]) }),
    Call(
      "upsert with progress", { try $0.upsert(contentsOf: [new(3), new(9)], progress: Progress(totalUnitCount: 0)) },
      { try $0.upsert(contentsOf: [new(3), new(9)], progress: Progress(totalUnitCount: 0)) },
      { try await $0.upsert(contentsOf: [new(3), new(9)], progress: Progress(totalUnitCount: 0)) }),
    Call(
      "upsert updating", { try $0.upsert(new(3), updating: \.rank, \.name) },
      { try $0.upsert(new(3), updating: \.rank, \.name) }, { try await $0.upsert(new(3), updating: \.rank, \.name) }),
    Call(
      "get or insert", { try $0.getOrInsert(new(9)) }, { try $0.getOrInsert(new(9)) },
      { try await $0.getOrInsert(new(9)) }),
    Call(
      "get or make", { try $0.getOrInsert(Item.self, 9) { new(9) } }, { try $0.getOrInsert(Item.self, 9) { new(9) } },
      { try await $0.getOrInsert(Item.self, 9) { new(9) } }),
    Call(
      "update", { try $0.update(Item.self, 2) { $0.name = "u" } }, { try $0.update(Item.self, 2) { $0.name = "u" } },
      { try await $0.update(Item.self, 2) { $0.name = "u" } }),
    Call("replace", { try $0.update(new(2)) }, { try $0.update(new(2)) }, { try await $0.update(new(2)) }),
    Call(
      "replace unchanged", { try $0.update(new(2), ifUnchangedFrom: items[2]) },
      { try $0.update(new(2), ifUnchangedFrom: items[2]) }, { try await $0.update(new(2), ifUnchangedFrom: items[2]) }),
    Call(
      "replace stored", { try $0.update(new(2), ifStored: \.rank, is: 2) },
      { try $0.update(new(2), ifStored: \.rank, is: 2) }, { try await $0.update(new(2), ifStored: \.rank, is: 2) }),
    Call(
      "update query", { try $0.update(low) { $0.name += "u" } }, { try $0.update(low) { $0.name += "u" } },
      { try await $0.update(low) { $0.name += "u" } }),
    Call(
      "assign", { try $0.assign(Item.self, 2) { $0.rank += 5 } }, { try $0.assign(Item.self, 2) { $0.rank += 5 } },
      { try await $0.assign(Item.self, 2) { $0.rank += 5 } }),
    Call(
      "assign query", { try $0.assign(low) { $0.rank += 5 } }, { try $0.assign(low) { $0.rank += 5 } },
      { try await $0.assign(low) { $0.rank += 5 } }),
    Call("delete", { try $0.delete(items[1]) }, { try $0.delete(items[1]) }, { try await $0.delete(items[1]) }),
    Call(
      "delete key", { try $0.delete(Item.self, 1) }, { try $0.delete(Item.self, 1) },
      { try await $0.delete(Item.self, 1) }),
    Call(
      "delete keys", { try $0.delete(Item.self, keys: [1, 9, 2]) }, { try $0.delete(Item.self, keys: [1, 9, 2]) },
      { try await $0.delete(Item.self, keys: [1, 9, 2]) }),
    Call("delete query", { try $0.delete(low) }, { try $0.delete(low) }, { try await $0.delete(low) }),
    Call(
      "delete all", { try $0.deleteAll(Item.self) }, { try $0.deleteAll(Item.self) },
      { try await $0.deleteAll(Item.self) }),
  ]

  private static let records: [Call] = [
    Call(
      "insert", { try $0.insertRecords(into: "Item", [record]) }, { try $0.insertRecords(into: "Item", [record]) },
      { try await $0.insertRecords(into: "Item", [record]) }),
    Call(
      "upsert", { try $0.upsertRecords(into: "Item", [record]) }, { try $0.upsertRecords(into: "Item", [record]) },
      { try await $0.upsertRecords(into: "Item", [record]) }),
    Call(
      "upsert updating",
      { try $0.upsertRecords(into: "Item", [Record(["id": .int(2), "rank": .int(9)])], updating: ["rank"]) },
      { try $0.upsertRecords(into: "Item", [Record(["id": .int(2), "rank": .int(9)])], updating: ["rank"]) },
      { try await $0.upsertRecords(into: "Item", [Record(["id": .int(2), "rank": .int(9)])], updating: ["rank"]) }),
    Call(
      "assign", { try $0.assignRecords(lowRows, [.init("rank", .add, .int(5))]) },
      { try $0.assignRecords(lowRows, [.init("rank", .add, .int(5))]) },
      { try await $0.assignRecords(lowRows, [.init("rank", .add, .int(5))]) }),
    Call(
      "delete keys", { try $0.deleteRecords(in: "Item", keys: [.int(1), .int(9)]) },
      { try $0.deleteRecords(in: "Item", keys: [.int(1), .int(9)]) },
      { try await $0.deleteRecords(in: "Item", keys: [.int(1), .int(9)]) }),
    Call(
      "delete", { try $0.deleteRecords(lowRows) }, { try $0.deleteRecords(lowRows) },
      { try await $0.deleteRecords(lowRows) }),
  ]

  private static func player(_ number: Int) -> Player { Player(number, "mapped") }

  private static let mapped: [Call] = [
    Call("insert", { try $0.insert(player(9)) }, { try $0.insert(player(9)) }, { try await $0.insert(player(9)) }),
    Call(
      "insert many", { try $0.insert(contentsOf: [player(9), player(10)]) },
      { try $0.insert(contentsOf: [player(9), player(10)]) },
      { try await $0.insert(contentsOf: [player(9), player(10)]) }),
    Call("upsert", { try $0.upsert(player(3)) }, { try $0.upsert(player(3)) }, { try await $0.upsert(player(3)) }),
    Call(
      "upsert many", { try $0.upsert(contentsOf: [player(3), player(9)]) },
      { try $0.upsert(contentsOf: [player(3), player(9)]) },
      { try await $0.upsert(contentsOf: [player(3), player(9)]) }),
    Call("update", { try $0.update(player(3)) }, { try $0.update(player(3)) }, { try await $0.update(player(3)) }),
    Call("delete", { try $0.delete(player(3)) }, { try $0.delete(player(3)) }, { try await $0.delete(player(3)) }),
    Call(
      "delete many", { try $0.delete(contentsOf: [player(3), player(9)]) },
      { try $0.delete(contentsOf: [player(3), player(9)]) },
      { try await $0.delete(contentsOf: [player(3), player(9)]) }),
  ]

  private static let mappedErrors: [ConformanceCase] = [
    ConformanceCase(
      "FRONT.mapped-refused", ["CRUD-17", "STMT-1"],
      "What making the stored form of a value throws comes out, and nothing is stored."
    ) { kit in
      let store = try kit.store(Item.self)
      do {
        try store.insert(contentsOf: [Unstorable(id: 1, isGood: true), Unstorable(id: 2, isGood: false)])
        throw ConformanceFailure(message: "what the value threw did not come out", file: #fileID, line: #line)
      } catch is Unstorable.Refused {}
      try expectEqual(try store.count(Item.self), 0)
    }
  ]

  private struct Unstorable: Mapped {
    struct Refused: Error {}
    var id: Int
    var isGood: Bool

    init(id: Int, isGood: Bool) {
      self.id = id
      self.isGood = isGood
    }

    init(stored: Item) {
      id = stored.id
      isGood = true
    }

    func stored() throws -> Item {
      guard isGood else { throw Refused() }
      return Item(id)
    }
  }

  // MARK: Progress

  private static let progress: [ConformanceCase] = [
    ConformanceCase(
      "FRONT.progress", ["CRUD-15"], "A progress follows inserts and upserts, and has a total where it is known."
    ) { kit in
      let store = try kit.store(Item.self)
      let known = Progress(totalUnitCount: 0)
      try store.insert(contentsOf: (0..<1000).map { Item($0) }, progress: known)
      try expectEqual(known.totalUnitCount, 1000)
      try expectEqual(known.completedUnitCount, 1000)
      try expect(known.isFinished)
      let unknown = Progress(totalUnitCount: -1)
      try store.upsert(
        contentsOf: sequence(first: 900, next: { $0 < 1199 ? $0 + 1 : nil }).lazy.map { Item($0) }, progress: unknown)
      try expectEqual(unknown.completedUnitCount, 300)
      try expect(unknown.isFinished)
      let given = Progress(totalUnitCount: 500)
      try store.upsert(contentsOf: [Item(1), Item(2)], progress: given)
      try expectEqual(given.totalUnitCount, 500)
      try expectEqual(given.completedUnitCount, 2)
      try expectEqual(try store.count(Item.self), 1200)
    },
    ConformanceCase(
      "FRONT.progress-moves", ["CRUD-15"], "A progress moves while the objects are taken, not only at the end."
    ) { kit in
      let store = try kit.store(Item.self)
      let progress = Progress(totalUnitCount: 1000)
      var seen: Set<Int64> = []
      try store.insert(
        contentsOf: sequence(first: 0, next: { $0 < 999 ? $0 + 1 : nil }).lazy.map { id in
          seen.insert(progress.completedUnitCount)
          return Item(id)
        }, progress: progress)
      try expect(seen.count > 5, "seen in between: \(seen.sorted())")
      try expect(seen.allSatisfy { $0 >= 0 && $0 < 1000 })
    },
    ConformanceCase(
      "FRONT.progress-cancelled", ["CRUD-15", "STMT-1"],
      "A bulk write whose progress is cancelled throws CancellationError, stores nothing, and the transaction goes on.",
      needs: [.savepoints]
    ) { kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(1, name: "before"))
      for cancels in [0, 1, 200, 999] {
        try store.write { tx in
          try tx.upsert(Item(2, name: "\(cancels)"))
          for replaces in [false, true] {
            let progress = Progress(totalUnitCount: 1000)
            let objects = (replaces ? 1 : 10)..<1010
            let cancelled = objects.lazy.map { id in
              if id == cancels + objects.lowerBound { progress.cancel() }
              return Item(id, name: "bulk")
            }
            do {
              if replaces {
                try tx.upsert(contentsOf: cancelled, progress: progress)
              } else {
                try tx.insert(contentsOf: cancelled, progress: progress)
              }
              throw ConformanceFailure(message: "cancelled after \(cancels), and done", file: #fileID, line: #line)
            } catch is CancellationError {}
            try expectEqual(try tx.fetch(Item.self).map(\.name), ["before", "\(cancels)"])
          }
        }
        try expectEqual(try store.fetch(Item.self).map(\.name), ["before", "\(cancels)"])
      }
    },
  ]

  // MARK: Records in part

  private static let partial: [ConformanceCase] = [
    ConformanceCase(
      "FRONT.upsert-partial", ["CRUD-16", "UPS-3"],
      "A record without the other properties changes some of an object that is there, and leaves the others."
    ) { kit in
      let store = try kit.store(Item.self)
      try Self.reset(store)
      let added = try store.upsertRecords(
        into: "Item", [Record(["id": .int(2), "rank": .int(70)]), Record(["rank": .null, "id": .int(4)])],
        updating: ["rank"])
      try expectEqual(added, 0)
      var due = items
      due[2].rank = 70
      due[4].rank = nil
      try expectEqual(try store.fetch(Item.self), due)
      // What is not named stays, although the record has it.
      try store.upsertRecords(
        into: "Item", [Record(["id": .int(2), "rank": .int(1), "name": .string("x")])], updating: ["name"])
      due[2].name = "x"
      try expectEqual(try store.fetch(Item.self), due)
    },
    ConformanceCase(
      "FRONT.upsert-partial-new", ["CRUD-16", "CRUD-12", "STMT-1"],
      "A new object needs what is not optional and has no default, or is missingValue, and nothing is changed."
    ) { kit in
      let store = try kit.store(Item.self)
      try Self.reset(store)
      let error = try expectError(.missingValue) {
        try store.upsertRecords(
          into: "Item", [Record(["id": .int(2), "rank": .int(70)]), Record(["id": .int(9), "rank": .int(70)])],
          updating: ["rank"])
      }
      try expectEqual(error.model, "Item")
      try expect(error.property != nil, "\(error)")
      try expectEqual(try store.fetch(Item.self), items)
      // Those with a default, and those that may be nil, may be left out.
      let added = try store.upsertRecords(
        into: "Item",
        [Record(["id": .int(9), "code": .string("c"), "name": .string("n"), "score": .double(2), "tags": .array([])])],
        updating: ["name"])
      try expectEqual(added, 1)
      let stored = try unwrap(store.get(Item.self, 9))
      try expectEqual(stored.rank, nil)
      try expectEqual(stored.code, "c")
    },
    ConformanceCase(
      "FRONT.upsert-partial-wrong", ["CRUD-16", "PRED-9"],
      "A record that lacks what it is to replace is missingValue; a property that is not known is invalidQuery."
    ) { kit in
      let store = try kit.store(Item.self)
      try Self.reset(store)
      let error = try expectError(.missingValue) {
        try store.upsertRecords(
          into: "Item", [Record(["id": .int(2), "name": .string("x")])], updating: ["name", "rank"])
      }
      try expectEqual(error.property, "rank")
      try expectError(.invalidQuery) {
        try store.upsertRecords(into: "Item", [Record(["id": .int(2), "name": .string("x")])], updating: ["nmae"])
      }
      try expectError(.missingValue) {
        try store.upsertRecords(into: "Item", [Record(["name": .string("x")])], updating: ["name"])
      }
      try expectEqual(try store.fetch(Item.self), items)
    },
  ]
}

extension Store {
  /// All items, also where the asynchronous form would be chosen.
  fileprivate func fetchNow() throws -> [Item] { try fetch(Item.self) }
}
