import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryEncryption
import Synchronization

/// Stores whose files are removed, moved or replaced by others while they are open.
enum ReplacedStoreCases {
  /// What happens to the files.
  private enum Change: String, CaseIterable {
    case removed, moved, replaced
  }

  private static let text = "was removed or replaced while it was open"
  private static let items = (1...40).map { Item($0, rank: $0 % 5, name: "old") }

  /// An open store with items, and its files.
  private struct Scene {
    let kit: ConformanceContext
    let place: any BackendProvider
    let store: Store
    /// The folder that has the files and nothing else; nil for a store without files.
    let folder: String?

    init(_ kit: ConformanceContext, options: OpenOptions = OpenOptions()) throws {
      self.kit = kit
      place = try kit.makePlace()
      store = try kit.open([Item.self], at: place, options: options)
      try store.insert(contentsOf: items)
      folder = kit.files(at: place).isEmpty ? nil : kit.harness.folder(of: kit.undecorated(place))
    }

    var away: String { (folder ?? "") + ".away" }

    /// - Returns: The files that have names of the store now, and are others'.
    @discardableResult
    func apply(_ change: Change, options: OpenOptions = OpenOptions()) throws -> [String] {
      guard let folder else { return [] }
      switch change {
      case .removed: for path in kit.files(at: place) { try FileManager.default.removeItem(atPath: path) }
      case .moved: try FileManager.default.moveItem(atPath: folder, toPath: away)
      case .replaced:
        let other = try kit.makePlace()
        let filled = try kit.open([Item.self], at: other, options: options)
        try filled.insert(Item(7_000, name: "other"))
        try filled.close()
        let source = try unwrap(kit.harness.folder(of: kit.undecorated(other)), "the harness's folder of a place")
        return try kit.files(at: other).map { path in
          let target = folder + path.dropFirst(source.count)
          guard rename(path, target) == 0 else { throw ConformanceFailure.renaming(path) }
          return target
        }
      }
      return []
    }

    /// Does something, and expects that it leaves the files that were put in the place of the store's, and makes none.
    func expectUntouched(_ put: [String], _ body: () throws -> Void) throws {
      func content() throws -> [Data] { try put.map { try Data(contentsOf: URL(fileURLWithPath: $0)) } }
      let (before, names) = (try content(), kit.files(at: place))
      try body()
      try expect(try content() == before, "files that are not the store's were changed")
      try expectEqual(kit.files(at: place), names, "the files that have names of the store")
    }

    func comeBack() throws { try FileManager.default.moveItem(atPath: away, toPath: folder ?? "") }

    func end() {
      try? store.close()
      if folder != nil { try? FileManager.default.removeItem(atPath: away) }
    }
  }

  private static func expectGone<R>(
    _ about: String, file: String = #fileID, line: Int = #line, _ body: () throws -> R
  ) throws {
    let error = try expectError(.io, about, file: file, line: line, body)
    try expect(error.message.hasSuffix(text), "\(about): \(error.message)", file: file, line: line)
  }

  /// Reads what was committed, or finds that the store is gone.
  private static func readOrGone(_ body: () throws -> Void) throws {
    do { try body() } catch let error as StorageError { try expect(error.message.hasSuffix(text), error.message) }
  }

  private static func replaced(
    _ name: String, _ clauses: [String], _ summary: String, needs: Set<Capability> = [],
    file: String = #fileID, line: Int = #line,
    _ body: @escaping @Sendable (ConformanceContext, Change) throws -> Void
  ) -> [ConformanceCase] {
    Change.allCases.map { change in
      ConformanceCase(
        "FILE.\(name)-\(change)", clauses, "\(summary) (\(change))", needs: needs, requiresPersistence: true,
        without: ConformanceVariant.allButFresh, file: file, line: line
      ) { try body($0, change) }
    }
  }

