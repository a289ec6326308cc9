package import QuarryBackend
package import QuarryKeyValue

/// An ordered map from bytes to bytes as a copy-on-write B+tree with counts: what the memory engine and the flat file
/// keep their trees in.
///
/// Keys are ordered as `memcmp` orders them, a prefix first. A tree is a value: a copy costs one reference and is a snapshot,
/// which later changes of either do not reach. A change modifies nodes without other references in place; other nodes on its path
/// are copied, a node for each level at most.
///
/// Bytes that are lent are valid until the tree is changed, or as long as a copy of it is kept. They may be given to the
/// change itself as arguments.
///
/// - Complexity: `get`, `put`, `remove`, the count of a range and the beginning of a cursor are O(log n).
package struct BTree: Sendable {
  /// Holds the reference to the root node.
  ///
  /// Sendable because `node` is assigned only where the holder is known to be unique (``makeUnique()``), and because
  /// nodes that are shared never change.
  final class Root: @unchecked Sendable {
    @exclusivity(unchecked) var node: BTreeNode?

    init(_ node: BTreeNode?) {
      self.node = node
    }

    deinit {
      node?.release()
    }
  }

  private var root: Root

  package init() {
    root = Root(nil)
  }

  @inline(__always) var node: BTreeNode? { root.node }

  /// Whether a change would have to copy the root.
  private var isShared: Bool {
    mutating get {
      if !isKnownUniquelyReferenced(&root) { return true }
      guard let node = root.node else { return false }
      return !node.isUnique
    }
  }

  /// Changes the root node, of which this tree is then the only holder.
  private mutating func edit<R>(_ body: (inout BTreeNode?, inout BTreeEdit) -> R) -> R {
    if !isKnownUniquelyReferenced(&root) {
      root.node?.retain()
      root = Root(root.node)
    }
    var edit = BTreeEdit()
    defer { edit.finish() }
    return body(&root.node, &edit)
  }

  /// How many entries there are.
  package var count: Int { root.node?.header.pointee.total ?? 0 }

  /// The value of the key, or nil.
  package func get(_ key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard var node = root.node else { return nil }
    let head = key.keyHead(skip: 0)
    while !node.isLeaf { node = node.children[node.childIndex(key, head: head)] }
    let (index, isFound) = node.search(key, head: head)
    return isFound ? node.value(index) : nil
  }

  /// Stores the value, replacing one that is there.
  ///
  /// - Returns: Whether the key was new.
  /// - Throws: `full` when there is no memory for a large value; nothing has changed then.
  @discardableResult
  package mutating func put(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) throws(StorageError) -> Bool {
    let large = try BTree.largeEntry(key, value)
    return edit { root, edit in BTree.put(&root, key, value, large: large, replaces: true, &edit) }
  }

  /// Stores the value unless the key is there.
  ///
  /// - Returns: Whether it was stored.
  /// - Throws: `full` when there is no memory for a large value; nothing has changed then.
  package mutating func insert(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) throws(StorageError) -> Bool {
    if isShared && get(key) != nil { return false }
    let large = try BTree.largeEntry(key, value)
    let isStored = edit { root, edit in BTree.put(&root, key, value, large: large, replaces: false, &edit) }
    if !isStored { large?.release() }
    return isStored
  }

  /// Removes the key.
  ///
  /// - Returns: Whether it was there.
  package mutating func remove(_ key: UnsafeRawBufferPointer) -> Bool {
    if isShared && get(key) == nil { return false }
    let head = key.keyHead(skip: 0)
    return edit { root, edit in BTree.remove(&root, key, head: head, &edit) }
  }

  /// Removes every entry of the range.
  ///
  /// - Returns: How many there were.
  /// - Complexity: O(log n) and one step for each node that goes.
  package mutating func remove(in range: KeyRange) -> Int {
    if count(in: range) == 0 { return 0 }
    return BTree.withBounds(of: range) { lower, upper in
      edit { root, edit in BTree.remove(&root, from: lower, to: upper, &edit) }
    }
  }

  /// The entry when it has to be out of line.
  private static func largeEntry(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) throws(StorageError) -> BTreeLargeEntry? {
    if key.count <= BTreeNode.inlineBytes && value.count <= BTreeNode.inlineBytes - key.count { return nil }
    if let large = BTreeLargeEntry.make(key: key, value: value) { return large }
    throw .noMemory(for: "a key of \(key.count) and a value of \(value.count) bytes")
  }

  /// Lends the bounds of a range.
  static func withBounds<R>(
    of range: KeyRange, _ body: (UnsafeRawBufferPointer?, UnsafeRawBufferPointer?) -> R
  ) -> R {
    switch (range.lower, range.upper) {
    case (nil, nil): body(nil, nil)
    case (let lower?, nil): lower.withUnsafeBytes { body($0, nil) }
    case (nil, let upper?): upper.withUnsafeBytes { body(nil, $0) }
    case (let lower?, let upper?): lower.withUnsafeBytes { low in upper.withUnsafeBytes { body(low, $0) } }
    }
  }
}
