package import QuarryBackend

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The files of the operating system.
package struct SystemFileSystem: FileSystem {
  package init() {}

  package func resolve(_ path: String) throws(StorageError) -> String {
    if let error = StorageError.unusablePath(path) { throw error }
    guard path.utf8.last != UInt8(ascii: "/") else { throw .namesDirectory(path) }
    if let error = StorageError.unusableName(SystemPath.split(path).name) { throw error }
    // Another process may put something at the path, or take it away, between two calls: only a link that is there, and
    // leads to nothing, is an error.
    while true {
      if let whole = realpath(path, nil) {
        defer { free(whole) }
        let resolved = String(cString: whole)
        if let error = StorageError.unusableName(SystemPath.split(resolved).name) { throw error }
        return resolved
      }
      if errno != ENOENT { throw .path(path, errno: errno) }
      var status = stat()
      if lstat(path, &status) != 0 { break }
      if status.st_mode & S_IFMT == S_IFLNK {
        throw StorageError(.notFound, "\(path) is a link to a file that does not exist")
      }
    }
    let (directory, name) = SystemPath.split(path)
    guard let parent = realpath(directory, nil) else {
      throw .path(path, errno: errno)
    }
    defer { free(parent) }
    let start = String(cString: parent)
    return start.utf8.last == UInt8(ascii: "/") ? start + name : start + "/" + name
  }

  package func status(of path: String) throws(StorageError) -> FileStatus? {
    do throws(SystemError) {
      return try .ifThere(path)
    } catch {
      throw StorageError(systemError: error.number, path)
    }
  }

  package func open(_ path: String, _ access: FileAccess) throws(StorageError) -> (any StoreFile)? {
    // A pipe would wait for its other end. Links were followed when the path was resolved.
    let flags =
      switch access {
      case .read: O_RDONLY | O_NONBLOCK | O_NOFOLLOW
      case .readWrite: O_RDWR | O_NONBLOCK | O_NOFOLLOW
      case .create: O_RDWR | O_CREAT | O_NONBLOCK | O_NOFOLLOW
      }
    let descriptor = Descriptor.open(path, flags, 0o600)
    guard descriptor >= 0 else {
      switch errno {
      case ENOENT where access != .create: return nil
      case ELOOP where SystemPath.isLink(path): throw .isNoFileOfStore(path, "a link")
      default: throw StorageError(systemError: errno, path)
      }
    }
    // From here on the file closes it.
    let file = SystemFile(descriptor, path)
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw StorageError(systemError: errno, path) }
    try OwnFile.requireOrdinary(status.st_mode, path)
    return file
  }

  package func rename(_ path: String, to newPath: String) throws(StorageError) {
    #if canImport(Darwin)
      let result = Darwin.rename(path, newPath)
    #else
      let result = Glibc.rename(path, newPath)
    #endif
    if result != 0 { throw StorageError(systemError: errno, "\(path) cannot be renamed to \(newPath)") }
  }

  package func names(beginningWith path: String) throws(StorageError) -> [String] {
    let (directory, name) = SystemPath.split(path)
    guard let stream = opendir(directory) else { throw StorageError(systemError: errno, directory) }
    defer { closedir(stream) }
    let start = path.utf8.dropLast(name.utf8.count)
    var names: [String] = []
    while let entry = readdir(stream) {
      // The name ends with a NUL inside of the entry, which is valid until the next call.
      let found = withUnsafePointer(to: &entry.pointee.d_name) { bytes in
        bytes.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: bytes.pointee)) {
          String(cString: $0)
        }
      }
      if found.utf8.starts(with: name.utf8) { names.append(String(decoding: start, as: UTF8.self) + found) }
    }
    return names
  }

  package func remove(_ path: String) throws(StorageError) {
    if unlink(path) != 0 && errno != ENOENT { throw StorageError(systemError: errno, "\(path) cannot be removed") }
  }

  package func freeBytes(beside path: String) -> Int? { DiskRoom.freeBytes(in: SystemPath.split(path).directory) }

  package func syncDirectory(of path: String) throws(StorageError) {
    let directory = SystemPath.split(path).directory
    let descriptor = Descriptor.open(directory, O_RDONLY | O_DIRECTORY)
    guard descriptor >= 0 else { throw StorageError(systemError: errno, directory) }
    try SystemFile(descriptor, directory).sync()
  }
}