  static let all: [ConformanceCase] =
    replaced(
      "write", ["FILE-20"], "Writes to a store whose files are gone are an error, each of them, and change nothing."
    ) { kit, change in
      let scene = try Scene(kit)
      guard scene.folder != nil else { return }
      defer { scene.end() }
      try scene.expectUntouched(try scene.apply(change)) {
        for round in 0..<3 {
          let about = "write \(round)"
          try expectGone(about) { try scene.store.insert(Item(100 + round)) }
          try expectGone(about) { try scene.store.write { try $0.delete(Item.self, 1) } }
          try expectGone(about) { try scene.store.assign(Item.all) { $0.name = "new" } }
        }
      }
      // What changes nothing is nothing that could be lost.
      _ = try scene.store.write { try $0.count(Item.all) }
    }
    + replaced(
      "read", ["FILE-20"], "Snapshots and reads of a store whose files are gone see what was committed.",
      needs: [.snapshots]
    ) { kit, change in
      let scene = try Scene(kit)
      guard scene.folder != nil else { return }
      defer { scene.end() }
      let frozen = try scene.store.freeze()
      defer { frozen.close() }
      try scene.apply(change)
      try expectEqual(try frozen.fetch(Item.all), items)
      try expectGone("a write") { try scene.store.insert(Item(100)) }
      try expectEqual(try frozen.fetch(Item.where { $0.rank == 2 }), items.filter { $0.rank == 2 })
      // An engine that has to open the file once more for a reader must not read another store.
      try readOrGone { try expectEqual(try scene.store.fetch(Item.all), items) }
      try readOrGone {
        try scene.store.read { tx in
          try expectEqual(try tx.count(Item.all), items.count)
          try readOrGone {
            try onAnotherThread { try expectEqual(try scene.store.count(Item.all), items.count) }
          }
        }
      }
    }
    + replaced("care", ["FILE-20"], "Compaction of a store whose files are gone is an error.", needs: [.compact]) {
      kit, change in
      let scene = try Scene(kit)
      guard scene.folder != nil else { return }
      defer { scene.end() }
      try scene.expectUntouched(try scene.apply(change)) {
        try expectGone("compact") { try scene.store.compact() }
      }
    }
    + replaced(
      "destroy", ["FILE-20"], "Destroying a store whose files are gone removes nothing.", needs: [.destroy]
    ) { kit, change in
      let scene = try Scene(kit)
      guard scene.folder != nil else { return }
      defer { scene.end() }
      try scene.expectUntouched(try scene.apply(change)) {
        try expectGone("destroy") { try scene.store.destroy() }
      }
    }
    + replaced(
      "rekey", ["FILE-20"], "The key of a store whose files are gone is not changed, nor that of what is there now.",
      needs: [.openEncryption]
    ) { kit, change in
      let options = try SealedScene.options(1)
      for extent in [RekeyExtent.full, .wrappingOnly] {
        let scene = try Scene(kit, options: options)
        guard scene.folder != nil else { return }
        defer { scene.end() }
        try scene.expectUntouched(try scene.apply(change, options: options)) {
          try expectGone("\(extent)") { try scene.store.rekey(to: ConformanceKey.key(2), extent) }
        }
      }
    }
    + replaced("observer", ["FILE-21"], "Observers of a store whose files are gone end with that error.") {
      kit, change in
      let scene = try Scene(kit)
      guard scene.folder != nil else { return }
      defer { scene.end() }
      let told = Mutex<(any Error)?>(nil)
      let ended = MonotonicSemaphore()
      let token = try scene.store.observe(
        Item.all,
        onError: { error in
          told.withLock { $0 = error }
          ended.signal()
        }
      ) { _ in }
      defer { token.cancel() }
      try scene.apply(change)
      try expect(ended.wait(atMost: .seconds(10)), "the observer was not ended")
      try expectGone("the observer's error") { throw told.withLock { $0 } ?? StorageError(.closed, "none") }
      try expectGone("another observer") { try scene.store.observe(Item.all) { _ in } }
    }
    + others

  private static let others: [ConformanceCase] = [
    ConformanceCase(
      "FILE.back", ["FILE-20"], "When the files have their names again, the store is written to again.",
      requiresPersistence: true, without: ConformanceVariant.allButFresh
    ) { kit in
      let scene = try Scene(kit)
      guard scene.folder != nil else { return }
      defer { scene.end() }
      try scene.apply(.moved)
      try expectGone("a write") { try scene.store.insert(Item(100)) }
      try scene.comeBack()
      try scene.store.insert(Item(101))
      try scene.store.close()
      let store = try kit.open([Item.self], at: scene.place)
      try expectEqual(try store.keys(Item.all), (1...40) + [101])
      try expectEqual(try store.check(), [])
    },
    ConformanceCase(
      "FILE.while-open", ["FILE-20"], "A store that is replaced while a write is open refuses its commit.",
      requiresPersistence: true, without: ConformanceVariant.allButFresh
    ) { kit in
      let scene = try Scene(kit)
      guard scene.folder != nil else { return }
      defer { scene.end() }
      try expectGone("the commit") {
        try scene.store.write { tx in
          try tx.insert(Item(100))
          try scene.apply(.moved)
        }
      }
      try scene.comeBack()
      try expectEqual(try scene.store.keys(Item.all), Array(1...40))
    },
    ConformanceCase(
      "FILE.compacted", ["FILE-22", "OPEN-5"],
      "Openings and observers of a store go on while another opening gives it a new file.", needs: [.compact],
      requiresPersistence: true, without: ConformanceVariant.allButFresh
    ) { kit in
      let scene = try Scene(kit)
      defer { scene.end() }
      let other = try kit.open([Item.self], at: scene.place)
      let failure = Mutex<(any Error)?>(nil)
      let token = try other.observe(Item.all, onError: { error in failure.withLock { $0 = error } }) { _ in }
      defer { token.cancel() }
      for round in 0..<12 {
        try (round % 2 == 0 ? scene.store : other).compact()
        try other.insert(Item(100 + 2 * round))
        try scene.store.insert(Item(101 + 2 * round))
        usleep(30_000)
      }
      try expect(failure.withLock { $0 } == nil, "the observer ended: \(String(describing: failure.withLock { $0 }))")
      try expectEqual(try other.count(Item.all), 64)
      try expectEqual(try scene.store.count(Item.all), 64)
    },
    .processes(
      "FILE.other-process", ["FILE-20"], "A process finds that another one has replaced the store.",
      needs: [.destroy]
    ) { kit in
      let scene = try Scene(kit)
      guard scene.folder != nil else { return }
      try scene.store.close()
      let child = try kit.secondProcess(at: scene.place, "open item", "insert 100")
      try scene.apply(.replaced)
      try expectGone("insert") { try child.ask("insert 101") }
      try expectGone("destroy") { try child.ask("destroy") }
      try child.expect("rank 3", "3")
    },
  ]
}

extension ConformanceFailure {
  fileprivate static func renaming(_ path: String) -> ConformanceFailure {
    ConformanceFailure(message: "\(path) cannot be renamed: \(errno)", file: #fileID, line: #line)
  }
}
