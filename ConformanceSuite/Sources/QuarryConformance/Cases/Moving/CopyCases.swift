import Foundation
import QuarryBackend
import QuarryCore
import QuarryQuery
import Synchronization

/// Stores that are copied to other places.
enum CopyCases {
  private static func copy(
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
    copy("dropped", ["MOVE-1"], "What was dropped is not in a copy, and objects of before have the defaults.") {
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

  // MARK: Destinations that cannot hold what is copied

  private static func refusal(
    _ moving: MovingStore, _ code: StorageError.Code, _ store: Store, _ change: @escaping NarrowPlace.Change
  ) throws -> StorageError {
    let place = try moving.kit.makePlace()
    let error = try expectError(code) {
      try store.copy(to: NarrowPlace(inner: moving.kit.undecorated(place), change: change))
    }
    try expectError(.notFound, "what a refused copy leaves") { try moving.made(at: place) }
    // A store that was there before stays.
    try moving.made(creating: place).close()
    try expectError(code) { try store.copy(to: NarrowPlace(inner: moving.kit.undecorated(place), change: change)) }
    let left = try moving.made(at: place)
    try expectEqual(try left.models().count, 0)
    try left.close()
    return error
  }

  private static let refused: [ConformanceCase] = [
    copy("of-unknown-indexes", ["MOVE-2"], "Indexes that the destination's engine has not are refused.") {
      moving in
      let store = try moving.full()
      for capability in [Capability.indexUnique, .indexPlain, .indexCompound, .indexDescending, .schemaSetVersion] {
        let error = try refusal(moving, .unsupported, store) { manifest, _ in
          manifest.capabilities[capability] = .unsupported(reason: "for the case")
        }
        try expectEqual(error.capability, capability)
      }
    },
    copy("of-many-properties", ["MOVE-2"], "A model with more properties than the destination takes is refused.") {
      moving in
      let store = try moving.full()
      let error = try refusal(moving, .limitExceeded, store) { manifest, _ in manifest.limits.properties = 3 }
      try expectEqual(error.model, "Every")
    },
    copy("of-large-rows", ["MOVE-2"], "Rows and keys that are too large for the destination are refused.") {
      moving in
      let store = try moving.store(
        [.migrating("A", .int("n")), .migrating("Big", .string("text"), key: .string)],
        [
          "A": (0..<100).map { Record(["id": .int($0), "n": .int($0)]) },
          "Big": [Record(["id": .string(String(repeating: "k", count: 300)), "text": .string("t")])]
            + (0..<20).map { Record(["id": .string("\($0)"), "text": .string(String(repeating: "x", count: 3_000))]) },
        ])
      for change: NarrowPlace.Change in [
        { manifest, _ in manifest.limits.rowBytes = 2_000 }, { manifest, _ in manifest.limits.keyBytes = 100 },
      ] {
        try expectEqual(try refusal(moving, .limitExceeded, store, change).model, "Big")
      }
    },
    copy("of-longest-keys", ["MOVE-1", "MOVE-2"], "A key that is just as long as the destination takes is copied.") {
      moving in
      let store = try moving.store(
        [.migrating("Big", .int("n"), key: .string)],
        ["Big": (1...300).map { Record(["id": .string(String(repeating: "k", count: $0)), "n": .int(Int64($0))]) }])
      let place = try moving.kit.makePlace()
      let narrow = NarrowPlace(inner: moving.kit.undecorated(place)) { manifest, _ in manifest.limits.keyBytes = 300 }
      try store.copy(to: narrow)
      try expectSame(store, try moving.made(at: place))
      let error = try refusal(moving, .limitExceeded, store) { manifest, _ in manifest.limits.keyBytes = 299 }
      try expectEqual([error.model, error.property], ["Big", "id"])
    },
    copy("no-room", ["MOVE-2", "LIM-2"], "What surely has no room is full, with the bytes needed and free.") {
      moving in
      let store = try moving.store(
        [.migrating("Big", .string("text"))],
        ["Big": (0..<500).map { Record(["id": .int($0), "text": .string(String(repeating: "x", count: 2_000))]) }])
      let error = try refusal(moving, .full, store) { $1 = 1_000 }
      try expect(error.message.contains("1000000 bytes"), error.message)
    },
    copy("little-room", ["MOVE-1"], "What may have room is copied, however little there is.") { moving in
      let store = try moving.store(
        [.migrating("A", .int("n"))], ["A": (0..<500).map { Record(["id": .int($0), "n": .int($0)]) }])
      let place = try moving.kit.makePlace()
      try store.copy(to: NarrowPlace(inner: moving.kit.undecorated(place)) { $1 = 0 })
      try expectSame(store, try moving.made(at: place))
    },
  ]

  // MARK: What is said of it

  private static let reports: [ConformanceCase] = [
    copy("report", ["MOVE-3"], "The report has every model with its objects and their sum.") { moving in
      let store = try moving.full()
      let report = try store.copy(to: try moving.kit.makePlace())
      try expectEqual(report.models.map(\.name), ["Every", "Indexed"])
      try expectEqual(report.models.map(\.rows), [MovingSamples.rows.count, 100])
      try expect(report.isVerified)
      try expectEqual(report.resumedRows, 0)
      try expectEqual(report.restartReason, nil)
      try expect(report.models.allSatisfy { $0.digest.utf8.count == 32 }, "\(report)")
    },
    copy("sums", ["MOVE-3"], "The sum of a model depends on its objects alone, and on each bit of them.") { moving in
      func sum(_ rows: [Record]) throws -> String {
        let store = try moving.store([MovingSamples.indexed])
        for row in rows { try store.records.insert(into: "Indexed", [row]) }
        return try unwrap(try store.copy(to: try moving.kit.makePlace()).models.first).digest
      }
      let rows = MovingSamples.indexed(20)
      let first = try sum(rows)
      try expectEqual(try sum(rows.reversed()), first)
      try expect(try sum(rows.dropLast()) != first, "an object less")
      var other = rows
      other[7] = Record(["code": .string("c7"), "rank": .int(7), "name": .string("n8")])
      try expect(try sum(other) != first, "another value")
      other[7] = Record(["code": .string("c7"), "rank": .null, "name": .string("n7")])
      try expect(try sum(other) != first, "nil in the place of a value")
    },
    copy("unverified", ["MOVE-3"], "A copy that is not compared says so, and is one all the same.") { moving in
      let store = try moving.full()
      let place = try moving.kit.makePlace()
      var options = CopyOptions()
      options.isVerified = false
      let report = try store.copy(to: place, options: options)
      try expect(!report.isVerified)
      try expectEqual(report.verificationSeconds, 0)
      try expectSame(store, try moving.made(at: place))
    },
    copy("progress", ["MOVE-4"], "The progress counts objects that are copied and compared.") { moving in
      let store = try moving.store([MovingSamples.indexed], ["Indexed": MovingSamples.indexed(300)])
      let progress = Progress(totalUnitCount: -1)
      try store.copy(to: try moving.kit.makePlace(), options: CopyOptions(progress: progress))
      try expectEqual(progress.totalUnitCount, 600)
      try expectEqual(progress.completedUnitCount, 600)
    },
  ]

  // MARK: Copies that do not end

  private static func interrupted(
    _ store: Store, to place: any BackendProvider, after rows: Int64
  ) throws {
    try expectThrows(CancellationError.self) {
      try store.copy(to: place, options: CopyOptions(progress: EndingProgress(after: rows)))
    }
  }

  private static let interrupted: [ConformanceCase] = [
    copy("cancelled", ["MOVE-4"], "A copy that is cancelled is unfinished: nobody opens it, and the next goes on.") {
      moving in
      let store = try moving.store(
        [
          .migrating("First", .int("n"), indexes: [IndexSchema(name: "n", columns: [.init(slot: 1)])]),
          MovingSamples.indexed,
        ],
        ["First": (0..<300).map { Record(["id": .int($0), "n": .int($0)]) }, "Indexed": MovingSamples.indexed(300)],
        version: 4)
      let place = try moving.kit.makePlace()
      try interrupted(store, to: place, after: 400)
      let error = try expectError(.schemaMismatch) { try moving.made(at: place) }
      try expect(error.message.contains("unfinished copy"), error.message)
      try expectError(.schemaMismatch) { try moving.kit.open([Item.self], at: place) }
      let report = try store.copy(to: place)
      try expectEqual(report.resumedRows, 300)
      try expectEqual(report.restartReason, nil)
      try expectEqual(report.models.map(\.rows), [300, 300])
      let made = try moving.made(at: place)
      try expectSame(store, made)
      try expectEqual(try made.models().map(\.name), ["First", "Indexed"])
      try expectEqual(try made.check(), [])
    },
    copy(
      "cancelled-often", ["MOVE-4"], "Wherever a copy is cancelled, the next one ends with the same.",
      without: [.otherThread]
    ) {
      moving in
      let store = try moving.store(
        [.migrating("A", .int("n")), .migrating("B", .int("n")), .migrating("Empty")],
        [
          "A": (0..<200).map { Record(["id": .int($0), "n": .int($0)]) },
          "B": (0..<200).map { Record(["id": .int($0), "n": .int(-$0)]) },
        ])
      for rows: Int64 in [0, 1, 64, 199, 200, 250, 399, 400, 401, 600, 799] {
        let place = try moving.kit.makePlace()
        try interrupted(store, to: place, after: rows)
        let report = try store.copy(to: place)
        try expectEqual(report.models.map(\.rows), [200, 200, 0], "after \(rows)")
        try expectSame(store, try moving.made(at: place))
      }
    },
    copy(
      "cancelled-inside", ["MOVE-4"], "A copy goes on in the middle of a model that takes several transactions.",
      without: ConformanceVariant.allButFresh, within: .seconds(60)
    ) { moving in
      let text = String(repeating: "x", count: 1 << 20)
      let store = try moving.store([.migrating("Big", .string("text"))])
      for number in 0..<4 {
        try store.records.insert(
          into: "Big",
          (0..<12).map { Record(["id": .int(Int64(number * 12 + $0)), "text": .string("\(number) \($0)" + text)]) })
      }
      // The progress is told of rows as the engine gives them, so that it ends in the middle where it gives them in pieces.
      let place = try moving.kit.makePlace()
      let ending = EndingProgress(after: 40)
      do {
        _ = try store.copy(to: place, options: CopyOptions(progress: ending))
        throw ConformanceFailure(message: "the copy was not cancelled", file: #fileID, line: #line)
      } catch is CancellationError {}
      let report = try store.copy(to: place)
      try expectEqual(report.models.map(\.rows), [48])
      try expect(report.resumedRows >= 30 && report.resumedRows <= 48, "\(report.resumedRows)")
      let made = try moving.made(at: place)
      try expectSame(store, made)
      try expectEqual(try made.check(), [])
    },
    copy("changed-source", ["MOVE-4"], "A copy of a source that has changed begins anew, and says why.") { moving in
      let store = try moving.store(
        [.migrating("First", .int("n")), .migrating("Second", .int("n"))],
        [
          "First": (0..<200).map { Record(["id": .int($0), "n": .int($0)]) },
          "Second": (0..<200).map { Record(["id": .int($0), "n": .int($0)]) },
        ])
      let place = try moving.kit.makePlace()
      try interrupted(store, to: place, after: 250)
      try store.records.delete(in: "First", keys: [.int(17)])
      try store.records.insert(into: "First", [Record(["id": .int(1000), "n": .int(1)])])
      let report = try store.copy(to: place)
      try expectEqual(report.resumedRows, 0)
      try expect(report.restartReason?.contains("source") == true, "\(report)")
      try expectSame(store, try moving.made(at: place))
    },
    copy("other-source", ["MOVE-4"], "An unfinished copy of another store is begun anew.") { moving in
      let rows: [String: [Record]] = ["First": (0..<200).map { Record(["id": .int($0), "n": .int($0)]) }]
      let store = try moving.store([.migrating("First", .int("n"))], rows)
      let place = try moving.kit.makePlace()
      try interrupted(store, to: place, after: 100)
      let other = try moving.full()
      let report = try other.copy(to: place)
      try expectEqual(report.resumedRows, 0)
      try expect(report.restartReason != nil)
      let made = try moving.made(at: place)
      try expectSame(other, made)
      try expectEqual(try made.models().map(\.name), ["Every", "Indexed"])
    },
    copy("unfinished-source", ["MOVE-4"], "An unfinished copy is no source of another.") { moving in
      let store = try moving.full()
      let place = try moving.kit.makePlace()
      try interrupted(store, to: place, after: 0)
      try expectError(.schemaMismatch) { try Store.copy(from: place, to: try moving.kit.makePlace()) }
    },
    copy("cancelled-task", ["MOVE-4"], "Cancelling the task ends a copy.", without: [.otherThread]) { moving in
      let store = try moving.full()
      let place = try moving.kit.makePlace()
      let task = Task.ofCase {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await store.copy(to: place)
      }
      do {
        _ = try await task.value
        throw ConformanceFailure(message: "the copy was not cancelled", file: #fileID, line: #line)
      } catch is CancellationError {}
      let report = try await store.copy(to: place)
      try expectEqual(report.rows, MovingSamples.rows.count + 100)
    },
  ]
}
