import Foundation
import Synchronization

/// A folder for the files of one target, in memory where the system has that.
final class FuzzFolder: Sendable {
  let path: String

  init() throws {
    let memory = "/dev/shm"
    let parent = FileManager.default.isWritableFile(atPath: memory) ? memory : NSTemporaryDirectory()
    path = "\(parent)/quarry-fuzz-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    FuzzFolder.made.add(path)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func path(of name: String) -> String { "\(path)/\(name)" }

  /// Removes everything in it.
  func clear() throws {
    for name in try others(than: "") { try FileManager.default.removeItem(atPath: path(of: name)) }
  }

  /// Writes a file, and removes all others.
  func reset(_ name: String, _ bytes: some Sequence<UInt8>) throws {
    let file = path(of: name)
    for other in try others(than: name) where unlink(path(of: other)) != 0 {
      try FileManager.default.removeItem(atPath: path(of: other))
    }
    let descriptor = open(file, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
    defer { close(descriptor) }
    let all = Array(bytes)
    guard write(descriptor, all, all.count) == all.count else { throw CocoaError(.fileWriteUnknown) }
  }

  /// The names of the other files. This is asked for before each input.
  private func others(than name: String) throws -> [String] {
    guard let directory = opendir(path) else { throw CocoaError(.fileReadUnknown) }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let found = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if found != name, found != ".", found != ".." { names.append(found) }
    }
    return names
  }

  /// The folders of targets, which live until the process ends.
  enum made {
    private static let folders = Mutex<[String]>([])

    static func add(_ folder: String) {
      folders.withLock { folders in
        if folders.isEmpty { atexit { FuzzFolder.made.removeAll() } }
        folders.append(folder)
      }
    }

    private static func removeAll() {
      folders.withLock { folders in for folder in folders { try? FileManager.default.removeItem(atPath: folder) } }
    }
  }
}
