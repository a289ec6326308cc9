import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// What the benchmark asks of a file system.
public enum Files {
  /// Bytes that the files in a folder take on the disk: blocks, not lengths, since files may have holes.
  package static func bytesOnDisk(_ folder: String) throws -> Int {
    var total = 0
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
      var status = stat()
      guard lstat(folder + "/" + name, &status) == 0 else { continue }
      if status.st_mode & S_IFMT == S_IFREG { total += Int(status.st_blocks) * 512 }
    }
    return total
  }

  /// Bytes that can still be written in the file system of a folder; nil where it cannot be asked.
  package static func freeBytes(_ folder: String) -> Int? {
    var status = statvfs()
    guard statvfs(folder, &status) == 0 else { return nil }
    return Int(status.f_bavail) * Int(status.f_frsize)
  }

  /// The kind of file system of a folder.
  static func fileSystem(_ folder: String) -> String {
    guard let mounts = try? String(contentsOfFile: "/proc/self/mounts", encoding: .utf8),
      let resolved = realpath(folder, nil)
    else { return "unknown" }
    defer { free(resolved) }
    let path = String(cString: resolved) + "/"
    // Device, place, kind; the last of the longest places that hold the folder is the one in use.
    var best = (place: "", kind: "unknown")
    for line in mounts.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count > 2 else { continue }
      let place = words[1] == "/" ? "/" : words[1] + "/"
      if path.hasPrefix(place), place.count >= best.place.count { best = (String(place), String(words[2])) }
    }
    return best.kind
  }

  /// Makes a folder for temporary stores inside a folder.
  public static func makeWorkFolder(in folder: String) throws -> String {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder) else {
      throw BenchmarkError("the folder \(folder) does not exist")
    }
    guard isFolder.boolValue else { throw BenchmarkError("\(folder) is not a folder") }
    let path = folder + "/quarry-bench-\(ProcessInfo.processInfo.processIdentifier)"
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    } catch {
      throw BenchmarkError("the folder \(folder) cannot be written to: stores would have to be made in it")
    }
    return path
  }
}
