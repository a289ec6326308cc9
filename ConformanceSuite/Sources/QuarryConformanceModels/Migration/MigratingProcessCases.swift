import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Processes that meet while one of them migrates.
enum MigratingProcessCases {
  static let all: [ConformanceCase] =
    MigrationWorkload.allCases.map { atOnce($0) } + [oneWaits, oneIsRefused, openHere, openThere, writerThere]

  private typealias First = Library.First.Book

  private static func expectMigrated(
    _ kit: ConformanceContext, _ place: any BackendProvider, _ way: MigrationWorkload, more: [Int] = [],
    _ about: String = ""
  ) throws {
    let store = try kit.open([], at: place)
    defer { try? store.close() }
    try way.expectMigrated(try MigrationContent(store), more: more, about)
    try store.expectWhole(about)
  }

  /// Three at once, whoever is first.
  private static func atOnce(_ way: MigrationWorkload) -> ConformanceCase {
    .processes(
      "MIG.processes-at-once-\(way)", ["MIG-9", "MP-1"],
      "Of processes that migrate at once, one migrates and the others open the result.", needs: [.multipleProcesses],
      within: .seconds(120)
    ) { kit in
      for round in 0..<max(2, kit.kills / 5) {
        let place = try kit.makePlace()
        try way.fill(kit, at: place)
        let children = try (0..<3).map { _ in try kit.secondProcess(at: place) }
        for child in children { child.tell("migrate \(way)") }
        let answers = try children.map { try $0.answer(to: "migrate \(way)") }
        try expectEqual(answers.filter { $0 != "open 0" }.count, 1, "round \(round): who migrated of \(answers)")
        for child in children {
          try child.ask("close")
          try child.finish()
        }
        try expectMigrated(kit, place, way, "round \(round)")
      }
    }
  }

  private static let oneWaits = ConformanceCase.processes(
    "MIG.process-waits", ["MIG-9", "MP-1"],
    "A process that would migrate while another one does waits, and then opens the result.",
    needs: [.multipleProcesses]
  ) { kit in
    for way in MigrationWorkload.allCases {
      let place = try kit.makePlace()
      try way.fill(kit, at: place)
      let first = try kit.secondProcess(at: place, "stop-at 3")
      let said = try first.ask("migrate \(way)")
      try expect(said.hasPrefix("at "), said)
      let second = try kit.secondProcess(at: place)
      second.tell("migrate \(way)")
      usleep(20_000)
      let done = try first.ask("go on")
      try expect(done.hasPrefix("open ") && done != "open 0", done)
      try expectEqual(try second.answer(to: "migrate \(way)"), "open 0")
      try first.ask("close")
      try second.ask("close")
      try expectMigrated(kit, place, way)
    }
  }

  private static let oneIsRefused = ConformanceCase.processes(
    "MIG.process-refused", ["MIG-9", "MP-2"],
    "Where a store has one process, another that would migrate is inUse, and opens the result afterwards."
  ) { kit in
    guard kit.manifest.capabilities[.multipleProcesses]?.isSupported != true else { return }
    for way in MigrationWorkload.allCases {
      let place = try kit.makePlace()
      try way.fill(kit, at: place)
      let first = try kit.secondProcess(at: place, "stop-at 3")
      try first.ask("migrate \(way)")
      let second = try kit.secondProcess(at: place)
      try expectError(.inUse) { try second.ask("migrate \(way)") }
      let done = try first.ask("go on")
      try expect(done.hasPrefix("open ") && done != "open 0", done)
      try expectError(.inUse) { try second.ask("migrate \(way)") }
      try first.ask("close")
      try second.expect("migrate \(way)", "open 0")
      try second.ask("close")
      try expectMigrated(kit, place, way)
    }
  }

