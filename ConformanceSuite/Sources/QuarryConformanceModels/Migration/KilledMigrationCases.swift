import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Processes that are killed while they migrate: the store is the one of before or the one of afterwards, whole.
enum KilledMigrationCases {
  static let all: [ConformanceCase] = MigrationWorkload.allCases.flatMap { [atSteps($0), atRandom($0)] }

  /// A store of before, and what it has.
  private struct Scene {
    let kit: ConformanceContext
    let way: MigrationWorkload
    let place: any BackendProvider
    let before: MigrationContent

    init(_ kit: ConformanceContext, _ way: MigrationWorkload) throws {
      (self.kit, self.way) = (kit, way)
      place = try kit.makePlace()
      try way.fill(kit, at: place)
      let store = try kit.open([], at: place)
      before = try MigrationContent(store)
      try store.close()
    }

    /// Whether the store is the one of afterwards. It is one of both, and whole.
    func isMigrated(_ about: String) throws -> Bool {
      let store = try kit.open([], at: place)
      defer { try? store.close() }
      let content = try MigrationContent(store)
      if content.version == way.version {
        try way.expectMigrated(content, about)
      } else {
        try expectEqual(content, before, about)
      }
      try store.expectWhole(about)
      return content.version == way.version
    }

    /// Migrates what is left, as any program would.
    func expectGoesOn(_ about: String) throws {
      try way.migrate(place).close()
      try expect(try isMigrated(about), "\(about): the store is not migrated")
    }
  }

  /// How many steps the migration has, with the one after its commit.
  private static func steps(_ kit: ConformanceContext, _ way: MigrationWorkload) throws -> Int {
    let scene = try Scene(kit, way)
    let stop = StepStop(before: .max)
    try way.migrate(SteppingProvider(provider: scene.place, stop: stop)).close()
    try expect(try scene.isMigrated("without a kill"), "the store is not migrated")
    return stop.count
  }

  private static func atSteps(_ way: MigrationWorkload) -> ConformanceCase {
    .processes(
      "MIG.killed-at-steps-\(way)", ["MIG-1", "DUR-1", "DUR-2"],
      "Killed before any change, batch, commit or end of a migration, a process leaves all of it or nothing.",
      within: .seconds(120)
    ) { kit in
      let count = try steps(kit, way)
      var random = kit.random(31)
      // The commit and what follows it always; of the others as many as are asked for.
      let chosen = Set((1..<count - 1).shuffled(using: &random).prefix(kit.kills)).union([count - 1, count])
      var scene = try Scene(kit, way)
      for step in chosen.sorted() {
        let child = try kit.secondProcess(at: scene.place, "stop-at \(step)")
        let said = try child.ask("migrate \(way)")
        child.kill()
        let about = "killed \(said), step \(step) of \(count)"
        try expect(said.hasPrefix("at "), about)
        try expectEqual(try scene.isMigrated(about), said == "at committed", "\(about): whether it is migrated")
        if said == "at committed" { scene = try Scene(kit, way) }
      }
      try scene.expectGoesOn("after all kills")
    }
  }

  private static func atRandom(_ way: MigrationWorkload) -> ConformanceCase {
    .processes(
      "MIG.killed-\(way)", ["MIG-1", "DUR-1", "DUR-2"],
      "Killed at any moment of a migration, a process leaves all of it or nothing.", within: .seconds(120)
    ) { kit in
      var random = kit.random(32)
      var scene = try Scene(kit, way)
      // How long it takes when nothing kills it.
      let start = ContinuousClock.now
      let whole = try kit.secondProcess(at: scene.place, "migrate \(way)")
      let window = max(2_000, Int((ContinuousClock.now - start) / .microseconds(1)))
      whole.kill()
      try expect(try scene.isMigrated("migrated and killed"), "what was done is not there")
      scene = try Scene(kit, way)
      for kill in 0..<kit.kills {
        let delay = UInt32.random(in: 0...UInt32(clamping: window), using: &random)
        let child = try kit.secondProcess(at: scene.place)
        child.tell("migrate \(way)")
        usleep(delay)
        child.kill()
        let said = try child.remainingLines()
        let about = "kill \(kill) of seed \(kit.seed), \(delay) µs"
        let isMigrated = try scene.isMigrated(about)
        try expect(isMigrated || said.isEmpty, "\(about): what was said to be done is not there")
        if isMigrated { scene = try Scene(kit, way) }
      }
      try scene.expectGoesOn("after all kills")
    }
  }
}
