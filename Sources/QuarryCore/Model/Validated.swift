import QuarryBackend

/// A model whose objects are checked by rules of its own before a store takes them.
///
/// ```swift
/// extension Book: Validated {
///   func validate() throws {
///     guard !title.isEmpty else { throw EmptyTitle() }
///   }
/// }
/// ```
///
/// Each call that writes an object of the type checks it: `insert`, `upsert`, `getOrInsert` and `update`, one object or many, and
/// a draft before it is saved. An update checks the objects that it changes, and `undo` the objects that it stores.
/// Assignments, records and migrations write properties without an object of the type, and check nothing.
///
/// It is a requirement of its own, so that the conformance is nonisolated under every default isolation.
public protocol Validated: Sendable {
  /// Throws when the object must not be stored.
  ///
  /// The call that writes throws ``StorageError/Code/invalidValue`` with the model, the key and this error as its cause. A
  /// ``StorageError`` keeps its code and property. The function must not use the transaction that writes the object.
  func validate() throws
}

extension ModelDefinition {
  /// The rules of the model's own; nil where it has none.
  static func validator() -> (@Sendable (M) throws -> Void)? {
    guard let type = M.self as? any Validated.Type else { return nil }
    return validator(type)
  }

  private static func validator<V: Validated>(_ type: V.Type) -> @Sendable (M) throws -> Void {
    { object in
      // The type was found to be this one.
      if let object = object as? V { try object.validate() }
    }
  }

  /// Checks an object by the rules of its model.
  ///
  /// - Throws: `invalidValue` with the model and the key; the object's own error is the cause.
  @usableFromInline
  func validate(_ object: M) throws(StorageError) {
    if let validator { try Self.validate(object, name, validator) }
  }

  /// Checks the object of a row, as ``validate(_:)`` does.
  static func rowValidator(
    _ name: String, _ validator: @escaping @Sendable (M) throws -> Void
  ) -> @Sendable (ModelReader) throws(StorageError) -> Void {
    { reader throws(StorageError) in try validate(try reader.object(M.self), name, validator) }
  }

  private static func validate(
    _ object: M, _ name: String, _ validator: (M) throws -> Void
  ) throws(StorageError) {
    do {
      try validator(object)
    } catch {
      let key = object.primaryKeyValue.keyText
      if let error = error as? StorageError { throw error.with(model: name, key: key) }
      throw StorageError(.invalidValue, "validate() rejected the object", model: name, key: key, cause: error)
    }
  }
}
