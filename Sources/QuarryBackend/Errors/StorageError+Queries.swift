// Errors of names, queries and keys that several layers find, each with one wording.

extension StorageError {
  // MARK: Names

  /// There is no model with the name.
  ///
  /// - Parameter names: The models that there are; the message suggests the nearest one.
  package static func noModel(_ name: String, among names: [String]) -> StorageError {
    let hint = NearestName.suggestion(for: name, among: names)
    return StorageError(.invalidQuery, "there is no model \(name.shortened)\(hint)", model: name)
  }

  /// A model has no property with the name.
  ///
  /// - Parameters:
  ///   - model: The name of the model.
  ///   - names: The properties that there are; the message suggests the nearest one.
  package static func noProperty(_ name: String, in model: String, among names: [String]) -> StorageError {
    let property = name.isEmpty ? "without a name" : name.shortened
    let hint = NearestName.suggestion(for: name, among: names)
    return StorageError(.invalidQuery, "\(model) has no property \(property)\(hint)", model: model)
  }

  // MARK: Queries

  /// A limit or an offset is less than zero.
  ///
  /// - Parameter what: The word for the number: `limit`, `offset`.
  package static func negative(_ what: String, _ number: Int, model: String?) -> StorageError {
    StorageError(.invalidQuery, "the \(what) is \(number), and must not be negative", model: model)
  }

  /// A query is used for another model than its own.
  package static func queryIsFor(_ model: String, not other: String) -> StorageError {
    StorageError(.invalidQuery, "the query is for the model \(model)", model: other)
  }

  // MARK: Keys

  /// A call would change the primary key of a stored object.
  ///
  /// - Parameters:
  ///   - code: `invalidValue` where an object has another key, `invalidQuery` where a statement names the key.
  ///   - property: The property of the key.
  package static func keyChange(
    _ code: Code, model: String, property: String? = nil, key: String? = nil
  ) -> StorageError {
    StorageError(code, "the primary key of an object cannot be changed", model: model, property: property, key: key)
  }

  /// Neither of the two key slots of an encrypted store can be read.
  ///
  /// - Parameter name: The store's name in the message.
  package static func keySlotsDamaged(_ name: String = "the store") -> StorageError {
    StorageError(.corrupt, "both key slots of \(name) are damaged, so it cannot be read: restore a backup")
  }

  // MARK: Memory

  /// The process has no memory left.
  ///
  /// - Parameter what: What the memory is needed for.
  package static func noMemory(for what: String) -> StorageError {
    StorageError(.full, "there is no memory for \(what)")
  }
}
