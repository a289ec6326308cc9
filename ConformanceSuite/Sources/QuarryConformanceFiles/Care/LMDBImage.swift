import Foundation

/// The bytes of a file in the format of LMDB 0.9, whatever engine keeps its trees there, with the places that lead from page to
/// page.
struct LMDBImage {
  /// What the file has.
  private(set) var data: Data
  private let pageBytes: Int
  /// The first byte of the newer meta page.
  private let meta: Int

  /// A page with nodes.
  struct Page {
    /// The number of the page.
    let number: Int
    let isLeaf: Bool
    /// The first bytes of its nodes, in the order of their keys.
    let nodes: [Int]
  }

  /// The record of a tree, which stands in a meta page or in the main tree.
  struct Record {
    /// Its first byte.
    let place: Int
    let depth: Int
    let root: Int
  }

  /// Nil for a file of another format.
  init?(_ data: Data) {
    self.data = Data(data)
    guard data.count > 4_096, self.data[16..<20].elementsEqual([0xDE, 0xC0, 0xEF, 0xBE]), self.data[20] == 1 else {
      return nil
    }
    let size = Self.number(self.data, 40, 4)
    guard size >= 512, data.count >= 2 * size else { return nil }
    pageBytes = size
    meta = Self.number(self.data, 144, 8) > Self.number(self.data, size + 144, 8) ? 0 : size
  }

  private static func number(_ data: Data, _ place: Int, _ bytes: Int) -> Int {
    (0..<bytes).reduce(0) { $0 | Int(data[place + $1]) << (8 * $1) }
  }

  func number(_ place: Int, _ bytes: Int) -> Int { Self.number(data, place, bytes) }

  /// Writes a number over the bytes at the place.
  mutating func set(_ place: Int, _ bytes: Int, to number: Int) {
    for byte in 0..<bytes { data[place + byte] = UInt8(truncatingIfNeeded: number >> (8 * byte)) }
  }

  // MARK: Trees

  /// The tree of the lists of free pages.
  var free: Record { record(meta + 40) }
  /// The tree whose values are the records of all others.
  var main: Record { record(meta + 88) }

  /// The other trees, in the order of their names.
  var trees: [Record] {
    leaves(of: main).flatMap(\.nodes).filter { number($0 + 4, 2) == 2 }.map { record(value($0)) }
  }

  private func record(_ place: Int) -> Record {
    Record(place: place, depth: number(place + 6, 2), root: number(place + 40, 8))
  }

  /// The counts in a record: of branch pages, leaf pages, pages of large values, and entries.
  static let countPlaces = [8, 16, 24, 32]

  /// The leaves of a tree in their order.
  func leaves(of record: Record) -> [Page] {
    record.depth == 0 ? [] : leaves(below: record.root)
  }

  private func leaves(below number: Int) -> [Page] {
    let page = page(number)
    return page.isLeaf ? [page] : page.nodes.flatMap { leaves(below: child($0)) }
  }

  // MARK: Pages

  func start(_ page: Page) -> Int { page.number * pageBytes }
  func end(_ page: Page) -> Int { (page.number + 1) * pageBytes }

  func page(_ page: Int) -> Page {
    let start = page * pageBytes
    let count = (number(start + 12, 2) - 16) / 2
    return Page(
      number: page, isLeaf: number(start + 10, 2) & 2 != 0,
      nodes: (0..<count).map { start + number(start + 16 + 2 * $0, 2) })
  }

  /// The bytes of a node's key.
  func key(_ node: Int) -> Range<Int> { node + 8..<node + 8 + number(node + 6, 2) }

  /// The first byte of the value of a leaf's node.
  func value(_ node: Int) -> Int { key(node).upperBound }

  /// The page to which a branch's node leads.
  func child(_ node: Int) -> Int { number(node, 4) | number(node + 4, 2) << 32 }

  /// Gives a node the key of another one, of the same length.
  mutating func setKey(_ node: Int, to other: Int) {
    data.replaceSubrange(key(node), with: Data(data[key(other)]))
  }

  /// Leaves a branch its first child alone.
  mutating func keepFirstChild(of page: Page) {
    let node = Data(data[page.nodes[0]..<key(page.nodes[0]).upperBound])
    let (start, place) = (start(page), end(page) - node.count)
    data.replaceSubrange(place..<end(page), with: node)
    set(start + 16, 2, to: place - start)
    set(start + 12, 2, to: 18)
    set(start + 14, 2, to: place - start)
  }

  /// The first bytes of the lists of free pages that stand among the nodes: each is a count and so many numbers, the greatest
  /// first.
  var freeLists: [Int] {
    leaves(of: free).flatMap(\.nodes).filter { number($0 + 4, 2) == 0 }.map(value)
  }
}
