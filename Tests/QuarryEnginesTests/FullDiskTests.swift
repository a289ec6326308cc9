import Foundation
import QuarryBackend
import QuarryCore
import QuarryEncryption
import QuarryHarnesses
import QuarryTestSupport
import Testing

@testable import QuarryConformance
@testable import QuarryConformanceKit

/// A disk that fills, which only root can make: `full`, nothing lost, and a store that goes on when there is space again.
/// What the kit tries everywhere with a limit of the process is `LIM.full`.
@Suite struct FullDiskTests {
  @Test(.enabled(if: SmallDisk.isPermitted, "mounting needs root"), arguments: Engine.allCases, [100, 4_000, 60_000])
  func fullDiskLosesNothing(_ engine: Engine, _ rowBytes: Int) throws {
    let disk = try SmallDisk(megabytes: 4)
    try disk.fill(2 << 20)
    let folder = disk.folder.appending(path: "store")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let program = try #require(EngineHarnesses.harness(engine.name, in: TemporaryFolder())?.secondProcess)
    let child = try SecondProcess(program, at: engine.path(in: folder.path), patience: .seconds(120), limit: 600)
    try child.expectGreeting()
    try child.ask("open batch")
    let filled = try child.ask("fill \(rowBytes)").split(separator: " ").map(String.init)
    #expect(filled.last == "full")
    try child.expect("verify-filling \(rowBytes)", filled[0])
    let error = #expect(throws: StorageError.self) { try child.ask("fill-more \(rowBytes) \((4 << 20) / rowBytes)") }
    #expect(error?.code == .full)
    try child.expect("verify-filling \(rowBytes)", filled[0])
    try disk.free()
    let count = try #require(Int(filled[0])) + 3
    try child.expect("fill-more \(rowBytes) 3", "\(count)")
    try child.expect("verify-filling \(rowBytes)", "\(count)")
    try child.ask("close")
    try child.finish()
    let store = try Store(models: BatchWorkload.models, in: try engine.provider(in: folder.path))
    defer { try? store.close() }
    #expect(try store.count(Note.all) == count)
    #expect(try store.check() == [])
  }

  /// A store in a folder of a small disk, open in a second process, before the disk is full.
  private final class Scene {
    let disk: SmallDisk
    let folder: URL
    let provider: any BackendProvider
    let child: SecondProcess
    private let kit: ConformanceContext

    init(_ engine: Engine, opening models: String, _ fill: (ConformanceContext, any BackendProvider) throws -> Void)
      throws
    {
      disk = try SmallDisk(megabytes: 8)
      folder = disk.folder.appending(path: "store")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let harness = try #require(EngineHarnesses.harness(engine.name, in: TemporaryFolder()))
      kit = ConformanceContext(harness)
      provider = try engine.provider(in: folder.path)
      try fill(kit, provider)
      let program = try #require(harness.secondProcess)
      child = try SecondProcess(program, at: engine.path(in: folder.path), patience: .seconds(120), limit: 600)
      try child.expectGreeting()
      try child.ask("open \(models)")
    }

    func names() throws -> [String] { try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted() }

    deinit { child.kill() }
  }

  @Test(
    .enabled(if: SmallDisk.isPermitted, "mounting needs root"), arguments: Engine.allCases, MigrationWorkload.allCases)
  func migrationOnAFullDiskChangesNothing(_ engine: Engine, _ way: MigrationWorkload) throws {
    var before: MigrationContent?
    let scene = try Scene(engine, opening: "none") { kit, provider in
      try way.fill(kit, at: provider)
      let store = try Store(models: [], in: provider)
      before = try MigrationContent(store)
      try store.close()
    }
    let names = try scene.names()
    try scene.disk.fill(leaving: 4 * 4_096)
    let error = #expect(throws: StorageError.self) { try scene.child.ask("migrate \(way)") }
    #expect(error?.code == .full)
    #expect(try scene.names() == names)
    try scene.disk.free()
    try scene.child.ask("close")
    let store = try Store(models: [], in: scene.provider)
    #expect(try MigrationContent(store) == before)
    try store.expectWhole()
    try store.close()
    #expect(try scene.child.ask("migrate \(way)") != "open 0")
    try scene.child.ask("close")
    try scene.child.finish()
    let migrated = try Store(models: [], in: scene.provider)
    try way.expectMigrated(try MigrationContent(migrated))
    try migrated.expectWhole()
    try migrated.close()
  }

