import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Migrations that are tried on a copy.
enum RehearsalCases {
  static let all: [ConformanceCase] = [
    succeeds, fails, failsTwice, losses, ofPlan, besideAnOpenStore, refusedPlace, emptiedPlace, killed,
  ]

  private static let old = ModelSchema.migrating(
    "Book", .string("title"), .string("year", isOptional: true),
    indexes: [IndexSchema(name: "t", columns: [.init(slot: 1)])])
  private static let new = ModelSchema.migrating("Book", .string("title"), .int("year", isOptional: true))
  private static let rows = (0..<50).map { number in
    Record([
      "id": .int(Int64(number)), "title": .string("t\(number)"),
      "year": number % 5 == 0 ? .null : .string("\(1900 + number)"),
    ])
  }

  private static func rehearse(
    _ stage: MigratingStore, _ models: [ModelSchema], _ migration: Migration
  ) throws -> MigrationReport {
    try Store.rehearse(
      program: models, in: stage.kit.undecorated(stage.place), migration: migration,
      scratch: stage.kit.harness.makePlace())
  }

  private static let succeeds = ConformanceCase(
    "MIG.rehearsal", ["MIG-10"], "A rehearsal says what would be done, and does not touch the store.",
    needs: [.openReadOnly, .destroy], requiresPersistence: true, without: ConformanceVariant.allButFresh
  ) { kit in
    let stage = try MigratingStore(kit, [old], ["Book": rows])
    let before = try stage.content()
    let migration = Migration.to(4) { m in
      try m.convert("year", in: "Book") { (old: String?) in old.flatMap { Int($0) } }
    }
    let report = try rehearse(stage, [new], migration)
    try expect(report.error == nil, "\(String(describing: report.error))")
    try expectEqual([report.storedVersion, report.version], [0, 4])
    try expectEqual([report.rowsRead, report.rowsWritten], [50, 50])
    try expect(report.steps.contains { $0.text.contains("Book") && $0.rowsRead == 50 }, "\(report.steps)")
    try expect(report.failures.isEmpty && report.losses.isEmpty, "\(report)")
    try expectEqual(try stage.content(), before)
    _ = try stage.open([new], migration)
    try expectEqual(try Set(stage.content().rows["Book"]?.map { $0["year"]?.intValue } ?? []).count, 41)
  }

  private static let fails = ConformanceCase(
    "MIG.rehearsal-fails", ["MIG-10"], "A rehearsal counts all objects that cannot be converted.",
    needs: [.openReadOnly, .destroy], requiresPersistence: true, without: ConformanceVariant.allButFresh
  ) { kit in
    let stage = try MigratingStore(kit, [old], ["Book": rows])
    let before = try stage.content()
    let report = try rehearse(
      stage, [new],
      .to(1) { m in
        try m.convert("year", in: "Book") { (old: String?) in
          guard let old else { return 0 }
          guard let number = Int(old), number > 1915 else { throw StorageError(.invalidValue, "too early") }
          return number
        }
      })
    let failure = try unwrap(report.failures.first, "a failure")
    try expectEqual(report.failures.count, 1)
    try expectEqual([failure.model, failure.property], ["Book", "year"])
    try expectEqual(failure.count, 12)
    try expectEqual(failure.keys, ["1", "2", "3", "4", "6", "7", "8", "9", "11", "12"])
    try expectEqual((report.error as? StorageError)?.code, .invalidValue)
    try expectEqual(try stage.content(), before)
  }

  private static let failsTwice = ConformanceCase(
    "MIG.rehearsal-fails-twice", ["MIG-10", "MIG-5"],
    "A rehearsal counts an object with two properties that fail at both, also where closures make the new objects.",
    needs: [.openReadOnly, .destroy], requiresPersistence: true, without: ConformanceVariant.allButFresh
  ) { kit in
    let stage = try MigratingStore(kit, [old], ["Book": Array(rows.prefix(6))])
    for isEnumerated in [false, true] {
      let report = try rehearse(
        stage, [.migrating("Book", .int("title"), .int("year"))],
        .to(1) { m in
          for name in ["title", "year"] {
            try m.convert(name, in: "Book") { (old: String?) throws -> Int? in
              guard let old else { return nil }
              throw StorageError(.invalidValue, "\(old) is too early")
            }
          }
          if isEnumerated { try m.enumerate("Book") { _, _ in } }
        })
      try expectEqual(
        report.failures.map { "\($0.property) \($0.count) \($0.keys.joined(separator: " "))" },
        ["title 6 0 1 2 3 4 5", "year 6 0 1 2 3 4 5"], isEnumerated ? "with closures" : "without closures")
    }
  }

  private static let losses = ConformanceCase(
    "MIG.rehearsal-losses", ["MIG-10"], "A rehearsal counts the values that go, with the first keys.",
    needs: [.openReadOnly, .destroy], requiresPersistence: true, without: ConformanceVariant.allButFresh
  ) { kit in
    let draft = ModelSchema.migrating("Draft")
    let stage = try MigratingStore(
      kit, [old, draft, .migrating("Empty")],
      ["Book": rows, "Draft": [Record(["id": .int(3)]), Record(["id": .int(4)])]])
    let report = try rehearse(
      stage, [.migrating("Book", .string("title"))], .dropping("Book.year", "Draft", "Empty"))
    try expect(report.error == nil, "\(String(describing: report.error))")
    try expectEqual(report.losses.map { "\($0.model).\($0.property ?? "") \($0.count)" }, ["Book.year 40", "Draft. 2"])
    try expectEqual(report.losses.map(\.keys), [["1", "2", "3", "4", "6", "7", "8", "9", "11", "12"], ["3", "4"]])
    let refused = try rehearse(stage, [.migrating("Book", .string("title"))], .automatic)
    try expectEqual((refused.error as? StorageError)?.code, .schemaMismatch)
  }

