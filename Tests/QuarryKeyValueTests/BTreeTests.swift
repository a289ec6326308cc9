import QuarryBackend
import QuarryKeyValue
import QuarryTree
import Testing

@Suite struct BTreeTests {
  /// A tree of the even numbers below twice the count.
  static func evens(_ count: Int) throws -> BTree {
    var tree = BTree()
    for number in 0..<count { try tree.put(bytes(number * 2), bytes(number)) }
    return tree
  }

  @Test func anEmptyTreeHasNothing() {
    var tree = BTree()
    #expect(tree.count == 0)
    #expect(tree.get([]) == nil)
    #expect(tree.remove([1]) == false)
    #expect(tree.remove(in: .all) == 0)
    #expect(tree.count(in: .all) == 0)
    #expect(tree.entries() == [])
    #expect(tree.entries(descending: true) == [])
    #expect(tree.statistics() == BTree.Statistics())
  }

  @Test func theEmptyKeyIsAKey() throws {
    var tree = try Self.evens(1000)
    #expect(try tree.put([], []) == true)
    #expect(tree.get([]) == [])
    #expect(tree.entries().first == Entry(key: [], value: []))
    #expect(tree.count(in: KeyRange(lower: [], upper: [0])) == 1)
    #expect(tree.remove([]) == true)
    #expect(tree.get([]) == nil)
    #expect(tree.defects() == [])
  }

