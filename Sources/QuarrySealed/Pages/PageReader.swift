import QuarryBackend
import QuarryKeyValue

/// Bytes that were put together and are lent: a value that is in a chain of pages.
final class JoinedValue {
  let bytes: UnsafeMutableRawBufferPointer

  init(count: Int) { bytes = .allocate(byteCount: count, alignment: 8) }

  deinit { bytes.deallocate() }
}

/// Opens pages of one state of the base.
struct PageReader {
  let base: any KeyValueReadTransaction
  let ciphers: SealedCiphers
  let cache: NodeCache

  /// The bytes of a page's number in the base, big-endian.
  static func withKey<R>(
    _ page: UInt64, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> R
  ) throws(StorageError) -> R {
    try withUnsafeBytes(of: page.bigEndian, body)
  }

  private func open(
    _ page: UInt64, _ tag: PageTag, _ kind: SealedFormat.Kind, into content: UnsafeMutableRawPointer
  ) throws(StorageError) {
    let sealed = try Self.withKey(page) { key throws(StorageError) in try base.get(SealedTrees.pages, key) }
    guard let sealed else { throw .damaged("page \(page) is missing") }
    try ciphers.open(sealed, page: page, tag: tag, kind, into: content)
  }

  /// Throws where a tree or a value is said to have more than all pages of the base have room for: reading would not come
  /// to an end, or there would be no memory for it.
  private func requireRoom(for count: UInt64, inEachPage room: Int, _ page: UInt64) throws(StorageError) {
    // So much is read at once, wherever it comes from.
    if count <= 1 << 20 { return }
    let pages = try base.count(SealedTrees.pages, .all)
    guard count / UInt64(room) <= UInt64(pages) else {
      throw .damaged("page \(page) is said to be the first of \(count) bytes or entries")
    }
  }

  /// Opens a node that is not kept.
  ///
  /// - Parameter level: Nil for a root.
  @inline(never)
  func load(_ reference: PageReference, level: Int?) throws(StorageError) -> SealedNode {
    if level == nil {
      try requireRoom(for: reference.count, inEachPage: SealedFormat.mostLeafEntries, reference.page)
    }
    let content = UnsafeMutableRawPointer.allocate(byteCount: SealedFormat.contentBytes, alignment: 16)
    let node: SealedNode
    do throws(StorageError) {
      try open(reference.page, reference.tag, .node, into: content)
      node = try SealedNode(content, page: reference.page, tag: reference.tag)
    } catch {
      content.deallocate()
      throw error
    }
    guard level == nil || node.level == level, node.total == reference.count else {
      throw .damaged("page \(reference.page) is not the node that its parent names")
    }
    return node
  }

  /// A child of a branch, from memory where it is.
  ///
  /// - Returns: The child, and whether it is kept by its parent.
  @inline(__always)
  func child(_ node: SealedNode, _ index: Int) throws(StorageError) -> (node: SealedNode, isKept: Bool) {
    if let child = node.link(index) { return (child, true) }
    return try openChild(node, index)
  }

  @inline(never)
  private func openChild(_ node: SealedNode, _ index: Int) throws(StorageError) -> (node: SealedNode, isKept: Bool) {
    let reference = node.reference(index)
    if let known = cache.find(reference.page, reference.tag), known.level == node.level - 1,
      known.total == reference.count
    {
      return (node.remember(index, known), true)
    }
    let opened = try load(reference, level: node.level - 1)
    return cache.keep(opened) ? (node.remember(index, opened), true) : (opened, false)
  }

  /// The root node of a tree of a state.
  func root(_ state: RootState, _ place: Int) throws(StorageError) -> SealedNode {
    if let node = state.link(place) { return node }
    let reference = state.record.trees[place].root
    if let known = cache.find(reference.page, reference.tag), known.total == reference.count {
      return state.remember(place, known)
    }
    let opened = try load(reference, level: nil)
    // One for each tree: they are kept in any case.
    if !cache.keep(opened) { opened.count(by: cache.meter) }
    return state.remember(place, opened)
  }

  /// Puts the value of a chain together.
  func value(_ chain: PageReference) throws(StorageError) -> JoinedValue {
    try requireRoom(for: chain.count, inEachPage: SealedFormat.chainRoom, chain.page)
    let value = JoinedValue(count: Int(chain.count))
    try visit(chain) { content, offset, count in
      if let start = value.bytes.baseAddress { (start + offset).copyMemory(from: content, byteCount: count) }
    }
    return value
  }

  /// Calls the body with each part of a chain's value, its offset and its bytes.
  ///
  /// - Returns: The pages of the chain.
  @discardableResult
  func visit(
    _ chain: PageReference, _ body: (UnsafeRawPointer, Int, Int) -> Void
  ) throws(StorageError) -> [UInt64] {
    try requireRoom(for: chain.count, inEachPage: SealedFormat.chainRoom, chain.page)
    let content = UnsafeMutableRawPointer.allocate(byteCount: SealedFormat.contentBytes, alignment: 16)
    defer { content.deallocate() }
    var (next, pages, offset) = (PageReference(page: chain.page, tag: chain.tag, count: 0), [UInt64](), 0)
    while offset < Int(chain.count) {
      try open(next.page, next.tag, .chain, into: content)
      let count = min(SealedFormat.chainRoom, Int(chain.count) - offset)
      body(content + SealedFormat.chainHead, offset, count)
      pages.append(next.page)
      offset += count
      next.page = UInt64(littleEndian: content.load(as: UInt64.self))
      next.tag = PageTag(at: content + 8)
    }
    return pages
  }
}
