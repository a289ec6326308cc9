package import Foundation

/// A folder that is there while the value lives.
package final class ScratchFolder: Sendable {
  package let url: URL

  package var path: String { url.path }

  /// A place in memory where the system has one, for tests that measure no disk.
  package static let memory: URL =
    FileManager.default.isWritableFile(atPath: "/dev/shm")
    ? URL(fileURLWithPath: "/dev/shm") : FileManager.default.temporaryDirectory

  package init(in base: URL = FileManager.default.temporaryDirectory) throws {
    let url = base.appending(path: "quarry-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    self.url = url.resolvingSymlinksInPath()
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }
}
