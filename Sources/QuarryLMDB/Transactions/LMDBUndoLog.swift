import QuarryBackend
import QuarryKeyValue

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The log to undo the changes since the first open savepoint: for each changed key its previous value.
final class LMDBUndoLog {
  private struct Header {
    var tree: TreeID
    var keyCount: Int32
    /// Bytes of the value; -1 where there was none.
    var valueCount: Int64
  }

  @exclusivity(unchecked) private var bytes: UnsafeMutableRawPointer?
  @exclusivity(unchecked) private var capacity = 0
  @exclusivity(unchecked) private var end = 0
  /// Where each entry begins.
  @exclusivity(unchecked) private var places: [Int] = []

  deinit { free(bytes) }

  var count: Int { places.count }

  /// Notes the value that a key had, nil where it was not there.
  ///
  /// - Throws: `full` when there is no memory.
  func append(_ tree: TreeID, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer?) throws(StorageError) {
    let size = MemoryLayout<Header>.size
    let needed = end + size + key.count + (value?.count ?? 0) + 8
    if needed > capacity {
      let grown = max(needed, capacity * 2, 4096)
      guard let moved = realloc(bytes, grown) else {
        throw .noMemory(for: "\(grown) bytes of changes since the savepoint")
      }
      bytes = moved
      capacity = grown
    }
    guard let bytes else { return }
    places.append(end)
    let header = Header(tree: tree, keyCount: Int32(key.count), valueCount: value.map { Int64($0.count) } ?? -1)
    bytes.storeBytes(of: header, toByteOffset: end, as: Header.self)
    if let start = key.baseAddress { (bytes + end + size).copyMemory(from: start, byteCount: key.count) }
    if let value, let start = value.baseAddress {
      (bytes + end + size + key.count).copyMemory(from: start, byteCount: value.count)
    }
    end = (needed - 8 + 7) & ~7
  }

  /// Takes the entries after the first `count` back, the last one first.
  func undo(
    to count: Int,
    _ body: (TreeID, UnsafeRawBufferPointer, UnsafeRawBufferPointer?) throws(StorageError) -> Void
  ) throws(StorageError) {
    while places.count > count, let place = places.popLast(), let bytes {
      let header = bytes.load(fromByteOffset: place, as: Header.self)
      let key = UnsafeRawBufferPointer(
        start: bytes + place + MemoryLayout<Header>.size, count: Int(header.keyCount))
      let value =
        header.valueCount < 0
        ? nil
        : UnsafeRawBufferPointer(
          start: bytes + place + MemoryLayout<Header>.size + key.count, count: Int(header.valueCount))
      end = place
      try body(header.tree, key, value)
    }
  }

  /// Forgets everything. Much memory is given back.
  func removeAll() {
    places.removeAll(keepingCapacity: true)
    end = 0
    if capacity > 1 << 20 {
      free(bytes)
      bytes = nil
      capacity = 0
      places = []
    }
  }
}
