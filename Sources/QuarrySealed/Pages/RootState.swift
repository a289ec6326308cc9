import QuarryBackend
import QuarryKeyValue
import Synchronization

/// A tree of the store in its root record.
struct SealedTreeRecord: Hashable {
  var tree: TreeID
  var root: PageReference
}

/// The content of the root record.
struct RootRecord {
  /// The number that the next new page gets. Numbers are never given twice.
  var nextPage: UInt64 = 1
  /// Pieces that were sealed with the keys of this store.
  var seals: UInt64 = 0
  /// In the order of their numbers; none is empty.
  var trees: [SealedTreeRecord] = []

  init() {}

  /// next page 8, seals 8, and for each tree: number 4, page 8, tag 16, entries 8.
  init(_ content: [UInt8]) throws(StorageError) {
    guard content.count >= 16, (content.count - 16) % 36 == 0 else { throw .damaged("its root record is invalid") }
    var trees: [SealedTreeRecord] = []
    content.withUnsafeBytes { bytes in
      nextPage = bytes.loadLittleEndian(0, as: UInt64.self)
      seals = bytes.loadLittleEndian(8, as: UInt64.self)
      for place in stride(from: 16, to: bytes.count, by: 36) {
        guard let start = bytes.baseAddress else { return }
        trees.append(
          SealedTreeRecord(
            tree: bytes.loadLittleEndian(place, as: UInt32.self), root: PageReference(at: start + place + 4)))
      }
    }
    self.trees = trees
    // New pages are numbered from the next one on, and trees are searched for.
    guard nextPage > 0, nextPage <= SealedFormat.greatestCount, trees.allSatisfy({ $0.root.hasSoundCount }),
      zip(trees, trees.dropFirst()).allSatisfy({ $0.tree < $1.tree })
    else { throw .damaged("its root record is invalid") }
  }

  var content: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: nextPage)
    bytes.append(littleEndian: seals)
    for record in trees {
      bytes.append(littleEndian: record.tree)
      let place = bytes.count
      bytes += [UInt8](repeating: 0, count: SealedFormat.referenceBytes)
      bytes.withUnsafeMutableBytes { room in
        if let start = room.baseAddress { record.root.store(at: start + place) }
      }
    }
    return bytes
  }
}

/// A committed state: its root record, and the root nodes that were opened.
///
/// Sendable unchecked: everything is written in `init` but the links, each of which changes once, from nothing to a node
/// that is then kept until the end.
final class RootState: @unchecked Sendable {
  let record: RootRecord
  /// The tag of the record as it is stored.
  let tag: PageTag
  let ciphers: SealedCiphers
  private let ids: UnsafeMutablePointer<TreeID>
  private let links: UnsafeMutablePointer<Atomic<UInt>>

  /// - Parameter nodes: Roots that are open already, by the places of their trees.
  init(_ record: RootRecord, tag: PageTag, _ ciphers: SealedCiphers, nodes: [SealedNode?] = []) {
    self.record = record
    self.tag = tag
    self.ciphers = ciphers
    let count = record.trees.count
    ids = .allocate(capacity: max(1, count))
    links = .allocate(capacity: max(1, count))
    for place in 0..<count {
      ids[place] = record.trees[place].tree
      let node = place < nodes.count ? nodes[place] : nil
      (links + place).initialize(to: Atomic(node.map { SealedNode.bits(retaining: $0) } ?? 0))
    }
  }

  deinit {
    for place in 0..<record.trees.count { SealedNode.release(links[place].load(ordering: .acquiring)) }
    ids.deallocate()
    links.deallocate()
  }

  /// The tag of a stored root record.
  static func tag(of stored: UnsafeRawBufferPointer) -> PageTag? {
    guard stored.count >= StoreCipherFormat.trailerBytes, let start = stored.baseAddress else { return nil }
    return PageTag(at: start + stored.count - StoreCipherFormat.tagBytes)
  }

  /// The place of a tree in the record; nil for one that is empty.
  @inline(__always)
  func place(_ tree: TreeID) -> Int? {
    var low = 0
    var high = record.trees.count
    while low < high {
      let middle = (low &+ high) &>> 1
      if ids[middle] < tree { low = middle &+ 1 } else { high = middle }
    }
    return low < record.trees.count && ids[low] == tree ? low : nil
  }

  /// The root node of a tree, if it was opened.
  @inline(__always)
  func link(_ place: Int) -> SealedNode? { SealedNode.node(links[place].load(ordering: .acquiring)) }

  /// Remembers the root node of a tree.
  func remember(_ place: Int, _ node: SealedNode) -> SealedNode {
    let bits = SealedNode.bits(retaining: node)
    let (isFirst, found) = links[place].compareExchange(
      expected: 0, desired: bits, ordering: .acquiringAndReleasing)
    if isFirst { return node }
    SealedNode.release(bits)
    return SealedNode.node(found) ?? node
  }
}
