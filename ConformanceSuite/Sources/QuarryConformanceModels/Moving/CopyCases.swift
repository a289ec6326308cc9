import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery
import Synchronization

/// Stores that are copied to other places.
enum CopyCases {
  static func copy(
    _ name: String, _ clauses: [String], _ summary: String, without: Set<ConformanceVariant> = [],
    within limit: Duration = .seconds(10), _ body: @escaping @Sendable (MovingStore) async throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      "MOVE.copy-\(name)", clauses, summary, requiresPersistence: true, without: without, within: limit
    ) { kit in try await body(MovingStore(kit: kit)) }
  }

  static let all: [ConformanceCase] = content + sources + destinations + refused + reports + interrupted

  // MARK: What is in it

  private static let content: [ConformanceCase] = [
    copy("everything", ["MOVE-1", "MOVE-3"], "A copy has every value of every type bit by bit, and the version.") {
      moving in
      let store = try moving.full()
      let place = try moving.kit.makePlace()
      try store.copy(to: place)
      let made = try moving.made(at: place)
      try expectSame(store, made)
      for model in ["Every", "Indexed"] {
        try expectEqual(
          try made.records.fetch(QueryTree(model: model)), try store.records.fetch(QueryTree(model: model)), model)
      }
      try expectEqual(made.schemaVersion, 3)
      try expectEqual(try made.check(), [])
    },
    copy("typed", ["MOVE-1"], "A typed program opens a copy as it opens the store, with nothing to do.") { moving in
      let store = try moving.kit.store(Item.self, Everything.self)
      try store.insert(contentsOf: (0..<60).map { Item($0, rank: $0 % 7, tags: ["\($0)"]) })
      try store.insert(contentsOf: (0..<10).map { Everything($0) })
      let place = try moving.kit.makePlace()
      try store.copy(to: place)
      let made = try moving.kit.open([Item.self, Everything.self], at: place)
      try expectEqual(made.openingReport.schemaChanges, [])
      try expectEqual(try made.fetch(Item.all), try store.fetch(Item.all))
      try expectEqual(
        try made.fetch(Everything.all).map { try $0.values() },
        try store.fetch(Everything.all).map { try $0.values() })
      for rank in [nil] + (0..<7).map(Optional.some) {
        try expectEqual(
          try made.fetch(Item.where { $0.rank == rank }).map(\.id),
          try store.fetch(Item.where { $0.rank == rank }).map(\.id))
      }
      try expectError(.uniqueViolation) { try made.insert(Item(1000, code: "c7")) }
      try made.insert(Item(1000))
      try expectEqual(try store.count(Item.all), 60)
    },
    copy("indexes", ["MOVE-1", "IDX-1"], "The indexes of a copy have their columns, directions and uniqueness.") {
      moving in
      let store = try moving.store([MovingSamples.indexed], ["Indexed": MovingSamples.indexed(200)])
      let place = try moving.kit.makePlace()
      try store.copy(to: place)
      let made = try moving.made(at: place)
      let model = try unwrap(made.models().first)
      try expectEqual(model.indexes.map(\.name).sorted(), ["by name", "rank"])
      try expectEqual(model.indexes.first { $0.name == "rank" }?.isUnique, true)
      try expectEqual(
        model.indexes.first { $0.name == "by name" }?.columns, [.init(slot: 2), .init(slot: 1, isDescending: true)])
      for where_ in ["rank > 50", "rank == nil", "NOT (rank > 50 OR rank == nil)", "name == 'n3'"] {
        try expectEqual(
          try made.records.fetch(in: "Indexed", where: where_), try store.records.fetch(in: "Indexed", where: where_),
          where_)
      }
      try expectError(.uniqueViolation) {
        try made.records.insert(into: "Indexed", [Record(["code": .string("x"), "rank": .int(5)])])
      }
      try expectEqual(try made.check(), [])
    },
    copy("dropped", ["MOVE-1"], "Dropped properties are not in a copy, and older objects have the defaults.") {
      moving in
      let store = try moving.store(
        [
          .migrating(
            "Book", .string("gone"), .string("title"), indexes: [IndexSchema(name: "t", columns: [.init(slot: 2)])])
        ],
        ["Book": (0..<30).map { Record(["id": .int($0), "gone": .string("g"), "title": .string("t\($0)")]) }])
      try store.write { tx in
        let model = try tx.model(named: "Book")
        try tx.apply(.dropProperty(model.id, slot: 1))
        try tx.apply(
          .addProperty(model.id, PropertySchema(name: "year", type: .int16, defaultValue: .int(1999))))
        try tx.apply(.addProperty(model.id, PropertySchema(name: "note", type: .string, isOptional: true)))
      }
      try store.records.insert(into: "Book", [Record(["id": .int(100), "title": .string("n"), "year": .int(5)])])
      let place = try moving.kit.makePlace()
      try store.copy(to: place)
      let made = try moving.made(at: place)
      try expectSame(store, made)
      try expectEqual(try unwrap(made.models().first).properties.map(\.name), ["id", "title", "year", "note"])
      try expectEqual(try made.records.fetch(in: "Book", where: "year == 1999").count, 30)
      try expectEqual(try made.records.fetch(in: "Book", where: "title == 't7'").map { $0["id"] }, [.int(7)])
      try expectEqual(try made.check(), [])
    },
    copy("empty", ["MOVE-1"], "A store without models, and a model without objects, are copied too.") { moving in
      let place = try moving.kit.makePlace()
      try moving.store([]).copy(to: place)
      try expectEqual(try moving.made(at: place).models().count, 0)
      let other = try moving.kit.makePlace()
      let store = try moving.store([MovingSamples.indexed], version: 2)
      let report = try store.copy(to: other)
      try expectEqual(report.models.map(\.rows), [0])
      try expectSame(store, try moving.made(at: other))
    },
    copy("large-rows", ["MOVE-1"], "Rows of many pages, and long keys, are copied whole.", within: .seconds(30)) {
      moving in
      let model = ModelSchema.migrating("Big", .string("text"), key: .string)
      let rows = (0..<40).map { number in
        Record([
          "id": .string(String(repeating: "k", count: number * 10) + "\(number)"),
          "text": .string(String(repeating: "\(number) ", count: 5_000 + number)),
        ])
      }
      let store = try moving.store([model], ["Big": rows])
      let place = try moving.kit.makePlace()
      try store.copy(to: place)
      try expectSame(store, try moving.made(at: place))
    },
    copy("key-types", ["MOVE-1"], "Models with keys of every type are copied.") { moving in
      let keys: [(PropertyType, [Value])] = [
        (.bool, [.bool(false), .bool(true)]), (.uint64, [.int(0), .uint(.max)]),
        (.double, [.double(-.infinity), .double(0), .double(.nan)]), (.string, [.string(""), .string("é")]),
        (.date, [.date(Date(timeIntervalSinceReferenceDate: -1)), .date(Date(timeIntervalSinceReferenceDate: 1e9))]),
        (.data, [.data(Data()), .data(Data([0]))]), (.decimal, [.decimal(-2), .decimal(Decimal(15) / 10)]),
        (.uuid, [.uuid(UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))]),
      ]
      let models = keys.map { ModelSchema.migrating("Of\($0.0.name)", .int("n"), key: $0.0) }
      var rows: [String: [Record]] = [:]
      for (type, values) in keys {
        rows["Of\(type.name)"] = values.enumerated().map { Record(["id": $1, "n": .int(Int64($0))]) }
      }
      let store = try moving.store(models, rows)
      let place = try moving.kit.makePlace()
      try store.copy(to: place)
      let made = try moving.made(at: place)
      try expectSame(store, made)
      try expectEqual(try made.models().map(\.name), models.map(\.name))
      try expectEqual(try made.check(), [])
    },
    copy("of-a-copy", ["MOVE-1", "MOVE-3"], "A copy of a copy has the same, and the same sums.") { moving in
      let store = try moving.full()
      let places = try (0..<2).map { _ in try moving.kit.makePlace() }
      let first = try store.copy(to: places[0])
      let second = try moving.made(at: places[0]).copy(to: places[1])
      try expectEqual(second.models, first.models)
      try expectSame(store, try moving.made(at: places[1]))
    },
  ]

  // MARK: The source

  private static let sources: [ConformanceCase] = [
    copy("source-untouched", ["MOVE-1"], "A copy does not touch its source.") { moving in
      let place = try moving.kit.makePlace()
      let store = try moving.full(at: place)
      let version = try store.read { try $0.version }
      try store.copy(to: try moving.kit.makePlace())
      try expectEqual(try store.read { try $0.version }, version)
      try expectEqual(try store.models().map(\.name), ["Every", "Indexed"])
      try expectEqual(try store.check(), [])
    },
    copy("by-places", ["MOVE-1"], "A store that nobody has open is copied from its place.") { moving in
      let place = try moving.kit.makePlace()
      let store = try moving.full(at: place)
      try store.close()
      let target = try moving.kit.makePlace()
      let report = try Store.copy(from: place, to: target)
      try expectEqual(report.rows, MovingSamples.rows.count + 100)
      try expectSame(try moving.made(at: place), try moving.made(at: target))
    },
    copy("no-source", ["MOVE-1"], "A place without a store cannot be copied, and no copy is made.") { moving in
      let target = try moving.kit.makePlace()
      try expectError(.notFound) { try Store.copy(from: try moving.kit.makePlace(), to: target) }
      try expectError(.notFound) { try moving.made(at: target) }
    },
    copy("committed-state", ["MOVE-1"], "Inside a transaction too it is the committed state that is copied.") {
      moving in
      let store = try moving.kit.store(Item.self)
      try store.insert(contentsOf: (0..<10).map { Item($0) })
      let place = try moving.kit.makePlace()
      let inRead = try moving.kit.makePlace()
      try store.write { tx in
        try tx.insert(Item(100))
        try store.copy(to: place)
        try tx.delete(Item.self, 3)
      }
      _ = try store.read { _ in try store.copy(to: inRead) }
      try expectEqual(try moving.kit.open([Item.self], at: place).fetch(Item.all).map(\.id), Array(0..<10))
      try expectEqual(
        try moving.kit.open([Item.self], at: inRead).fetch(Item.all).map(\.id), [0, 1, 2] + Array(4..<10) + [100])
    },
    copy("beside-writer", ["MOVE-1"], "A copy beside a writer has whole commits of one state.", within: .seconds(60)) {
      moving in
      let store = try moving.kit.store(Item.self)
      let places = try (0..<3).map { _ in try moving.kit.makePlace() }
      let goesOn = Atomic(true)
      try onThreads(2) { number in
        defer { goesOn.store(false, ordering: .sequentiallyConsistent) }
        if number == 0 {
          for batch in 0..<300 where goesOn.load(ordering: .sequentiallyConsistent) {
            try store.insert(contentsOf: (0..<10).map { Item(batch * 10 + $0) })
          }
        } else {
          for place in places { try store.copy(to: place) }
        }
      }
      var least = 0
      for place in places {
        let ids = try moving.kit.open([Item.self], at: place).fetch(Item.all).map(\.id)
        try expectEqual(ids.count % 10, 0)
        try expectEqual(ids, Array(0..<ids.count))
        try expect(ids.count >= least, "a later copy has less")
        least = ids.count
      }
    },
    copy("closed", ["MOVE-1", "TXN-8"], "A store that was closed is not copied.") { moving in
      let store = try moving.full()
      try store.close()
      let place = try moving.kit.makePlace()
      try expectError(.closed) { try store.copy(to: place) }
      try expectError(.notFound) { try moving.made(at: place) }
    },
    copy("async", ["MOVE-1"], "The asynchronous forms do the same.") { moving in
      let place = try moving.kit.makePlace()
      let store = try moving.full(at: place)
      let (first, second) = (try moving.kit.makePlace(), try moving.kit.makePlace())
      _ = try await store.copy(to: first)
      try store.close()
      _ = try await Store.copy(from: place, to: second)
      try expectSame(try moving.made(at: first), try moving.made(at: second))
    },
  ]

  // MARK: The destination

  private static let destinations: [ConformanceCase] = [
    copy("in-use", ["MOVE-2"], "A destination that has models is inUse, and stays as it is.") { moving in
      let store = try moving.full()
      let place = try moving.kit.makePlace()
      let other = try moving.store([.migrating("Mine")], ["Mine": [Record(["id": .int(1)])]], at: place)
      let version = try other.read { try $0.version }
      try expectError(.inUse) { try store.copy(to: place) }
      try expectEqual(try other.read { try $0.version }, version)
      try expectEqual(try other.models().map(\.name), ["Mine"])
      try expectEqual(try other.records.fetch(in: "Mine").count, 1)
      try expectEqual(try other.check(), [])
    },
    copy("versioned", ["MOVE-2"], "A destination that has a version and no models is inUse, and stays as it is.") {
      moving in
      let store = try moving.full()
      let place = try moving.kit.makePlace()
      let other = try moving.store([], version: 5, at: place)
      let version = try other.read { try $0.version }
      try other.close()
      try expectError(.inUse) { try store.copy(to: place) }
      let left = try moving.made(at: place)
      try expectEqual(left.schemaVersion, 5)
      try expectEqual(try left.models().count, 0)
      try expectEqual(try left.read { try $0.version }, version)
    },
    copy("onto-itself", ["MOVE-2"], "A copy of a store onto itself is inUse.") { moving in
      let place = try moving.kit.makePlace()
      let store = try moving.full(at: place)
      try expectError(.inUse) { try store.copy(to: place) }
      try expectEqual(try store.records.fetch(in: "Indexed").count, 100)
      try expectEqual(try store.check(), [])
    },
    copy("emptied", ["MOVE-2"], "A destination whose models were dropped takes a copy.", without: [.replayed]) {
      moving in
      let store = try moving.full()
      let place = try moving.kit.makePlace()
      let other = try moving.store([.migrating("Mine")], at: place)
      try other.write { tx in try tx.apply(.dropModel(try tx.model(named: "Mine").id)) }
      try other.close()
      try store.copy(to: place)
      try expectSame(store, try moving.made(at: place))
    },
    copy("read-only", ["MOVE-2", "OPEN-2"], "A destination that is opened for reading is not made.") { moving in
      let store = try moving.full()
      let place = try moving.kit.makePlace()
      var options = CopyOptions()
      options.destination.isReadOnly = true
      try expectError(.notFound) { try store.copy(to: place, options: options) }
      try expectError(.notFound) { try moving.made(at: place) }
    },
    copy("twice", ["MOVE-2"], "A second copy to one place is inUse, and the first stays.") { moving in
      let store = try moving.full()
      let place = try moving.kit.makePlace()
      try store.copy(to: place)
      try store.records.delete(QueryTree(model: "Indexed"))
      try expectError(.inUse) { try store.copy(to: place) }
      try expectEqual(try moving.made(at: place).records.fetch(in: "Indexed").count, 100)
    },
  ]
}
