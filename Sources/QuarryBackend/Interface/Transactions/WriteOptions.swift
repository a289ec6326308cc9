/// How a write transaction is begun.
public struct WriteOptions: Sendable {
  /// The detail in which the commit reports its changes.
  public var capture: Capture
  /// Seconds to wait for another writer; nil for the store's own timeout.
  public var timeout: Double?
  /// How often the write has been begun, this time included: more than 1 after a `conflict`.
  ///
  /// An engine with many writers may let later attempts wait for each other, across processes.
  public var attempt: Int
  /// Whether the transaction changes the schema, so that an engine with many writers may keep all others out from the beginning.
  public var isSchemaChange: Bool

  /// Creates the options of a write.
  ///
  /// - Parameters:
  ///   - capture: The detail in which the commit reports its changes.
  ///   - timeout: Seconds to wait for another writer, any number; nil for the store's own timeout.
  ///   - attempt: The number of times that the write has been begun, this time included.
  ///   - isSchemaChange: Whether the transaction changes the schema.
  public init(capture: Capture = .none, timeout: Double? = nil, attempt: Int = 1, isSchemaChange: Bool = false) {
    self.capture = capture
    self.timeout = timeout
    self.attempt = attempt
    self.isSchemaChange = isSchemaChange
  }
}
