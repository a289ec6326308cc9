import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// What a disk keeps of a store, if it keeps nothing but what it was asked to keep, after steps whose syncs no commit makes up
/// for.
enum KeptOnDiskCases {
  private static func kept(
    _ name: String, _ clauses: [String], _ summary: String, needs: Set<Capability> = [], file: String = #fileID,
    line: Int = #line, _ body: @escaping @Sendable (ConformanceContext, CrashLaboratory) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      "DUR.\(name)", clauses, summary, needs: needs, requiresPersistence: true, requiresCrashLab: true,
      level: .hardened, without: ConformanceVariant.allButFresh.subtracting([.encrypted]), within: .seconds(60),
      file: file, line: line
    ) { kit in try body(kit, try CrashLaboratory(kit)) }
  }

  /// The folder of a place.
  private static func folder(_ kit: ConformanceContext, _ place: any BackendProvider) throws -> String {
    try unwrap(kit.harness.folder(of: kit.undecorated(place)), "the harness's folder of a place")
  }

  private static func expectIDs(
    _ kit: ConformanceContext, _ image: FileImage, _ ids: [Int], _ about: String, line: Int = #line
  ) throws {
    let place = try kit.makePlace()
    try image.put(in: folder(kit, place))
    var options = OpenOptions()
    options.createsIfMissing = false
    let store = try kit.open([Item.self], at: place, options: options)
    try expectEqual(try store.keys(Item.all), ids, about, line: line)
    try expectEqual(try store.check(), [], about, line: line)
    try store.close()
  }

  /// Whether an opening of a store has the durability that another one asked for.
  private static func sharesDurability(_ kit: ConformanceContext) throws -> Bool {
    let place = try kit.makePlace()
    var options = OpenOptions()
    let first = try kit.open([Item.self], at: place, options: options)
    options.durability = BackendManifest.Durability.none
    let second = try kit.open([Item.self], at: place, options: options)
    defer {
      try? second.close()
      try? first.close()
    }
    return second.manifest.durability == .powerLoss
  }

  static let all: [ConformanceCase] = [
    kept(
      "kept-when-opened", ["DUR-7"],
      "What a store had when it was opened for powerLoss is on the disk, though it had been opened for nothing before.",
      needs: [.openDurability, .check]
    ) { kit, laboratory in
      // Elsewhere such a store may be damaged before.
      guard kit.harness.afterLostPower(.none).isCommittedState else { return }
      let commands = ["open-for none", "insert 1", "insert 2", "close", "open-for powerLoss"]
      try expectIDs(kit, try laboratory.leftOnDisk(after: commands), [1, 2], "opened")
      try expectIDs(kit, try laboratory.leftOnDisk(after: commands + ["insert 3"]), [1, 2, 3], "written to")
    },
    kept(
      "kept-when-raised", ["OPEN-5", "DUR-7"],
      "What a store had when another opening asked for powerLoss is on the disk, as it is shared by both.",
      needs: [.openDurability, .check]
    ) { kit, laboratory in
      guard try sharesDurability(kit) else { return }
      for first in [BackendManifest.Durability.none, .processCrash] {
        let commands = ["open-for \(first.rawValue)", "insert 1", "open-also-for powerLoss"]
        try expectIDs(kit, try laboratory.leftOnDisk(after: commands), [1], "opened for \(first)")
        try expectIDs(kit, try laboratory.leftOnDisk(after: commands + ["insert 2"]), [1, 2], "opened for \(first)")
      }
    },
    kept(
      "kept-by-compaction", ["DUR-7", "CARE-4", "CARE-9"],
      "A commit that was made while a store was compacted is on the disk when both have returned.",
      needs: [.compact, .check]
    ) { kit, laboratory in
      let commands = ["open item", "insert-many 1 20 200", "compact-beside 100"]
      try expectIDs(kit, try laboratory.leftOnDisk(after: commands), Array(1...20) + [100], "compacted")
    },
    kept(
      "kept-tail", ["DUR-5", "DUR-7"],
      "The end that is put aside is on the disk when the store was opened from which it was cut off.",
      needs: [.openReadOnly, .check]
    ) { kit, laboratory in
      guard try ClosedStoreCases.knowsEnd(kit) else { return }
      let first = try kit.makePlace()
      let store = try kit.open([Item.self], at: first)
      try store.insert(contentsOf: (0..<4).map { Item($0) })
      let border = try ClosedStoreCases.file(kit, first).bytes.count
      try store.insert(Item(4, note: "torn"))
      var hot = try ClosedStoreCases.file(kit, first).bytes
      try store.close()
      hot[border + (hot.count - border) / 2] ^= 1
      let torn = hot.suffix(from: border)
      let place = try ClosedStoreCases.place(kit, with: hot)
      let image = try laboratory.leftOnDisk(from: FileImage.read(folder(kit, place)).image, after: ["open item"])
      let left = try kit.makePlace()
      try image.put(in: folder(kit, left))
      let files = try FileManager.default.contentsOfDirectory(atPath: folder(kit, left)).map { name in
        try Data(contentsOf: URL(fileURLWithPath: "\(folder(kit, left))/\(name)"))
      }
      try expect(files.contains { $0.range(of: torn) != nil }, "the end is in no file")
      try expectEqual(try kit.open([Item.self], at: left).keys(Item.all), Array(0..<4))
    },
  ]
}
