import QuarryBackend
import QuarrySystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The end of a file that is no commit: what a crash tore, or damaged what had been whole.
///
/// The bytes alone do not show whether they were ever acknowledged, so none of them is destroyed. Before a file is cut, they are
/// moved to a file next to it, `NAME.tail-` and the time.
struct FlatFileTail: Sendable, Hashable {
  /// 8F "QryTail": for ``FlatFile/salvage(from:to:)``, and no store.
  static let magic: [UInt8] = [0x8F, 0x51, 0x72, 0x79, 0x54, 0x61, 0x69, 0x6C]
  static let headerBytes = 64
  /// Bytes of the header of a tail of an encrypted file, which has what its batches are sealed with.
  static let sealedHeaderBytes = 256
  private static let suffix = ".tail-"

  /// Where it is in the file, or was.
  var offset: Int
  var bytes: Int
  var reason: String
  /// Whether it may be no more than the beginning of a batch.
  var isBeginning: Bool
  /// The file that it was moved to.
  var path: String?

  init(offset: Int, bytes: Int, reason: String, isBeginning: Bool) {
    self.offset = offset
    self.bytes = bytes
    self.reason = reason
    self.isBeginning = isBeginning
  }

  var report: OpeningReport.Tail {
    OpeningReport.Tail(offset: offset, bytes: bytes, reason: reason, isBeginningOfCommit: isBeginning, path: path)
  }

  // MARK: Keeping

  /// Copies the tail to a file of its own, which is on the disk afterwards.
  ///
  /// - Throws: `full`, `io`; the store's file is as it was.
  mutating func keep(
    _ file: any StoreFile, _ content: FlatFileContent, _ opening: FlatFileOpening
  ) throws(StorageError) {
    let files = opening.files
    let path = try Self.freeName(opening)
    guard let copy = try files.open(opening.partialPath, .create) else {
      throw StorageError(.io, "\(opening.partialPath) could not be created")
    }
    do throws(StorageError) {
      try copy.truncate(to: 0)
      try copy.setPermissions(0o600)
      let header = QuarantinedTail(
        path: path, identity: content.header.identity, tag: content.header.tag, offset: offset,
        commit: content.state.version.rawValue, chain: content.chain, isBeginning: isBeginning, bytes: bytes,
        seal: content.key.flatMap { QuarantinedTail.Seal($0, last: content.last) })
      try header.write(to: copy)
      try copyBytes(from: file, to: copy, at: header.headerBytes)
      try copy.sync()
      try files.rename(opening.partialPath, to: path)
    } catch {
      try? files.remove(opening.partialPath)
      throw error
    }
    try files.syncDirectory(of: path)
    self.path = path
  }

  private func copyBytes(
    from file: any StoreFile, to copy: any StoreFile, at start: Int
  ) throws(StorageError) {
    let part = UnsafeMutableRawBufferPointer.allocate(byteCount: min(max(bytes, 1), 1 << 20), alignment: 8)
    defer { part.deallocate() }
    var done = 0
    while let next = file.nextData(from: offset + done), next < offset + bytes {
      // A skipped part is a hole in the copy, too.
      done = max(done, next - offset)
      let wanted = UnsafeMutableRawBufferPointer(rebasing: part[..<min(part.count, bytes - done)])
      let count = try file.read(into: wanted, at: offset + done)
      if count == 0 { throw StorageError(.io, "the file became shorter while its end was copied") }
      try copy.write(UnsafeRawBufferPointer(rebasing: wanted[..<count]), at: start + done)
      done += count
    }
    if done < bytes { try copy.truncate(to: start + bytes) }
  }

  /// A name with the time that nothing has.
  private static func freeName(_ opening: FlatFileOpening) throws(StorageError) -> String {
    try TimeStamp.freeName(opening.path + suffix) { name throws(StorageError) in
      try opening.files.status(of: name) != nil
    }
  }

  // MARK: Finding

  /// The files with tails of the store at the path, in the order of their names.
  static func names(_ path: String, _ files: any FileSystem) throws(StorageError) -> [String] {
    let start = path + suffix
    // A file with another ending belongs to the user.
    return try files.names(beginningWith: start).filter { TimeStamp.isEnding($0.utf8.dropFirst(start.utf8.count)) }
      .sorted()
  }

  /// The path of a file with a tail when its store has another path.
  static func path(_ tail: String, of path: String, beside other: String) -> String {
    other + String(decoding: tail.utf8.dropFirst(path.utf8.count), as: UTF8.self)
  }

  /// The path of the store that a file with a tail is of, as its name says.
  static func store(of path: String) -> String? {
    let bytes = Array(path.utf8)
    let mark = Array(suffix.utf8)
    guard bytes.count > mark.count else { return nil }
    var place = bytes.count - mark.count
    while place > 0 {
      if bytes[place..<place + mark.count].elementsEqual(mark) {
        return String(decoding: bytes[..<place], as: UTF8.self)
      }
      place -= 1
    }
    return nil
  }

  /// The defects of a store that has tails next to it: tails that the mere end of a process cannot have left.
  ///
  /// - Parameter identity: The store's. Tails of a store that was there before are not its own.
  static func defects(
    _ path: String, _ identity: [UInt8], _ files: any FileSystem
  ) throws(StorageError) -> [String] {
    var defects: [String] = []
    for name in try names(path, files) {
      let file: any StoreFile
      do throws(StorageError) {
        guard let found = try files.open(name, .read) else { continue }
        file = found
      } catch {
        guard error.code == .corrupt else { throw error }
        defects.append(error.message)
        continue
      }
      guard let tail = try QuarantinedTail(file, path: name) else {
        defects.append("\(name) is damaged, and no end of the store that was kept aside")
        continue
      }
      if tail.isBeginning || tail.identity != identity { continue }
      defects.append(
        "\(tail.bytes) bytes after commit \(tail.commit) could not be read when the store was opened, and are kept in "
          + "\(name)")
    }
    return defects
  }
}
