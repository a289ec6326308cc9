public import QuarryBackend

/// The objects of a store as values of a type that is stored as another: see ``Mapped``.
///
/// Every transaction, store and frozen store has it: `try store.mapped(Card.self).fetch(Author.all)`. Values and their stored
/// forms are created where the caller is, also in the asynchronous calls: they need not be Sendable.
public struct Mapping<Scope: ReadScope, T: Mapped> {
  let scope: Scope
}

extension Mapping: Sendable where Scope: Sendable {}

extension ReadScope {
  /// The objects as values of a type that is stored as another.
  ///
  /// - Parameter type: The type of the values, whose stored form is a model of the store.
  public func mapped<T: Mapped>(_ type: T.Type) -> Mapping<Self, T> { Mapping(scope: self) }
}

extension Mapping {
  /// The value with the primary key, or nil when there is none.
  ///
  /// - Parameter key: The primary key of the stored form.
  /// - Throws: As ``ReadScope/get(_:_:)``; the error of `init(stored:)`.
  public func get(_ key: T.Stored.PrimaryKey) throws -> T? {
    try scope.get(T.Stored.self, key).map { try T(stored: $0) }
  }

  /// The values with these primary keys, in their order; nil where there is none.
  ///
  /// - Parameter keys: The primary keys of the stored forms; one may occur more than once.
  /// - Throws: As ``get(_:)``.
  public func get(keys: some Sequence<T.Stored.PrimaryKey>) throws -> [T?] {
    try scope.get(T.Stored.self, keys: keys).map { try $0.map { try T(stored: $0) } }
  }

  /// The values of the selection, in its order.
  ///
  /// - Parameters:
  ///   - selection: The stored forms: a query, the ``Many`` of an object, or its ``Links``.
  ///   - onUnreadable: See ``ReadScope/fetch(_:onUnreadable:)``. It is not called for an error of `init(stored:)`.
  /// - Throws: As ``ReadScope/fetch(_:onUnreadable:)``; the error of `init(stored:)`.
  public func fetch(
    _ selection: some Selection<T.Stored>,
    onUnreadable: (T.Stored.PrimaryKey?, StorageError) throws -> Void = { _, error in throw error }
  ) throws -> [T] {
    var values: [T] = []
    try forEach(selection, onUnreadable: onUnreadable) { values.append($0) }
    return values
  }

  /// The values of the query, in its order, each with the objects that the properties of its stored form lead to.
  ///
  /// - Parameters:
  ///   - selection: The stored forms: a query, the ``Many`` of an object, or its ``Links``.
  ///   - first: A property of the stored form that leads to other objects.
  ///   - others: Further ones.
  /// - Throws: As ``fetch(_:onUnreadable:)``.
  /// - Complexity: One more read for each relation, whatever the number of objects.
  public func fetch<First: Relation, each R: Relation>(
    _ selection: some Selection<T.Stored>, with first: KeyPath<T.Stored, First>,
    _ others: repeat KeyPath<T.Stored, each R>
  ) throws -> [(T, First.Loaded, repeat (each R).Loaded)] {
    try scope.readingAndCalling { tx in
      let objects = try tx.objects(of: selection)
      let one = try First.load(PropertyPlace(first).values(of: objects), in: tx)
      let loaded = (repeat try (each R).load(PropertyPlace(each others).values(of: objects), in: tx))
      var result: [(T, First.Loaded, repeat (each R).Loaded)] = []
      result.reserveCapacity(objects.count)
      for place in objects.indices {
        result.append((try T(stored: objects[place]), one[place], repeat (each loaded)[place]))
      }
      return result
    }
  }

  /// The first value of the selection, or nil when it has none.
  ///
  /// - Throws: As ``fetch(_:onUnreadable:)``.
  public func first(_ selection: some Selection<T.Stored>) throws -> T? {
    try scope.first(selection).map { try T(stored: $0) }
  }

