import Foundation
import QuarryTestSupport

/// A file system of a few megabytes in memory, mounted while the value lives. Only root can have one.
final class SmallDisk {
  struct Refused: Error {}

  let folder: URL
  private let scratch: ScratchFolder

  init(megabytes: Int) throws {
    scratch = try ScratchFolder(in: ScratchFolder.memory)
    folder = scratch.url
    let status = try Self.run("/bin/mount", ["-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", folder.path])
    guard status == 0 else { throw Refused() }
  }

  deinit {
    // Lazily, so that it is gone even where something still has a file open.
    _ = try? Self.run("/bin/umount", ["-l", folder.path])
  }

  private static func run(_ program: String, _ arguments: [String]) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// Whether this process may mount.
  static let isPermitted = geteuid() == 0 && (try? SmallDisk(megabytes: 1)) != nil
}
