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

  private var ballast: URL { folder.appending(path: "ballast") }

  /// Fills the disk but for so many bytes.
  func fill(leaving bytes: Int) throws {
    let attributes = try FileManager.default.attributesOfFileSystem(forPath: folder.path)
    guard let free = (attributes[.systemFreeSize] as? NSNumber)?.intValue else { throw Refused() }
    try fill(max(0, free - bytes))
  }

  /// Takes so many bytes of the disk.
  func fill(_ bytes: Int) throws {
    try Data(count: bytes).write(to: ballast)
  }

  /// Gives back what it was filled with.
  func free() throws {
    // A process that another test has begun while the file was written may have it open: its bytes go all the same.
    let file = try FileHandle(forWritingTo: ballast)
    try file.truncate(atOffset: 0)
    try file.close()
    try FileManager.default.removeItem(at: ballast)
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
