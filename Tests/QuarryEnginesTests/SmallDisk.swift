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
  ///
  /// A process that another test has just begun can still have files open that a store removed before: they take room that
  /// the disk gets back a moment later. So the free bytes are read when the disk holds no more than the files in its folder.
  func fill(leaving bytes: Int) throws {
    let deadline = ContinuousClock.now + .seconds(120)
    while try usedBytes() > bytesOfFiles() {
      guard ContinuousClock.now < deadline else { throw Refused() }
      usleep(10_000)
    }
    try fill(max(0, try attribute(.systemFreeSize) - bytes))
  }

  private func usedBytes() throws -> Int { try attribute(.systemSize) - attribute(.systemFreeSize) }

  private func attribute(_ key: FileAttributeKey) throws -> Int {
    let attributes = try FileManager.default.attributesOfFileSystem(forPath: folder.path)
    guard let value = (attributes[key] as? NSNumber)?.intValue else { throw Refused() }
    return value
  }

  /// What the files in the folder take on the disk, holes not counted.
  private func bytesOfFiles() throws -> Int {
    var bytes = 0
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
      var status = stat()
      guard lstat(folder.appending(path: name).path, &status) == 0 else { throw Refused() }
      bytes += Int(status.st_blocks) * 512
    }
    return bytes
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
