import Foundation
import QuarryBackend
import QuarryConformanceKit

/// What is done with a store while a commit of another thread waits for a slow disk: what it saw is not taken back.
enum SlowDiskCases {
  private static let summaries: [SlowDiskUse: (clauses: [String], String)] = [
    .rollback: (["ISO-3", "DUR-7"], "A write that was rolled back has seen nothing that later ones do not see"),
    .reading: (["ISO-3", "DUR-7"], "A write that read alone has seen nothing that later transactions do not see"),
    .unchanged: (["ISO-3", "DUR-7"], "A write that changed nothing has seen nothing that later ones do not see"),
    .write: (["ISO-3", "DUR-7"], "A write has seen nothing that later transactions do not see"),
    .freeze: (["ISO-3", "ISO-2"], "A frozen store has nothing that later transactions do not see"),
    .backup: (["CARE-7", "CARE-8"], "A backup has nothing that later transactions do not see"),
  ]

  static let all: [ConformanceCase] = SlowDiskUse.allCases.map { use in
    let (clauses, summary) = summaries[use] ?? ([], "")
    let needs: [SlowDiskUse: Set<Capability>] = [.freeze: [.snapshots], .backup: [.backup]]
    return ConformanceCase(
      "DUR.slow-disk-\(use.rawValue)", clauses, "\(summary), while a commit before it waits for the disk.",
      needs: needs[use] ?? [], requiresPersistence: true, requiresCrashLab: true,
      without: ConformanceVariant.allButFresh.subtracting([.encrypted]), within: .seconds(60)
    ) { kit in
      let place = try kit.makePlace()
      let folder = try unwrap(kit.harness.folder(of: kit.undecorated(place)), "the harness's folder of a place")
      let real = try CrashLab.realPath(folder)
      let log = real + ".record"
      defer { unlink(log) }
      let child = try kit.observedProcess(at: place)
      try child.expect("open item", "open")
      try child.expect("lab-record \(log) | \(real)", "ready")
      try CopyScene.inFolder { copy in try child.expect("slow-disk \(use.rawValue) \(copy)", "kept") }
      try child.expect("close", "closed")
      try child.finish()
    }
  }
}
