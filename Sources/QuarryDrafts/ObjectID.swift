public import QuarryBackend
public import QuarryCore

/// The model and the primary key of an object.
public struct ObjectID: Hashable, Sendable, CustomStringConvertible {
  /// The name of the model.
  public let model: String
  /// The primary key as it is stored.
  public let key: Value

  /// Creates the id of an object from its type and its key.
  ///
  /// - Parameters:
  ///   - type: The model of the object.
  ///   - key: The primary key. Zero and NaN count as one key each, as in the store.
  /// - Throws: `invalidValue` when the key cannot be stored.
  public init<M: Model>(_ type: M.Type, _ key: M.PrimaryKey) throws {
    model = M.modelDefinition.name
    // As keys are compared: zero has one form there, and NaN, too.
    self.key = try key.withKeyBytes { bytes throws(StorageError) in
      try Key.value(of: bytes, type: M.PrimaryKey.storedType.type)
    }
  }

  init(model: String, key: Key, _ type: PropertyType) throws(StorageError) {
    self.model = model
    self.key = try key.bytes.withBytes { bytes throws(StorageError) in try Key.value(of: bytes, type: type) }
  }

  init(model: String, key: Value) {
    self.model = model
    self.key = key
  }

  /// The model and the key as people read them: `Book 7`.
  public var description: String { "\(model) \(key)" }
}