  private static func items(_ count: Int) -> [Item] {
    var random = SeededGenerator(seed: 1)
    return (0..<count).map { id in
      Item(id, rank: id % 7, name: (0..<10).map { _ in String(random.next(), radix: 36) }.joined())
    }
  }

  @Test(.enabled(if: SmallDisk.isPermitted, "mounting needs root"), arguments: Engine.allCases)
  func backupOnAFullDiskLeavesNothing(_ engine: Engine) throws {
    let items = Self.items(3_000)
    let scene = try Scene(engine, opening: "item") { _, provider in
      let store = try Store(models: [Item.self], in: provider)
      try store.insert(contentsOf: items)
      try store.close()
    }
    let names = try scene.names()
    try scene.disk.fill(leaving: 4 * 4_096)
    let path = scene.folder.appending(path: "copy").path
    let error = #expect(throws: StorageError.self) { try scene.child.ask("backup \(path)") }
    #expect(error?.code == .full)
    #expect(error?.message.contains("nothing was written") == true, "\(error as Any)")
    #expect(try scene.names() == names)
    try scene.disk.free()
    try scene.child.expect("backup \(path)", "done")
    try scene.child.ask("close")
    try scene.child.finish()
    let store = try Store(models: [Item.self], in: scene.provider)
    #expect(try store.fetch(Item.all) == items)
    try store.expectWhole()
    try store.close()
  }

  /// What is written anew needs room beside the store, which is looked at before the first byte.
  enum Rewriting: CaseIterable { case compaction, encryption, decryption, rekey, copy }

  @Test(.enabled(if: SmallDisk.isPermitted, "mounting needs root"), arguments: Engine.allCases, Rewriting.allCases)
  func whatHasNoRoomIsSaidBefore(_ engine: Engine, _ way: Rewriting) throws {
    // The pages of a sealed LMDB store take turns in its own file.
    if engine == .lmdb, way == .rekey { return }
    let disk = try SmallDisk(megabytes: 12)
    let scratch = try ScratchFolder()
    let (key, other) = (try EncryptionKey(0..<32), try EncryptionKey(1..<33))
    let folder = way == .copy ? scratch.path : disk.folder.path
    let place = try engine.provider(in: folder)
    let isSealed = way == .decryption || way == .rekey
    let items = Self.items(6_000)
    let store = try Store(models: [Item.self], in: place, encryption: isSealed ? Encryption(key) : nil)
    try store.insert(contentsOf: items)
    try store.close()
    try disk.fill(leaving: 200_000)
    let names = try FileManager.default.subpathsOfDirectory(atPath: disk.folder.path).sorted()
    func run() throws {
      switch way {
      case .compaction, .rekey:
        let store = try Store(models: [Item.self], in: place, encryption: isSealed ? Encryption(key) : nil)
        defer { try? store.close() }
        if way == .rekey { try store.rekey(to: other) } else { try store.compact() }
      case .encryption: try Store.encrypt(place, with: key)
      case .decryption: try Store.decrypt(place, with: key)
      case .copy:
        let store = try Store(models: [Item.self], in: place)
        defer { try? store.close() }
        try store.copy(to: try engine.provider(in: disk.folder.path))
      }
    }
    let error = #expect(throws: StorageError.self) { try run() }
    #expect(error?.code == .full)
    #expect(error?.message.contains("nothing was written") == true, "\(error as Any)")
    #expect(try FileManager.default.subpathsOfDirectory(atPath: disk.folder.path).sorted() == names)
    let again = try Store(models: [Item.self], in: place, encryption: isSealed ? Encryption(key) : nil)
    #expect(try again.fetch(Item.all) == items)
    #expect(try again.check() == [])
    try again.close()
    try disk.free()
    try run()
  }
}
