public import QuarryBackend

/// The actual or expected results of a migration: see ``Store/rehearse(for:in:options:encryption:migration:scratch:)``.
public struct MigrationReport: Sendable {
  /// A step of the migration.
  public struct Step: Sendable, Hashable {
    /// The description in words.
    public var text: String
    /// The number of rows that were read.
    public var rowsRead = 0
    /// The number of rows that were stored; the other rows that were read were not kept.
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
    /// The name of the property; nil where the whole model is dropped.
    public var property: String?
    /// The number of objects that have a value, or that exist.
    public var count: Int
    /// The keys of the first ten.
    public var keys: [String] = []
  }

  /// Objects whose values cannot be converted to the program's models.
  public struct Failure: Sendable {
    /// The name of the model.
    public var model: String
    /// The name of the property in the program.
    public var property: String
    /// The number of objects.
    public var count: Int
    /// The keys of the first ten.
    public var keys: [String]
    /// The error that the migration ends with.
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
  /// The steps taken, in their order.
  public var steps: [Step]
  /// The data that no longer exists afterwards.
  public var losses: [Loss]
  /// The failures that keep the migration from succeeding.
  public var failures: [Failure]
  /// The error that the migration ends with; nil where it succeeds.
  public var error: (any Error)?
  /// The time that it took, in seconds, without the copy that was made for it.
  public var seconds: Double
  /// The size of the current store in bytes, in a fresh copy; nil where the engine does not know.
  public var bytesBefore: Int?
  /// The expected size of the store in bytes; nil where the engine does not know.
  public var bytesAfter: Int?

  /// The number of rows read by all steps.
  public var rowsRead: Int { steps.reduce(0) { $0 + $1.rowsRead } }
  /// The number of rows stored by all steps.
  public var rowsWritten: Int { steps.reduce(0) { $0 + $1.rowsWritten } }
}

extension MigrationReport: CustomStringConvertible {
  /// The steps, the losses and the failures, one line each.
  public var description: String {
    var lines = ["version \(storedVersion) to \(version), \(rowsRead) rows read, \(rowsWritten) stored"]
    lines += steps.map(\.text)
    lines += losses.map { "lost: \($0.count) of \($0.model)" + ($0.property.map { ".\($0)" } ?? "") }
    lines += failures.map { "failed: \($0.count) of \($0.model).\($0.property): \($0.error)" }
    if let error { lines.append("the migration ends with: \(error)") }
    return lines.joined(separator: "\n")
  }
}
