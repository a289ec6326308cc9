import QuarryBackend
import QuarryKeyValue

/// Bytes at one address for as long as the value lives, so that they can be lent.
final class Block: Sendable {
  // Unchecked by the compiler, and safe: the bytes are written before anyone else sees the block, and never again.
  nonisolated(unsafe) let bytes: UnsafeRawBufferPointer

  init(_ source: UnsafeRawBufferPointer) {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: source.count, alignment: 8)
    copy.copyMemory(from: source)
    bytes = UnsafeRawBufferPointer(copy)
  }

  deinit {
    bytes.deallocate()
  }
}

/// The entries of one tree in the order of their keys' bytes.
struct SortedTree: Sendable {
  struct Entry: Sendable {
    let key: Block
    let value: Block
  }

  var entries: [Entry] = []

  var isSorted: Bool {
    zip(entries, entries.dropFirst()).allSatisfy { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }
  }

  /// The place of the first entry that is not before the key.
  func place(_ key: some Collection<UInt8>) -> Int {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].key.bytes.lexicographicallyPrecedes(key) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  func holds(_ key: some Collection<UInt8>, at place: Int) -> Bool {
    place < entries.count && entries[place].key.bytes.elementsEqual(key)
  }

  func places(_ range: KeyRange) -> Range<Int> {
    let lower = range.lower.map { place($0) } ?? 0
    return lower..<max(lower, range.upper.map { place($0) } ?? entries.count)
  }
}

/// All trees at one version.
struct SortedState: Sendable {
  var trees: [TreeID: SortedTree] = [:]
  var version: UInt64 = 0

  func value(_ tree: TreeID, _ key: some Collection<UInt8>) -> Block? {
    guard let tree = trees[tree] else { return nil }
    let place = tree.place(key)
    return tree.holds(key, at: place) ? tree.entries[place].value : nil
  }
}
