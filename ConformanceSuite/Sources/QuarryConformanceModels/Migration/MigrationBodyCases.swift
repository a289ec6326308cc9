import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// What the body of a migration may say, when it is called, and what ends it.
enum MigrationBodyCases {
  static let all: [ConformanceCase] = [
    versions, steps, newStore, plainOpening, neverFalls, renamesProperty, renamesModel, renamesToTaken, renamesUnknown,
    renamesInCircle, converts, convertsTwice, conversionsFail, conversionGivesNil, conversionOfUnknown, dropsByName,
    counts, afterwards, afterwardsThrows, bodyThrows, contextEnds, callsInClosures, cancelled, progress, readOnly,
    zero, emptyBody,
  ]

  static let book = ModelSchema.migrating("Book", .string("title"), .string("year", isOptional: true))
  static let rows = [
    Record(["id": .int(1), "title": .string("a"), "year": .string("1970")]),
    Record(["id": .int(2), "title": .string("b"), "year": .null]),
    Record(["id": .int(3), "title": .string("c"), "year": .string("1999")]),
  ]
  static let many = (0..<200).map {
    Record(["id": .int(Int64($0)), "title": .string("t\($0)"), "year": .string("y\($0)")])
  }

  struct Ended: Error {}

  /// Counts what closures are called with, from wherever they are.
  final class Calls: @unchecked Sendable {
    // Unchecked: the closures of a migration are called on the thread that opens the store.
    var versions: [Int] = []
    var context: MigrationContext?
    var old: OldObject?
  }

  // MARK: Versions

