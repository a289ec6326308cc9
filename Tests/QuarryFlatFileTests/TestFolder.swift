import Foundation
import QuarryBackend
import QuarrySystem
import QuarryTestSupport

@testable import QuarryFlatFile

/// A folder that goes with the test.
final class TestFolder {
  private let folder: ScratchFolder
  var path: String { folder.path }

  init() throws {
    folder = try ScratchFolder()
  }

  func file(_ name: String = "store.quarry") -> String { path + "/" + name }

  var contents: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }

  func bytes(_ name: String = "store.quarry") -> [UInt8] {
    FileManager.default.contents(atPath: file(name)).map { Array($0) } ?? []
  }

  func write(_ bytes: [UInt8], to name: String = "store.quarry") {
    _ = FileManager.default.createFile(atPath: file(name), contents: Data(bytes))
  }

  func open(
    _ name: String = "store.quarry", compaction: FlatFileConfiguration.Compaction = .manual,
    _ change: (inout OpenOptions) -> Void = { _ in }
  ) throws(StorageError) -> FlatFileEngine {
    try open(path: file(name), compaction: compaction, change)
  }

  func open(
    path: String, compaction: FlatFileConfiguration.Compaction = .manual,
    _ change: (inout OpenOptions) -> Void = { _ in }
  ) throws(StorageError) -> FlatFileEngine {
    var options = OpenOptions()
    change(&options)
    return try FlatFileEngine(
      FlatFileConfiguration(path: path, compaction: compaction), options, files: SystemFileSystem())
  }
}
