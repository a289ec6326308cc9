import QuarryBackend
import Synchronization

/// The data key of a database, and the ciphers of it.
///
/// Nonces are random, so one key may seal 2^32 pieces at most, and a count of them in the file would be wrong after a crash. A
/// sealing process therefore takes a random epoch for each opening of the store, whose cipher has a key of its own, and another
/// one when that is used up. The epoch is stored with each piece.
final class SealedKeys: Sendable {
  /// A cipher that seals, and how much it has sealed.
  final class Sealer: Sendable {
    let epoch: UInt32
    let cipher: any StoreCipher
    fileprivate let seals = Atomic<UInt64>(0)
    private let limit: UInt64

    fileprivate init(_ epoch: UInt32, _ cipher: any StoreCipher, limit: UInt64) {
      self.epoch = epoch
      self.cipher = cipher
      self.limit = limit
    }

    /// Counts one piece.
    ///
    /// - Returns: Whether the cipher may seal it.
    @inline(__always)
    func count() -> Bool { seals.wrappingAdd(1, ordering: .relaxed).oldValue < limit }
  }

  private struct State {
    var ciphers: [UInt32: any StoreCipher] = [:]
    var sealer: Sealer?
  }

  let dataKey: any DataKey
  let identity: [UInt8]
  /// Seals data that belongs to the file and not to a page: once for each time that a log begins again.
  let logCipher: any StoreCipher
  private let sealLimit: UInt64
  private let state = Mutex(State())
  private let found: Mutex<EnvelopeSlot>

  /// The most ciphers that are kept: a store that was opened for writing more often has pages of more epochs.
  private static let capacity = 256

  init(
    _ dataKey: any DataKey, _ slot: EnvelopeSlot, sealLimit: UInt64 = StoreCipherFormat.sealLimit
  ) throws(StorageError) {
    self.dataKey = dataKey
    identity = slot.identity
    self.sealLimit = sealLimit
    found = Mutex(slot)
    logCipher = try dataKey.cipher(for: "sqlite log", salt: [])
  }

  /// The keys of a new store.
  static func make(_ encryption: Encryption) throws(StorageError) -> SealedKeys {
    let (slot, key) = try encryption.key.makeDataKey(for: .random(count: 16), generation: 1)
    return try SealedKeys(key, slot)
  }

  /// The slot that has the data key wrapped, as it was seen last.
  var slot: EnvelopeSlot {
    get { found.withLock { $0 } }
    set { found.withLock { $0 = newValue } }
  }

  /// The cipher that opens what was sealed in an epoch.
  func cipher(_ epoch: UInt32) throws(StorageError) -> any StoreCipher {
    if let cipher = state.withLock({ $0.ciphers[epoch] }) { return cipher }
    let cipher = try dataKey.cipher(for: "sqlite page", salt: withUnsafeBytes(of: epoch.littleEndian) { Array($0) })
    return state.withLock { state in
      if let cipher = state.ciphers[epoch] { return cipher }
      if state.ciphers.count >= Self.capacity,
        let other = state.ciphers.keys.first(where: { $0 != state.sealer?.epoch })
      {
        state.ciphers[other] = nil
      }
      state.ciphers[epoch] = cipher
      return cipher
    }
  }

  /// The cipher that seals now.
  ///
  /// - Parameter used: One that has sealed as much as it may.
  func sealer(after used: Sealer?) throws(StorageError) -> Sealer {
    if let sealer = state.withLock({ $0.sealer }), sealer !== used { return sealer }
    let epoch = UInt32.random(in: .min ... .max)
    let next = Sealer(epoch, try cipher(epoch), limit: sealLimit)
    return state.withLock { state in
      // Another thread may have been quicker.
      if let sealer = state.sealer, sealer !== used { return sealer }
      state.sealer = next
      return next
    }
  }
}
