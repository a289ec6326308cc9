import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// What backups and compactions that do not come to their end leave beside a store, and what comes to their places meanwhile.
enum LeftoverCases {
  static let all: [ConformanceCase] = [killedBackup, takenPlace, ownNames, fullCompaction]

  private static func items(_ count: Int) -> [Item] {
    (0..<count).map { Item($0, rank: $0 % 7, name: String(repeating: "name \($0) ", count: 12)) }
  }

  // MARK: Backups

  /// Has a process begin a backup of the place to the path, and kills it when the copy is written and has not got its name.
  private static func kill(
    _ kit: ConformanceContext, _ place: any BackendProvider, backingUpTo path: String, before step: Int
  ) throws {
    let child = try kit.secondProcess(at: place, "stop-at \(step)", "open item")
    try child.expect("backup \(path)", "at part")
    child.kill()
    try expect(!FileManager.default.fileExists(atPath: path), "a copy that was not whole has its name")
  }

  private static func byteCount(_ kit: ConformanceContext, _ place: any BackendProvider) throws -> Int {
    try DamageCases.contents(kit, place).values.reduce(0) { $0 + $1.count }
  }

  private static let killedBackup = ConformanceCase.processes(
    "CARE.backup-killed", ["CARE-7", "CARE-8"],
    "What a process killed during a backup left is gone after a smaller backup to the place, or after its opening.",
    needs: [.backup, .check]
  ) { kit in
    let place = try kit.makePlace()
    let stop = StepStop(before: .max)
    let large = try kit.open([Item.self], at: SteppingProvider(provider: place, stop: stop))
    try large.insert(contentsOf: items(1_500))
    guard let (_, whole) = try CopyScene.target(kit) else { return }
    let before = stop.count
    try large.backup(to: whole)
    // Between the first step, the begin, and the last one, the end, are the looks at the progress.
    let last = stop.count - before - 1
    try large.close()
    let small = try kit.store(Item.self)
    try small.insert(contentsOf: items(3))

    guard let (copy, path) = try CopyScene.target(kit), let (beside, besidePath) = try CopyScene.target(kit) else {
      return
    }
    try small.backup(to: besidePath)
    try kill(kit, place, backingUpTo: path, before: last)
    try small.backup(to: path)
    let (bytes, due) = (try byteCount(kit, copy), try byteCount(kit, beside))
    try expect(bytes <= 2 * due, "the backup has \(bytes) bytes, and another one of the store \(due)")
    try expectEqual(try kit.harness.neighbours(of: copy), [], "what stands beside the backup")
    var options = OpenOptions()
    options.createsIfMissing = false
    let store = try kit.open([Item.self], at: copy, options: options)
    try expectEqual(try store.fetch(Item.all), items(3))
    try expectEqual(try store.check(), [])
    try store.insert(Item(100))

    guard let (other, otherPath) = try CopyScene.target(kit) else { return }
    try kill(kit, place, backingUpTo: otherPath, before: last)
    let opened = try kit.open([Item.self], at: other)
    try expectEqual(try kit.harness.neighbours(of: other), [], "what stands beside the store that was opened")
    try expectEqual(try opened.count(Item.all), 0)
    try expectEqual(try opened.check(), [])
  }

  private static let takenPlace = ConformanceCase(
    "CARE.backup-place-taken", ["CARE-7", "CARE-8"],
    "A backup replaces nothing that came to its place meanwhile: it is inUse, and leaves nothing.", needs: [.backup],
    requiresPersistence: true, without: ConformanceVariant.allButFresh
  ) { kit in
    try CopyScene.inFolder { path in
      let data = Data("mine".utf8)
      let place = WatchedBackups(inner: try kit.makePlace()) {
        _ = FileManager.default.createFile(atPath: path, contents: data)
      }
      let store = try kit.open([Item.self], at: place)
      try store.insert(contentsOf: items(20))
      try expectError(.inUse) { try store.backup(to: path) }
      try expectEqual(try Data(contentsOf: URL(fileURLWithPath: path)), data)
      let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
      try expectEqual(try FileManager.default.contentsOfDirectory(atPath: folder), ["copy"])
      try expectEqual(try store.fetch(Item.all), items(20))
    }
  }

  private static let ownNames = ConformanceCase(
    "CARE.backup-onto-removed", ["CARE-7"],
    "A backup onto the name of an own file of the store is inUse, even where somebody has removed the file.",
    needs: [.backup], requiresPersistence: true, without: ConformanceVariant.allButFresh
  ) { kit in
    let place = try kit.makePlace()
    let store = try kit.open([Item.self], at: place)
    try store.insert(contentsOf: items(20))
    let own = kit.files(at: place)
    for path in own { try FileManager.default.removeItem(atPath: path) }
    for path in own {
      try expectError(.inUse, path) { try store.backup(to: path) }
      try expect(!FileManager.default.fileExists(atPath: path), "a backup has made \(path)")
    }
  }.ofFiles()

  // MARK: Compaction

  private static let fullCompaction = ConformanceCase.processes(
    "CARE.compact-full", ["CARE-9", "LIM-2"],
    "A compaction for which files cannot grow is done or full, and then leaves nothing beside the store.",
    needs: [.compact, .check]
  ) { kit in
    guard let scene = try FileScene(kit) else { return }
    let store = try scene.open()
    try store.insert(contentsOf: items(1_500))
    try store.delete(Item.self, keys: 0..<100)
    try store.close()
    let child = try kit.secondProcess(at: scene.place, "open item")
    let before = try FileManager.default.subpathsOfDirectory(atPath: scene.folder).sorted()
    try child.ask("limit-files 60000")
    do {
      try child.ask("compact")
    } catch let error as StorageError {
      try expectEqual(error.code, .full)
      ProvokedErrors.note(error.code)
      try expectEqual(try FileManager.default.subpathsOfDirectory(atPath: scene.folder).sorted(), before)
    }
    try child.ask("unlimit-files")
    try child.ask("compact")
    try child.ask("insert 5")
    try child.ask("close")
    let again = try scene.open()
    try expectEqual(try again.keys(Item.all), [5] + Array(100..<1_500))
    try expectEqual(try again.check(), [])
  }.ofFiles()
}

/// A place whose backups tell of each look at their progress.
private struct WatchedBackups: BackendProvider {
  let inner: any BackendProvider
  let look: @Sendable () -> Void

  func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
    WatchedBackupBackend(try inner.open(options), look)
  }
}

private final class WatchedBackupBackend: BackendLayer, @unchecked Sendable {
  // Unchecked because the class that it inherits from is open; what it adds is constant and Sendable.
  private let look: @Sendable () -> Void

  init(_ backend: any Backend, _ look: @escaping @Sendable () -> Void) {
    self.look = look
    super.init(backend)
  }

  override func backup(to path: String, progress: @escaping BackupProgress) throws(StorageError) {
    try super.backup(to: path) { [look] done, total in
      look()
      return progress(done, total)
    }
  }
}
