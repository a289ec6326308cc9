import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Stores that cannot be brought to the program's models, and are put aside when the program says so.
enum StartingOverCases {
  static let all: [ConformanceCase] = done + notDone + inUse

  static let old = ModelSchema.migrating("Book", .string("title"), .int("year", isOptional: true))
  static let rows: [Record] = (1...40).map { number in
    let year: Value = number % 3 == 0 ? .null : .int(Int64(1970 + number))
    return Record(["id": .int(Int64(number)), "title": .string("t\(number)"), "year": year])
  }
  /// What the automatic rules refuse: the title is a number now.
  static let new = ModelSchema.migrating(
    "Book", .int("title"), indexes: [IndexSchema(name: "title", columns: [.init(slot: 1)])])

  static let startOver = Migration.startOver(keeping: .quarantine)

  static func starting(
    _ name: String, clauses: [String] = ["MIG-11"], _ summary: String, needs: Set<Capability> = [],
    without: Set<ConformanceVariant> = [], within limit: Duration = .seconds(30), file: String = #fileID,
    line: Int = #line, _ body: @escaping @Sendable (ConformanceContext) async throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      "MIG.start-over-\(name)", clauses, summary, needs: needs, requiresPersistence: true, without: without,
      within: limit, file: file, line: line
    ) { kit in
      if try canPutAside(kit) { try await body(kit) }
    }
  }

  /// Whether the engine has another place for a store. One that has none says so, and leaves the store as it was.
  static func canPutAside(_ kit: ConformanceContext) throws -> Bool {
    let stage = try stage(kit)
    do {
      try stage.open([new], startOver).close()
      return true
    } catch let error as StorageError where error.code == .unsupported {
      try expectUntouched(stage)
      return false
    }
  }

  /// A closed store of the old models.
  static func stage(_ kit: ConformanceContext) throws -> MigratingStore {
    try MigratingStore(kit, [old], ["Book": rows])
  }

  static func options(waiting seconds: Double) -> OpenOptions {
    var options = OpenOptions()
    options.busyTimeout = seconds
    return options
  }

  /// The store at a path that a report names; nil for a harness whose places have no paths.
  static func place(_ path: String, _ kit: ConformanceContext) throws -> (any BackendProvider)? {
    try kit.harness.place(at: path)
  }

  static func records(_ store: Store) throws -> [Record] {
    try store.read { try $0.records.fetch(QueryTree(model: "Book")) }
  }

  /// Throws unless the path is that of a whole store with these rows.
  static func expectKept(
    _ path: String, _ expected: [Record], _ kit: ConformanceContext, file: String = #fileID, line: Int = #line
  ) throws {
    guard let place = try place(path, kit) else { return }
    var options = OpenOptions()
    options.createsIfMissing = false
    let store = try Store(program: [], in: place, options: options)
    defer { try? store.close() }
    try expectEqual(try records(store), expected, "what was put aside", file: file, line: line)
    try expectEqual(try store.check(), [], "its check", file: file, line: line)
  }

  /// Throws unless the store is as it was, where it was.
  static func expectUntouched(
    _ stage: MigratingStore, file: String = #fileID, line: Int = #line
  ) throws {
    let store = try stage.open([])
    try expectEqual(try records(store), rows, "the store after the refusal", file: file, line: line)
    try store.close()
    try expectEqual(try quarantines(stage), [], "what was put aside", file: file, line: line)
  }

  /// The names next to the store that begin with those of stores that were put aside.
  static func quarantines(_ stage: MigratingStore) throws -> [String] {
    try stage.kit.harness.neighbours(of: stage.kit.undecorated(stage.place)).filter { $0.contains(".quarantine-") }
  }

  private static func address(_ stage: MigratingStore) -> String? {
    stage.kit.harness.secondProcess?.address(stage.kit.undecorated(stage.place))
  }

  // MARK: Where it is done

  static let done: [ConformanceCase] = [
    starting(
      "empty", "A store that the rules refuse is put aside, and a new store has the program's models and no object."
    ) {
      kit in
      let stage = try stage(kit)
      try stage.expectRefusal(.schemaMismatch, [new])
      let fresh = try Self.stage(kit)
      let store = try fresh.open([new], startOver)
      try expectEqual(try records(store), [])
      try expectEqual(try store.models().map(\.name), ["Book"])
      try expectEqual(try store.models().first?.indexes.map(\.name), ["title"])
      try expectEqual(try store.check(), [])
      try expect(store.openingReport.quarantine != nil, "the report does not say where the old store is")
      try expect(!store.openingReport.schemaChanges.isEmpty, "the report does not say that models were made")
    },
    starting("kept", "A store that was put aside is whole, and opens at the place in the report.") { kit in
      let stage = try stage(kit)
      let store = try stage.open([new], startOver)
      let path = try unwrap(store.openingReport.quarantine, "where the old store is")
      try expectKept(path, rows, kit)
      try store.write { try $0.records.insert(into: "Book", [Record(["id": .int(1), "title": .int(5)])]) }
      try expectKept(path, rows, kit)
      try expectEqual(try records(store).count, 1)
    },
    starting("note", "A line of the report's notes says where the old store is.") { kit in
      let store = try stage(kit).open([new], startOver)
      let path = try unwrap(store.openingReport.quarantine, "where the old store is")
      try expect(store.openingReport.notes.contains { $0.contains(path) }, "\(store.openingReport.notes)")
    },
    starting("name", "It is called as its place, with the time in UTC.") { kit in
      let stage = try stage(kit)
      func stamp() -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "UTC")
        formatter.dateFormat = "yyyyMMdd'T'HHmmss'Z'"
        return formatter.string(from: Date())
      }
      let before = stamp()
      let path = try unwrap(try stage.open([new], startOver).openingReport.quarantine, "where the old store is")
      let after = stamp()
      let place = try unwrap(path.range(of: ".quarantine-"), "the name \(path)")
      let time = String(path[place.upperBound...])
      try expect(before <= time && time <= after, "\(time) is not from \(before) to \(after)")
      if let address = address(stage) {
        // On a server the place's name is the last word of the address.
        let names = [address, String(path[..<place.lowerBound])].map {
          URL(fileURLWithPath: $0).lastPathComponent.split(separator: " ").last
        }
        try expectEqual(names[0], names[1])
      }
    },
    starting("twice", "Each time it gets a name of its own, in one second too.") { kit in
      let stage = try stage(kit)
      var paths: [String] = []
      var program = new
      for round in 0..<3 {
        let store = try stage.open([program], startOver)
        paths.append(try unwrap(store.openingReport.quarantine, "where the store of round \(round) is"))
        try store.write { tx in
          try tx.records.insert(
            into: "Book",
            [Record(["id": .int(Int64(round)), "title": round % 2 == 0 ? .int(Int64(round)) : .string("r\(round)")])])
        }
        try store.close()
        program = round % 2 == 0 ? ModelSchema.migrating("Book", .string("title")) : new
      }
      try expectEqual(Set(paths).count, 3)
      try expectKept(paths[0], rows, kit)
      try expectKept(paths[1], [Record(["id": .int(0), "title": .int(0)])], kit)
      try expectKept(paths[2], [Record(["id": .int(1), "title": .string("r1")])], kit)
    },
    starting("goes-on", "The new store is one like any, and the next opening finds it.") { kit in
      let stage = try stage(kit)
      let store = try stage.open([new], startOver)
      let book = Record(["id": .int(7), "title": .int(9)])
      try store.write { try $0.records.insert(into: "Book", [book]) }
      try store.close()
      let again = try stage.open([new], startOver)
      try expectEqual(again.openingReport.quarantine, nil)
      try expectEqual(again.openingReport.schemaChanges, [])
      try expectEqual(try records(again), [book])
      try again.close()
      try expectEqual(try records(try stage.open([new])), [book])
    },
    starting("other-models", "Models that the program does not have go with the store, and not into the new one.") {
      kit in
      let stage = try MigratingStore(
        kit, [old, .migrating("Draft", .string("text"))],
        ["Book": rows, "Draft": [Record(["id": .int(1), "text": .string("d")])]])
      let store = try stage.open([new], startOver)
      try expectEqual(try store.models().map(\.name), ["Book"])
      let path = try unwrap(store.openingReport.quarantine, "where the old store is")
      guard let place = try place(path, kit) else { return }
      let kept = try Store(program: [], in: place)
      defer { try? kept.close() }
      try expectEqual(
        try kept.read { try $0.records.fetch(QueryTree(model: "Draft")) },
        [Record(["id": .int(1), "text": .string("d")])])
    },
    starting("key", "A key of another type is a reason, too.") { kit in
      let stage = try stage(kit)
      let program = ModelSchema.migrating("Book", .string("title"), .int("year", isOptional: true), key: .string)
      let path = try stage.open([program], startOver).openingReport.quarantine
      try expectKept(try unwrap(path, "where the old store is"), rows, kit)
    },
    starting("version", "The version that a program gave the old store stays with it.") { kit in
      let stage = try MigratingStore(kit, [old], ["Book": rows], version: 3)
      let store = try stage.open([new], startOver)
      try expectEqual(store.schemaVersion, 0)
      let path = try unwrap(store.openingReport.quarantine, "where the old store is")
      guard let place = try place(path, kit) else { return }
      let kept = try Store(program: [], in: place)
      defer { try? kept.close() }
      try expectEqual(kept.schemaVersion, 3)
    },
    starting("to-version", "Where the program's models have a version, the new store begins with it.") { kit in
      let stage = try MigratingStore(kit, [old], ["Book": rows], version: 1)
      let store = try stage.open([new], .to(3).startingOver(keeping: .quarantine))
      try expectEqual(store.schemaVersion, 3)
      try expectEqual(try records(store), [])
      try expectKept(try unwrap(store.openingReport.quarantine, "where the old store is"), rows, kit)
      try store.close()
      let again = try stage.open([new], .to(3).startingOver(keeping: .quarantine))
      try expectEqual(again.openingReport.quarantine, nil)
      try expectEqual(again.schemaVersion, 3)
      try again.close()
      try expectError(.schemaTooNew) { try stage.open([old], .to(2).startingOver(keeping: .quarantine)) }
      try expectEqual(try stage.open([new]).schemaVersion, 3)
    },
    starting(
      "migrated", clauses: ["MIG-11", "MIG-4"], "A store that a version's body brings to the models is not put aside."
    ) {
      kit in
      let stage = try MigratingStore(kit, [old], ["Book": rows], version: 1)
      let migration = Migration.to(2) { m in
        try m.convert("title", in: "Book") { (old: String?) in old.flatMap { Int($0.dropFirst()) } }
      }
      let program = ModelSchema.migrating("Book", .int("title"), .int("year", isOptional: true))
      let store = try stage.open([program], migration.startingOver(keeping: .quarantine))
      try expectEqual(store.openingReport.quarantine, nil)
      try expectEqual(store.schemaVersion, 2)
      try expectEqual(try records(store).map { $0["title"] }, (1...40).map { .int($0) })
      try expectEqual(try quarantines(stage), [])
    },
    starting("plan", clauses: ["MIG-11", "MIG-8"], "A store that a plan does not know is put aside when asked.") {
      kit in
      let stage = try stage(kit)
      try expectError(.schemaMismatch) { try Store(plan: Library.Plan.self, in: stage.place) }
      let store = try Store(plan: Library.Plan.self, in: stage.place, startingOver: .quarantine)
      defer { try? store.close() }
      try expectEqual(store.schemaVersion, 5)
      try expectKept(try unwrap(store.openingReport.quarantine, "where the old store is"), rows, kit)
    },
    starting("large", "All commits go with it, however they lie in files.") { kit in
      let stage = try stage(kit)
      let store = try stage.open([old])
      for part in 0..<6 {
        try store.write { tx in
          try tx.records.insert(
            into: "Book",
            (0..<200).map {
              Record([
                "id": .int(Int64(1_000 + part * 200 + $0)), "title": .string(String(repeating: "x", count: 100)),
                "year": .null,
              ])
            })
        }
      }
      let all = try records(store)
      try store.close()
      let path = try stage.open([new], startOver).openingReport.quarantine
      try expectKept(try unwrap(path, "where the old store is"), all, kit)
    },
    .processes(
      "MIG.start-over-killed", ["MIG-11", "DUR-1"],
      "The commits of a killed process are in the store that is put aside."
    ) { kit in
      guard try canPutAside(kit) else { return }
      let place = try kit.makePlace()
      let child = try kit.secondProcess(at: place, "open item", "insert 1", "insert 2", "write", "insert 3")
      child.kill()
      let store = try kit.open(program: [.migrating("Item", .string("code"))], at: place, migration: startOver)
      let path = try unwrap(store.openingReport.quarantine, "where the old store is")
      let kept = try Store(models: [Item.self], in: try unwrap(try Self.place(path, kit), "its place"))
      defer { try? kept.close() }
      try expectEqual(try kept.keys(Item.all), [1, 2])
      try expectEqual(try kept.check(), [])
      try expectEqual(try store.read { try $0.records.fetch(QueryTree(model: "Item")) }, [])
    },
  ]
}
