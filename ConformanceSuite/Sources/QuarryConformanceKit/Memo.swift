import Foundation
import QuarryBackend

/// What a slow function came to, by what it was asked. The reference asks Foundation to fold the same few texts and to
/// write down the same few decimals for each row of each query.
///
/// Cases on several threads ask all the time. Each part has a lock of its own, and a lock that a thread may take again at
/// once: `Mutex` hands itself to the thread that waits longest, so that each answer took a switch of threads.
final class Memo<Key: Hashable & Sendable, Answer: Sendable>: Sendable {
  /// Unchecked because `known` is used under the lock alone.
  private final class Part: @unchecked Sendable {
    private let lock = NSLock()
    private var known: [Key: Answer] = [:]

    subscript(key: Key) -> Answer? {
      lock.withLock { known[key] }
    }

    func keep(_ answer: Answer, for key: Key) {
      lock.withLock {
        if known.count >= 1_000 { known = [:] }
        known[key] = answer
      }
    }
  }

  private let parts = (0..<16).map { _ in Part() }

  /// The answer, which is worked out the first time. Random cases ask for ever new ones, so that it does not keep all.
  func answer(_ key: Key, _ work: () -> Answer) -> Answer {
    let part = parts[key.hashValue & 15]
    if let answer = part[key] { return answer }
    let answer = work()
    part.keep(answer, for: key)
    return answer
  }
}

/// A decimal by its bits: two that are equal may be written differently.
struct DecimalKey: Hashable, Sendable {
  private let low: UInt64
  private let middle: UInt64
  private let high: UInt32

  init(_ decimal: Decimal) {
    (low, middle, high) = withUnsafeBytes(of: decimal) { bytes in
      (
        bytes.loadUnaligned(as: UInt64.self), bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
        bytes.loadUnaligned(fromByteOffset: 16, as: UInt32.self)
      )
    }
  }
}
