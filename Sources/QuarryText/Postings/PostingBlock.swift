package import QuarryBackend

/// Some documents of one term as a row of an index has them, to which documents are added without reading the others.
///
/// The bytes are described in `docs/formats/search.md`.
package struct PostingBlock {
  /// The bytes from which on documents are put into another block: two of these rows fit into a page of 4,096 bytes.
  package static let fullBytes = 1_800

  /// The number from which the documents are counted, at most that of the first.
  package let start: UInt64
  /// Whether the term had blocks before this one when it began.
  package let follows: Bool
  /// The last document; ``start`` in a block without documents.
  package private(set) var last: UInt64
  /// The number of documents.
  package private(set) var count = 0
  private var documentPart: [UInt8] = []
  private var positionPart: [UInt8] = []

  /// Creates a block without documents.
  package init(start: UInt64, follows: Bool) {
    self.start = start
    self.follows = follows
    last = start
  }

  /// About the bytes of the block.
  package var byteCount: Int { documentPart.count + positionPart.count + 24 }

  /// Whether a document that follows all others can be added.
  package func hasRoom(for document: UInt64) -> Bool {
    count == 0 || byteCount < Self.fullBytes && document - start <= PostingList.maximumDocument
  }

  /// Adds a document behind all others, with the places of its positions in some numbers, which ascend.
  package mutating func append(_ document: UInt64, _ positions: some Collection<UInt32>) {
    let skipped = count == 0 ? document - start : document - last - 1
    PostingList.append(skipped << 1 | (positions.count == 1 ? 1 : 0), to: &documentPart)
    if positions.count > 1 { PostingList.append(UInt64(positions.count - 2), to: &documentPart) }
    var next: UInt64 = 0
    for position in positions {
      PostingList.append(UInt64(position) - next, to: &positionPart)
      next = UInt64(position) + 1
    }
    last = document
    count += 1
  }

  /// The bytes of the block.
  package var encoded: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(byteCount + 16)
    PostingList.append(start, to: &bytes)
    PostingList.append((last - start) << 1 | (follows ? 1 : 0), to: &bytes)
    bytes.append(PostingList.formatVersion)
    PostingList.append(UInt64(count), to: &bytes)
    PostingList.append(UInt64(documentPart.count), to: &bytes)
    bytes += documentPart
    bytes += positionPart
    return bytes
  }

  /// Reads a block, and of its documents only the last.
  ///
  /// - Throws: `corrupt`, `schemaTooNew`.
  package init(decoding bytes: UnsafeRawBufferPointer) throws(StorageError) {
    var reader = PostingReader(bytes)
    start = try reader.varint()
    (last, follows) = try Self.last(start, &reader)
    count = try reader.header()
    documentPart = Array(try reader.part().bytes)
    positionPart = Array(reader.bytes)
    guard count <= documentPart.count, count > 0 || last == start && reader.rest == 0 else {
      throw PostingReader.damaged
    }
  }

  /// The documents of a block.
  ///
  /// - Parameter positions: Whether the positions are read, in place of their number alone.
  /// - Throws: `corrupt`, `schemaTooNew`.
  package static func list(
    decoding bytes: UnsafeRawBufferPointer, positions: Bool = true
  ) throws(StorageError) -> PostingList {
    var reader = PostingReader(bytes)
    let start = try reader.varint()
    let (last, _) = try last(start, &reader)
    let list = try PostingList(&reader, from: start, positions: positions)
    guard list.documents.last ?? start == last else { throw PostingReader.damaged }
    return list
  }

  private static func last(
    _ start: UInt64, _ reader: inout PostingReader
  ) throws(StorageError) -> (document: UInt64, follows: Bool) {
    let number = try reader.varint()
    let (last, overflows) = start.addingReportingOverflow(number >> 1)
    guard !overflows, last - start <= PostingList.maximumDocument else { throw PostingReader.damaged }
    return (last, number & 1 == 1)
  }

  /// The documents of the block.
  ///
  /// - Throws: `corrupt`.
  package func list() throws(StorageError) -> PostingList {
    let bytes = encoded
    return try bytes.withBytes { bytes throws(StorageError) in try Self.list(decoding: bytes) }
  }

  /// The documents of a list in blocks, in their order: several of about one size where they do not fit into one.
  ///
  /// - Parameter follows: Whether the term has blocks before the first of these.
  package static func blocks(of list: PostingList, follows: Bool) -> [PostingBlock] {
    let blocks = blocks(of: list, follows, upTo: fullBytes)
    guard blocks.count > 1 else { return blocks }
    // Full ones would be divided again with the next document between others.
    return Self.blocks(of: list, follows, upTo: blocks.reduce(0) { $0 + $1.byteCount } / blocks.count)
  }

  private static func blocks(of list: PostingList, _ follows: Bool, upTo bytes: Int) -> [PostingBlock] {
    var blocks: [PostingBlock] = []
    for (index, document) in list.documents.enumerated() {
      if blocks.last.map({ $0.byteCount >= bytes || !$0.hasRoom(for: document) }) ?? true {
        blocks.append(PostingBlock(start: document, follows: follows || !blocks.isEmpty))
      }
      blocks[blocks.count - 1].append(document, list.positions(index))
    }
    return blocks
  }
}
