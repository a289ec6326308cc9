import Foundation
import QuarryBackend

/// Sorts byte strings in bounded memory: what is more than a limit goes as sorted runs into files without names.
///
/// Files are readable by the user alone, and end with this object or the process.
final class ByteSorter {
  /// Bytes that are sorted in memory at once.
  private let limit: Int
  private var bytes: [UInt8] = []
  private var entries: [Range<Int>] = []
  private var runs: [SortedRun] = []
  private var place = 0

  /// - Parameter limit: Bytes in memory; `.max` keeps everything there, for data that must not get into a plain file.
  init(limit: Int = 64 << 20) {
    self.limit = limit
  }

  func append(_ entry: UnsafeRawBufferPointer) throws(StorageError) {
    if bytes.count + entry.count + entries.count * MemoryLayout<Range<Int>>.stride > limit, !entries.isEmpty {
      try spill()
    }
    let start = bytes.count
    bytes.append(contentsOf: entry)
    entries.append(start..<bytes.count)
  }

  /// Calls the body with each entry, in the order of their bytes. Called once, after the last `append`.
  func forEach(
    _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) {
    sort()
    guard !runs.isEmpty else {
      try bytes.withBytes { bytes throws(StorageError) in
        for entry in entries { try body(UnsafeRawBufferPointer(rebasing: bytes[entry])) }
      }
      return
    }
    if !entries.isEmpty { try spill() }
    var heads: [[UInt8]?] = []
    for run in runs {
      try run.rewind()
      heads.append(try run.next())
    }
    while let least = Self.least(heads) {
      try heads[least]?.withBytes { head throws(StorageError) in try body(head) }
      heads[least] = try runs[least].next()
    }
  }

  private static func least(_ heads: [[UInt8]?]) -> Int? {
    var result: Int?
    for (index, head) in heads.enumerated() {
      guard let head else { continue }
      guard let found = result, let other = heads[found] else {
        result = index
        continue
      }
      if head.withUnsafeBytes({ head in other.withUnsafeBytes { head.compare($0) } }) < 0 { result = index }
    }
    return result
  }

  private func sort() {
    bytes.withUnsafeBytes { bytes in
      entries.sort {
        UnsafeRawBufferPointer(rebasing: bytes[$0]).compare(UnsafeRawBufferPointer(rebasing: bytes[$1])) < 0
      }
    }
  }

  private func spill() throws(StorageError) {
    sort()
    let run = try SortedRun()
    for entry in entries { try run.append(bytes[entry]) }
    runs.append(run)
    bytes.removeAll(keepingCapacity: true)
    entries.removeAll(keepingCapacity: true)
  }
}

/// Byte strings in a file without a name, written one after the other and then read so.
private final class SortedRun {
  private let file: UnsafeMutablePointer<FILE>

  init() throws(StorageError) {
    var template = Array((NSTemporaryDirectory() + "quarry-sort-XXXXXX").utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw Self.failure(errno) }
    unlink(template)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    guard let file = fdopen(descriptor, "w+") else {
      let number = errno
      close(descriptor)
      throw Self.failure(number)
    }
    self.file = file
  }

  deinit { fclose(file) }

  func append(_ entry: ArraySlice<UInt8>) throws(StorageError) {
    var count = UInt64(entry.count)
    let head = fwrite(&count, MemoryLayout<UInt64>.size, 1, file)
    let body = entry.withUnsafeBytes { $0.isEmpty ? 0 : fwrite($0.baseAddress, 1, $0.count, file) }
    guard head == 1, body == entry.count else { throw Self.failure(errno) }
  }

  func rewind() throws(StorageError) {
    guard fflush(file) == 0, fseek(file, 0, SEEK_SET) == 0 else { throw Self.failure(errno) }
  }

  func next() throws(StorageError) -> [UInt8]? {
    var count: UInt64 = 0
    guard fread(&count, MemoryLayout<UInt64>.size, 1, file) == 1 else {
      if ferror(file) != 0 { throw Self.failure(errno) }
      return nil
    }
    var entry = [UInt8](repeating: 0, count: Int(clamping: count))
    let read = entry.withUnsafeMutableBytes { $0.isEmpty ? 0 : fread($0.baseAddress, 1, $0.count, file) }
    guard read == entry.count else { throw Self.failure(errno) }
    return entry
  }

  private static func failure(_ number: Int32) -> StorageError {
    StorageError(
      number == ENOSPC || number == EDQUOT ? .full : .io,
      "values cannot be sorted in a temporary file: \(String(cString: strerror(number)))")
  }
}
