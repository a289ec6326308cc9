import QuarryBackend
public import QuarryCore

extension Draft {
  /// The object with the primary key as the draft has it; nil where there is none.
  ///
  /// Setting a value adds or replaces the object in the draft, nil deletes it. A subscript cannot throw: an error is kept in
  /// ``error``. It gives nil for an object that cannot be read. After a refused edit, the draft is not saved before
  /// ``rollback()``.
  public subscript<M: Model>(_ type: M.Type, _ key: M.PrimaryKey) -> M? {
    get {
      do {
        return try get(M.self, key)
      } catch {
        self.error = error
        return nil
      }
    }
    set {
      do {
        if let newValue {
          try requireKey(of: newValue, key)
          try upsert(newValue)
        } else {
          try delete(M.self, key)
        }
      } catch {
        refusedEdit = refusedEdit ?? error
        self.error = error
      }
    }
  }

  /// The object with the primary key as the draft has it; nil where there is none.
  ///
  /// The draft keeps an object that it has read: it is the same until a rollback or a save, and the base of later edits.
  ///
  /// - Parameters:
  ///   - type: The model of the object.
  ///   - key: The primary key of the object.
  /// - Throws: As a `get` of the store: `invalidValue` or `missingValue` when a type of the object refuses a stored value;
  ///   `corrupt`, `io`.
  public func get<M: Model>(_ type: M.Type, _ key: M.PrimaryKey) throws -> M? {
    _ = revision
    return try entry(M.self, key).2.mine?.object()
  }

  /// Adds an object to the draft.
  ///
  /// - Parameter object: The object. Its primary key is taken in neither the draft nor the store.
  /// - Throws: `duplicateKey` when the draft or the store has an object with its primary key; `invalidValue`, `missingValue` and
  ///   `limitExceeded` for an object that cannot be stored.
  public func insert<M: Model>(_ object: M) throws {
    let (table, place, entry) = try entry(M.self, object.primaryKeyValue)
    guard entry.mine == nil else {
      throw StorageError(
        .duplicateKey, "the draft already has an object with this primary key", model: table.name,
        key: "\(entry.id.key)")
    }
    try set(table, place, entry, Version(object, table.encoder))
  }

  /// Adds an object to the draft, or replaces the object with its primary key.
  ///
  /// - Parameter object: The object to add, or the new values of the object with its key.
  /// - Returns: Whether the object was added.
  /// - Throws: `invalidValue`, `missingValue` and `limitExceeded` for an object that cannot be stored.
  @discardableResult
  public func upsert<M: Model>(_ object: M) throws -> Bool {
    let (table, place, entry) = try entry(M.self, object.primaryKeyValue)
    let isAdded = entry.mine == nil
    try set(table, place, entry, Version(object, table.encoder))
    return isAdded
  }

  /// Changes the object with the primary key in the draft.
  ///
  /// - Parameters:
  ///   - type: The model of the object.
  ///   - key: The primary key of the object.
  ///   - change: Changes the properties of the object, except for its primary key. It is called once.
  /// - Returns: The object as the draft has it now.
  /// - Throws: `notFound` when there is no such object; `invalidValue` when the closure changed the primary key; the error of
  ///   the closure.
  @discardableResult
  public func update<M: Model>(_ type: M.Type, _ key: M.PrimaryKey, _ change: (inout M) throws -> Void) throws -> M {
    let (table, place, entry) = try entry(M.self, key)
    guard let mine = entry.mine else {
      throw StorageError(.notFound, "the draft has no such object", model: table.name, key: "\(entry.id.key)")
    }
    var object: M = mine.object()
    try change(&object)
    try requireKey(of: object, key)
    try set(table, place, entry, Version(object, table.encoder))
    return object
  }

  /// Replaces an object that was read elsewhere, such as by ``fetch(_:)``, against the value that was read.
  ///
  /// - Parameter old: The object as it was read. It becomes the base of the object, unless the draft has an edit of it.
  /// - Throws: `invalidValue` when the two have different primary keys.
  public func update<M: Model>(_ object: M, from old: M) throws {
    try requireKey(of: object, old.primaryKeyValue)
    let table = try table(M.self)
    let place = try table.form.key(old.primaryKeyValue)
    var entry = table.object(place)
    if !(entry?.isChanged ?? false) { entry = try add(table, place, Version(old, table.encoder)) }
    guard let entry else { return }
    try set(table, place, entry, Version(object, table.encoder))
  }

  /// Deletes the object with the primary key in the draft.
  ///
  /// Delete rules take effect when the draft is saved.
  ///
  /// - Returns: Whether there was one.
  /// - Throws: As ``get(_:_:)``, because the draft reads the object first.
  @discardableResult
  public func delete<M: Model>(_ type: M.Type, _ key: M.PrimaryKey) throws -> Bool {
    let (table, place, entry) = try entry(M.self, key)
    let isThere = entry.mine != nil
    try set(table, place, entry, nil)
    return isThere
  }

  /// Deletes the object with the primary key of this object in the draft.
  ///
  /// - Returns: Whether there was one.
  /// - Throws: As ``get(_:_:)``.
  @discardableResult
  public func delete<M: Model>(_ object: M) throws -> Bool { try delete(M.self, object.primaryKeyValue) }

  /// Checks the objects that the draft has added or changed by the rules of their models: ``Validated``.
  ///
  /// - Throws: The error of the first such object that is refused, with its model and key.
  public func validate() throws {
    for table in tables.values.sorted(by: { $0.name < $1.name }) { try table.validate() }
  }

  private func requireKey<M: Model>(of object: M, _ key: M.PrimaryKey) throws {
    if try object.primaryKeyValue.isSameKey(as: key) { return }
    let id = try ObjectID(M.self, key)
    throw StorageError.keyChange(.invalidValue, model: id.model, key: "\(id.key)")
  }
}
