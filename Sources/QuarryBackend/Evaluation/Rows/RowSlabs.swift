/// Memory for many rows: blocks that are filled from their beginning and given back together.
///
/// Every address handed out points to `count` bytes of a block that is freed only by ``removeAll()`` and deinit.
struct RowSlabs: ~Copyable {
  private var blocks: [UnsafeMutableRawPointer] = []
  private var next: UnsafeMutableRawPointer?
  private var room = 0
  /// Bytes of all blocks.
  private(set) var byteCount = 0

  private static let firstBlock = 1 << 14
  private static let largestBlock = 1 << 20

  init() {}

  deinit {
    for block in blocks { block.deallocate() }
  }

  /// Memory for that many bytes, without alignment.
  mutating func allocate(_ count: Int) -> UnsafeMutableRawPointer {
    if let address = next, count <= room {
      next = address + count
      room -= count
      return address
    }
    let size = max(count, min(Self.largestBlock, max(Self.firstBlock, byteCount)))
    let block = UnsafeMutableRawPointer.allocate(byteCount: max(1, size), alignment: 16)
    blocks.append(block)
    byteCount += size
    // A large row has a block to itself, and the block in use stays.
    if size - count >= room {
      next = block + count
      room = size - count
    }
    return block
  }

  mutating func removeAll() {
    for block in blocks { block.deallocate() }
    blocks = []
    next = nil
    room = 0
    byteCount = 0
  }
}
