import QuarryBackend
import QuarryKeyValue

/// Gives a store another key, inside a write transaction of its base.
struct SealedRekeying {
  private let session: SealedSession
  private let base: any KeyValueWriteTransaction

  init(_ session: SealedSession, _ base: any KeyValueWriteTransaction) {
    self.session = session
    self.base = base
  }

  /// - Returns: The ciphers of the store once the transaction is committed.
  func run(to new: Encryption, _ extent: RekeyExtent) throws(StorageError) -> SealedCiphers {
    // Fails if the data key was changed elsewhere.
    let state = try session.state(in: base)
    guard let slot = try StoredEnvelope.read(base, of: "the store")?.slot else {
      throw .damaged("both slots of its key are missing")
    }
    switch extent {
    case .wrappingOnly:
      let wrapped = try new.key.wrap(state.ciphers.key, for: slot.identity, generation: slot.generation &+ 1)
      try StoredEnvelope.write(wrapped, base)
      return SealedCiphers(state.ciphers.key, wrapped)
    case .full:
      let (made, key) = try new.key.makeDataKey(for: slot.identity, generation: slot.generation &+ 1)
      let ciphers = SealedCiphers(key, made)
      let resealing = Resealing(session.reader(base, state), base, ciphers)
      var record = state.record
      for place in record.trees.indices {
        record.trees[place].root.tag = try resealing.node(record.trees[place].root, level: nil)
      }
      record.seals = resealing.seals + 1
      try StoredEnvelope.writeRoot(ciphers.sealRoot(record.content, seals: resealing.seals), base)
      try StoredEnvelope.write(made, base)
      return ciphers
    }
  }

  /// Seals every page of a state again, the pages below another one first.
  private final class Resealing {
    private let reader: PageReader
    private let base: any KeyValueWriteTransaction
    private let ciphers: SealedCiphers
    private(set) var seals: UInt64 = 0
    private let sealed = UnsafeMutableRawPointer.allocate(byteCount: SealedFormat.pageBytes, alignment: 16)
    private let content = UnsafeMutableRawPointer.allocate(byteCount: SealedFormat.contentBytes, alignment: 16)

    init(_ reader: PageReader, _ base: any KeyValueWriteTransaction, _ ciphers: SealedCiphers) {
      self.reader = reader
      self.base = base
      self.ciphers = ciphers
    }

    deinit {
      sealed.deallocate()
      content.deallocate()
    }

    /// - Returns: The new tag.
    func node(_ reference: PageReference, level: Int?) throws(StorageError) -> PageTag {
      // It has no other owner, so that it may be changed.
      let node = try reader.load(reference, level: level)
      for index in 0..<node.count where node.level > 0 || node.value(index) == nil {
        var below = node.reference(index)
        below.tag = node.level > 0 ? try self.node(below, level: node.level - 1) : try chain(below)
        node.setReference(index, below)
      }
      return try put(node.bytes, node.page, .node)
    }

    private func chain(_ chain: PageReference) throws(StorageError) -> PageTag {
      let value = try reader.value(chain)
      let pages = try reader.visit(chain) { _, _, _ in }
      var next = PageReference(page: 0, tag: .none, count: 0)
      for (part, page) in pages.enumerated().reversed() {
        let room = SealedFormat.chainRoom
        let bytes = value.bytes[part * room..<min(value.bytes.count, (part + 1) * room)]
        let whole = UnsafeMutableRawBufferPointer(start: content, count: SealedFormat.contentBytes)
        whole.initializeMemory(as: UInt8.self, repeating: 0)
        content.storeBytes(of: next.page.littleEndian, as: UInt64.self)
        next.tag.store(at: content + 8)
        UnsafeMutableRawBufferPointer(rebasing: whole[SealedFormat.chainHead...])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes))
        next = PageReference(page: page, tag: try put(content, page, .chain), count: 0)
      }
      return next.tag
    }

    private func put(
      _ content: UnsafeRawPointer, _ page: UInt64, _ kind: SealedFormat.Kind
    ) throws(StorageError) -> PageTag {
      let tag = try ciphers.seal(content, page: page, kind, seals: seals, into: sealed)
      seals += 1
      let bytes = UnsafeRawBufferPointer(start: sealed, count: SealedFormat.pageBytes)
      try PageReader.withKey(page) { key throws(StorageError) in _ = try base.put(SealedTrees.pages, key, bytes) }
      return tag
    }
  }
}
