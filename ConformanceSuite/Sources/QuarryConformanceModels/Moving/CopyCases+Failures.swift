import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery
import Synchronization

extension CopyCases {
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

  static let refused: [ConformanceCase] = [
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
    copy("no-room", ["MOVE-2", "LIM-2"], "A copy that surely has no room is full, with the bytes needed and free.") {
      moving in
      let store = try moving.store(
        [.migrating("Big", .string("text"))],
        ["Big": (0..<500).map { Record(["id": .int($0), "text": .string(String(repeating: "x", count: 2_000))]) }])
      let error = try refusal(moving, .full, store) { $1 = 1_000 }
      try expect(error.message.contains("1000000 bytes"), error.message)
    },
    copy("no-room-for-data", ["MOVE-2", "LIM-2"], "Data that surely has no room is refused as text is.") { moving in
      let store = try moving.store(
        [.migrating("Big", .string("text"), PropertySchema(name: "data", type: .data, isOptional: true))],
        [
          "Big": (0..<300).map {
            Record([
              "id": .int($0), "text": .string("0123456789"),
              "data": $0 == 7 ? .null : .data(Data(repeating: UInt8($0 % 256), count: 2_000)),
            ])
          }
        ])
      let error = try refusal(moving, .full, store) { $1 = 1_000 }
      try expect(error.message.contains("601000 bytes"), error.message)
    },
    copy("just-room", ["MOVE-1", "MOVE-2"], "A copy is made where there is as much room as its text and data need.") {
      moving in
      let store = try moving.store(
        [.migrating("Big", .string("text"))],
        ["Big": (0..<100).map { Record(["id": .int($0), "text": .string(String(repeating: "x", count: 2_000))]) }])
      let place = try moving.kit.makePlace()
      try store.copy(to: NarrowPlace(inner: moving.kit.undecorated(place)) { $1 = 200_000 })
      try expectSame(store, try moving.made(at: place))
    },
    copy("little-room", ["MOVE-1"], "A copy that may have room is made, however little room there is.") { moving in
      let store = try moving.store(
        [.migrating("A", .int("n"))], ["A": (0..<500).map { Record(["id": .int($0), "n": .int($0)]) }])
      let place = try moving.kit.makePlace()
      try store.copy(to: NarrowPlace(inner: moving.kit.undecorated(place)) { $1 = 0 })
      try expectSame(store, try moving.made(at: place))
    },
  ]

  // MARK: What is said of it

  static let reports: [ConformanceCase] = [
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
      var options = CopyOptions(progress: Progress(totalUnitCount: -1))
      options.isVerified = false
      try store.copy(to: try moving.kit.makePlace(), options: options)
      try expectEqual(options.progress?.totalUnitCount, 300, "a copy that is not compared")
      try expectEqual(options.progress?.completedUnitCount, 300, "a copy that is not compared")
    },
  ]

  // MARK: Copies that do not end

  static func interrupted(
    _ store: Store, to place: any BackendProvider, after rows: Int64
  ) throws {
    try expectThrows(CancellationError.self) {
      try store.copy(to: place, options: CopyOptions(progress: EndingProgress(after: rows)))
    }
  }

  static let interrupted: [ConformanceCase] = [
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
      // Progress follows the batches of rows that the engine gives, so the cancellation falls between two batches.
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
