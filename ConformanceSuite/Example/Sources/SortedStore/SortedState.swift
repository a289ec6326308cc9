import QuarryBackend
import QuarryKeyValue

/// An entry of a tree. Its bytes stay where they are for as long as it lives, so that they can be lent.
final class Entry: Sendable {
  // Safe, though unchecked: the bytes are written before anyone else has the entry, and never again.
  nonisolated(unsafe) let key: UnsafeRawBufferPointer
  nonisolated(unsafe) let value: UnsafeRawBufferPointer

  init(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: key.count + value.count, alignment: 8)
    bytes[..<key.count].copyBytes(from: key)
    bytes[key.count...].copyBytes(from: value)
    self.key = UnsafeRawBufferPointer(rebasing: bytes[..<key.count])
    self.value = UnsafeRawBufferPointer(rebasing: bytes[key.count...])
  }

  deinit {
    key.baseAddress?.deallocate()
  }
}

/// All trees at one version, their entries in the order of the keys' bytes.
struct SortedState: Sendable {
  var trees: [TreeID: [Entry]] = [:]
  var version: UInt64 = 0

  /// The entry of the key, and its place or the one where it belongs.
  func find(_ tree: TreeID, _ key: some Collection<UInt8>) -> (entry: Entry?, place: Int) {
    let entries = trees[tree] ?? []
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].key.lexicographicallyPrecedes(key) { low = middle + 1 } else { high = middle }
    }
    return (low < entries.count && entries[low].key.elementsEqual(key) ? entries[low] : nil, low)
  }

  /// The places of the entries in the range.
  func places(_ tree: TreeID, _ range: KeyRange) -> Range<Int> {
    let lower = range.lower.map { find(tree, $0).place } ?? 0
    return lower..<max(lower, range.upper.map { find(tree, $0).place } ?? trees[tree]?.count ?? 0)
  }
}
