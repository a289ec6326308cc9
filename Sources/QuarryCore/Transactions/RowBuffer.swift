/// Room for the copy of one row, which grows as needed.
///
/// The memory is this object's own and freed in deinit; a transaction keeps one between its calls, so that a copy costs
/// no allocation.
@usableFromInline
final class RowBuffer {
  private var memory: UnsafeMutableRawBufferPointer
  private var count = 0

  @usableFromInline
  init() {
    memory = .allocate(byteCount: 256, alignment: 16)
  }

  @usableFromInline
  deinit {
    memory.deallocate()
  }

  /// The row that was copied last, valid until the next copy.
  @usableFromInline
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

  @usableFromInline
  func copy(_ row: UnsafeRawBufferPointer) {
    if row.count > memory.count {
      memory.deallocate()
      memory = .allocate(byteCount: row.count * 2, alignment: 16)
    }
    memory.copyMemory(from: row)
    count = row.count
  }
}
