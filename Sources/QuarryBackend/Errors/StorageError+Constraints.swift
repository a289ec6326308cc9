// Errors for violated constraints of rows and values, with the same texts on every engine: contract, ERR-5, and `docs/errors.md`.

extension StorageError {
  // MARK: Rows

  /// Another object has the primary key.
  ///
  /// - Parameter key: The key that is taken.
  public static func duplicateKey(_ model: ModelSchema, key: String?) -> StorageError {
    StorageError(
      .duplicateKey, "an object with this primary key exists", model: model.name, property: model.keyProperty.name,
      key: key)
  }

  /// Another object has the value in a unique index.
  ///
  /// - Parameters:
  ///   - index: Nil where it is not known which of them is violated.
  ///   - key: The primary key of the object that could not be stored.
  public static func uniqueViolation(_ index: IndexSchema?, _ model: ModelSchema, key: String?) -> StorageError {
    let what = index.map { "in the unique index \($0.name)" } ?? "in a unique index"
    return StorageError(
      .uniqueViolation, "another object has this value \(what)", model: model.name,
      property: index.map { model.names(of: $0) }, key: key)
  }

  /// A unique index cannot be made, because two objects have one value in its columns.
  ///
  /// - Parameters:
  ///   - first: The key of one of them.
  ///   - second: The key of the one that stands in the way.
  static func cannotBeUnique(
    _ index: IndexSchema, _ model: ModelSchema, first: String, second: String, cause: (any Error)?
  ) -> StorageError {
    StorageError(
      .uniqueViolation,
      "the unique index \(index.name) cannot be created: the objects with the keys \(first) and \(second) have the same "
        + "value",
      model: model.name, property: model.names(of: index), key: second, cause: cause)
  }

  /// The primary keys cannot be made unique, because several rows have one key: only another program can leave such rows.
  package static func sharedKey(_ model: ModelSchema, key: String) -> StorageError {
    StorageError(
      .uniqueViolation, "the primary keys cannot be made unique: several objects have the key \(key)",
      model: model.name, property: model.keyProperty.name, key: key)
  }

  /// There is no object with the key.
  ///
  /// - Parameters:
  ///   - model: The name of the model.
  ///   - key: The primary key as people read it (``KeyText``); nil where it is not known.
  public static func notFound(_ model: String, key: String?) -> StorageError {
    StorageError(.notFound, "there is no object with this primary key", model: model, key: key)
  }

  /// The object is not as the caller expects it to be.
  ///
  /// - Parameters:
  ///   - model: The name of the model.
  ///   - key: The primary key as people read it (``KeyText``); nil where it is not known.
  public static func conflict(_ model: String, key: String?) -> StorageError {
    StorageError(.conflict, "the object was changed since it was read", model: model, key: key)
  }

  // MARK: References

  /// - Parameters:
  ///   - target: The key that no object of the other model has.
  ///   - key: The primary key of the object that has it in its reference.
  package static func missingReference(
    _ property: PropertySchema, _ model: ModelSchema, target: String?, key: String?
  ) -> StorageError {
    let other = property.reference?.model ?? "?"
    return StorageError(
      .missingReference, "there is no \(other) with the primary key \(target ?? "?")", model: model.name,
      property: property.name, key: key)
  }

  /// - Parameters:
  ///   - referrer: The model that refers, the property, and the key of one object that does.
  ///   - key: The primary key of the object that was to be removed.
  package static func referenced(
    _ model: ModelSchema, key: String?, by referrer: ModelSchema, _ property: PropertySchema, referrerKey: String?
  ) -> StorageError {
    StorageError(
      .referenced,
      "the \(referrer.name) with the primary key \(referrerKey ?? "?") refers to it, by \(property.name)",
      model: model.name, property: property.name, key: key)
  }

  // MARK: Values

  /// Nil where a value must be.
  package static var missingValue: StorageError {
    StorageError(.missingValue, "nil in a property that is not optional")
  }

  /// A property cannot lose its nil, because an object has nil in it.
  ///
  /// - Parameter key: The key of that object.
  static func cannotBeRequired(_ property: PropertySchema, _ model: ModelSchema, key: String?) -> StorageError {
    StorageError(
      .missingValue, "the property cannot be made non-optional, because this object has nil in it",
      model: model.name, property: property.name, key: key)
  }

  /// Arithmetic went beyond the property's type.
  static func resultDoesNotFit(_ type: PropertyType) -> StorageError {
    StorageError(.invalidValue, "the result does not fit into \(type.name)")
  }

  /// A sum went beyond its type.
  static func sumDoesNotFit(_ type: PropertyType, property: String) -> StorageError {
    StorageError(.invalidValue, "the sum does not fit into \(type.name)", property: property)
  }

  /// The decimal that is not a number has no form in rows and keys.
  package static var decimalIsNotANumber: StorageError {
    StorageError(.invalidValue, "a Decimal that is not a number cannot be stored")
  }

  // MARK: Bound queries

  /// A query that was made for another model names a slot that this one has not.
  static func noSlot(_ slot: Int, _ model: ModelSchema? = nil) -> StorageError {
    StorageError(.invalidQuery, "there is no slot \(slot)", model: model?.name)
  }

  /// A bound constant is not of its column's type.
  static func cannotCompare(_ value: Value, _ type: PropertyType) -> StorageError {
    StorageError(.invalidQuery, "\(value.kind) cannot be compared with the type \(type.name)")
  }
}

extension ModelSchema {
  /// The names of an index's columns, as errors give them.
  package func names(of index: IndexSchema) -> String {
    index.columns.map { properties[$0.slot].name }.joined(separator: ", ")
  }
}
