import QuarryBackend
import QuarryKeyValue

extension BTreeNode {
  /// How many heads are less.
  ///
  /// Two passes of eight comparisons without a branch: over the last head of each cache line, all of which are fetched
  /// at once, then within the line. Heads after the last are the greatest number and never counted.
  @inline(__always)
  private func rank(_ head: UInt64) -> Int {
    let heads = heads
    var block = 0
    for index in 0..<8 { block &+= heads[index &* 8 &+ 7] < head ? 1 : 0 }
    let start = min(block, 7) &* 8
    var rank = start
    for index in 0..<8 { rank &+= heads[start &+ index] < head ? 1 : 0 }
    return rank
  }

  /// The first entry whose key is not less than the key, and whether it is the key.
  ///
  /// - Parameter head: The key's head with nothing skipped.
  @inline(__always)
  func search(_ key: UnsafeRawBufferPointer, head: UInt64) -> (index: Int, isFound: Bool) {
    let count = count
    let skip = header.pointee.skip
    var head = head
    if skip > 0 {
      let order = key.compare(toStartOf: self.key(firstKey), skip: skip)
      if order < 0 { return (firstKey, false) }
      if order > 0 { return (count, false) }
      head = key.keyHead(skip: skip)
    }
    let index = max(rank(head), firstKey)
    if index >= count || heads[index] != head { return (index, false) }
    let order = self.key(index).compareTail(key, skip: skip)
    if order >= 0 { return (index, order == 0) }
    if index &+ 1 >= count || heads[index &+ 1] != head { return (index &+ 1, false) }
    return searchRun(key, head: head, after: index, skip: skip)
  }

  /// Searches on by whole keys where several have the same head.
  private func searchRun(
    _ key: UnsafeRawBufferPointer, head: UInt64, after index: Int, skip: Int
  ) -> (index: Int, isFound: Bool) {
    var low = index &+ 1
    var high = head == .max ? count : min(count, rank(head &+ 1))
    while low < high {
      let middle = (low &+ high) / 2
      let order = self.key(middle).compareTail(key, skip: skip)
      if order == 0 { return (middle, true) }
      if order < 0 { low = middle &+ 1 } else { high = middle }
    }
    return (low, false)
  }

  /// The child of an inner node that the key belongs to.
  @inline(__always)
  func childIndex(_ key: UnsafeRawBufferPointer, head: UInt64) -> Int {
    let (index, isFound) = search(key, head: head)
    return isFound ? index : index &- 1
  }

  /// The first entry of a leaf whose key is not less than the key.
  func lowerBound(_ key: UnsafeRawBufferPointer) -> Int {
    search(key, head: key.keyHead(skip: 0)).index
  }
}
