import QuarryBackend
import QuarryKeyValue

/// Opens and makes files.
struct FlatFileOpening {
  let files: any FileSystem
  /// Without links.
  let path: String
  /// What is written here becomes the store in one step, by its name.
  var partialPath: String { path + ".partial" }

  init(_ path: String, _ files: any FileSystem) throws(StorageError) {
    self.files = files
    self.path = try files.resolve(path)
  }

  /// Opens the file for reading: what it holds now.
  ///
  /// - Throws: `notFound`, also for a file without a byte.
  func openForReading() throws(StorageError) -> (file: any StoreFile, content: FlatFileContent) {
    guard try checkKind() != nil, let file = try files.open(path, .read) else { throw notFound }
    let size = try file.status().size
    if size == 0 { throw notFound }
    return (file, try FlatFileContent(reading: file, path: path, end: size))
  }

  /// Opens the file for writing, with the lock, and cuts off what a crash left behind the last whole commit.
  ///
  /// - Throws: `notFound`, `inUse`, `corrupt`, `schemaTooNew`, `io`, `full`.
  func openForWriting(createsIfMissing: Bool) throws(StorageError) -> (file: any StoreFile, content: FlatFileContent) {
    // Another process may rename a file over this one between any two steps here.
    for _ in 0..<1000 {
      let before = try checkKind()
      guard before != nil, let file = try files.open(path, .readWrite) else {
        if !createsIfMissing { throw notFound }
        if let made = try make(instead: nil) { return made }
        continue
      }
      guard try file.lock() else { throw inUse(FlatFileOwner.read(from: file)) }
      let status = try file.status()
      guard try files.status(of: path)?.identity == status.identity else { continue }
      if status.size == 0 {
        if !createsIfMissing { throw notFound }
        if let made = try make(instead: status.identity) { return made }
        continue
      }
      // Nothing is written to a file of another kind.
      _ = try FlatFileContent.header(of: file, path: path, end: status.size)
      try FlatFileOwner.set(in: file)
      let content: FlatFileContent
      do throws(StorageError) {
        content = try FlatFileContent(reading: file, path: path, end: status.size)
        if content.tail != nil { try file.truncate(to: content.end) }
      } catch {
        try? FlatFileOwner.clear(in: file)
        throw error
      }
      // A rewrite that a crash ended.
      try files.remove(partialPath)
      return (file, content)
    }
    throw StorageError(.busy, "\(path) is replaced all the time")
  }

  private var notFound: StorageError { .noStore(at: path) }

  private func inUse(_ process: Int32?) -> StorageError {
    .inUse(by: process, "\(path) is open for writing\(process.map { " in process \($0)" } ?? "")")
  }

  /// - Throws: `corrupt` when it is no ordinary file.
  private func checkKind() throws(StorageError) -> FileStatus? {
    guard let status = try files.status(of: path) else { return nil }
    switch status.kind {
    case .file: return status
    case .directory: throw .isNoStore(path, "a directory")
    case .other: throw .isNoStore(path, "no ordinary file")
    }
  }

  /// Makes an empty store, of which nothing is seen before it is whole.
  ///
  /// - Parameter identity: The empty file that it takes the place of.
  /// - Returns: Nil when somebody else was quicker.
  private func make(
    instead identity: FileStatus.Identity?
  ) throws(StorageError) -> (file: any StoreFile, content: FlatFileContent)? {
    guard let file = try files.open(partialPath, .create) else { return nil }
    guard try file.lock() else { throw inUse(FlatFileOwner.read(from: file)) }
    guard try files.status(of: partialPath)?.identity == file.status().identity,
      try files.status(of: path)?.identity == identity
    else { return nil }
    let header = FlatFileHeader.random()
    do throws(StorageError) {
      try Self.write(header, to: file)
      try file.sync()
      try files.rename(partialPath, to: path)
    } catch {
      try? files.remove(partialPath)
      throw error
    }
    try files.syncDirectory(of: path)
    return (file, FlatFileContent(empty: header))
  }

  /// Makes a file that holds nothing but a header.
  static func write(_ header: FlatFileHeader, to file: any StoreFile) throws(StorageError) {
    try file.truncate(to: 0)
    let bytes = header.encoded(owner: FlatFileOwner.thisProcess)
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 8)
    defer { copy.deallocate() }
    copy.copyBytes(from: bytes)
    try file.write(UnsafeRawBufferPointer(copy), at: 0)
  }
}

extension FlatFileContent {
  /// What a new file holds.
  init(empty header: FlatFileHeader) {
    self.header = header
    state = .empty
  }
}
