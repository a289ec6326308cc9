/// The key that a program keeps.
///
/// It seals only the data key of a store. The data key is random and leaves the store only wrapped, so the program's key can
/// change without rewriting the store.
///
/// No text form of it shows the key.
public protocol WrappingKey: Sendable {
  /// A new random data key, and the slot that has it wrapped.
  ///
  /// - Parameters:
  ///   - identity: 16 bytes that name the store.
  ///   - generation: The number that the slot gets; see ``Envelope``.
  /// - Throws: `invalidValue` for a key that is too short; `io` when the system gives no random bytes.
  func makeDataKey(for identity: [UInt8], generation: UInt64) throws(StorageError) -> (EnvelopeSlot, any DataKey)

  /// The data key that a slot has wrapped.
  ///
  /// - Parameter slot: A whole slot of the store.
  /// - Throws: `wrongKey`; `schemaTooNew` for a suite that this version does not know; `limitExceeded` for a slot that asks
  ///   for more memory or time to derive its key than any slot may.
  /// - Complexity: One derivation of the key, as the slot says: for scrypt, memory and time that grow with its parameters.
  func unwrap(_ slot: EnvelopeSlot) throws(StorageError) -> any DataKey

  /// A slot that has a data key wrapped by this key, with a salt and a nonce of its own.
  ///
  /// - Parameters:
  ///   - key: A data key from a wrapping key of the same suite.
  ///   - identity: 16 bytes that name the store.
  ///   - generation: The number that the slot gets; see ``Envelope``.
  /// - Throws: `invalidValue` for a key that is too short; `unsupported` for a data key of another suite; `io` when the system
  ///   gives no random bytes.
  func wrap(_ key: any DataKey, for identity: [UInt8], generation: UInt64) throws(StorageError) -> EnvelopeSlot
}