  /// Calls the body with each value of the selection, in its order and in bounded memory.
  ///
  /// - Parameters:
  ///   - selection: The stored forms, as in ``fetch(_:onUnreadable:)``.
  ///   - onUnreadable: See ``ReadScope/fetch(_:onUnreadable:)``.
  ///   - body: Called with each value. It may read in the transaction, and write to other models.
  /// - Throws: The error of the body; as ``fetch(_:onUnreadable:)``.
  public func forEach(
    _ selection: some Selection<T.Stored>,
    onUnreadable: (T.Stored.PrimaryKey?, StorageError) throws -> Void = { _, error in throw error },
    _ body: (T) throws -> Void
  ) throws {
    try scope.forEach(selection, onUnreadable: onUnreadable) { try body(T(stored: $0)) }
  }
}

extension Mapping where Scope: WriteScope {
  /// Adds the stored form of the value.
  ///
  /// - Parameter value: The value, whose `stored()` is called once.
  /// - Returns: The stored form, with the key that it got where it had none.
  /// - Throws: As ``WriteScope/insert(_:)``; the error of `stored()`.
  @discardableResult
  public func insert(_ value: T) throws -> T.Stored {
    try storing(value.stored) { scope, stored in try scope.insert(stored) }
  }

  /// Adds the stored forms of the values: all of them, or none when it throws.
  ///
  /// - Throws: As ``insert(_:)``.
  public func insert(contentsOf values: some Sequence<T>) throws {
    try storing({ try values.map { try $0.stored() } }) { scope, stored in
      try scope.insert(contentsOf: stored)
    }
  }

  /// Adds the stored form of the value, or replaces the object with its primary key.
  ///
  /// - Returns: Whether it was added.
  /// - Throws: As ``WriteScope/upsert(_:)``; the error of `stored()`.
  @discardableResult
  public func upsert(_ value: T) throws -> Bool {
    try storing(value.stored) { scope, stored in try scope.upsert(stored) }
  }

  /// Adds or replaces the stored forms of the values: all of them, or none when it throws.
  ///
  /// - Returns: The number of objects that were added.
  /// - Throws: As ``upsert(_:)``.
  @discardableResult
  public func upsert(contentsOf values: some Sequence<T>) throws -> Int {
    try storing({ try values.map { try $0.stored() } }) { scope, stored in
      try scope.upsert(contentsOf: stored)
    }
  }

  /// Replaces the stored object that has the primary key of the value.
  ///
  /// - Throws: As ``WriteScope/update(_:ifUnchangedFrom:)``; the error of `stored()`.
  public func update(_ value: T) throws {
    try storing(value.stored) { scope, stored in try scope.update(stored) }
  }

  /// Removes the stored object that has the primary key of the value.
  ///
  /// - Returns: Whether it was there.
  /// - Throws: As ``WriteScope/delete(_:)``; the error of `stored()`.
  @discardableResult
  public func delete(_ value: T) throws -> Bool {
    try storing(value.stored) { scope, stored in try scope.delete(stored) }
  }

  /// Removes the stored objects that have the primary keys of the values.
  ///
  /// - Returns: The number of objects that were there.
  /// - Throws: As ``delete(_:)``.
  @discardableResult
  public func delete(contentsOf values: some Sequence<T>) throws -> Int {
    try storing({ try values.map { try $0.stored().primaryKeyValue } }) { scope, keys in
      try scope.delete(T.Stored.self, keys: keys)
    }
  }

  /// Creates stored forms and writes them. In a transaction both are one statement; on a store the forms are created before its
  /// transaction begins.
  private func storing<Stored, R>(
    _ make: () throws -> Stored, _ write: (Scope, Stored) throws -> R
  ) throws -> R {
    guard let transaction = scope as? WriteTransaction else { return try write(scope, make()) }
    return try transaction.statement(make) { try write(scope, $0) }
  }
}
