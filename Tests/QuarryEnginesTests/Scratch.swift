import Foundation

/// A folder that is there while the value lives.
final class Scratch {
  let folder: URL

  /// Where folders are made: in memory where the system has such a place, because no test here measures a disk.
  static let base: URL =
    FileManager.default.isWritableFile(atPath: "/dev/shm")
    ? URL(fileURLWithPath: "/dev/shm") : FileManager.default.temporaryDirectory

  init(in base: URL = Scratch.base) throws {
    folder = base.appending(path: "quarry-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }
}
