import QuarryBackend

/// A key for engines that refuse every key: none is ever asked.
struct RefusedKey: WrappingKey {
  private static var refusal: StorageError {
    StorageError(.io, "a key was used by an engine that declares that it has no encryption")
  }

  func makeDataKey(
    for identity: [UInt8], generation: UInt64
  ) throws(StorageError) -> (EnvelopeSlot, any DataKey) { throw Self.refusal }
  func unwrap(_ slot: EnvelopeSlot) throws(StorageError) -> any DataKey { throw Self.refusal }
  func wrap(
    _ key: any DataKey, for identity: [UInt8], generation: UInt64
  ) throws(StorageError) -> EnvelopeSlot { throw Self.refusal }
}
