import QuarryBackend
import QuarryKeyValue

/// What a transaction has read: keys one by one, and ranges. A commit that wrote to any of it is in the way.
struct ReadFootprint {
  private var keys: [TreeID: Set<[UInt8]>] = [:]
  private var ranges: [TreeID: [KeyRange]] = [:]

  mutating func add(_ tree: TreeID, _ key: UnsafeRawBufferPointer) {
    keys[tree, default: []].insert(Array(key))
  }

  mutating func add(_ tree: TreeID, _ range: KeyRange) {
    if ranges[tree]?.last != range { ranges[tree, default: []].append(range) }
  }

  /// Whether an operation of another transaction changed what was read.
  func overlaps(_ operation: WriteOperation) -> Bool {
    switch operation {
    case .put(let tree, let key, _), .delete(let tree, let key):
      keys[tree]?.contains(key) == true || ranges[tree]?.contains { $0.contains(key) } == true
    case .deleteRange(let tree, let range):
      keys[tree]?.contains { range.contains($0) } == true || ranges[tree]?.contains { $0.overlaps(range) } == true
    }
  }
}

/// A change of a transaction, which can be repeated on another state.
enum WriteOperation {
  case put(TreeID, [UInt8], [UInt8])
  case delete(TreeID, [UInt8])
  case deleteRange(TreeID, KeyRange)
}

extension KeyRange {
  fileprivate func contains(_ key: [UInt8]) -> Bool {
    if let lower, key.lexicographicallyPrecedes(lower) { return false }
    return upper.map { key.lexicographicallyPrecedes($0) } ?? true
  }

  fileprivate func overlaps(_ other: KeyRange) -> Bool {
    func isBefore(_ upper: [UInt8]?, _ lower: [UInt8]?) -> Bool {
      guard let upper, let lower else { return false }
      return !lower.lexicographicallyPrecedes(upper)
    }
    return !isBefore(upper, other.lower) && !isBefore(other.upper, lower)
  }
}
