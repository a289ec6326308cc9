public import QuarryBackend

extension ReadScope {
  /// The object with the primary key, or nil when there is none.
  ///
  /// - Parameters:
  ///   - type: The model of the object.
  ///   - key: Its primary key.
  /// - Throws: `invalidValue` or `missingValue` when a type of the object refuses a stored value; `schemaMismatch` when the store
  ///   was not opened for the model; `corrupt`, `io`.
  /// - Complexity: One look-up by key, logarithmic in the number of objects.
  // calls: async
  @inlinable
  public func get<M: Model>(_ type: M.Type, _ key: M.PrimaryKey) throws -> M? {
    try reading { tx throws(StorageError) in
      let bound = try tx.context.boundModel(M.self)
      tx.beginCoding()
      defer { tx.endCoding() }
      let row = try key.withKeyBytes { bytes throws(StorageError) in try tx.backend.row(bound.model, bytes) }
      guard let row else { return nil }
      return try ModelReader(row, bound).object(M.self)
    }
  }

  /// The object that the reference leads to, or nil when there is none or the reference is nil.
  ///
  /// - Parameter reference: The reference, or nil.
  /// - Throws: As ``get(_:_:)``.
  // calls: async
  @inlinable
  public func get<M: Model>(_ reference: Ref<M>?) throws -> M? {
    guard let reference else { return nil }
    return try get(M.self, reference.key)
  }

  /// The objects with these primary keys, in their order; nil where there is none or it cannot be read.
  ///
  /// - Parameters:
  ///   - type: The model of the objects.
  ///   - keys: Their primary keys; one may occur more than once.
  ///   - onUnreadable: Called, when all keys were read, for each object that cannot be read; as in ``fetch(_:onUnreadable:)``.
  /// - Returns: As many results as there are keys.
  /// - Throws: As ``fetch(_:onUnreadable:)``.
  // calls: async
  public func get<M: Model>(
    _ type: M.Type, keys: some Sequence<M.PrimaryKey>,
    onUnreadable: (M.PrimaryKey?, StorageError) throws -> Void = { _, error in throw error }
  ) throws -> [M?] {
    // Before the read, which may be repeated.
    let keys = Array(keys)
    return try readingAndCalling { tx in
      let encoded = try tx.encodedKeys(keys)
      do throws(StorageError) {
        return try tx.get(M.self, encoded: encoded)
      } catch {
        guard error.isOfValue else { throw error }
        return try tx.readable(M.self, keys, encoded, onUnreadable)
      }
    }
  }

  /// Whether there is an object with the primary key.
  ///
  /// - Parameters:
  ///   - type: The model of the object.
  ///   - key: The primary key.
  /// - Throws: `schemaMismatch` when the store was not opened for the model; `corrupt`, `io`. An object that cannot be read
  ///   exists.
  /// - Complexity: As ``get(_:_:)``, without reading the values.
  // calls: async
  public func exists<M: Model>(_ type: M.Type, _ key: M.PrimaryKey) throws -> Bool {
    try reading { tx throws(StorageError) in
      let binding = try tx.context.binding(M.self)
      tx.beginCoding()
      defer { tx.endCoding() }
      return try tx.row(key, binding) != nil
    }
  }

  /// Whether the selection has an object.
  ///
  /// - Parameter selection: A query, the ``Many`` of an object, or its ``Links``.
  /// - Throws: As ``count(_:)``.
  /// - Complexity: At most as ``count(_:)``, because the engine stops at the first object.
  // calls: async
  public func exists<M: Model>(_ selection: some Selection<M>) throws -> Bool {
    try reading { tx throws(StorageError) in
      if let list = selection.list { return try !tx.linkedKeys(list, limit: 1).isEmpty }
      let binding = try tx.context.binding(M.self)
      var bound = try tx.bind(selection.query, binding)
      bound.limit = Swift.min(bound.limit ?? 1, 1)
      bound.projection = [binding.schema.primaryKey]
      var found = false
      try tx.backend.cursor(bound).forEach { _ in
        found = true
        return false
      }
      return found
    }
  }

