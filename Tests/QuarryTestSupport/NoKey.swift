public import QuarryBackend

/// A key for engines that refuse every key before any effect: it throws `io` when it is asked.
public struct NoKey: WrappingKey {
  public init() {}

  private static var refusal: StorageError { StorageError(.io, "the key was used") }

  public func makeDataKey(
    for identity: [UInt8], generation: UInt64
  ) throws(StorageError) -> (EnvelopeSlot, any DataKey) { throw Self.refusal }
  public func unwrap(_ slot: EnvelopeSlot) throws(StorageError) -> any DataKey { throw Self.refusal }
  public func wrap(
    _ key: any DataKey, for identity: [UInt8], generation: UInt64
  ) throws(StorageError) -> EnvelopeSlot { throw Self.refusal }
}
