import Synchronization

/// Bytes of memory of the nodes that are kept.
final class CacheMeter: Sendable {
  private let sum = Atomic<Int>(0)

  var bytes: Int { sum.load(ordering: .relaxed) }
  func add(_ count: Int) { sum.add(count, ordering: .relaxed) }
  func subtract(_ count: Int) { sum.subtract(count, ordering: .relaxed) }
}

/// Opened nodes, by page number and tag, and the newest root: what the transactions of an engine share.
///
/// Nodes hang on their parents, which remember them, and these on the roots of a state. When there are too many, the whole
/// of it is dropped: what is read at that moment is kept by its readers, and goes with them.
final class NodeCache: Sendable {
  /// Bytes that nodes may take.
  let limit: Int
  let meter = CacheMeter()
  private let nodes = Mutex<[UInt64: SealedNode]>([:])
  private let newest = Mutex<RootState?>(nil)
  /// Nodes that were opened since it was emptied.
  private let opened = Atomic<Int>(0)

  init(limit: Int) { self.limit = limit }

  /// Whether another node is kept.
  var hasRoom: Bool { meter.bytes < limit }

  /// The newest state that was seen.
  @inline(__always)
  var state: RootState? { newest.withLock { $0 } }

  func publish(_ state: RootState) {
    let old = newest.withLock { newest in
      let old = newest
      newest = state
      return old
    }
    withExtendedLifetime(old) {}
  }

  func find(_ page: UInt64, _ tag: PageTag) -> SealedNode? {
    nodes.withLock { nodes in
      guard let node = nodes[page], node.tag == tag else { return nil }
      return node
    }
  }

  /// Keeps a node, unless there are too many: then only the caller holds it.
  ///
  /// - Returns: Whether it is kept.
  func keep(_ node: SealedNode) -> Bool {
    opened.add(1, ordering: .relaxed)
    if !hasRoom {
      // While readers hold the nodes here, emptying the cache repeatedly gains nothing.
      guard opened.load(ordering: .relaxed) * SealedFormat.contentBytes > limit / 4 else { return false }
      removeAll()
      guard hasRoom else { return false }
    }
    insert(node)
    return true
  }

  /// Keeps a node that hangs on a state already.
  func insert(_ node: SealedNode) {
    node.count(by: meter)
    let old = nodes.withLock { $0.updateValue(node, forKey: node.page) }
    withExtendedLifetime(old) {}
  }

  func removeAll() {
    opened.store(0, ordering: .relaxed)
    let old = nodes.withLock { nodes in
      let old = nodes
      nodes = [:]
      return old
    }
    let root = newest.withLock { newest in
      let old = newest
      newest = nil
      return old
    }
    withExtendedLifetime((old, root)) {}
  }
}