  /// The objects of the selection, in its order.
  ///
  /// ```swift
  /// let books = try store.fetch(Book.all, onUnreadable: { key, error in log("\(error)") })
  /// ```
  ///
  /// - Parameters:
  ///   - selection: A query, the ``Many`` of an object, or its ``Links``.
  ///   - onUnreadable: Called for each object that has a value which its type refuses: a removed case of an enum, or nested data
  ///     that no longer decodes. It receives the primary key and the error, and may throw to end the read. The key is nil when
  ///     the key itself cannot be read; the `key` of the error has its text. It must not write to the model. Without it the first
  ///     such error is thrown.
  /// - Throws: The error of the closure. `invalidQuery`, `unsupported` or `limitExceeded` for a query that cannot be executed;
  ///   `schemaMismatch` when the store was not opened for the model. Errors that do not concern the value of one object, such as
  ///   `corrupt` and `io`.
  /// - Complexity: O(n) in the number of objects, which are in memory at once: see ``forEach(_:onUnreadable:_:)``.
  ///   ``explain(_:)`` tells what the engine reads.
  // calls: async
  @inlinable
  public func fetch<M: Model>(
    _ selection: some Selection<M>,
    onUnreadable: (M.PrimaryKey?, StorageError) throws -> Void = { _, error in throw error }
  ) throws -> [M] {
    try readingAndCalling { tx in
      do throws(StorageError) {
        return try tx.objects(of: selection)
      } catch {
        guard error.isOfValue else { throw error }
        return try tx.readable(selection, limit: nil, onUnreadable)
      }
    }
  }

  /// The first object of the selection, or nil when it has none.
  ///
  /// - Parameters:
  ///   - selection: A query, the ``Many`` of an object, or its ``Links``.
  ///   - onUnreadable: See ``fetch(_:onUnreadable:)``. The first object that can be read is returned.
  /// - Throws: As ``fetch(_:onUnreadable:)``.
  /// - Complexity: Where the order follows the primary key or an index, the engine stops at the first object.
  // calls: async
  @inlinable
  public func first<M: Model>(
    _ selection: some Selection<M>,
    onUnreadable: (M.PrimaryKey?, StorageError) throws -> Void = { _, error in throw error }
  ) throws -> M? {
    try readingAndCalling { tx in
      do throws(StorageError) {
        return try tx.firstObject(of: selection)
      } catch {
        guard error.isOfValue else { throw error }
        return try tx.readable(selection, limit: 1, onUnreadable).first
      }
    }
  }

  /// The number of objects in the selection. Limit and offset of a query count.
  ///
  /// - Parameter selection: A query, the ``Many`` of an object, or its ``Links``, in which an object counts as often as it is
  ///   there.
  /// - Throws: `invalidQuery`, `unsupported` or `limitExceeded` for a query that cannot be executed; `schemaMismatch` when the
  ///   store was not opened for the model; `corrupt`, `io`.
  /// - Complexity: At most O(n) in the number of objects, none of which is created.
  // calls: async
  public func count<M: Model>(_ selection: some Selection<M>) throws -> Int {
    try reading { tx throws(StorageError) in
      if let list = selection.list { return try tx.countRecords(tx.rows(of: list)) }
      return try tx.count(selection.query, tx.context.binding(M.self))
    }
  }

  /// The primary keys of the objects of the selection, in its order.
  ///
  /// - Parameters:
  ///   - selection: A query, the ``Many`` of an object, or its ``Links``.
  ///   - onUnreadable: Called, when all keys were read, for each key that its type refuses. Only the text of the key exists then,
  ///     in the error. It may throw to end the read. Without it the first such error is thrown.
  /// - Throws: As ``fetch(_:onUnreadable:)``.
  /// - Complexity: O(n) in the number of objects, of which only the keys are read.
  // calls: async
  public func keys<M: Model>(
    _ selection: some Selection<M>,
    onUnreadable: (StorageError) throws -> Void = { error in throw error }
  ) throws -> [M.PrimaryKey] {
    try readingAndCalling { tx in
      let (keys, failures) = try tx.keys(of: selection)
      for failure in failures { try onUnreadable(failure) }
      return keys
    }
  }

