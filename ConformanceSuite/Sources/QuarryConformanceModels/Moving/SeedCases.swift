import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Stores that begin as copies of others.
enum SeedCases {
  private static func seed(
    _ name: String, _ summary: String, without: Set<ConformanceVariant> = [],
    _ body: @escaping @Sendable (ConformanceContext) async throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      "MOVE.seed-\(name)", ["MOVE-8"], summary, needs: [.backup, .openReadOnly], requiresPersistence: true,
      without: without, body)
  }

  static let all: [ConformanceCase] = [
    seed("first", "The first opening copies the seed, and the seed stays as it is.") { kit in
      guard let (seeded, place) = try seeded(kit, (0..<30).map { Item($0) }) else { return }
      let files = try contents(kit, place)
      let store = try kit.open([Item.self], at: seeded)
      try expectEqual(try store.fetch(Item.all), (0..<30).map { Item($0) })
      try store.insert(Item(100))
      try store.delete(Item.self, 3)
      try store.close()
      try expectEqual(try contents(kit, place), files)
      try expectEqual(try kit.open([Item.self], at: place).count(Item.all), 30)
    },
    seed("second", "A later opening does not look at the seed.") { kit in
      guard let (seeded, place) = try seeded(kit, (0..<30).map { Item($0) }) else { return }
      let first = try kit.open([Item.self], at: seeded)
      try first.insert(Item(100))
      try first.close()
      let seed = try kit.open([Item.self], at: place)
      try seed.delete(Item.all)
      try seed.close()
      try expectEqual(try kit.open([Item.self], at: seeded).count(Item.all), 31)
    },
    seed("migrated", "The content of a seed is brought to the program's models like any store.") { kit in
      guard let (seeded, place) = try seeded(kit, [Item(1)]) else { return }
      let store = try kit.open([Item.self, Plain.self], at: seeded)
      try expectEqual(try store.models().map(\.name), ["Item", "Plain"])
      try expectEqual(try kit.open([], at: place).models().map(\.name), ["Item"])
    },
    seed("missing", "Without a seed, for reading, or when nothing shall be made, no store is made.") { kit in
      guard let (seeded, place) = try seeded(kit, [Item(1)]) else { return }
      var options = OpenOptions()
      options.isReadOnly = true
      try expectError(.notFound) { try kit.open([Item.self], at: seeded, options: options) }
      options = OpenOptions()
      options.createsIfMissing = false
      try expectError(.notFound) { try kit.open([Item.self], at: seeded, options: options) }
      kit.harness.remove(kit.undecorated(place))
      try expectError(.notFound) { try kit.open([Item.self], at: seeded) }
    },
    seed("crowd", "Of several that open it first at once, one copies, and all have the seed's objects.") { kit in
      guard let (seeded, _) = try seeded(kit, (0..<30).map { Item($0) }) else { return }
      try onThreads(4) { _ in
        let store = try Store(models: [Item.self], in: seeded)
        defer { try? store.close() }
        try expectEqual(try store.count(Item.all), 30)
      }
    },
  ]

  /// A place with a closed store of the items, and one that is seeded from it; nil for a harness whose places have no paths.
  private static func seeded(
    _ kit: ConformanceContext, _ items: [Item]
  ) throws -> (seeded: SeededProvider, seed: any BackendProvider)? {
    let (seed, place) = (try kit.makePlace(), try kit.makePlace())
    guard let path = kit.harness.secondProcess?.address(kit.undecorated(place)) else { return nil }
    let store = try kit.open([Item.self], at: seed)
    try store.insert(contentsOf: items)
    try store.close()
    return (SeededProvider(place, from: kit.undecorated(seed), path: path), seed)
  }

  private static func contents(_ kit: ConformanceContext, _ place: any BackendProvider) throws -> [String: Data] {
    var files: [String: Data] = [:]
    for path in kit.files(at: place) where !path.hasSuffix("lock.mdb") {
      files[path] = try Data(contentsOf: URL(fileURLWithPath: path))
    }
    return files
  }
}
