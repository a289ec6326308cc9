import QuarryBackend
import QuarryKeyValue

// Counting.
//
// Keys are compared only on the two ways down to the ends of a range. Of every leaf in between only the head is read, which says
// how many entries it has. These reads do not wait for one another, as steps from leaf to leaf do.
extension LMDBSearch {
  /// The number of entries of a range.
  ///
  /// - Throws: `corrupt`.
  /// - Complexity: Reads the head of each page with entries of the range.
  func count(_ range: KeyRange) throws(StorageError) -> Int {
    if root == LMDBTreeRecord.noPage || range.isEmpty { return 0 }
    guard depth <= Self.deepest else { throw LMDBPage.damaged() }
    var visits = Visits()
    return try Self.withBound(range.lower) { lower throws(StorageError) in
      try Self.withBound(range.upper) { upper throws(StorageError) in
        try count(below: root, level: 1, lower, upper, &visits)
      }
    }
  }

  /// How many pages were visited: more than there are would be damage, by which pages lead back to themselves.
  private struct Visits {
    var count: UInt64 = 0
  }

  private static func withBound(
    _ bound: [UInt8]?, _ body: (UnsafeRawBufferPointer?) throws(StorageError) -> Int
  ) throws(StorageError) -> Int {
    guard let bound else { return try body(nil) }
    return try LMDBKey.stored(bound).withBytes { bytes throws(StorageError) in try body(bytes) }
  }

  /// A page that was reached as a page of its level: leaves are at the last one, which the tree's record says.
  private func page(
    _ number: UInt64, level: Int, _ visits: inout Visits
  ) throws(StorageError) -> LMDBPage {
    visits.count += 1
    let start = try start(of: number)
    let page = try LMDBPage(at: start, size: pageSize)
    guard page.isLeaf == (level == depth), level <= depth, LMDBPage.number(at: start) == number,
      visits.count <= knownPages
    else { throw LMDBPage.damaged() }
    return page
  }

  /// The number of entries below a page that are not before one key and before another; nil for no such end.
  private func count(
    below number: UInt64, level: Int, _ lower: UnsafeRawBufferPointer?, _ upper: UnsafeRawBufferPointer?,
    _ visits: inout Visits
  ) throws(StorageError) -> Int {
    let page = try page(number, level: level, &visits)
    if page.isLeaf {
      let first = try lower.map { key throws(StorageError) in try page.firstIndex(notBefore: key) } ?? 0
      let end = try upper.map { key throws(StorageError) in try page.firstIndex(notBefore: key) } ?? page.count
      return max(0, end - first)
    }
    let first = try lower.map { key throws(StorageError) in try page.index(above: key) } ?? 0
    let last = try upper.map { key throws(StorageError) in try page.index(above: key) } ?? page.count - 1
    if first == last { return try count(below: page.child(first), level: level + 1, lower, upper, &visits) }
    guard first < last else { throw LMDBPage.damaged() }
    return try count(below: page.child(first), level: level + 1, lower, nil, &visits)
      + countWhole(page, first + 1..<last, level: level + 1, &visits)
      + count(below: page.child(last), level: level + 1, nil, upper, &visits)
  }

  /// The number of all entries below some children of a branch, whose level is given.
  private func countWhole(
    _ branch: LMDBPage, _ children: Range<Int>, level: Int, _ visits: inout Visits
  ) throws(StorageError) -> Int {
    var total = 0
    if level == depth {
      for index in children { total &+= try countLeaf(branch.child(index)) }
      visits.count += UInt64(children.count)
      return total
    }
    for index in children {
      let page = try page(branch.child(index), level: level, &visits)
      total &+= try countWhole(page, 0..<page.count, level: level + 1, &visits)
    }
    return total
  }

  /// The number of entries of a leaf, by its head.
  @inline(__always)
  private func countLeaf(_ number: UInt64) throws(StorageError) -> Int {
    let start = try start(of: number)
    guard LMDBPage.number(at: start) == number, let count = LMDBPage.leafCount(at: start, size: pageSize) else {
      throw LMDBPage.damaged()
    }
    return count
  }
}