  private static let openHere = ConformanceCase.processes(
    "MIG.open-while-another-migrates", ["MIG-9", "MP-4", "SNAP-1"],
    "An open store reads while another process migrates, keeps its snapshots, and is schemaMismatch afterwards.",
    needs: [.multipleProcesses, .snapshots]
  ) { kit in
    let place = try kit.makePlace()
    try MigrationWorkload.plan.fill(kit, at: place)
    var options = OpenOptions()
    options.busyTimeout = 0.1
    let store = try kit.open([First.self], at: place, options: options)
    let frozen = try store.freeze()
    let books = (0..<MigrationWorkload.count).map { MigrationWorkload.book($0) }
    let child = try kit.secondProcess(at: place, "stop-at 4")
    let said = try child.ask("migrate plan")
    try expect(said.hasPrefix("at "), said)
    if kit.manifest.schemaChanges == .afterSnapshots {
      // Reads may wait while the other migrates. It waits for the frozen store.
      child.tell("go on")
      usleep(20_000)
      frozen.close()
      let done = try child.answer(to: "go on")
      try expect(done != "open 0", done)
      try expectError(.schemaMismatch) { try store.fetch(First.all) }
      try expectError(.schemaMismatch) { try store.insert(MigrationWorkload.book(900)) }
      try child.ask("close")
      return try expectMigrated(kit, place, .plan)
    }
    // While the other migrates, its turn is taken and its work is not seen.
    try expectEqual(try store.fetch(First.all), books)
    try expectError(.busy) { try store.insert(MigrationWorkload.book(900)) }
    try store.read { tx in
      try expectEqual(try tx.count(First.all), books.count)
      let done = try child.ask("go on")
      try expect(done != "open 0", done)
      // A read that was open sees its state to its end.
      try expectEqual(try tx.fetch(First.all), books)
    }
    try expectEqual(try frozen.fetch(First.all), books)
    try expectEqual(try frozen.count(First.where { $0.year == "soon" }), books.filter { $0.year == "soon" }.count)
    try expectError(.schemaMismatch) { try store.fetch(First.all) }
    try expectError(.schemaMismatch) { try store.get(First.self, 1) }
    try expectError(.schemaMismatch) { try store.insert(MigrationWorkload.book(900)) }
    try child.ask("close")
    try expectMigrated(kit, place, .plan)
    try expectEqual(try frozen.fetch(First.all), books)
    frozen.close()
    try store.close()
    try expectEqual(try kit.open(plan: Library.Plan.self, at: place).openingReport.schemaChanges, [])
  }

  private static let openThere = ConformanceCase.processes(
    "MIG.open-in-another", ["MIG-9", "MP-4", "SNAP-1"],
    "Another process that has the store open keeps its snapshot during a migration, and is schemaMismatch afterwards.",
    needs: [.multipleProcesses, .snapshots]
  ) { kit in
    let place = try kit.makePlace()
    try MigrationWorkload.plan.fill(kit, at: place)
    let child = try kit.secondProcess(at: place, "open library", "freeze")
    let count = "\(MigrationWorkload.count)"
    try child.expect("books", count)
    if kit.manifest.schemaChanges == .afterSnapshots {
      try expectError(.busy) { try MigrationWorkload.plan.migrate(place, timeout: 0.3) }
      try child.expect("books", count)
      try child.ask("thaw")
      try child.expect("books", count)
    }
    let store = try MigrationWorkload.plan.migrate(place)
    defer { try? store.close() }
    if kit.manifest.schemaChanges == .besideSnapshots {
      try child.expect("books", count)
      try child.ask("thaw")
    }
    try expectError(.schemaMismatch) { try child.ask("books") }
    try expectError(.schemaMismatch) { try child.ask("insert-book 900") }
    try child.ask("close")
    try child.expect("migrate plan", "open 0")
    try child.ask("close")
    try expectMigrated(kit, place, .plan)
  }

  private static let writerThere = ConformanceCase.processes(
    "MIG.writer-in-another", ["MIG-9", "MIG-1", "MP-1"],
    "A migration waits for a write of another process, and includes its commit.",
    needs: [.multipleProcesses]
  ) { kit in
    for isCommitted in [true, false] {
      let place = try kit.makePlace()
      try MigrationWorkload.plan.fill(kit, at: place)
      let writer = try kit.secondProcess(at: place, "open library", "write", "insert-book 900")
      let migrator = try kit.secondProcess(at: place)
      migrator.tell("migrate plan")
      usleep(20_000)
      try writer.ask(isCommitted ? "commit" : "rollback")
      let done = try migrator.answer(to: "migrate plan")
      try expect(done != "open 0", done)
      try expectError(.schemaMismatch) { try writer.ask("insert-book 901") }
      try writer.ask("close")
      try migrator.ask("close")
      try expectMigrated(kit, place, .plan, more: isCommitted ? [900] : [], "committed: \(isCommitted)")
    }
  }
}
