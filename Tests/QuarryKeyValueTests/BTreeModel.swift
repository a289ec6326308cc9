import QuarryBackend
import QuarryKeyValue
import QuarryTree

struct Entry: Equatable {
  var key: [UInt8]
  var value: [UInt8]
}

/// What a tree should be: entries in an ordered array.
struct BTreeModel {
  private(set) var entries: [Entry] = []

  func lowerBound(_ key: [UInt8]) -> Int {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if Key(entries[middle].key) < Key(key) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  func contains(_ key: [UInt8]) -> Bool {
    let index = lowerBound(key)
    return index < entries.count && entries[index].key == key
  }

  mutating func put(_ key: [UInt8], _ value: [UInt8]) -> Bool {
    let index = lowerBound(key)
    if index < entries.count, entries[index].key == key {
      entries[index].value = value
      return false
    }
    entries.insert(Entry(key: key, value: value), at: index)
    return true
  }

  mutating func remove(_ key: [UInt8]) -> Bool {
    if !contains(key) { return false }
    entries.remove(at: lowerBound(key))
    return true
  }

  func indexes(_ range: KeyRange) -> Range<Int> {
    let begin = range.lower.map { lowerBound($0) } ?? 0
    let end = range.upper.map { lowerBound($0) } ?? entries.count
    return begin..<max(begin, end)
  }

  mutating func remove(in range: KeyRange) -> Int {
    let indexes = indexes(range)
    entries.removeSubrange(indexes)
    return indexes.count
  }

  subscript(range: KeyRange) -> [Entry] { Array(entries[indexes(range)]) }
}

extension BTree {
  func get(_ key: [UInt8]) -> [UInt8]? { key.withUnsafeBytes { get($0).map { Array($0) } } }

  @discardableResult
  mutating func put(_ key: [UInt8], _ value: [UInt8]) throws -> Bool {
    try key.withUnsafeBytes { key in try value.withUnsafeBytes { try put(key, $0) } }
  }

  mutating func insert(_ key: [UInt8], _ value: [UInt8]) throws -> Bool {
    try key.withUnsafeBytes { key in try value.withUnsafeBytes { try insert(key, $0) } }
  }

  mutating func remove(_ key: [UInt8]) -> Bool { key.withUnsafeBytes { remove($0) } }

  func entries(_ range: KeyRange = .all, descending: Bool = false) -> [Entry] {
    var cursor = cursor(in: range, descending: descending)
    var result: [Entry] = []
    while let (key, value) = cursor.next() { result.append(Entry(key: Array(key), value: Array(value))) }
    return result
  }

  /// The values of the range, fetched so many at a time.
  func values(_ range: KeyRange, descending: Bool, batch: Int) -> [[UInt8]] {
    var cursor = cursor(in: range, descending: descending)
    let batch = UnsafeMutableBufferPointer<UnsafeRawBufferPointer>.allocate(capacity: batch)
    defer { batch.deallocate() }
    var result: [[UInt8]] = []
    while case let count = cursor.fill(batch), count > 0 { result += batch[0..<count].map { Array($0) } }
    return result
  }
}

/// The bytes of a number whose order is the numbers'.
func bytes(_ number: Int) -> [UInt8] {
  withUnsafeBytes(of: UInt64(number).bigEndian) { Array($0) }
}
