import BenchmarkHarness
import Foundation
import QuarryBackend

/// Writes the file of `DataRows`, row by row.
///
/// - Complexity: Memory is 16 bytes for each row and some MiB.
final class RowFileWriter {
  private let path: String
  private let handle: FileHandle
  private var ends: [Int] = []
  private var digests: [UInt64] = []
  /// Rows that are not in the file yet.
  private var pending: [UInt8] = []
  private var written = 0

  private static let pieceSize = 1 << 20

  /// - Parameter expected: About how many rows there will be.
  init(_ path: String, expected: Int) throws {
    self.path = path
    guard FileManager.default.createFile(atPath: path, contents: nil), let handle = FileHandle(forUpdatingAtPath: path)
    else {
      throw BenchmarkError("the file of the rows cannot be made in the folder of the temporary stores")
    }
    self.handle = handle
    ends.reserveCapacity(expected)
    digests.reserveCapacity(expected)
  }

  deinit {
    try? handle.close()
  }

  var count: Int { ends.count }

  func append(_ row: UnsafeRawBufferPointer, digest: UInt64) throws {
    pending.append(contentsOf: row)
    ends.append(written + pending.count)
    digests.append(digest)
    if pending.count >= Self.pieceSize { try flush() }
  }

  /// A copy of a row that was appended.
  func row(_ index: Int) throws -> [UInt8] {
    let start = index > 0 ? ends[index - 1] : 0
    if start >= written { return Array(pending[(start - written)..<(ends[index] - written)]) }
    try handle.seek(toOffset: UInt64(start))
    let bytes = try handle.read(upToCount: ends[index] - start) ?? Data()
    try handle.seekToEnd()
    guard bytes.count == ends[index] - start else { throw BenchmarkError("the file of the rows became shorter") }
    return Array(bytes)
  }

  /// Writes what follows the rows.
  func finish(_ model: ModelSchema) throws -> DataRows {
    let text = try JSONEncoder().encode(model)
    let rowBytes = written + pending.count
    let lengths = DataRows.Lengths(rowBytes: rowBytes, rows: count, model: text.count)
    pending.append(contentsOf: [UInt8](repeating: 0, count: lengths.ends - rowBytes))
    for end in ends { try add(UInt64(end)) }
    for digest in digests { try add(digest) }
    ends = []
    digests = []
    pending.append(contentsOf: text)
    for length in [lengths.rowBytes, lengths.rows, lengths.model] { try add(UInt64(length)) }
    try flush()
    try handle.close()
    return try DataRows(file: path)
  }

  private func add(_ number: UInt64) throws {
    withUnsafeBytes(of: number.littleEndian) { pending.append(contentsOf: $0) }
    if pending.count >= Self.pieceSize { try flush() }
  }

  private func flush() throws {
    do {
      try handle.write(contentsOf: pending)
    } catch {
      throw BenchmarkError(
        "the rows cannot be written into the folder of the temporary stores (--directory names another)")
    }
    written += pending.count
    pending.removeAll(keepingCapacity: true)
  }
}
