import Foundation
import QuarryBackend
import QuarryCore
import Synchronization

/// Commands of a process whose disk is slow: a commit is on its way there while the store is used.
extension ChildInterpreter {
  static let slowDisks: [String: Command] = [
    // slow-disk USE COPY: uses the store while a commit waits for the disk, and says whether a later read sees what that use
    // saw. A copy is made at the path, in a folder whose disk is not slow.
    "slow-disk": { child, words in
      guard let use = words.first.flatMap(SlowDiskUse.init(rawValue:)) else {
        throw StorageError(.invalidValue, "no use: \(words.joined(separator: " "))")
      }
      return try SlowDiskRun(child, use, copyPath: words.dropFirst().joined(separator: " ")).run()
    }
  ]
}

/// What is done with a store while another thread's commit waits for the disk.
package enum SlowDiskUse: String, CaseIterable, Sendable {
  /// A write transaction that is rolled back.
  case rollback
  /// A write transaction that reads alone, and one that stores what is there.
  case reading, unchanged
  case write, freeze, backup
}

private final class SlowDiskRun: @unchecked Sendable {
  // Unchecked: the number of writes belongs to the thread of the run; the rest is constant or has a lock.
  /// What a transaction saw of the commit.
  private struct Sight {
    let version: CommitVersion
    let isThere: Bool

    init(_ transaction: ReadTransaction) throws {
      version = try transaction.version
      isThere = try transaction.exists(Item.self, 1)
    }

    /// Whether a later transaction may see this.
    func mayFollow(_ before: Sight) -> Bool { version >= before.version && (isThere || !before.isThere) }
  }

  private struct Undone: Error {}

  private let store: Store
  private let use: SlowDiskUse
  private let copyPath: String
  private let copy: any BackendProvider
  private var written = 0
  private let commit = Mutex<(hasReturned: Bool, error: (any Error)?)>((false, nil))

  init(_ child: ChildInterpreter, _ use: SlowDiskUse, copyPath: String) throws {
    store = try child.store()
    self.use = use
    self.copyPath = copyPath
    copy = try child.process.place(copyPath)
  }

  func run() throws -> String {
    try store.upsert(Item(2))
    // A copy takes longer than a transaction.
    CrashLab.slowSyncs(microseconds: use == .backup ? 400_000 : 150_000)
    let group = DispatchGroup()
    group.enter()
    Thread.detachNewThread { [self] in
      var failure: (any Error)?
      do { try store.insert(Item(1)) } catch { failure = error }
      commit.withLock { [failure] in $0 = (true, failure) }
      group.leave()
    }
    defer {
      CrashLab.slowSyncs(microseconds: 0)
      group.wait()
    }
    while true {
      // What begins after the commit has returned sees it.
      let (isLast, error) = commit.withLock { $0 }
      if let error { throw error }
      if let (seen, later) = try sights() {
        guard later.mayFollow(seen) else { return "\(seen) was seen, and then \(later)" }
        // A copy is made once, and may lack the commit.
        if seen.isThere || use == .backup { return "kept" }
      }
      if isLast { return "the commit has returned and is not seen" }
      usleep(500)
    }
  }

  /// What the use saw, and what a later read did; nil where it was not used.
  private func sights() throws -> (Sight, Sight)? {
    var seen: Sight?
    switch use {
    case .rollback:
      do {
        try store.write { tx in
          seen = try Sight(tx)
          throw Undone()
        }
      } catch is Undone {}
    case .reading: try store.write { seen = try Sight($0) }
    case .unchanged, .write:
      // Every write of a new rank changes something.
      written += use == .write ? 1 : 0
      try store.write { tx in
        seen = try Sight(tx)
        try tx.upsert(Item(2, rank: written == 0 ? nil : written))
      }
    case .freeze:
      let frozen = try store.freeze()
      defer { frozen.close() }
      seen = try frozen.read { try Sight($0) }
    case .backup: return try backup()
    }
    guard let seen else { return nil }
    return (seen, try store.read { try Sight($0) })
  }

  /// Copies the store while a writer that sees the commit has the turn, because the commit may wait for the disk then.
  private func backup() throws -> (Sight, Sight)? {
    let later = try store.write { tx -> Sight? in
      guard try Sight(tx).isThere else { return nil }
      let read = Mutex<Sight?>(nil)
      try onAnotherThread { [store, copyPath] in
        try store.backup(to: copyPath)
        let sight = try store.read { try Sight($0) }
        read.withLock { $0 = sight }
      }
      return read.withLock { $0 }
    }
    guard let later else { return nil }
    var options = OpenOptions()
    options.createsIfMissing = false
    let opened = try Store(models: [Item.self], in: copy, options: options)
    defer { try? opened.close() }
    return (try opened.read { try Sight($0) }, later)
  }
}
