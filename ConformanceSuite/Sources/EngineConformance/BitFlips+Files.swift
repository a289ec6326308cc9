import Foundation
import QuarryBackend
import QuarryConformance
import QuarryCore
import QuarryQuery

/// Why bits cannot be tried, which says nothing of the engine.
struct FlipFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// A file whose bytes are changed where it is. It stays open: closing it would give back the locks that the process has.
final class StoredFile {
  let path: String
  let bytes: [UInt8]
  private let descriptor: Int32

  init(_ path: String) throws {
    self.path = path
    bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    descriptor = open(path, O_RDWR | O_CLOEXEC)
    if descriptor < 0 { throw Self.failure(path) }
  }

  deinit { close(descriptor) }

  func write(_ byte: UInt8, at place: Int) throws {
    var byte = byte
    if pwrite(descriptor, &byte, 1, off_t(place)) != 1 { throw Self.failure(path) }
    // SQLite's stores are not read before a file that has just been written to has come to rest, which takes 20 ms.
    let written = timespec(tv_sec: time(nil) - 60, tv_nsec: 0)
    if futimens(descriptor, [written, written]) != 0 { throw Self.failure(path) }
  }

  /// What changes when it is written to.
  func state() throws -> [Int] {
    var status = stat()
    if fstat(descriptor, &status) != 0 { throw Self.failure(path) }
    return [Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec, Int(status.st_nlink)]
  }

  func isSound() throws -> Bool { try Data(contentsOf: URL(fileURLWithPath: path)) == Data(bytes) }

  func mend() throws {
    if ftruncate(descriptor, off_t(bytes.count)) != 0 || pwrite(descriptor, bytes, bytes.count, 0) != bytes.count {
      throw Self.failure(path)
    }
  }

  private static func failure(_ path: String) -> FlipFailure {
    FlipFailure("\(path): errno \(errno)")
  }
}

/// Rows that a cursor gave of the sound store, byte by byte.
struct Expected {
  var bytes: [UInt8] = []
  var ends = [0]

  var count: Int { ends.count - 1 }

  init(of cursor: any RowCursor) throws {
    try Self.each(of: cursor) { row in
      bytes += row
      ends.append(bytes.count)
      return nil
    }
  }

  func has(_ row: UnsafeRawBufferPointer, at number: Int) -> Bool {
    let range = ends[number]..<ends[number + 1]
    guard row.count == range.count, let start = row.baseAddress else { return row.count == range.count }
    return bytes.withBytes { bytes in
      bytes.baseAddress.map { memcmp($0 + range.lowerBound, start, range.count) == 0 } ?? range.isEmpty
    }
  }

  /// How a cursor's rows differ from so many of these; nil when they do not.
  func difference(to cursor: any RowCursor, from first: Int = 0, count: Int? = nil) throws -> String? {
    let end = first + (count ?? self.count - first)
    var number = first
    let wrong = try Self.each(of: cursor) { row in
      if number >= end { return "there are more than \(end - first)" }
      number += 1
      return has(row, at: number - 1) ? nil : "row \(number - 1) is another one"
    }
    return wrong ?? (number == end ? nil : "there are \(number - first) of \(end - first)")
  }

  @discardableResult private static func each(
    of cursor: any RowCursor, _ body: (UnsafeRawBufferPointer) -> String?
  ) throws -> String? {
    defer { cursor.close() }
    return try withUnsafeTemporaryAllocation(of: UnsafeRawBufferPointer.self, capacity: 128) { batch in
      while case let count = try cursor.fill(batch), count > 0 {
        for place in 0..<count { if let wrong = body(batch[place]) { return wrong } }
      }
      return nil
    }
  }
}

extension Value {
  var int: Int64? { if case .int(let number) = self { number } else { nil } }
}
