import Foundation
import QuarryBackend

/// Copies of bytes that a decorator lends in the place of those that it was lent, and overwrites at the first moment at
/// which their lender may free them. Whoever reads them later reads other bytes, always the same, and no freed memory.
///
/// Used by one thread at a time, as the transaction that it belongs to.
final class LentBytes {
  /// What overwritten bytes are.
  static let pattern: UInt8 = 0xDB

  private var lent: [UnsafeMutableRawBufferPointer] = []

  deinit { overwrite() }

  /// Whether nothing is lent now.
  var isEmpty: Bool { lent.isEmpty }

  /// Lends a copy of the bytes.
  func lend(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, bytes.count), alignment: 8)
    copy.copyBytes(from: bytes)
    lent.append(copy)
    return UnsafeRawBufferPointer(start: copy.baseAddress, count: bytes.count)
  }

  /// Overwrites everything that is lent but the last copies.
  func overwrite(keeping last: Int = 0) {
    guard lent.count > last else { return }
    let gone = lent.count - last
    for copy in lent[..<gone] {
      copy.initializeMemory(as: UInt8.self, repeating: Self.pattern)
      Overwritten.keep(copy)
    }
    lent.removeFirst(gone)
  }
}

/// Overwritten memory, kept for a while so that a late reader finds the pattern.
private enum Overwritten {
  /// Unchecked because the variables are used under the lock alone.
  private final class State: @unchecked Sendable {
    let lock = NSLock()
    /// The addresses and lengths, the oldest first, and where the oldest stands.
    var pieces: [(address: UInt, count: Int)] = []
    var first = 0
    var byteCount = 0
  }

  private static let limit = 16 << 20
  private static let state = State()

  static func keep(_ memory: UnsafeMutableRawBufferPointer) {
    let piece = (address: UInt(bitPattern: memory.baseAddress), count: memory.count)
    state.lock.withLock {
      state.pieces.append(piece)
      state.byteCount += piece.count
      while state.byteCount > limit, state.first < state.pieces.count - 1 {
        let oldest = state.pieces[state.first]
        state.first += 1
        state.byteCount -= oldest.count
        UnsafeMutableRawPointer(bitPattern: oldest.address)?.deallocate()
      }
      if state.first > 4_096, state.first > state.pieces.count / 2 {
        state.pieces.removeFirst(state.first)
        state.first = 0
      }
    }
  }
}
