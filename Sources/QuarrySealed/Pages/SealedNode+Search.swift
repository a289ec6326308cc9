import QuarryBackend
import QuarryKeyValue

extension SealedNode {
  /// Looks again at what all keys share, and at the heads.
  func refreshHeads() {
    let first = firstKey
    if first == 1, count > 0 { heads[0] = 0 }
    guard count > first else {
      skip = 0
      return
    }
    // Keys are in order, so that all share what the first and the last do.
    skip = key(first).commonPrefix(with: key(count - 1))
    for index in first..<count { heads[index] = key(index).keyHead(skip: skip) }
  }

  /// The first entry whose key is not less than the key, and whether it is the key.
  @inline(__always)
  func search(_ key: UnsafeRawBufferPointer) -> (index: Int, isFound: Bool) {
    let (count, skip, first) = (count, skip, firstKey)
    if skip > 0 {
      let order = key.compare(toStartOf: self.key(firstKey), skip: skip)
      if order < 0 { return (first, false) }
      if order > 0 { return (count, false) }
    }
    let head = key.keyHead(skip: skip)
    var low = first
    var size = count &- first
    // Without a branch: halves that are not taken are not guessed.
    while size > 0 {
      let half = size &>> 1
      let isLess = heads[low &+ half] < head
      low = isLess ? low &+ half &+ 1 : low
      size = isLess ? size &- half &- 1 : half
    }
    if low >= count || heads[low] != head { return (low, false) }
    return searchRun(key, head: head, from: low, skip: skip)
  }

  /// Searches by whole keys where several have the same head.
  @inline(__always)
  private func searchRun(
    _ key: UnsafeRawBufferPointer, head: UInt64, from index: Int, skip: Int
  ) -> (index: Int, isFound: Bool) {
    let order = self.key(index).compareTail(key, skip: skip)
    if order >= 0 { return (index, order == 0) }
    var low = index &+ 1
    while low < count, heads[low] == head {
      let order = self.key(low).compareTail(key, skip: skip)
      if order >= 0 { return (low, order == 0) }
      low &+= 1
    }
    return (low, false)
  }

  /// The child of a branch that the key belongs to.
  @inline(__always)
  func childIndex(_ key: UnsafeRawBufferPointer) -> Int {
    let (index, isFound) = search(key)
    return isFound ? index : index &- 1
  }
}
