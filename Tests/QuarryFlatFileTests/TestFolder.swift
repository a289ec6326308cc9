import Foundation
import QuarryBackend
import QuarrySystem

@testable import QuarryFlatFile

/// A folder that goes with the test.
final class TestFolder {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "quarry-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.resolvingSymlinksInPath().path
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
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

/// The error that the body throws, or nil.
func failure(_ body: () throws(StorageError) -> Void) -> StorageError? {
  do {
    try body()
    return nil
  } catch {
    return error
  }
}
