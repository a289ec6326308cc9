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
    if let whole = realpath(path, nil) {
      defer { free(whole) }
      return String(cString: whole)
    }
    if errno != ENOENT { throw .path(path, errno: errno) }
    var status = stat()
    if lstat(path, &status) == 0 { throw StorageError(.notFound, "\(path) is a link to a file that is not there") }
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
    // A pipe would wait for its other end.
    let flags =
      switch access {
      case .read: O_RDONLY | O_NONBLOCK
      case .readWrite: O_RDWR | O_NONBLOCK
      // What is made has a name of the store's own: a link there is somebody else's.
      case .create: O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK
      }
    while true {
      #if canImport(Darwin)
        let descriptor = Darwin.open(path, flags | O_CLOEXEC, 0o600)
      #else
        let descriptor = Glibc.open(path, flags | O_CLOEXEC, 0o600)
      #endif
      if descriptor >= 0 { return SystemFile(descriptor, path) }
      switch errno {
      case EINTR: continue
      case ENOENT where access != .create: return nil
      default: throw StorageError(systemError: errno, path)
      }
    }
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
    guard let file = try open(directory, .read) else {
      throw StorageError(.notFound, "\(directory) is not there")
    }
    try file.sync()
  }
}
