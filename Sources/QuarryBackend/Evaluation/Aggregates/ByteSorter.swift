import Foundation

/// Sorts byte strings in bounded memory: what is more than a limit goes as sorted runs into files without names.
///
/// Files are readable by the user alone, and end with this object or the process. Runs of one level are merged once there are 64 of
/// them, so that few files are open, and an entry is written again only for each power of 64.
package final class ByteSorter {
  /// Bytes that are sorted in memory at once.
  private let limit: Int
  private var bytes: [UInt8] = []
  private var entries: [Range<Int>] = []
  private var runs: [SortedRun] = []

  private static let mostRuns = 64

  /// - Parameter limit: Bytes in memory; `.max` keeps everything there, for data that must not get into a plain file.
  package init(limit: Int) {
    self.limit = limit
  }

  /// Takes in an entry, whose bytes are copied.
  ///
  /// - Throws: `full` and `io` of the temporary file.
  package func append(_ entry: UnsafeRawBufferPointer) throws(StorageError) {
    if bytes.count + entry.count + entries.count * MemoryLayout<Range<Int>>.stride > limit, !entries.isEmpty {
      try spill()
    }
    let start = bytes.count
    bytes.append(contentsOf: entry)
    entries.append(start..<bytes.count)
  }

  /// Calls the body with each entry, in the order of their bytes. Called once, after the last `append`.
  package func forEach(
    _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) {
    guard !runs.isEmpty else {
      sort()
      try bytes.withBytes { bytes throws(StorageError) in
        for entry in entries { try body(UnsafeRawBufferPointer(rebasing: bytes[entry])) }
      }
      return
    }
    if !entries.isEmpty { try spill() }
    (bytes, entries) = ([], [])
    try Self.merge(runs, body)
  }

  private static func merge(
    _ runs: [SortedRun], _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) {
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

  /// Writes what is in memory as a run.
  private func spill() throws(StorageError) {
    sort()
    let run = try SortedRun(level: 0)
    try bytes.withBytes { bytes throws(StorageError) in
      for entry in entries { try run.append(UnsafeRawBufferPointer(rebasing: bytes[entry])) }
    }
    runs.append(run)
    bytes.removeAll(keepingCapacity: true)
    entries.removeAll(keepingCapacity: true)
    while let last = runs.last, runs.suffix(Self.mostRuns).count(where: { $0.level == last.level }) == Self.mostRuns {
      let merged = try SortedRun(level: last.level + 1)
      try Self.merge(Array(runs.suffix(Self.mostRuns))) { entry throws(StorageError) in try merged.append(entry) }
      runs.removeLast(Self.mostRuns)
      runs.append(merged)
    }
  }
}

/// Byte strings in a file without a name, written one after the other and then read so.
private final class SortedRun {
  /// How often its entries were merged.
  let level: Int
  private let file: UnsafeMutablePointer<FILE>

  init(level: Int) throws(StorageError) {
    self.level = level
    let descriptor = NamelessFile.open("quarry-sort")
    guard descriptor >= 0 else { throw Self.failure(errno) }
    guard let file = fdopen(descriptor, "w+") else {
      let number = errno
      close(descriptor)
      throw Self.failure(number)
    }
    self.file = file
  }

  deinit { fclose(file) }

  func append(_ entry: UnsafeRawBufferPointer) throws(StorageError) {
    var count = UInt64(entry.count)
    let head = fwrite(&count, MemoryLayout<UInt64>.size, 1, file)
    let body = entry.isEmpty ? 0 : fwrite(entry.baseAddress, 1, entry.count, file)
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
