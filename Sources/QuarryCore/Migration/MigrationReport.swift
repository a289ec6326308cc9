public import QuarryBackend

/// What a migration does, or would do: see ``Store/rehearse(_:in:options:migration:)``.
public struct MigrationReport: Sendable {
  /// Something that was done.
  public struct Step: Sendable, Hashable {
    /// In words.
    public var text: String
    /// How many rows were read.
    public var rowsRead = 0
    /// How many rows were stored; what is left of those that were read was not wanted.
    public var rowsWritten = 0
    /// The time that it took, in seconds; 0 for a change of the schema alone.
    public var seconds = 0.0

    init(_ text: String) {
      self.text = text
    }
  }

  /// Values that are no longer there afterwards.
  public struct Loss: Sendable, Hashable {
    /// The name of the model.
    public var model: String
    /// Nil where the whole model goes.
    public var property: String?
    /// How many objects have a value, or are there.
    public var count: Int
    /// The keys of the first ten.
    public var keys: [String] = []
  }

  /// Objects whose values cannot be brought to what the program has.
  public struct Failure: Sendable {
    /// The name of the model.
    public var model: String
    /// The name of the property in the program.
    public var property: String
    /// How many objects there are.
    public var count: Int
    /// The keys of the first ten.
    public var keys: [String]
    /// What the migration ends with.
    public var error: StorageError

    init(_ failures: ObjectFailures, _ error: StorageError) {
      model = failures.model
      property = failures.property
      count = failures.count
      keys = failures.keys
      self.error = error
    }
  }

  /// The version that the store has; 0 for none.
  public var storedVersion: Int
  /// The version that it has afterwards; 0 for none.
  public var version: Int
  /// What was done, in its order.
  public var steps: [Step]
  /// What is no longer there afterwards.
  public var losses: [Loss]
  /// What keeps the migration from succeeding.
  public var failures: [Failure]
  /// What the migration ends with; nil where it succeeds.
  public var error: (any Error)?
  /// The time that it took, in seconds, without the copy that was made for it.
  public var seconds: Double
  /// Bytes of the store as it is, in a fresh copy; nil where the engine does not know.
  public var bytesBefore: Int?
  /// Bytes of the store as it would be; nil where the engine does not know.
  public var bytesAfter: Int?

  /// How many rows were read by all steps.
  public var rowsRead: Int { steps.reduce(0) { $0 + $1.rowsRead } }
  /// How many rows were stored by all steps.
  public var rowsWritten: Int { steps.reduce(0) { $0 + $1.rowsWritten } }
}
