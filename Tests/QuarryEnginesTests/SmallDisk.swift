import Foundation

/// A file system of a few megabytes in memory, mounted while the value lives. Only root can have one.
final class SmallDisk {
  struct Refused: Error {}

  let folder: URL
  private let scratch: Scratch

  init(megabytes: Int) throws {
    scratch = try Scratch()
    folder = scratch.folder
    let mount = try Child("/bin/mount", ["-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", folder.path])
    _ = try mount.lines()
    guard mount.wait() == 0 else { throw Refused() }
  }

  deinit {
    // Lazily, so that it is gone even where something still has a file open.
    _ = (try? Child("/bin/umount", ["-l", folder.path]))?.wait()
  }

  /// Whether this process may mount.
  static let isPermitted = geteuid() == 0 && (try? SmallDisk(megabytes: 1)) != nil
}
