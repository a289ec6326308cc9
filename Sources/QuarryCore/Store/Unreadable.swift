public import QuarryBackend

/// An object that is stored and cannot be read: one of its values is none that the program's type has.
struct Unreadable<M: Model>: Error {
  /// Nil when the key itself is what cannot be read.
  let key: M.PrimaryKey?
  let error: StorageError
}

extension StorageError {
  /// Whether reading a row ended in this error for what is stored in it, not for what the engine met on the way:
  /// contract, ERR-8.
  var isOfValue: Bool { [.invalidValue, .missingValue, .limitExceeded].contains(code) }
}

extension ModelReader {
  /// The row's object, or why it cannot be read.
  ///
  /// - Throws: Errors that are not of the row's own content.
  func attempt<M: Model>(_ type: M.Type) throws(StorageError) -> Result<M, Unreadable<M>> {
    do throws(StorageError) {
      return .success(try object(M.self))
    } catch {
      guard error.isOfValue else { throw error }
      return .failure(Unreadable(key: try? key(M.self), error: error))
    }
  }

  /// The row's primary key.
  func key<M: Model>(_ type: M.Type) throws(StorageError) -> M.PrimaryKey {
    let slot = slots + slotCount
    let binding = binding
    guard slot.pointee.type == M.PrimaryKey.storedType.type else {
      throw binding.misuse(binding.layout.primaryKey, M.PrimaryKey.self)
    }
    do throws(StorageError) {
      return try M.PrimaryKey.read(FieldReader(row: row, slot: slot, binding: unmanagedBinding))
    } catch {
      throw unreadable(error.with(property: binding.schema.keyProperty.name))
    }
  }
}

extension Query {
  /// - Throws: `invalidQuery` for a query that has no pages.
  func checkPage(_ size: Int) throws(StorageError) {
    guard size > 0, tree.limit == nil, tree.offset == 0 else {
      throw StorageError(
        .invalidQuery, "a page has a size of at least 1, and its query no limit and no offset", model: tree.model)
    }
  }
}

extension ReadTransaction {
  /// Runs code of the models' that reads lent rows.
  private func coding(_ body: () throws(StorageError) -> Void) throws(StorageError) {
    beginCoding()
    defer { endCoding() }
    try body()
  }

  /// The objects of the query that can be read, in its order: one that cannot does not hide the others.
  ///
  /// ```swift
  /// let books = try tx.fetch(Book.all, onUnreadable: { key, error in log("\(error)") })
  /// ```
  ///
  /// - Parameter onUnreadable: Is called for each object that has a value which its type refuses: an enum's case that is
  ///   gone, nested data that no longer decodes. It gets the primary key (nil when that is what cannot be read; the
  ///   error's `key` has its text) and the error, and may throw to end the fetch. It must not write to the model.
  /// - Throws: What the closure throws; errors that are not of one object's value, such as `corrupt` and `io`.
  public func fetch<M: Model>(
    _ query: Query<M>, onUnreadable: (M.PrimaryKey?, StorageError) throws -> Void
  ) throws -> [M] {
    var result: [M] = []
    try forEach(query, onUnreadable: onUnreadable) { result.append($0) }
    return result
  }

  /// The first object of the query that can be read, or nil when there is none.
  ///
  /// - Parameter onUnreadable: See ``fetch(_:onUnreadable:)``.
  public func first<M: Model>(
    _ query: Query<M>, onUnreadable: (M.PrimaryKey?, StorageError) throws -> Void
  ) throws -> M? {
    let cursor = try cursor(query)
    defer { cursor.close() }
    return try cursor.next(onUnreadable: onUnreadable)
  }

  /// Calls the body with each object of the query that can be read, in its order and in bounded memory.
  ///
  /// - Parameter onUnreadable: See ``fetch(_:onUnreadable:)``.
  public func forEach<M: Model>(
    _ query: Query<M>, onUnreadable: (M.PrimaryKey?, StorageError) throws -> Void, _ body: (M) throws -> Void
  ) throws {
    let cursor = try cursor(query)
    defer { cursor.close() }
    while let object = try cursor.next(onUnreadable: onUnreadable) { try body(object) }
  }

  /// The objects with these primary keys, in their order; nil where there is none or it cannot be read.
  ///
  /// - Parameter onUnreadable: See ``fetch(_:onUnreadable:)``. Is called when all were read.
  public func get<M: Model>(
    _ type: M.Type, keys: some Sequence<M.PrimaryKey>, onUnreadable: (M.PrimaryKey?, StorageError) throws -> Void
  ) throws -> [M?] {
    try check()
    let binding = try store.binding(M.self)
    let keys = Array(keys)
    let encoded = try encodedKeys(keys)
    var result: [M?] = []
    result.reserveCapacity(encoded.count)
    var failures: [(place: Int, error: StorageError)] = []
    try coding { () throws(StorageError) in
      try backend.rows(binding.model, encoded) { _, row throws(StorageError) in
        guard let row else { return result.append(nil) }
        switch try ModelReader(row, binding).attempt(M.self) {
        case .success(let object): result.append(object)
        case .failure(let failure):
          failures.append((result.count, failure.error))
          result.append(nil)
        }
      }
    }
    for failure in failures { try onUnreadable(keys[failure.place], failure.error) }
    return result
  }

