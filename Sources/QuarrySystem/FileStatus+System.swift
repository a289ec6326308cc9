#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension FileStatus {
  /// The status of the file at the path, links followed.
  package init(at path: String) throws(SystemError) {
    var status = stat()
    if stat(path, &status) != 0 { throw .last }
    self.init(status)
  }

  /// The status of the descriptor's file.
  package init(of descriptor: Int32) throws(SystemError) {
    var status = stat()
    if fstat(descriptor, &status) != 0 { throw .last }
    self.init(status)
  }

  /// The status of the file at the path, links followed; nil when there is nothing.
  package static func ifThere(_ path: String) throws(SystemError) -> FileStatus? {
    do throws(SystemError) {
      return try FileStatus(at: path)
    } catch {
      if error.number == ENOENT { return nil }
      throw error
    }
  }

  private init(_ status: stat) {
    let kind: Kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .file
      case S_IFDIR: .directory
      default: .other
      }
    #if canImport(Darwin)
      let modified = status.st_mtimespec
    #else
      let modified = status.st_mtim
    #endif
    self.init(
      identity: FileIdentity(status), kind: kind, size: Int(status.st_size), links: Int(status.st_nlink),
      permissions: UInt32(status.st_mode & 0o7777),
      modified: Time(seconds: Int64(modified.tv_sec), nanoseconds: Int64(modified.tv_nsec)))
  }
}