  static let versions = ConformanceCase(
    "MIG.versions", ["MIG-4"], "The body is called for a store with a lower version only, with that version.",
    requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit, [book], ["Book": rows])
    let calls = Calls()
    func open(_ version: Int) throws -> Store {
      try stage.open([book], .to(version) { m in calls.versions.append(m.storedVersion) })
    }
    try expectEqual(try open(2).schemaVersion, 2)
    try expectEqual(try open(2).schemaVersion, 2)
    try expectEqual(try open(7).schemaVersion, 7)
    try expectEqual(calls.versions, [0, 2])
    let error = try expectError(.schemaTooNew) { try open(6) }
    for word in ["7", "6"] { try expect(error.message.contains(word), error.message) }
    try expectEqual(calls.versions, [0, 2])
    try expectEqual(try stage.content().rows, ["Book": rows])
  }

  private static let steps = ConformanceCase(
    "MIG.steps", ["MIG-4", "MIG-5"], "One migration body brings a store from any version to the last.",
    requiresPersistence: true
  ) { kit in
    let last = ModelSchema.migrating("Book", .string("name"), .int("year", isOptional: true), .string("note"))
    let migration = Migration.to(4) { m in
      if m.storedVersion < 2 { try m.rename("title", to: "name", in: "Book") }
      if m.storedVersion < 3 { try m.convert("year", in: "Book") { (old: String?) in old.flatMap { Int($0) } } }
      if m.storedVersion < 4 { try m.enumerate("Book") { old, new in new["note"] = "n\(old["id"].intValue ?? 0)" } }
    }
    let due = [(1, "a", Value.int(1970)), (2, "b", .null), (3, "c", .int(1999))].map { id, name, year in
      Record(["id": .int(Int64(id)), "name": .string(name), "year": year, "note": .string("n\(id)")])
    }
    let second = ModelSchema.migrating("Book", .string("name"), .string("year", isOptional: true))
    let third = ModelSchema.migrating("Book", .string("name"), .int("year", isOptional: true))
    func renamed(_ year: (Value) -> Value) -> [Record] {
      rows.map { Record(["id": $0["id"] ?? .null, "name": $0["title"] ?? .null, "year": year($0["year"] ?? .null)]) }
    }
    for (version, model, rows) in [
      (nil, book, rows), (2, second, renamed { $0 }),
      (3, third, renamed { $0.stringValue.flatMap { Int64($0) }.map { .int($0) } ?? .null }),
    ] {
      let stage = try MigratingStore(kit, [model], ["Book": rows], version: version)
      try stage.expectRows([last], migration, ["Book": due])
    }
  }

  private static let newStore = ConformanceCase(
    "MIG.new-store", ["MIG-4"], "A new store begins with the version, and the body is not called."
  ) { kit in
    let calls = Calls()
    let place = try kit.makePlace()
    let store = try kit.open(
      program: [book], at: place, migration: .to(3) { m in calls.versions.append(m.storedVersion) })
    try expectEqual(store.schemaVersion, 3)
    try expectEqual(calls.versions, [])
    try store.write { try $0.records.insert(into: "Book", rows) }
  }

  private static let plainOpening = ConformanceCase(
    "MIG.plain-opening", ["MIG-4"], "A program that names no version opens any, and leaves it.",
    requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit, [book], ["Book": rows], version: 9)
    let store = try stage.open([book, .migrating("Other")])
    try expectEqual(store.schemaVersion, 9)
    try store.close()
    try expectEqual(try stage.content().version, 9)
    try expectEqual(try MigratingStore(kit, [book], [:]).content().version, 0)
  }

  private static let neverFalls = ConformanceCase(
    "MIG.version-never-falls", ["MIG-4"], "A change of the schema cannot lower the version, nor make it less than 1."
  ) { kit in
    let store = try kit.open([], at: kit.makePlace())
    for number in [0, -1, Int.min] {
      try expectError(.invalidValue) { try store.write { try $0.apply(.setProgramVersion(number)) } }
    }
    try store.write { try $0.apply(.setProgramVersion(5)) }
    try store.write { try $0.apply(.setProgramVersion(5)) }
    try expectError(.invalidValue) { try store.write { try $0.apply(.setProgramVersion(4)) } }
    try store.write { try $0.apply(.setProgramVersion(.max)) }
    try expectError(.invalidValue) { try store.write { try $0.apply(.setProgramVersion(1)) } }
  }

  private static let zero = ConformanceCase(
    "MIG.version-zero", ["MIG-4"], "A version below 1 is invalidValue, before the store is made."
  ) { kit in
    for number in [0, -3] {
      let place = try kit.makePlace()
      try expectError(.invalidValue) { try kit.open(program: [book], at: place, migration: .to(number)) }
      try expectEqual(kit.files(at: place), [])
    }
  }

  private static let emptyBody = ConformanceCase(
    "MIG.empty-body", ["MIG-3", "MIG-4"], "A body that says nothing loses nothing: the automatic rules hold.",
    requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit, [book], ["Book": rows])
    try stage.expectRefusal(.schemaMismatch, [.migrating("Book", .string("title"))], .to(2) { _ in })
    try stage.expectRefusal(.schemaMismatch, [.migrating("Book", .string("title"))], .to(2))
    try stage.expectRows([book], .to(2) { _ in }, ["Book": rows])
  }

  // MARK: Afterwards, and the end

  private static let afterwards = ConformanceCase(
    "MIG.afterwards", ["MIG-6"], "A closure that runs afterwards has the program's models and the same transaction.",
    requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit)
    let first = try kit.open([FirstVersion.self], at: stage.place)
    try first.insert(contentsOf: [FirstVersion(id: 1, title: "a"), FirstVersion(id: 2, title: "b")])
    try first.close()
    let store = try kit.open(
      [SecondVersion.self], at: stage.place,
      migration: .to(2) { m in
        try m.afterwards { tx in
          try tx.delete(SecondVersion.where { $0.title == "a" })
          try tx.savepoint { try tx.update(SecondVersion.self, 2) { $0.note = "after" } }
          do {
            try tx.savepoint {
              try tx.delete(SecondVersion.all); throw Ended()
            }
          } catch is Ended {}
        }
        try m.afterwards { tx in try tx.insert(SecondVersion(id: 3, title: "c")) }
      })
    try expectEqual(try store.fetch(SecondVersion.all).map { "\($0.id) \($0.note)" }, ["2 after", "3 n\u{E9}"])
  }

  private static let afterwardsThrows = ConformanceCase(
    "MIG.afterwards-throws", ["MIG-1", "MIG-6"],
    "An error of a closure that runs afterwards is thrown, and the store is as it was.",
    requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit, [book], ["Book": rows])
    let before = try stage.content()
    try expectThrows(Ended.self) {
      try stage.open(
        [numbered],
        .to(2) { m in
          try m.convert("year", in: "Book") { (_: String?) in 1 }
          try m.afterwards { tx in
            try tx.records.delete(QueryTree(model: "Book"))
            throw Ended()
          }
        })
    }
    try expectEqual(try stage.content(), before)
  }

  private static let bodyThrows = ConformanceCase(
    "MIG.body-throws", ["MIG-1"], "An error of the body or of a closure is thrown, and the store is as it was.",
    requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit, [book, .migrating("Other")], ["Book": many])
    let before = try stage.content()
    let program = [ModelSchema.migrating("Book", .string("name"), .string("year", isOptional: true))]
    for place in 0..<4 {
      try expectThrows(Ended.self) {
        try stage.open(
          program,
          .to(2) { m in
            try m.rename("title", to: "name", in: "Book")
            try m.rename("Other", to: "Another")
            if place == 0 { throw Ended() }
            try m.enumerate("Book") { old, new in
              if place == 1 || (place == 2 && old["id"] == .int(199)) { throw Ended() }
            }
            try m.afterwards { _ in if place == 3 { throw Ended() } }
          })
      }
      try expectEqual(try stage.content(), before, "after the throw at \(place)")
    }
  }

  private static let contextEnds = ConformanceCase(
    "MIG.context-ends", ["MIG-7"], "The context of a migration is transactionEnded after the migration.",
    requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit, [book], ["Book": rows])
    let calls = Calls()
    let store = try stage.open([book], .to(2) { m in calls.context = m })
    let context = try unwrap(calls.context, "the context")
    try expectError(.transactionEnded) { try context.rename("Book", to: "x") }
    try expectError(.transactionEnded) { try context.count("Book") }
    try expectError(.transactionEnded) { try context.insert(into: "Book", rows[0]) }
    try expectError(.transactionEnded) { try context.models }
    try expectEqual(try store.read { try $0.records.fetch(QueryTree(model: "Book")) }, rows)
    try expectThrows(Ended.self) {
      try stage.open(
        [book],
        .to(3) { m in
          calls.context = m
          throw Ended()
        })
    }
    try expectError(.transactionEnded) { try unwrap(calls.context, "the context").drop("Book") }
  }

  private static let callsInClosures = ConformanceCase(
    "MIG.calls-in-closures", ["MIG-7"],
    "Closures may store objects; calls that plan the migration are reentrant there.",
    requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit, [book, .migrating("Other")], ["Book": rows])
    let calls: [@Sendable (MigrationContext) throws -> Void] = [
      { try $0.rename("title", to: "x", in: "Book") }, { try $0.rename("Other", to: "x") }, { try $0.drop("Other") },
      { try $0.enumerate("Other") { _, _ in } }, { try $0.forEach("Other") { _ in } }, { try $0.afterwards { _ in } },
      { try $0.convert("title", in: "Book") { (old: String?) in old } },
    ]
    for call in calls {
      try stage.expectRefusal(.reentrant, [book], .to(2) { m in try m.forEach("Book") { _ in try call(m) } })
    }
  }

  private static let cancelled = ConformanceCase(
    "MIG.cancelled", ["MIG-1"], "A migration whose progress is cancelled ends, and the store is as it was.",
    requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit, [book], ["Book": many])
    let before = try stage.content()
    for at in [0, 100] {
      let progress = Progress(totalUnitCount: 0)
      if at == 0 { progress.cancel() }
      try expectThrows(CancellationError.self) {
        try stage.open(
          [book],
          Migration.to(2) { m in
            try m.enumerate("Book") { old, _ in if old["id"] == .int(Int64(at)) { progress.cancel() } }
          }.reporting(to: progress))
      }
      try expectEqual(try stage.content(), before)
    }
  }

  private static let progress = ConformanceCase(
    "MIG.progress", ["MIG-6"], "The progress of a migration counts the rows that are read.", requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit, [book], ["Book": many])
    let progress = Progress(totalUnitCount: 0)
    let migration = Migration.to(2) { m in
      try m.enumerate("Book") { _, _ in }
      try m.forEach("Book") { _ in }
    }
    _ = try stage.open([book], migration.reporting(to: progress))
    try expectEqual(progress.totalUnitCount, 400)
    try expectEqual(progress.completedUnitCount, 400)
  }

  private static let readOnly = ConformanceCase(
    "MIG.read-only", ["MIG-1", "OPEN-2"], "A store that is opened for reading is not migrated: schemaMismatch.",
    needs: [.openReadOnly], requiresPersistence: true
  ) { kit in
    let stage = try MigratingStore(kit, [book], ["Book": rows], version: 1)
    let before = try stage.content()
    var options = OpenOptions()
    options.isReadOnly = true
    try expectError(.schemaMismatch) {
      try kit.open(program: [book], at: stage.place, options: options, migration: .to(2) { _ in })
    }
    try expectEqual(
      try kit.open(program: [book], at: stage.place, options: options, migration: .to(1)).schemaVersion, 1)
    try expectEqual(try stage.content(), before)
  }
}
