import QuarryBackend
import QuarryKeyValue

/// Changed nodes and long values as pages of the base.
extension SealedWriteTransaction {
  /// Stores a page in the base.
  ///
  /// - Parameter content: ``SealedFormat/contentBytes``.
  private func put(
    _ content: UnsafeRawPointer, _ page: UInt64, _ kind: SealedFormat.Kind
  ) throws(StorageError) -> PageTag {
    let tag = try reader.ciphers.seal(content, page: page, kind, seals: seals, into: sealed)
    seals &+= 1
    let bytes = UnsafeRawBufferPointer(start: sealed, count: SealedFormat.pageBytes)
    try PageReader.withKey(page) { key throws(StorageError) in _ = try base.put(SealedTrees.pages, key, bytes) }
    return tag
  }

  /// Removes a page of the base.
  func free(_ page: UInt64) throws(StorageError) {
    _ = try PageReader.withKey(page) { key throws(StorageError) in try base.delete(SealedTrees.pages, key) }
  }

  /// Stores a value in pages of its own, the last one first, so that each has the tag of the next.
  func storeChain(_ value: UnsafeRawBufferPointer) throws(StorageError) -> PageReference {
    let room = SealedFormat.chainRoom
    let count = (value.count + room - 1) / room
    let first = nextPage
    nextPage += UInt64(count)
    var next = PageReference(page: 0, tag: .none, count: 0)
    for part in stride(from: count - 1, through: 0, by: -1) {
      let bytes = UnsafeRawBufferPointer(rebasing: value[part * room..<min(value.count, (part + 1) * room)])
      let content = UnsafeMutableRawBufferPointer(start: scratch, count: SealedFormat.contentBytes)
      content.initializeMemory(as: UInt8.self, repeating: 0)
      scratch.storeBytes(of: next.page.littleEndian, as: UInt64.self)
      next.tag.store(at: scratch + 8)
      UnsafeMutableRawBufferPointer(rebasing: content[SealedFormat.chainHead...]).copyMemory(from: bytes)
      let page = first + UInt64(part)
      next = PageReference(page: page, tag: try put(scratch, page, .chain), count: 0)
    }
    next.count = UInt64(value.count)
    return next
  }

  /// Stores a node that was changed, after those below it.
  func store(_ node: SealedNode, keeps: Bool) throws(StorageError) -> PageReference {
    if node.generation != 0 {
      if node.level > 0 {
        for index in 0..<node.count {
          guard let child = node.link(index), child.generation != 0 else { continue }
          node.setReference(index, try store(child, keeps: keeps))
        }
      }
      node.compact()
      node.writeHeader()
      node.tag = try put(node.bytes, node.page, .node)
      node.generation = 0
      if keeps { session.cache.insert(node) }
    }
    return PageReference(page: node.page, tag: node.tag, count: UInt64(node.total))
  }

  /// Stores what was changed so far, so that memory has room for more. The base gives it up with the transaction.
  func spill() throws(StorageError) {
    for tree in trees.ids {
      guard let root = trees[tree]?.root, root.generation != 0 else { continue }
      trees[tree]?.reference = try store(root, keeps: false)
      trees[tree]?.root = nil
    }
    madeNodes = 0
    floor = generation
  }
}
