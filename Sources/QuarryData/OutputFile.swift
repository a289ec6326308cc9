import Foundation
package import QuarryBackend

/// A file that is written beside its place and moved there when it is complete, so that what was there before stays
/// whole if the work fails. What is no regular file, such as a pipe, is written to directly.
package final class OutputFile {
  package let sink: ByteSink
  private let path: String
  /// The file that is written; nil when it is the place itself.
  private let temporary: String?
  private let descriptor: Int32
  private var isFinished = false

  package init(path: String) throws(StorageError) {
    var status = stat()
    let exists = stat(path, &status) == 0
    if exists && status.st_mode & S_IFMT == S_IFDIR { throw StorageError(.io, "\(path) is a directory") }
    if exists && status.st_mode & S_IFMT != S_IFREG {
      self.path = path
      temporary = nil
      descriptor = open(path, O_WRONLY | O_CLOEXEC)
    } else {
      // A link stays a link: the file that it points to is replaced.
      let target = exists ? URL(fileURLWithPath: path).resolvingSymlinksInPath().path : path
      let name = "\(target).\(ProcessInfo.processInfo.processIdentifier).partial"
      self.path = target
      temporary = name
      descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, exists ? status.st_mode & 0o777 : 0o666)
    }
    guard descriptor >= 0 else { throw ByteSource.failure("cannot write", path, errno) }
    sink = ByteSink(descriptor: descriptor, name: path)
  }

  /// A file at a path where there is nothing yet.
  ///
  /// - Throws: `inUse` when something is there.
  package convenience init(newAt path: String) throws(StorageError) {
    var status = stat()
    guard lstat(path, &status) != 0 else { throw StorageError(.inUse, "there is something at \(path) already") }
    try self.init(path: path)
  }

  deinit {
    close(descriptor)
    if !isFinished, let temporary { unlink(temporary) }
  }

  /// Writes what is left and moves the file to its place.
  package func finish() throws {
    try sink.flush()
    guard let temporary else {
      isFinished = true
      return
    }
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw ByteSource.failure("cannot write", path, errno) }
    guard rename(temporary, path) == 0 else { throw ByteSource.failure("cannot write", path, errno) }
    isFinished = true
  }
}
