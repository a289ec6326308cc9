import QuarryBackend
import QuarryConformance
import Synchronization

/// Stores in flat files whose keys and ciphers are wrong.
enum CipherFault: String, FaultGroup {
  static let group = "cipher"

  case nothingSealed, bitsTurned, sameForAllStores
  case placeNotBound, placesAlike, refusalSwallowed, sameIdentity
  case wrongKeyOpens, wrongKeyIsCorrupt, laterSuiteIsWrongKey

  var about: (summary: String, clauses: [String]) {
    switch self {
    case .nothingSealed: ("What is sealed is stored as it is.", ["ENC-3"])
    case .bitsTurned: ("What is sealed is stored with each bit turned.", ["ENC-3"])
    case .sameForAllStores: ("Every store is sealed alike: its key does not count.", ["ENC-1"])
    case .placeNotBound: ("What is sealed is bound to nothing.", ["ENC-4"])
    case .placesAlike: ("Everything that is sealed is bound to the same.", ["ENC-4"])
    case .refusalSwallowed: ("What the cipher refuses to seal is stored as it is.", ["ENC-1"])
    case .sameIdentity: ("All stores have one identity.", ["ENC-1"])
    case .wrongKeyOpens: ("Once a store was open, every key opens it.", ["ENC-2"])
    case .wrongKeyIsCorrupt: ("A key that does not unwrap the data key is corrupt.", ["ENC-2"])
    case .laterSuiteIsWrongKey: ("A store that is sealed in a later way is wrongKey.", ["ENC-8"])
    }
  }

  var target: PlantedFault.Target { .backend { SealedFileHarness(cipher: self) } }
}

/// A key with a fault, around one that has none.
struct FaultyKey: WrappingKey {
  let inner: any WrappingKey
  let fault: CipherFault

  /// The data keys that the process has seen, by the identities of their stores.
  private static let seen = Mutex<[[UInt8]: any DataKey]>([:])

  func makeDataKey(
    for identity: [UInt8], generation: UInt64
  ) throws(StorageError) -> (EnvelopeSlot, any DataKey) {
    let (slot, key) = try inner.makeDataKey(for: named(identity), generation: generation)
    return (slot, faulty(key, slot))
  }

  func unwrap(_ slot: EnvelopeSlot) throws(StorageError) -> any DataKey {
    do throws(StorageError) {
      return faulty(try inner.unwrap(slot), slot)
    } catch {
      switch fault {
      case .wrongKeyOpens where error.code == .wrongKey:
        guard let key = Self.seen.withLock({ $0[slot.identity] }) else { throw error }
        return FaultyDataKey(inner: key, fault: fault)
      case .wrongKeyIsCorrupt where error.code == .wrongKey: throw StorageError(.corrupt, error.message)
      case .laterSuiteIsWrongKey where error.code == .schemaTooNew: throw .wrongKey
      default: throw error
      }
    }
  }

  func wrap(_ key: any DataKey, for identity: [UInt8], generation: UInt64) throws(StorageError) -> EnvelopeSlot {
    try inner.wrap((key as? FaultyDataKey)?.inner ?? key, for: named(identity), generation: generation)
  }

  private func named(_ identity: [UInt8]) -> [UInt8] {
    fault == .sameIdentity ? [UInt8](repeating: 7, count: identity.count) : identity
  }

  private func faulty(_ key: any DataKey, _ slot: EnvelopeSlot) -> FaultyDataKey {
    Self.seen.withLock { $0[slot.identity] = key }
    return FaultyDataKey(inner: key, fault: fault)
  }
}

private struct FaultyDataKey: DataKey {
  let inner: any DataKey
  let fault: CipherFault

  func cipher(for purpose: String, salt: [UInt8]) throws(StorageError) -> any StoreCipher {
    FaultyCipher(try inner.cipher(for: purpose, salt: salt), fault)
  }
}

private final class FaultyCipher: StoreCipher {
  private let inner: any StoreCipher
  private let fault: CipherFault

  init(_ inner: any StoreCipher, _ fault: CipherFault) {
    self.inner = inner
    self.fault = fault
  }

  /// What every byte is mixed with instead of being sealed; nil where it is sealed.
  private func mask(at place: Int) -> UInt8? {
    switch fault {
    case .nothingSealed: 0
    case .bitsTurned: 0xFF
    case .sameForAllStores: UInt8(truncatingIfNeeded: place &* 73 &+ 41)
    default: nil
    }
  }

  private func isMasked(_ from: UnsafeRawBufferPointer, _ to: UnsafeMutableRawBufferPointer) -> Bool {
    for place in from.indices {
      guard let mask = mask(at: place) else { return false }
      to[place] = from[place] ^ mask
    }
    return mask(at: 0) != nil
  }

  private func bound<R>(
    _ associated: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> R
  ) throws(StorageError) -> R {
    switch fault {
    case .placeNotBound: try body(UnsafeRawBufferPointer(rebasing: associated[..<0]))
    case .placesAlike:
      try withUnsafeBytes(of: UInt64(1)) { bytes throws(StorageError) in try body(bytes) }
    default: try body(associated)
    }
  }

  func seal(
    _ content: UnsafeRawBufferPointer, _ associated: UnsafeRawBufferPointer, into sealed: UnsafeMutableRawBufferPointer,
    trailer: UnsafeMutableRawBufferPointer
  ) throws(StorageError) {
    if isMasked(content, sealed) {
      for place in trailer.indices { trailer[place] = 1 }
      return
    }
    do throws(StorageError) {
      try bound(associated) { place throws(StorageError) in
        try inner.seal(content, place, into: sealed, trailer: trailer)
      }
    } catch {
      guard fault == .refusalSwallowed else { throw error }
      for place in content.indices { sealed[place] = content[place] }
    }
  }

  func open(
    _ sealed: UnsafeRawBufferPointer, _ associated: UnsafeRawBufferPointer, trailer: UnsafeRawBufferPointer,
    into content: UnsafeMutableRawBufferPointer
  ) throws(StorageError) -> Bool {
    if isMasked(sealed, content) { return true }
    return try bound(associated) { place throws(StorageError) in
      try inner.open(sealed, place, trailer: trailer, into: content)
    }
  }
}
