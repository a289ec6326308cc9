import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// A system that gives no more space in the middle of a migration, a backup or a compaction: a process of its own meets it.
enum FullMigrationCases {
  static let all: [ConformanceCase] = MigrationWorkload.allCases.map { migration($0) } + [backup, compaction]

  /// The names of what is in the folder of a path.
  private static func neighbours(_ path: String) throws -> [String] {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    return try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
  }

  private static func path(_ kit: ConformanceContext, _ place: any BackendProvider) throws -> String {
    try unwrap(kit.harness.secondProcess?.address(kit.undecorated(place)), "the address of a place")
  }

  private static func migration(_ way: MigrationWorkload) -> ConformanceCase {
    .processes(
      "MIG.full-\(way)", ["MIG-1", "LIM-2"],
      "A migration that finds no more space is full, the store is as it was, and migrates when there is space."
    ) { kit in
      let place = try kit.makePlace()
      // A server has the files of its stores: it meets the end of the space itself.
      guard kit.harness.folder(of: kit.undecorated(place)) != nil else { return }
      try way.fill(kit, at: place)
      let first = try kit.open([], at: place)
      let before = try MigrationContent(first)
      try first.close()
      let path = try path(kit, place)
      let files = try neighbours(path)
      for bytes in [4_096, 16_384] {
        // Open before, so that it is the migration that finds no space.
        let child = try kit.secondProcess(at: place, "open none", "limit-files \(bytes)")
        try expectError(.full, "with files of \(bytes) bytes") { try child.ask("migrate \(way)") }
        try child.ask("unlimit-files")
        try child.ask("close")
        try child.finish()
        let store = try kit.open([], at: place)
        try expectEqual(try MigrationContent(store), before, "with files of \(bytes) bytes")
        try store.expectWhole("with files of \(bytes) bytes")
        try store.close()
        try expectEqual(try neighbours(path), files, "what lies beside the store")
      }
      let child = try kit.secondProcess(at: place, "open none", "limit-files 4096")
      try expectError(.full) { try child.ask("migrate \(way)") }
      try child.ask("unlimit-files")
      try expect(try child.ask("migrate \(way)") != "open 0")
      try child.ask("close")
      let store = try kit.open([], at: place)
      try way.expectMigrated(try MigrationContent(store))
      try store.expectWhole()
    }
  }

  private static func items(_ kit: ConformanceContext) -> [Item] {
    var random = kit.random(51)
    return (0..<2_000).map { id in
      Item(id, rank: id % 7, name: (0..<20).map { _ in String(random.next(), radix: 36) }.joined())
    }
  }

  private static let backup = ConformanceCase.processes(
    "CARE.full-backup", ["CARE-8", "LIM-2"],
    "A backup that finds no more space is full and leaves nothing, and is made when there is space.",
    needs: [.backup]
  ) { kit in
    let (place, copy) = (try kit.makePlace(), try kit.makePlace())
    let store = try kit.open([Item.self], at: place)
    try store.insert(contentsOf: items(kit))
    try store.close()
    let path = try path(kit, copy)
    for bytes in [1, 4_096, 100_000] {
      let child = try kit.secondProcess(at: place, "open item", "limit-files \(bytes)")
      try expectError(.full, "with files of \(bytes) bytes") { try child.ask("backup \(path)") }
      try expectEqual(try neighbours(path), [], "what a backup in files of \(bytes) bytes leaves")
      try child.ask("unlimit-files")
      try child.expect("named x", "0")
      try child.ask("close")
      try child.finish()
    }
    let again = try kit.open([Item.self], at: place)
    try again.expectWhole()
    try again.backup(to: path)
    let made = try kit.open([Item.self], at: copy)
    try expectEqual(try made.fetch(Item.all), try again.fetch(Item.all))
    try expectEqual(try made.count(Item.all), 2_000)
  }

  private static let compaction = ConformanceCase.processes(
    "CARE.full-compaction", ["CARE-4", "LIM-2"],
    "A compaction that finds no more space is full, the store is as it was, and is compacted when there is space.",
    needs: [.compact]
  ) { kit in
    let place = try kit.makePlace()
    let items = items(kit)
    let store = try kit.open([Item.self], at: place)
    try store.insert(contentsOf: items)
    try store.delete(Item.where { $0.id < 1_000 })
    try store.close()
    let path = try path(kit, place)
    let files = try neighbours(path)
    let child = try kit.secondProcess(at: place, "open item", "limit-files 16384")
    try expectError(.full) { try child.ask("compact") }
    try child.expect("named x", "0")
    try child.ask("unlimit-files")
    try child.ask("insert 1 1 x")
    try child.expect("named x", "1")
    try child.ask("compact")
    try child.ask("close")
    try child.finish()
    try expectEqual(try neighbours(path), files, "what lies beside the store")
    let again = try kit.open([Item.self], at: place)
    try expectEqual(try again.fetch(Item.all), [Item(1, rank: 1, name: "x")] + items.suffix(1_000))
    try again.expectWhole()
  }
}
