import CLMDB
import QuarryBackend
import QuarryKeyValue

/// A tree that write transactions use, one after the other: its handle, the cursor that writes, and whether keys ascend.
final class LMDBWriteTree {
  let id: TreeID
  /// The number of the transaction that uses it: see ``LMDBWriteRoom``.
  @exclusivity(unchecked) private(set) var transaction = 0
  /// Nil while the tree is not there.
  @exclusivity(unchecked) var handle: MDB_dbi?
  /// The cursor that writes, which keeps its place from key to key.
  @exclusivity(unchecked) var cursor: OpaquePointer?
  /// Whether the cursor stands where a read has found a key.
  @exclusivity(unchecked) var hasRead = false
  /// Changes with each change of the tree.
  @exclusivity(unchecked) var stamp: UInt64 = 0
  /// Whether the next key is likely to come after all others, so that it can be appended: pages are then filled whole
  /// instead of being split in the middle, and nothing is searched for. A guess, which outlasts transactions.
  @exclusivity(unchecked) var appends = true
  /// New keys in ascending order since the last one that was not.
  @exclusivity(unchecked) private var run = 0
  /// How many make another try at appending worth its cost. Doubled by each try that failed.
  @exclusivity(unchecked) private var runThatAppends = LMDBWriteTree.shortestRun
  private static let shortestRun = 8
  private let lastKey = UnsafeMutableRawBufferPointer.allocate(byteCount: 1024, alignment: 8)
  @exclusivity(unchecked) private var lastCount = -1

  init(_ id: TreeID) {
    self.id = id
  }

  /// Begins the use by another transaction.
  func begin(_ transaction: Int, _ handle: MDB_dbi?) {
    self.transaction = transaction
    self.handle = handle
    cursor = nil
    hasRead = false
    stamp = 0
    runThatAppends = Self.shortestRun
  }

  deinit {
    lastKey.deallocate()
  }

  func didNotAppend() {
    appends = false
    run = 0
    runThatAppends = min(runThatAppends * 2, 4096)
  }

  /// Notes a new key that was not appended.
  @inline(__always)
  func didInsert(_ key: UnsafeRawBufferPointer) {
    if lastCount >= 0, LMDBKey.isLess(UnsafeRawBufferPointer(rebasing: lastKey[..<lastCount]), key) {
      run += 1
      if run >= runThatAppends { appends = true }
    } else {
      run = 0
    }
    guard key.count <= lastKey.count, let start = key.baseAddress else { return }
    lastKey.baseAddress?.copyMemory(from: start, byteCount: key.count)
    lastCount = key.count
  }
}