  @Test func keysOfZerosAreToldApartByLength() throws {
    var tree = BTree()
    let keys = (0...100).map { [UInt8](repeating: 0, count: $0) }
    for key in keys.reversed() { try tree.put(key, key) }
    #expect(tree.entries().map(\.key) == keys)
    #expect(tree.defects() == [])
    for key in keys { #expect(tree.get(key) == key) }
  }

  @Test(arguments: [511, 512, 513, 70_000, 3_000_000])
  func keysAndValuesOfAnyLength(_ length: Int) throws {
    var tree = try Self.evens(200)
    let long = [UInt8](repeating: 9, count: length)
    try tree.put(bytes(10), long)
    try tree.put(long, bytes(1))
    try tree.put(long + [0], long)
    #expect(tree.get(bytes(10)) == long)
    #expect(tree.get(long) == bytes(1))
    #expect(tree.get(long + [0]) == long)
    #expect(tree.entries(descending: true).first == Entry(key: long + [0], value: long))
    #expect(tree.defects() == [])
    try tree.put(bytes(10), [])
    #expect(tree.remove(long) == true)
    #expect(tree.remove(long + [0]) == true)
    #expect(tree.get(bytes(10)) == [])
    #expect(tree.count == 200)
    #expect(tree.defects() == [])
  }

  @Test func longKeysThatDifferLateSplitWell() throws {
    var tree = BTree()
    var model = BTreeModel()
    for number in 0..<600 {
      let key = [UInt8](repeating: 3, count: 2000) + bytes(number * 7919 % 600)
      try tree.put(key, [1])
      _ = model.put(key, [1])
    }
    #expect(tree.defects() == [])
    #expect(tree.entries() == model.entries)
    let cut = KeyRange(lower: model.entries[50].key, upper: model.entries[500].key)
    #expect(tree.remove(in: cut) == 450)
    #expect(tree.defects() == [])
    #expect(tree.count == 150)
  }

  @Test func insertLeavesWhatIsThere() throws {
    var tree = try Self.evens(300)
    let kept = tree
    #expect(try tree.insert(bytes(40), [9]) == false)
    #expect(try tree.insert(bytes(41), [9]) == true)
    #expect(tree.get(bytes(40)) == bytes(20))
    #expect(tree.get(bytes(41)) == [9])
    #expect(kept.get(bytes(41)) == nil)
  }

  @Test func ascendingKeysLeaveFullNodes() throws {
    let tree = try Self.evens(64 * 200)
    #expect(tree.statistics().leaves == 200)
    #expect(tree.defects() == [])
  }

  @Test func descendingKeysFillNodesHalf() throws {
    var tree = BTree()
    for number in (0..<6400).reversed() { try tree.put(bytes(number), []) }
    #expect(tree.statistics().leaves <= 200)
    #expect(tree.defects() == [])
  }

  @Test func aQueueStaysSmall() throws {
    var tree = BTree()
    for number in 0..<20_000 {
      try tree.put(bytes(number), bytes(number))
      if number >= 100 { #expect(tree.remove(bytes(number - 100)) == true) }
    }
    #expect(tree.count == 100)
    #expect(tree.statistics().leaves <= 6)
    #expect(tree.defects() == [])
  }

  @Test func valuesThatGrowAndShrinkLeaveNoGarbage() throws {
    var tree = try Self.evens(64)
    for round in 0..<500 {
      for number in 0..<64 {
        try tree.put(bytes(number * 2), [UInt8](repeating: 1, count: (round * 37 + number) % 200))
      }
    }
    #expect(tree.statistics().bytes < 64 * 208 * 2 + 1088)
    #expect(tree.defects() == [])
  }

  @Test func lentBytesMayBeArguments() throws {
    var tree = BTree()
    try tree.put(bytes(0), [UInt8](repeating: 5, count: 300))
    for number in 1..<2000 {
      let source = bytes(number - 1)
      let found = source.withUnsafeBytes { tree.get($0) }
      let lent = try #require(found)
      _ = try bytes(number).withUnsafeBytes { try tree.put($0, lent) }
    }
    var cursor = tree.cursor(in: .all, descending: false)
    let first = cursor.next()
    let (key, value) = try #require(first)
    #expect(try tree.put(key, UnsafeRawBufferPointer(rebasing: value[100...])) == false)
    #expect(tree.get(bytes(0)) == [UInt8](repeating: 5, count: 200))
    #expect(tree.entries().dropFirst().allSatisfy { $0.value == [UInt8](repeating: 5, count: 300) })
    #expect(tree.defects() == [])
  }

  @Test(arguments: [0, 1, 2, 127, 128, 129, 4000, 9998, 9999, 10_000, 10_001])
  func ranksOfKeys(_ number: Int) throws {
    let tree = try Self.evens(5000)
    let rank = bytes(number).withUnsafeBytes { tree.rank($0) }
    #expect(rank == min(5000, (number + 1) / 2))
  }

  @Test(arguments: [-1, 0, 1, 63, 64, 126, 127, 128, 8190, 8191, 8192, 9997, 9998, 9999, 10_001])
  func cursorsBothWaysAtAnyBound(_ number: Int) throws {
    let tree = try Self.evens(5000)
    let bound: [UInt8]? = number < 0 ? nil : bytes(number)
    let numbers = (0..<5000).map { $0 * 2 }
    let above = numbers.filter { $0 >= number }.map { bytes($0) }
    let below = numbers.filter { number < 0 || $0 < number }.map { bytes($0) }
    #expect(tree.entries(KeyRange(lower: bound)).map(\.key) == above)
    #expect(tree.entries(KeyRange(lower: bound), descending: true).map(\.key) == above.reversed())
    #expect(tree.entries(KeyRange(upper: bound)).map(\.key) == below)
    #expect(tree.entries(KeyRange(upper: bound), descending: true).map(\.key) == below.reversed())
  }

  @Test(arguments: [1, 7, 64, 1000], [false, true])
  func batchesGiveWhatSingleStepsGive(_ batch: Int, _ isDescending: Bool) throws {
    var tree = try Self.evens(1000)
    try tree.put(bytes(501), [UInt8](repeating: 1, count: 5000))
    let range = KeyRange(lower: bytes(301), upper: bytes(1501))
    let values = tree.values(range, descending: isDescending, batch: batch)
    #expect(values == tree.entries(range, descending: isDescending).map(\.value))
    #expect(values.count == 601)
  }

  @Test func aCursorAtItsEndStaysThere() throws {
    let tree = try Self.evens(100)
    var cursor = tree.cursor(in: KeyRange(upper: bytes(4)), descending: false)
    #expect(cursor.next() != nil)
    #expect(cursor.next() != nil)
    #expect(cursor.next() == nil)
    #expect(cursor.next() == nil)
  }

  @Test(arguments: [false, true])
  func aRangeWhoseEndsAreCrossedIsEmpty(_ isDescending: Bool) throws {
    var tree = try Self.evens(5000)
    for (lower, upper) in [(500, 400), (9000, 3), (64, 64), (128, 126), (20_000, 10_000)] {
      let range = KeyRange(lower: bytes(lower), upper: bytes(upper))
      #expect(tree.entries(range, descending: isDescending) == [])
      #expect(tree.count(in: range) == 0)
      #expect(tree.remove(in: range) == 0)
    }
    #expect(tree.count == 5000)
  }

  @Test func aCursorKeepsTheStateThatItWasMadeOn() throws {
    var tree = try Self.evens(3000)
    var cursor = tree.cursor(in: .all, descending: false)
    #expect(tree.remove(in: .all) == 3000)
    var count = 0
    while let entry = cursor.next() {
      #expect(Array(entry.key) == bytes(count * 2))
      count += 1
    }
    #expect(count == 3000)
  }

  @Test func removingAllLeavesAnEmptyTree() throws {
    var tree = try Self.evens(70_000)
    #expect(tree.remove(in: .all) == 70_000)
    #expect(tree.statistics() == BTree.Statistics())
    #expect(try tree.put([1], [2]) == true)
    #expect(tree.entries() == [Entry(key: [1], value: [2])])
  }

  @Test func removingARangeLeavesItsNeighbours() throws {
    var tree = try Self.evens(70_000)
    #expect(tree.remove(in: KeyRange(lower: bytes(2001), upper: bytes(138_001))) == 68_000)
    #expect(tree.defects() == [])
    #expect(
      tree.entries().map(\.key) == ((0..<1001).map { $0 * 2 } + (69_001..<70_000).map { $0 * 2 }).map { bytes($0) })
    #expect(tree.statistics().height == 2)
  }
}
