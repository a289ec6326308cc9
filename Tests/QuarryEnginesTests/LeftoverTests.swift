import Foundation
import QuarryBackend
import QuarryCore
import QuarrySystem
import QuarryTestSupport
import Testing

/// What killed processes leave beside a store, and who may remove it.
@Suite struct LeftoverTests {
  private let folder = Result { try ScratchFolder() }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.get().path).filter { $0.contains("partial") }
  }

  /// The file that a backup to the path of a store writes.
  private func partial(_ engine: Engine) throws -> String {
    let path = OwnName.partial(try engine.path(in: folder.get().path))
    guard engine == .lmdb else { return path }
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    return path + "/data.mdb"
  }

  @Test(arguments: Engine.allCases)
  func aKilledBackupIsRemovedByTheNextOpeningForWriting(_ engine: Engine) throws {
    let provider = try engine.provider(in: folder.get().path)
    try provider.open(OpenOptions()).close()
    try Data(repeating: 7, count: 10_000).write(to: URL(fileURLWithPath: partial(engine)))
    var reading = OpenOptions()
    reading.isReadOnly = true
    try provider.open(reading).close()
    #expect(try names().count == 1)
    try provider.open(OpenOptions()).close()
    #expect(try names() == [])
  }

  /// A flat file writes itself anew under that name, for which it has the store's own lock.
  @Test(arguments: [Engine.sqlite, .lmdb])
  func aBackupThatGoesOnStays(_ engine: Engine) throws {
    let provider = try engine.provider(in: folder.get().path)
    try provider.open(OpenOptions()).close()
    let file = try #require(try SystemFileSystem().open(partial(engine), .create))
    #expect(try file.lock())
    try provider.open(OpenOptions()).close()
    #expect(try names().count == 1)
    file.unlock()
    try provider.open(OpenOptions()).close()
    #expect(try names() == [])
  }

  /// Names that only look like those of copies are somebody else's.
  @Test(arguments: Engine.allCases)
  func otherNamesStay(_ engine: Engine) throws {
    let path = try engine.path(in: folder.get().path)
    for name in ["._quarry.scratch-mine", ".scratch-", ".scratched"] {
      try FileManager.default.createDirectory(atPath: path + name, withIntermediateDirectories: false)
    }
    let file = path + "._quarry.scratch-00000000-0000-0000-0000-000000000000"
    try Data([1]).write(to: URL(fileURLWithPath: file))
    try engine.provider(in: folder.get().path).open(OpenOptions()).close()
    let found = try FileManager.default.contentsOfDirectory(atPath: folder.get().path)
    #expect(found.count { $0.contains(".scratch") } == 4)
  }
}
