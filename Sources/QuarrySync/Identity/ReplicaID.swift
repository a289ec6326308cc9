/// The identity of a replica: 16 bytes, ordered as bytes.
///
/// A replica that was put back or copied takes a new identity with the same first 12 bytes. Ties between two replicas
/// therefore keep their winner: SYNC-4.
public struct ReplicaID: Sendable, Hashable {
  /// The first eight bytes, as a big-endian number.
  package let high: UInt64
  /// The last eight bytes, as a big-endian number.
  package let low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// No replica. Seeds have it in their stamps.
  package static let none = ReplicaID(high: 0, low: 0)

  /// An identity from its 16 bytes.
  ///
  /// - Parameter bytes: Exactly 16 bytes; nil comes back for another number.
  public init?(bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    high = bytes[0..<8].reduce(0) { $0 << 8 | UInt64($1) }
    low = bytes[8..<16].reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The 16 bytes.
  public var bytes: [UInt8] {
    [high, low].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * $0)) } }
  }

  /// An identity with the first 12 bytes of this one and other last bytes.
  package func renewed(_ random: UInt64) -> ReplicaID {
    ReplicaID(high: high, low: low & ~0xFFFF_FFFF | random & 0xFFFF_FFFF)
  }
}

extension ReplicaID: Comparable {
  public static func < (left: ReplicaID, right: ReplicaID) -> Bool {
    left.high != right.high ? left.high < right.high : left.low < right.low
  }
}

extension ReplicaID: CustomStringConvertible {
  /// 32 hexadecimal digits.
  public var description: String {
    [high, low].map { word in
      let digits = String(word, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }
}
