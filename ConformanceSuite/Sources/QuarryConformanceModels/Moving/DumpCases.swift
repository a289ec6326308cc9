import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryDump
import QuarryQuery

/// Stores as text, and stores that are made of it.
enum DumpCases {
  static func dump(
    _ name: String, _ clauses: [String], _ summary: String, persists: Bool = false,
    without: Set<ConformanceVariant> = [], within limit: Duration = .seconds(10),
    _ body: @escaping @Sendable (MovingStore) async throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      "MOVE.dump-\(name)", clauses, summary, requiresPersistence: persists, without: without, within: limit
    ) { kit in try await body(MovingStore(kit: kit)) }
  }

  static func restore(
    _ name: String, _ clauses: [String], _ summary: String, without: Set<ConformanceVariant> = [],
    within limit: Duration = .seconds(10), _ body: @escaping @Sendable (MovingStore) async throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      "MOVE.restore-\(name)", clauses, summary, requiresPersistence: true, without: without, within: limit
    ) { kit in try await body(MovingStore(kit: kit)) }
  }

  static let all: [ConformanceCase] = texts + files + round + refusals + forged + places

  /// Throws unless a dump is refused with the code and these words, and no store is made.
  static func expectRefusal(
    _ moving: MovingStore, _ text: String, _ code: StorageError.Code = .corrupt, _ words: String,
    file: String = #fileID,
    line: Int = #line
  ) throws {
    let place = try moving.kit.makePlace()
    let error = try expectError(code, words, file: file, line: line) { try StoreDump.restore(text, to: place) }
    try expect(error.message.contains(words), "\(error.message) has not: \(words)", file: file, line: line)
    try expectError(.notFound, "the place", file: file, line: line) { try moving.made(at: place) }
  }

  private static let book = ModelSchema.migrating(
    "Book", .string("title"), PropertySchema(name: "year", type: .int16, isOptional: true, defaultValue: .int(7)),
    indexes: [
      IndexSchema(name: "z", columns: [.init(slot: 1)], isUnique: true),
      IndexSchema(name: "a", columns: [.init(slot: 2, isDescending: true), .init(slot: 0)]),
    ])

  private static func books(_ numbers: some Sequence<Int>) -> [Record] {
    numbers.map { Record(["id": .int(Int64($0)), "title": .string("t\($0)"), "year": .int(Int64($0 % 100))]) }
  }

  /// The lines of the dump of a small store, with an end to each.
  static func small(_ moving: MovingStore) throws -> [String] {
    let store = try moving.store([book, .migrating("Author")], ["Book": books(1...3)], version: 2)
    return try StoreDump.text(store).split(separator: "\n").map { $0 + "\n" }
  }

  // MARK: The text

  private static let texts: [ConformanceCase] = [
    dump("text", ["MOVE-6"], "The lines of a dump are those of the format's example.") { moving in
      let lines = try small(moving)
      try expectEqual(
        Array(lines.dropLast(2)).joined(),
        """
        {"quarry":"dump","format":1,"version":2}
        {"model":"Author","key":"id","properties":[{"name":"id","type":"int64"}],"indexes":[]}
        {"model":"Book","key":"id","properties":[{"name":"id","type":"int64"},{"name":"title","type":"string"},\
        {"name":"year","type":"int16","optional":true,"default":7}],"indexes":[{"name":"a","columns":\
        [{"name":"year","descending":true},{"name":"id"}]},{"name":"z","columns":[{"name":"title"}],"unique":true}]}
        [1,"t1",1]
        [2,"t2",2]
        [3,"t3",3]

        """)
      try expectEqual(
        Array(lines.suffix(2)).joined(),
        """
        {"rows":3,"sha256":"\(Self.checksums.rows)"}
        {"end":true,"models":2,"rows":3,"sha256":"\(Self.checksums.end)"}

        """)
    },
    dump("values", ["MOVE-6", "VAL-1"], "Each value has its text, on every engine the same.") { moving in
      func line(_ type: PropertyType, _ value: Value, element: PropertyType? = nil) throws -> String {
        let model = ModelSchema.migrating(
          "M", PropertySchema(name: "v", type: type, isOptional: true, elementType: element))
        let store = try moving.store([model], ["M": [Record(["id": .int(1), "v": value])]])
        return String(try StoreDump.text(store).split(separator: "\n")[2].dropFirst(3).dropLast())
      }
      let expected: [(PropertyType, Value, String)] = [
        (.bool, .bool(true), "true"), (.uint64, .uint(.max), "18446744073709551615"), (.int8, .int(-128), "-128"),
        (.int64, .null, "null"), (.float, .float(0.1), "0.1"), (.float, .float(-0.0), "-0.0"),
        (.float, .float(Float(bitPattern: 0xffc0_0001)), "\"NaN:ffc00001\""), (.double, .double(0.1), "0.1"),
        (.double, .double(-0.0), "-0.0"), (.double, .double(.nan), "\"NaN\""), (.double, .double(1e300), "1e+300"),
        (.double, .double(-.infinity), "\"-Infinity\""),
        (.double, .double(Double(bitPattern: 0x7ff8_0000_0000_0007)), "\"NaN:7ff8000000000007\""),
        (.string, .string("a\"\\/\n\u{1}é"), "\"a\\\"\\\\/\\u000a\\u0001é\""),
        (.date, .date(Date(timeIntervalSinceReferenceDate: 1.25)), "\"2001-01-01T00:00:01.25Z\""),
        (.date, .date(Date(timeIntervalSinceReferenceDate: -0.0)), "\"@:8000000000000000\""),
        (.date, .date(Date(timeIntervalSinceReferenceDate: 1e300)), "\"@1e+300\""),
        (.data, .data(Data([0, 255])), "\"AP8=\""), (.decimal, .decimal(Decimal(-15) / 10), "\"-1.5\""),
        (
          .uuid, .uuid(UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255))),
          "\"00010203-0405-0607-0809-0A0B0C0D0EFF\""
        ),
        (.url, .url(URL(filePath: "/a")), "\"file:///a\""),
        (
          .nested, .object(unordered: [.init("$a", .double(2)), .init("b", .float(1))]),
          "{\"$$a\":2.0,\"b\":{\"$float\":1.0}}"
        ),
        (
          .nested, .array([.int(2), .date(Date(timeIntervalSinceReferenceDate: 0)), .null]),
          "[2,{\"$date\":\"2001-01-01T00:00:00Z\"},null]"
        ),
      ]
      for (type, value, text) in expected { try expectEqual(try line(type, value), text, "\(value)") }
      try expectEqual(
        try line(.array, .array([.double(1), .double(.nan)]), element: .double), "[1.0,\"NaN\"]")
    },
    dump("same", ["MOVE-6"], "Stores with the same have the same dump, however they came about.") { moving in
      let first = try moving.store([book, .migrating("Author")], ["Book": books(0..<30)])
      let second = try moving.store([.migrating("Author"), .migrating("Gone"), book])
      for row in books((0..<31).reversed()) { try second.records.insert(into: "Book", [row]) }
      try second.write { tx in
        _ = try tx.records.delete(in: "Book", keys: [.int(30)])
        try tx.apply(.dropModel(try tx.model(named: "Gone").id))
      }
      try expectEqual(try StoreDump.text(second), try StoreDump.text(first))
    },
    dump("dropped", ["MOVE-6"], "Dropped properties are not in a dump, and older objects have the defaults.") {
      moving in
      let store = try moving.store(
        [.migrating("M", .string("gone"), .string("kept"))],
        ["M": [Record(["id": .int(1), "gone": .string("g"), "kept": .string("k")])]])
      try store.write { tx in
        let model = try tx.model(named: "M")
        try tx.apply(.dropProperty(model.id, slot: 1))
        try tx.apply(.addProperty(model.id, PropertySchema(name: "new", type: .bool, defaultValue: .bool(true))))
      }
      let same = try moving.store(
        [.migrating("M", .string("kept"), PropertySchema(name: "new", type: .bool, defaultValue: .bool(true)))],
        ["M": [Record(["id": .int(1), "kept": .string("k"), "new": .bool(true)])]])
      try expectEqual(try StoreDump.text(store), try StoreDump.text(same))
      try expect(try !StoreDump.text(store).contains("gone"))
    },
    dump("empty", ["MOVE-6"], "A store without models has a dump of two lines.") { moving in
      let lines = try StoreDump.text(try moving.store([])).split(separator: "\n")
      try expectEqual(lines.count, 2)
      try expectEqual(lines[0], "{\"quarry\":\"dump\",\"format\":1}")
      try expect(lines[1].hasPrefix("{\"end\":true,\"models\":0,\"rows\":0,\"sha256\":\""))
    },
    dump("checks", ["MOVE-6"], "After a thousand rows, and after the last of a model, there is a check.") { moving in
      let store = try moving.store([.migrating("M"), .migrating("N")])
      try store.records.insert(into: "M", (0..<2_001).map { Record(["id": .int($0)]) })
      try store.records.insert(into: "N", (0..<1_000).map { Record(["id": .int($0)]) })
      let lines = try StoreDump.text(store).split(separator: "\n")
      let checks = lines.indices.filter { lines[$0].hasPrefix("{\"rows\":") }
      try expectEqual(checks, [1_002, 2_003, 2_005, 3_007])
      try expectEqual(
        checks.map { lines[$0].split(separator: ",")[0] },
        ["{\"rows\":1000", "{\"rows\":2000", "{\"rows\":2001", "{\"rows\":1000"])
    },
    ConformanceCase(
      "MOVE.dump-states", ["MOVE-6"],
      "A dump has one state: the state of a snapshot, or of the write in which it is made.",
      needs: [.snapshots], without: [.insideTransaction]
    ) { kit in
      let moving = MovingStore(kit: kit)
      let store = try moving.store([book], ["Book": books(1...2)])
      let before = try StoreDump.text(store)
      let frozen = try store.freeze()
      try store.write { tx in
        try tx.records.insert(into: "Book", books([3]))
        try expect(try StoreDump.text(store).contains("[3,\"t3\",3]"), "the write's own state")
      }
      try expectEqual(try StoreDump.text(frozen), before)
      try expect(try StoreDump.text(store) != before)
    },
  ]

  /// The checksums of ``small(_:)``, by `sha256sum` of the lines before them.
  static let checksums = (
    rows: "ab469ad72eac274391b48edd3c3ed8c269a7c22a79d068daa65f08397185ebee",
    end: "104deb88cbb8a97f0d5016e17029e2aa40ec0f93e0f9ad6c48c8bfd041f25dda"
  )

  // MARK: Files

  private static let files: [ConformanceCase] = [
    dump("file", ["MOVE-6"], "A dump is put into a file, in the place of one that is there, when it is whole.") {
      moving in
      let store = try moving.store([book], ["Book": books(1...3)])
      try CopyScene.inFolder { path in
        let url = URL(fileURLWithPath: path)
        try Data("old".utf8).write(to: url)
        let report = try store.dump(to: path, replacing: true)
        try expectEqual(String(decoding: try Data(contentsOf: url), as: UTF8.self), try StoreDump.text(store))
        try expectEqual(report.models, [.init(name: "Book", rows: 3)])
        try expect(try StoreDump.text(store).hasSuffix("\"sha256\":\"\(report.sha256)\"}\n"))
        try expectEqual(
          try FileManager.default.contentsOfDirectory(atPath: url.deletingLastPathComponent().path), ["copy"])
      }
    },
    dump("cancelled", ["MOVE-6"], "A dump that is cancelled leaves nothing, and what was there.") { moving in
      let store = try moving.store([book], ["Book": books(0..<600)])
      try CopyScene.inFolder { path in
        let url = URL(fileURLWithPath: path)
        let progress = Progress(totalUnitCount: -1)
        progress.cancel()
        try expectThrows(CancellationError.self) { try store.dump(to: path, progress: progress) }
        try expectEqual(
          try FileManager.default.contentsOfDirectory(atPath: url.deletingLastPathComponent().path), [])
        try Data("old".utf8).write(to: url)
        try expectThrows(CancellationError.self) {
          try store.dump(to: path, replacing: true, progress: progress)
        }
        try expectEqual(try Data(contentsOf: url), Data("old".utf8))
      }
    },
    dump("progress", ["MOVE-6"], "The progress of a dump counts objects.") { moving in
      let store = try moving.store([book], ["Book": books(0..<600)])
      let progress = Progress(totalUnitCount: -1)
      _ = try store.dump(progress: progress) { _ in }
      try expectEqual(progress.totalUnitCount, 600)
      try expectEqual(progress.completedUnitCount, 512)
    },
    dump("throws", ["MOVE-6"], "An error of the writing closure ends the dump and is thrown.") { moving in
      struct Full: Error {}
      let store = try moving.store([book], ["Book": books(0..<10)])
      try expectThrows(Full.self) { try store.dump { _ in throw Full() } }
      try expectEqual(try store.records.fetch(in: "Book").count, 10)
    },
    dump("nowhere", ["MOVE-6"], "A file where there can be none is notFound or io.") { moving in
      let store = try moving.store([book])
      try CopyScene.inFolder { path in
        try expectError(.notFound) { try store.dump(to: path + "/there/at-all") }
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try expectError(.io) { try store.dump(to: path) }
      }
    },
  ]

  // MARK: There and back

  private static let round: [ConformanceCase] = [
    restore("everything", ["MOVE-6", "MOVE-7"], "A store that is made of a dump has the same, and the same dump.") {
      moving in
      let store = try moving.full()
      let dumped = try StoreDump.text(store)
      let place = try moving.kit.makePlace()
      let report = try StoreDump.restore(dumped, to: place)
      try expectEqual(
        report.models, [.init(name: "Every", rows: MovingSamples.rows.count), .init(name: "Indexed", rows: 100)])
      let made = try moving.made(at: place)
      try expectSame(store, made)
      try expectEqual(made.schemaVersion, 3)
      try expectEqual(try StoreDump.text(made), dumped)
      try expectEqual(try made.check(), [])
    },
    restore("typed", ["MOVE-7"], "A typed program opens what was restored, with nothing to do.") { moving in
      let store = try moving.kit.store(Item.self, Everything.self)
      try store.insert(contentsOf: (0..<30).map { Item($0, rank: $0 % 7, tags: ["\($0)"]) })
      try store.insert(contentsOf: (0..<5).map { Everything($0) })
      let place = try moving.kit.makePlace()
      try StoreDump.restore(try StoreDump.text(store), to: place)
      let made = try moving.kit.open([Item.self, Everything.self], at: place)
      try expectEqual(made.openingReport.schemaChanges, [])
      try expectEqual(try made.fetch(Item.all), try store.fetch(Item.all))
      try expectEqual(
        try made.fetch(Everything.all).map { try $0.values() },
        try store.fetch(Everything.all).map { try $0.values() })
      try expectError(.uniqueViolation) { try made.insert(Item(1000, code: "c7")) }
    },
    restore("many", ["MOVE-7"], "A dump of some thousand rows is restored whole.") { moving in
      let store = try moving.store([.migrating("Author"), book], version: 1)
      try store.records.insert(into: "Book", books(0..<2_345))
      let place = try moving.kit.makePlace()
      try StoreDump.restore(try StoreDump.text(store), to: place)
      try expectSame(store, try moving.made(at: place))
    },
    restore("empty", ["MOVE-7"], "A dump without models makes a store without any.") { moving in
      let place = try moving.kit.makePlace()
      try StoreDump.restore(try StoreDump.text(try moving.store([])), to: place)
      try expectEqual(try moving.made(at: place).models().count, 0)
    },
    restore("async", ["MOVE-7"], "The asynchronous forms do the same.") { moving in
      let store = try moving.full()
      let folder = FileManager.default.temporaryDirectory.appending(path: "quarry-dump-\(UUID().uuidString)").path
      defer { try? FileManager.default.removeItem(atPath: folder) }
      _ = try await store.dump(to: folder)
      let place = try moving.kit.makePlace()
      _ = try await Store.restore(folder, to: place)
      try expectSame(store, try moving.made(at: place))
    },
  ]

  // MARK: Places

  private static let places: [ConformanceCase] = [
    restore("in-use", ["MOVE-7"], "A place that has models is inUse, and stays as it is.") { moving in
      let dumped = try small(moving).joined()
      let place = try moving.kit.makePlace()
      let other = try moving.store([.migrating("Mine")], ["Mine": [Record(["id": .int(1)])]], at: place)
      let version = try other.read { try $0.version }
      try expectError(.inUse) { try StoreDump.restore(dumped, to: place) }
      try expectEqual(try other.read { try $0.version }, version)
      try expectEqual(try other.records.fetch(in: "Mine").count, 1)
      try expectEqual(try other.models().map(\.name), ["Mine"])
    },
    restore("versioned", ["MOVE-7"], "A place that has a version and no models is inUse, and stays as it is.") {
      moving in
      let place = try moving.kit.makePlace()
      let other = try moving.store([], version: 5, at: place)
      let version = try other.read { try $0.version }
      try other.close()
      let plain = try StoreDump.text(try moving.store([book], ["Book": books(1...3)]))
      for dumped in [plain, try small(moving).joined()] {
        try expectError(.inUse) { try StoreDump.restore(dumped, to: place) }
        let left = try moving.made(at: place)
        try expectEqual(left.schemaVersion, 5)
        try expectEqual(try left.models().count, 0)
        try expectEqual(try left.read { try $0.version }, version)
        try left.close()
      }
    },
    restore(
      "into-empty", ["MOVE-7"], "A store without models takes a dump, and is as it was after one that is refused."
    ) { moving in
      let lines = try small(moving)
      let place = try moving.kit.makePlace()
      try moving.store([], at: place).close()
      try expectError(.corrupt) { try StoreDump.restore(lines.dropLast().joined(), to: place) }
      let store = try moving.made(at: place)
      try expectEqual(try store.models().count, 0)
      try store.close()
      try StoreDump.restore(lines.joined(), to: place)
      try expectEqual(try moving.made(at: place).records.fetch(in: "Book").count, 3)
    },
    restore("twice", ["MOVE-7"], "A second dump to one place is inUse.") { moving in
      let dumped = try small(moving).joined()
      let place = try moving.kit.makePlace()
      try StoreDump.restore(dumped, to: place)
      try expectError(.inUse) { try StoreDump.restore(dumped, to: place) }
      try expectEqual(try moving.made(at: place).records.fetch(in: "Book").count, 3)
    },
  ]
}
