import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery
import Synchronization

/// Every call that writes, on every scope: in a transaction and on a store, by a thread and by a task.
enum WriteCallCases {
  /// One call on any scope, and by a task; its result and the stored objects afterwards are compared as text.
  private struct Call: Sendable {
    let name: String
    let run: @Sendable (any WriteScope) throws -> String
    let task: @Sendable (Store) async throws -> String

    init<Answer>(
      _ name: String, _ run: @escaping @Sendable (any WriteScope) throws -> Answer,
      _ task: @escaping @Sendable (Store) async throws -> Answer
    ) {
      self.name = name
      self.run = { "\(try run($0))" }
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
      writes("objects", "objects", objects), writes("records", "records", RecordCall.calls),
      writes("mapped", "mapped values", MappedCall.calls),
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
        try expectEqual(try "\(call.run(store)): \(store.fetchNow())", due, "\(call.name) on a store")
        try Self.reset(store)
        let given = try await call.task(store)
        try expectEqual(try "\(given): \(store.fetchNow())", due, "\(call.name) on a store by a task")
      }
    }
  }

  private static func reset(_ store: Store) throws {
    try store.write { tx in
      try tx.delete(Item.all)
      try tx.insert(contentsOf: items)
    }
  }

  private static func inside(_ store: Store, _ call: Call) throws -> String { try store.write { try call.run($0) } }

  private static let objects: [Call] = [
    Call("insert", { try $0.insert(new(9)) }, { try await $0.insert(new(9)) }),
    Call(
      "insert many", { try $0.insert(contentsOf: [new(9), new(10)]) },
      { try await $0.insert(contentsOf: [new(9), new(10)]) }),
    Call(
      "insert with progress", { try $0.insert(contentsOf: [new(9)], progress: Progress(totalUnitCount: 0)) },
      { try await $0.insert(contentsOf: [new(9)], progress: Progress(totalUnitCount: 0)) }),
    Call("upsert", { try $0.upsert(new(3)) }, { try await $0.upsert(new(3)) }),
    Call(
      "upsert many", { try $0.upsert(contentsOf: [new(3), new(9)]) },
      { try await $0.upsert(contentsOf: [new(3), new(9)]) }),
    Call(
      "upsert with progress", { try $0.upsert(contentsOf: [new(3), new(9)], progress: Progress(totalUnitCount: 0)) },
      { try await $0.upsert(contentsOf: [new(3), new(9)], progress: Progress(totalUnitCount: 0)) }),
    Call(
      "upsert updating", { try $0.upsert(new(3), updating: \.rank, \.name) },
      { try await $0.upsert(new(3), updating: \.rank, \.name) }),
    Call("get or insert", { try $0.getOrInsert(new(9)) }, { try await $0.getOrInsert(new(9)) }),
    Call(
      "get or make", { try $0.getOrInsert(Item.self, 9) { new(9) } },
      { try await $0.getOrInsert(Item.self, 9) { new(9) } }),
    Call(
      "update", { try $0.update(Item.self, 2) { $0.name = "u" } },
      { try await $0.update(Item.self, 2) { $0.name = "u" } }),
    Call("replace", { try $0.update(new(2)) }, { try await $0.update(new(2)) }),
    Call(
      "replace unchanged", { try $0.update(new(2), ifUnchangedFrom: items[2]) },
      { try await $0.update(new(2), ifUnchangedFrom: items[2]) }),
    Call(
      "replace stored", { try $0.update(new(2), ifStored: \.rank, is: 2) },
      { try await $0.update(new(2), ifStored: \.rank, is: 2) }),
    Call("update query", { try $0.update(low) { $0.name += "u" } }, { try await $0.update(low) { $0.name += "u" } }),
    Call(
      "assign", { try $0.assign(Item.self, 2) { $0.rank += 5 } }, { try await $0.assign(Item.self, 2) { $0.rank += 5 } }
    ),
    Call("assign query", { try $0.assign(low) { $0.rank += 5 } }, { try await $0.assign(low) { $0.rank += 5 } }),
    Call("delete", { try $0.delete(items[1]) }, { try await $0.delete(items[1]) }),
    Call("delete key", { try $0.delete(Item.self, 1) }, { try await $0.delete(Item.self, 1) }),
    Call(
      "delete keys", { try $0.delete(Item.self, keys: [1, 9, 2]) }, { try await $0.delete(Item.self, keys: [1, 9, 2]) }),
    Call("delete query", { try $0.delete(low) }, { try await $0.delete(low) }),
    Call("delete all", { try $0.delete(Item.all) }, { try await $0.delete(Item.all) }),
  ]

  private enum RecordCall: String, CaseIterable {
    case insert = "insert"
    case upsert = "upsert"
    case upsertUpdating = "upsert updating"
    case assign = "assign"
    case deleteKeys = "delete keys"
    case delete = "delete"

    func run(_ scope: some WriteScope) throws -> String {
      switch self {
      case .insert: "\(try scope.records.insert(into: "Item", [record]))"
      case .upsert: "\(try scope.records.upsert(into: "Item", [record]))"
      case .upsertUpdating:
        "\(try scope.records.upsert(into: "Item", [Record(["id": .int(2), "rank": .int(9)])], updating: ["rank"]))"
      case .assign: "\(try scope.records.assign(lowRows, [.init("rank", .add, .int(5))]))"
      case .deleteKeys: "\(try scope.records.delete(in: "Item", keys: [.int(1), .int(9)]))"
      case .delete: "\(try scope.records.delete(lowRows))"
      }
    }

    func run(by store: Store) async throws -> String {
      switch self {
      case .insert: "\(try await store.records.insert(into: "Item", [record]))"
      case .upsert: "\(try await store.records.upsert(into: "Item", [record]))"
      case .upsertUpdating:
        "\(try await store.records.upsert(into: "Item", [Record(["id": .int(2), "rank": .int(9)])], updating: ["rank"]))"
      case .assign: "\(try await store.records.assign(lowRows, [.init("rank", .add, .int(5))]))"
      case .deleteKeys: "\(try await store.records.delete(in: "Item", keys: [.int(1), .int(9)]))"
      case .delete: "\(try await store.records.delete(lowRows))"
      }
    }

    static let calls = allCases.map { call in
      Call(call.rawValue, { try call.run($0) }, { try await call.run(by: $0) })
    }
  }

  private static func player(_ number: Int) -> Player { Player(number, "mapped") }

  private enum MappedCall: String, CaseIterable {
    case insert = "insert"
    case insertMany = "insert many"
    case upsert = "upsert"
    case upsertMany = "upsert many"
    case update = "update"
    case delete = "delete"
    case deleteMany = "delete many"

    func run(_ scope: some WriteScope) throws -> String {
      switch self {
      case .insert: "\(try scope.mapped(Player.self).insert(player(9)))"
      case .insertMany: "\(try scope.mapped(Player.self).insert(contentsOf: [player(9), player(10)]))"
      case .upsert: "\(try scope.mapped(Player.self).upsert(player(3)))"
      case .upsertMany: "\(try scope.mapped(Player.self).upsert(contentsOf: [player(3), player(9)]))"
      case .update: "\(try scope.mapped(Player.self).update(player(3)))"
      case .delete: "\(try scope.mapped(Player.self).delete(player(3)))"
      case .deleteMany: "\(try scope.mapped(Player.self).delete(contentsOf: [player(3), player(9)]))"
      }
    }

    func run(by store: Store) async throws -> String {
      switch self {
      case .insert: "\(try await store.mapped(Player.self).insert(player(9)))"
      case .insertMany: "\(try await store.mapped(Player.self).insert(contentsOf: [player(9), player(10)]))"
      case .upsert: "\(try await store.mapped(Player.self).upsert(player(3)))"
      case .upsertMany: "\(try await store.mapped(Player.self).upsert(contentsOf: [player(3), player(9)]))"
      case .update: "\(try await store.mapped(Player.self).update(player(3)))"
      case .delete: "\(try await store.mapped(Player.self).delete(player(3)))"
      case .deleteMany: "\(try await store.mapped(Player.self).delete(contentsOf: [player(3), player(9)]))"
      }
    }

    static let calls = allCases.map { call in
      Call(call.rawValue, { try call.run($0) }, { try await call.run(by: $0) })
    }
  }

  private static let mappedErrors: [ConformanceCase] = [
    ConformanceCase(
      "FRONT.mapped-refused", ["CRUD-17", "STMT-1"],
      "What making the stored form of a value throws comes out, and nothing is stored."
    ) { kit in
      let store = try kit.store(Item.self)
      do {
        try store.mapped(Unstorable.self).insert(
          contentsOf: [Unstorable(id: 1, isGood: true), Unstorable(id: 2, isGood: false)])
        throw ConformanceFailure(message: "what the value threw did not come out", file: #fileID, line: #line)
      } catch is Unstorable.Refused {}
      try expectEqual(try store.count(Item.all), 0)
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
      try expectEqual(try store.count(Item.all), 1200)
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
            try expectEqual(try tx.fetch(Item.all).map(\.name), ["before", "\(cancels)"])
          }
        }
        try expectEqual(try store.fetch(Item.all).map(\.name), ["before", "\(cancels)"])
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
      let added = try store.records.upsert(
        into: "Item", [Record(["id": .int(2), "rank": .int(70)]), Record(["rank": .null, "id": .int(4)])],
        updating: ["rank"])
      try expectEqual(added, 0)
      var due = items
      due[2].rank = 70
      due[4].rank = nil
      try expectEqual(try store.fetch(Item.all), due)
      // What is not named stays, although the record has it.
      try store.records.upsert(
        into: "Item", [Record(["id": .int(2), "rank": .int(1), "name": .string("x")])], updating: ["name"])
      due[2].name = "x"
      try expectEqual(try store.fetch(Item.all), due)
    },
    ConformanceCase(
      "FRONT.upsert-partial-new", ["CRUD-16", "CRUD-12", "STMT-1"],
      "A new object needs what is not optional and has no default, or is missingValue, and nothing is changed."
    ) { kit in
      let store = try kit.store(Item.self)
      try Self.reset(store)
      let error = try expectError(.missingValue) {
        try store.records.upsert(
          into: "Item", [Record(["id": .int(2), "rank": .int(70)]), Record(["id": .int(9), "rank": .int(70)])],
          updating: ["rank"])
      }
      try expectEqual(error.model, "Item")
      try expect(error.property != nil, "\(error)")
      try expectEqual(try store.fetch(Item.all), items)
      // Those with a default, and those that may be nil, may be left out.
      let added = try store.records.upsert(
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
        try store.records.upsert(
          into: "Item", [Record(["id": .int(2), "name": .string("x")])], updating: ["name", "rank"])
      }
      try expectEqual(error.property, "rank")
      try expectError(.invalidQuery) {
        try store.records.upsert(into: "Item", [Record(["id": .int(2), "name": .string("x")])], updating: ["nmae"])
      }
      try expectError(.missingValue) {
        try store.records.upsert(into: "Item", [Record(["name": .string("x")])], updating: ["name"])
      }
      try expectEqual(try store.fetch(Item.all), items)
    },
  ]
}

extension Store {
  /// All items, also where the asynchronous form would be chosen.
  fileprivate func fetchNow() throws -> [Item] { try fetch(Item.all) }
}