  /// Some columns of the objects of the selection, in its order.
  ///
  /// `tx.select(Book.all, \.id, \.title)`. Other columns of a query are not read. The values of one column come alone:
  /// `tx.select(Book.all, \.title)` is `[String]`.
  ///
  /// - Parameters:
  ///   - selection: A query, the ``Many`` of an object, or its ``Links``.
  ///   - columns: The columns to read, in the order of the results.
  /// - Throws: `invalidValue` or `missingValue` when the type of a column refuses a stored value; otherwise as ``count(_:)``.
  /// - Complexity: O(n) in the number of objects, none of which is created.
  // calls: async
  public func select<M: Model, each V: Storable>(
    _ selection: some Selection<M>, _ columns: repeat KeyPath<M.Columns, Column<each V>>
  ) throws -> [(repeat each V)] {
    try reading { tx throws(StorageError) in try tx.selected(selection, repeat each columns) }
  }

  /// Calls the body with each object of the selection, in its order and in bounded memory.
  ///
  /// - Parameters:
  ///   - selection: A query, the ``Many`` of an object, or its ``Links``.
  ///   - onUnreadable: See ``fetch(_:onUnreadable:)``.
  ///   - body: May read in the transaction, and write to other models.
  /// - Throws: The error of a closure; as ``fetch(_:onUnreadable:)``.
  // calls: async
  public func forEach<M: Model>(
    _ selection: some Selection<M>,
    onUnreadable: (M.PrimaryKey?, StorageError) throws -> Void = { _, error in throw error },
    _ body: (M) throws -> Void
  ) throws {
    try readingAndCalling { tx in
      if selection.list != nil {
        for object in try tx.readable(selection, limit: nil, onUnreadable) { try body(object) }
        return
      }
      let cursor = try tx.cursor(selection.query)
      defer { cursor.close() }
      while let object = try cursor.next(onUnreadable: onUnreadable) { try body(object) }
    }
  }

  /// A page of the objects of the selection, and the position of the next one.
  ///
  /// With an order that ends in the primary key, as every order does, a page visits each object exactly once that nothing
  /// writes to between the pages.
  ///
  /// - Parameters:
  ///   - selection: A query, whose position is where the page begins, or the ``Many`` of an object.
  ///   - size: The greatest number of objects in a page, at least 1.
  ///   - onUnreadable: See ``fetch(_:onUnreadable:)``. It is called when the page was read. Objects that cannot be read take
  ///     their places in the page, so that it may have fewer objects than its size, or none, before the last one.
  /// - Throws: `invalidQuery` for a query with a limit or an offset, and for ``Links``, whose pages are those of their
  ///   ``Links/query``; as ``fetch(_:onUnreadable:)``.
  // calls: async
  public func page<M: Model>(
    _ selection: some Selection<M>, size: Int,
    onUnreadable: (M.PrimaryKey?, StorageError) throws -> Void = { _, error in throw error }
  ) throws -> Page<M> {
    try readingAndCalling { tx in
      let query = try selection.inOrderOfQuery("pages")
      try query.checkPage(size)
      let (page, _, unreadable) = try tx.readPage(query, size)
      for failure in unreadable { try onUnreadable(failure.key, failure.error) }
      return page
    }
  }

  /// The plan by which the engine would execute the query; of ``Links``, the plan of their ``Links/query``.
  ///
  /// - Parameter selection: A query, the ``Many`` of an object, or its ``Links``.
  /// - Throws: `invalidQuery`, `unsupported` or `limitExceeded` for a query that cannot be executed; `schemaMismatch` when the
  ///   store was not opened for the model.
  /// - Complexity: The engine reads no objects.
  // calls: async
  public func explain<M: Model>(_ selection: some Selection<M>) throws -> QueryPlan {
    try reading { tx throws(StorageError) in
      let binding = try tx.context.binding(M.self)
      do throws(StorageError) {
        return try tx.explain(selection.query.checked(), binding.schema, binding.binder, isTyped: true)
      } catch {
        throw error.with(model: binding.name)
      }
    }
  }
}
