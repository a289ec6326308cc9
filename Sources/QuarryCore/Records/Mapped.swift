import QuarryBackend

/// A type of the program that is stored as another: an object of a user interface, a struct that a service sends, a
/// reference type beside its stored struct.
public protocol Mapped {
  /// The model that is stored.
  associatedtype Stored: Model

  /// Makes the value from what is stored.
  init(stored: Stored) throws
  /// What is stored of the value.
  func stored() throws -> Stored
}

extension ReadTransaction {
  /// The object with the primary key, mapped, or nil when there is none.
  public func get<T: Mapped>(_ type: T.Type, _ key: T.Stored.PrimaryKey) throws -> T? {
    try get(T.Stored.self, key).map { try T(stored: $0) }
  }

  /// The objects with these primary keys, mapped, in their order; nil where there is none.
  public func get<T: Mapped>(_ type: T.Type, keys: some Sequence<T.Stored.PrimaryKey>) throws -> [T?] {
    try get(T.Stored.self, keys: keys).map { try $0.map { try T(stored: $0) } }
  }

  /// The first object of the query, mapped, or nil when it gives none.
  public func first<T: Mapped>(_ query: Query<T.Stored>, as type: T.Type) throws -> T? {
    try first(query).map { try T(stored: $0) }
  }

  /// Calls the body with each object of the query, mapped, in its order and in bounded memory.
  public func forEach<T: Mapped>(_ query: Query<T.Stored>, as type: T.Type, _ body: (T) throws -> Void) throws {
    try forEach(query) { try body(T(stored: $0)) }
  }

  /// The objects of the query, mapped, in its order.
  public func fetch<T: Mapped>(_ query: Query<T.Stored>, as type: T.Type) throws -> [T] {
    var result: [T] = []
    try forEach(query) { result.append(try T(stored: $0)) }
    return result
  }
}

extension WriteTransaction {
  /// Adds what is stored of the value.
  public func insert<T: Mapped>(_ value: T) throws {
    try statement(value.stored) { try insert($0) }
  }

  /// Adds what is stored of the values: all of it, or nothing when it throws.
  public func insert<T: Mapped>(contentsOf values: some Sequence<T>) throws {
    try statement({ try values.map { try $0.stored() } }, { try insert(contentsOf: $0) })
  }

  /// Adds what is stored of the value, or replaces the object with its primary key.
  ///
  /// - Returns: Whether it was added.
  @discardableResult
  public func upsert<T: Mapped>(_ value: T) throws -> Bool {
    try statement(value.stored) { try upsert($0) }
  }

  /// Adds or replaces what is stored of the values: all of it, or nothing when it throws.
  ///
  /// - Returns: How many were added.
  @discardableResult
  public func upsert<T: Mapped>(contentsOf values: some Sequence<T>) throws -> Int {
    try statement({ try values.map { try $0.stored() } }, { try upsert(contentsOf: $0) })
  }

  /// Replaces the stored object that has the primary key of the value's.
  public func update<T: Mapped>(_ value: T) throws {
    try statement(value.stored) { try update($0) }
  }

  /// Removes the stored object that has the primary key of the value's.
  ///
  /// - Returns: Whether it was there.
  @discardableResult
  public func delete<T: Mapped>(_ value: T) throws -> Bool {
    try statement(value.stored) { try delete($0) }
  }

  /// Removes the stored objects that have the primary keys of the values'.
  ///
  /// - Returns: How many there were.
  @discardableResult
  public func delete<T: Mapped>(contentsOf values: some Sequence<T>) throws -> Int {
    try statement(
      { try values.map { try $0.stored().primaryKeyValue } }, { try delete(T.Stored.self, keys: $0) })
  }
}
