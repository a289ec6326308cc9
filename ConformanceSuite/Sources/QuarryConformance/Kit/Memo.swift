import Foundation
import QuarryBackend
import Synchronization

/// What a slow function came to, by what it was asked. The reference asks Foundation to fold the same few texts and to
/// write down the same few decimals for each row of each query.
final class Memo<Key: Hashable & Sendable, Answer: Sendable>: Sendable {
  private let known = Mutex<[Key: Answer]>([:])

  /// The answer, which is worked out the first time. Random cases ask for ever new ones, so that it does not keep all.
  func answer(_ key: Key, _ work: () -> Answer) -> Answer {
    if let answer = known.withLock({ $0[key] }) { return answer }
    let answer = work()
    known.withLock { known in
      if known.count >= 10_000 { known = [:] }
      known[key] = answer
    }
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
