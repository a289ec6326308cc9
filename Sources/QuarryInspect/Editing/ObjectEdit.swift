public import QuarryBackend
public import QuarryCore

/// A change of one object, against the values that a person has seen.
public struct ObjectEdit: Sendable {
  /// The name of the model.
  public var model: String
  /// The primary key.
  public var key: Value
  /// The values that were read, as far as they are known.
  public var base: Record
  /// The digest of the whole object as it was read, ``InspectedObject/digest``; nil where only ``base`` decides.
  public var digest: String?
  /// The properties to change, with their new values.
  public var changes: Record

  /// A change of the object with a primary key.
  ///
  /// - Parameters:
  ///   - model: The name of the model.
  ///   - key: The primary key.
  ///   - base: The values that were read, as far as they are known.
  ///   - digest: The digest of the whole object as it was read; nil where only the base decides.
  ///   - changes: The properties to change, with their new values.
  public init(model: String, key: Value, base: Record, digest: String? = nil, changes: Record) {
    self.model = model
    self.key = key
    self.base = base
    self.digest = digest
    self.changes = changes
  }
}

/// The outcome of an edit.
public enum EditOutcome: Sendable {
  /// The object was changed.
  case saved
  /// The object has these values already.
  case unchanged
  /// Nothing was changed, because another writer has changed or removed the object since it was read.
  case conflict(EditConflict)
}

/// An edit that met a change of another writer.
public struct EditConflict: Sendable {
  /// A property in three versions.
  public struct Field: Sendable {
    /// The name of the property.
    public let property: String
    /// The value that was read; nil where it is not known.
    public let base: Value?
    /// The value that the edit asks for; nil where it does not change the property.
    public let mine: Value?
    /// The stored value.
    public let theirs: Value
  }

  /// The properties that the edit changes or the other writer has changed.
  public let fields: [Field]
  /// Whether the object was removed.
  public let isRemoved: Bool
}