  private static let ofPlan = ConformanceCase(
    "MIG.rehearsal-of-plan", ["MIG-10", "MIG-8"], "A plan is rehearsed stage by stage.",
    needs: [.openReadOnly, .destroy], requiresPersistence: true, without: ConformanceVariant.allButFresh
  ) { kit in
    let stage = try MigratingStore(kit)
    let store = try kit.open([Library.First.Book.self], at: stage.place, migration: .to(1))
    try store.insert(contentsOf: (1...10).map { Library.First.Book(id: $0, title: "t", year: $0 == 4 ? "?" : "\($0)") })
    try store.close()
    let report = try Store.rehearse(
      plan: Library.Plan.self, in: kit.undecorated(stage.place), scratch: kit.harness.makePlace())
    try expect(report.error == nil, "\(String(describing: report.error))")
    try expectEqual([report.storedVersion, report.version], [1, 5])
    try expectEqual(report.steps.map(\.rowsRead).filter { $0 > 0 }, [10, 9])
    try expectEqual(try kit.open([Library.First.Book.self], at: stage.place).schemaVersion, 1)
  }

  private static let besideAnOpenStore = ConformanceCase(
    "MIG.rehearsal-of-open-store", ["MIG-10"], "A store that this process has open is rehearsed on.",
    needs: [.openReadOnly, .destroy], requiresPersistence: true, without: ConformanceVariant.allButFresh
  ) { kit in
    let stage = try MigratingStore(kit)
    let store = try stage.open([old])
    try store.write { try $0.records.insert(into: "Book", rows) }
    let report = try rehearse(stage, [.migrating("Book", .string("title"))], .dropping("Book.year"))
    try expectEqual(report.losses.first?.count, 40)
    try store.write { try $0.records.delete(QueryTree(model: "Book")) }
    try expectEqual(try store.check(), [])
  }

  private static let refusedPlace = ConformanceCase(
    "MIG.rehearsal-place", ["MIG-10"],
    "A place with a store takes no rehearsal copy, and a place without a store has nothing to rehearse.",
    needs: [.openReadOnly, .destroy], requiresPersistence: true, without: ConformanceVariant.allButFresh
  ) { kit in
    let stage = try MigratingStore(kit, [old], ["Book": rows])
    let other = try MigratingStore(kit, [old], ["Book": rows])
    try expectError(.inUse) {
      try Store.rehearse(
        program: [old], in: kit.undecorated(stage.place), scratch: kit.undecorated(other.place))
    }
    try expectEqual(try other.content().rows, ["Book": rows])
    try expectError(.notFound) {
      try Store.rehearse(program: [old], in: kit.harness.makePlace(), scratch: kit.harness.makePlace())
    }
  }

  private static let emptiedPlace = ConformanceCase(
    "MIG.rehearsal-place-emptied", ["MIG-10"],
    "A place with a store takes no rehearsal copy, also where the store has no models left, or a version alone.",
    needs: [.openReadOnly, .destroy], requiresPersistence: true, without: ConformanceVariant.allButFresh
  ) { kit in
    let stage = try MigratingStore(kit, [old], ["Book": rows])
    let emptied = try [nil, 2].map { try MigratingStore(kit, [old], ["Book": rows], version: $0) }
    for other in emptied { try other.open([], .dropping("Book")).close() }
    for other in emptied + [try MigratingStore(kit, [], [:], version: 7)] {
      let before = try other.content()
      try expectError(.inUse) {
        try Store.rehearse(program: [old], in: kit.undecorated(stage.place), scratch: kit.undecorated(other.place))
      }
      try expectEqual(try other.content(), before)
    }
  }

  /// The names of places for copies beside a store.
  private static func scratches(_ kit: ConformanceContext, _ place: any BackendProvider) throws -> [String] {
    try kit.harness.neighbours(of: kit.undecorated(place)).filter { $0.contains("._quarry.scratch-") }
  }

  private static let killed = ConformanceCase.processes(
    "MIG.rehearsal-killed", ["MIG-10"],
    "Remains of a killed rehearsal are removed by the next opening for writing and the next rehearsal, and copies in use stay.",
    needs: [.openReadOnly, .destroy]
  ) { kit in
    let place = try kit.makePlace()
    guard kit.undecorated(place) is any ScratchProvider else { return }
    let store = try kit.open([Item.self], at: place)
    try store.insert(contentsOf: (0..<10).map { Item($0) })
    try store.close()
    var reading = OpenOptions()
    reading.isReadOnly = true
    for opens in [true, false] {
      let child = try kit.secondProcess(at: place)
      try child.expect("rehearse-hold", "rehearsing")
      try expectEqual(try scratches(kit, place).count, 1, "while it is rehearsed")
      try kit.open([Item.self], at: place).close()
      try expectEqual(try scratches(kit, place).count, 1, "what is in use")
      child.kill()
      try kit.open([Item.self], at: place, options: reading).close()
      try expectEqual(try scratches(kit, place).count, 1, "after an opening for reading")
      if opens {
        try kit.open([Item.self], at: place).close()
      } else {
        let report = try Store.rehearse(program: [], in: kit.undecorated(place), migration: .to(1))
        try expect(report.error == nil, "\(String(describing: report.error))")
      }
      try expectEqual(try scratches(kit, place), [], "afterwards")
    }
    try expectEqual(try kit.open([Item.self], at: place).count(Item.all), 10)
  }
}