  /// The primary keys of the query's objects that can be read, in its order.
  ///
  /// - Parameter onUnreadable: Is called for each key that its type refuses, when all were read; there is only its text
  ///   then, in the error. It may throw.
  public func keys<M: Model>(
    _ query: Query<M>, onUnreadable: (StorageError) throws -> Void
  ) throws -> [M.PrimaryKey] {
    try check()
    let binding = try store.binding(M.self)
    var result: [M.PrimaryKey] = []
    var failures: [StorageError] = []
    let cursor = try rows(query, binding, projection: [])
    try coding { () throws(StorageError) in
      try cursor.forEach { row throws(StorageError) in
        let reader = try ModelReader(row, binding)
        do throws(StorageError) {
          result.append(try reader.key(M.self))
        } catch {
          guard error.isOfValue else { throw error }
          failures.append(error)
        }
        return true
      }
    }
    for failure in failures { try onUnreadable(failure) }
    return result
  }

  /// A page of the query's objects, and where the next one begins. Objects that cannot be read take their places in it,
  /// so that a page may have fewer than its size, and none, before the last one.
  ///
  /// - Parameter onUnreadable: See ``fetch(_:onUnreadable:)``. Is called when the page was read.
  public func page<M: Model>(
    _ query: Query<M>, size: Int, onUnreadable: (M.PrimaryKey?, StorageError) throws -> Void
  ) throws -> Page<M> {
    try check()
    try query.checkPage(size)
    let (page, _, unreadable) = try readPage(query, size, passingOver: true)
    for failure in unreadable { try onUnreadable(failure.key, failure.error) }
    return page
  }

  /// The objects of the query that can be read, mapped, in its order.
  ///
  /// - Parameter onUnreadable: See ``fetch(_:onUnreadable:)``. It is not called for what `init(stored:)` throws.
  public func fetch<T: Mapped>(
    _ query: Query<T.Stored>, as type: T.Type, onUnreadable: (T.Stored.PrimaryKey?, StorageError) throws -> Void
  ) throws -> [T] {
    var result: [T] = []
    try forEach(query, onUnreadable: onUnreadable) { result.append(try T(stored: $0)) }
    return result
  }
}

extension Reading {
  /// The objects of the query that can be read, in its order.
  ///
  /// - Parameter onUnreadable: See ``ReadTransaction/fetch(_:onUnreadable:)``.
  public func fetch<M: Model>(
    _ query: Query<M>, onUnreadable: (M.PrimaryKey?, StorageError) throws -> Void
  ) throws -> [M] {
    try read { try $0.fetch(query, onUnreadable: onUnreadable) }
  }

  /// The first object of the query that can be read, or nil when there is none.
  ///
  /// - Parameter onUnreadable: See ``ReadTransaction/fetch(_:onUnreadable:)``.
  public func first<M: Model>(
    _ query: Query<M>, onUnreadable: (M.PrimaryKey?, StorageError) throws -> Void
  ) throws -> M? {
    try read { try $0.first(query, onUnreadable: onUnreadable) }
  }

  /// Calls the body with each object of the query that can be read, in its order and in bounded memory.
  ///
  /// - Parameter onUnreadable: See ``ReadTransaction/fetch(_:onUnreadable:)``.
  public func forEach<M: Model>(
    _ query: Query<M>, onUnreadable: (M.PrimaryKey?, StorageError) throws -> Void, _ body: (M) throws -> Void
  ) throws {
    try read { try $0.forEach(query, onUnreadable: onUnreadable, body) }
  }

  /// The objects with these primary keys, in their order; nil where there is none or it cannot be read.
  ///
  /// - Parameter onUnreadable: See ``ReadTransaction/fetch(_:onUnreadable:)``.
  public func get<M: Model>(
    _ type: M.Type, keys: some Sequence<M.PrimaryKey>, onUnreadable: (M.PrimaryKey?, StorageError) throws -> Void
  ) throws -> [M?] {
    try read { try $0.get(M.self, keys: keys, onUnreadable: onUnreadable) }
  }

  /// The primary keys of the query's objects that can be read, in its order.
  ///
  /// - Parameter onUnreadable: See ``ReadTransaction/keys(_:onUnreadable:)``.
  public func keys<M: Model>(
    _ query: Query<M>, onUnreadable: (StorageError) throws -> Void
  ) throws -> [M.PrimaryKey] {
    try read { try $0.keys(query, onUnreadable: onUnreadable) }
  }

  /// A page of the query's objects, and where the next one begins.
  ///
  /// - Parameter onUnreadable: See ``ReadTransaction/page(_:size:onUnreadable:)``.
  public func page<M: Model>(
    _ query: Query<M>, size: Int, onUnreadable: (M.PrimaryKey?, StorageError) throws -> Void
  ) throws -> Page<M> {
    try read { try $0.page(query, size: size, onUnreadable: onUnreadable) }
  }

  /// The objects of the query that can be read, mapped, in its order.
  ///
  /// - Parameter onUnreadable: See ``ReadTransaction/fetch(_:onUnreadable:)``.
  public func fetch<T: Mapped>(
    _ query: Query<T.Stored>, as type: T.Type, onUnreadable: (T.Stored.PrimaryKey?, StorageError) throws -> Void
  ) throws -> [T] {
    try read { try $0.fetch(query, as: T.self, onUnreadable: onUnreadable) }
  }
}
