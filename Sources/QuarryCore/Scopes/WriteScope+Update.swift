import QuarryBackend

extension WriteScope {
  /// Changes the object with the primary key in place, and writes only the properties that were changed.
  ///
  /// The closure may read and write in the transaction; its writes are undone when the update throws.
  ///
  /// - Parameters:
  ///   - type: The model of the object.
  ///   - key: Its primary key.
  ///   - change: Changes the stored object, except its primary key.
  /// - Returns: The object as it is stored now.
  /// - Throws: `notFound` when there is no such object, or the closure has removed it. `conflict` when the closure has changed
  ///   the stored object otherwise than by its argument; `invalidValue` when it changed the primary key. `uniqueViolation`,
  ///   `missingReference`, `limitExceeded`; the error of the closure. `iterationActive` when a cursor over the model is open. On
  ///   a store also as ``Store/write(author:retry:timeout:alone:_:)-swift.method``.
  /// - Complexity: One read and, where something was changed, one write. Only indexes of changed properties are written.
  // calls: async
  @discardableResult
  @inlinable
  public func update<M: Model>(
    _ type: M.Type, _ key: M.PrimaryKey, _ change: (inout M) throws -> Void
  ) throws -> M {
    try writingAndCalling { tx in
      let binding = try tx.context.binding(M.self)
      try tx.checkWrite(binding.model)
      let old = tx.takeRowBuffer()
      defer { tx.giveBack(old) }
      var object: M = try tx.copyRow(key, binding, into: old)
      let mark = tx.beginStatement()
      do {
        try change(&object)
        try tx.checkUse(binding.model)
        if tx.statementHasWritten { try tx.checkUnchanged(key, old.bytes, binding) }
        try tx.replace(old.bytes, with: tx.encode(object, binding, validates: false), binding) {
          () throws(StorageError) in try tx.validate(object)
        }
      } catch {
        try tx.undoStatement(mark)
        throw error
      }
      try tx.endStatement()
      return object
    }
  }

  /// Replaces the stored object that has the primary key of this object.
  ///
  /// - Parameters:
  ///   - object: The new object.
  ///   - old: The object as it was read; nil to replace the stored object in any case. The stored object is compared with it bit
  ///     by bit.
  /// - Throws: `conflict` when the stored object was changed since it was read, `notFound` when there is none,
  ///   `uniqueViolation`, `missingReference`; `invalidValue` when the two objects have different primary keys.
  // calls: async
  public func update<M: Model>(_ object: M, ifUnchangedFrom old: M? = nil) throws {
    try writing(asOneStatement: true) { tx throws(StorageError) in try tx.replace(object, ifUnchangedFrom: old) }
  }

  /// Replaces the stored object if a column, such as a version number, still has the expected value.
  ///
  /// - Parameters:
  ///   - object: The new object, which replaces all properties.
  ///   - column: The column to compare.
  ///   - value: The value that the stored object must have in it, bit by bit.
  /// - Throws: `conflict` when it has another value, `notFound` when there is no such object, `uniqueViolation`,
  ///   `missingReference`.
  // calls: async
  public func update<M: Model, V: Storable>(
    _ object: M, ifStored column: KeyPath<M.Columns, Column<V>>, is value: V
  ) throws {
    try writing { tx throws(StorageError) in try tx.replace(object, ifStored: M.Columns()[keyPath: column], is: value) }
  }

  /// Changes every object of the selection with a closure, which must not write to the model itself.
  ///
  /// The closure's writes to other models are undone when the update throws. Uniqueness is checked when all objects are changed.
  /// An object that the closure leaves unchanged is not written.
  ///
  /// - Parameters:
  ///   - selection: A query, the ``Many`` of an object, or its ``Links``; limit and offset of a query count. The objects are
  ///     fixed before the first change.
  ///   - change: Changes an object, except its primary key.
  /// - Returns: The number of objects in the selection.
  /// - Throws: `invalidValue` when the closure changed a primary key, `iterationActive` when it wrote to the model,
  ///   `uniqueViolation`, the error of the closure; nothing is changed then.
  /// - Complexity: O(n). The changed rows are in memory; ``assign(_:_:)`` needs neither objects nor rows.
  // calls: async
  @discardableResult
  public func update<M: Model>(_ selection: some Selection<M>, _ change: (inout M) throws -> Void) throws -> Int {
    try writingAndCalling { tx in
      let binding = try tx.context.binding(M.self)
      try tx.checkWrite(binding.model)
      return try tx.statement {
        var changedRows = RowBatch()
        let count = try tx.changeRows(selection.query, binding, change, &changedRows)
        try tx.checkUse(binding.model)
        _ = try tx.upsertRows(binding.model, &changedRows, .replace)
        return count
      }
    }
  }

  /// Changes columns of the object with the primary key by assignments:
  /// `try tx.assign(Book.self, id) { $0.year = 1979 }`.
  ///
  /// Where all assignments are of values, the object is not read: this is the quickest way to change a few columns.
  ///
  /// - Parameters:
  ///   - type: The model of the object.
  ///   - key: Its primary key.
  ///   - assign: Notes the assignments: `$0.year = 1979`, `$0.count += 1`. It sees no object.
  /// - Throws: `notFound` when there is no such object. `invalidValue` when a result does not fit its column; `uniqueViolation`,
  ///   `missingReference`; `invalidQuery` for an assignment to the primary key and two to one column.
  // calls: async
  @inlinable
  public func assign<M: Model>(
    _ type: M.Type, _ key: M.PrimaryKey, _ assign: (inout Assignments<M>) -> Void
  ) throws {
    try writing { tx throws(StorageError) in try tx.assignTo(key, M.self, assign) }
  }

  /// Changes columns of every object of the selection by assignments that the engine makes:
  /// `try tx.assign(Book.all) { $0.year += 1 }`.
  ///
  /// Uniqueness is checked when all objects are changed.
  ///
  /// - Parameters:
  ///   - selection: A query, the ``Many`` of an object, or its ``Links``; limit and offset of a query count.
  ///   - assign: Notes the assignments, as in ``assign(_:_:_:)``.
  /// - Returns: The number of objects in the selection.
  /// - Throws: `invalidValue` when a result does not fit its column; `uniqueViolation`, `missingReference`; `invalidQuery` for an
  ///   assignment to the primary key and two to one column.
  /// - Complexity: O(n). The engine changes the rows without creating objects.
  // calls: async
  @discardableResult
  public func assign<M: Model>(
    _ selection: some Selection<M>, _ assign: (inout Assignments<M>) -> Void
  ) throws -> Int {
    try writing { tx throws(StorageError) in
      let binding = try tx.context.binding(M.self)
      try tx.checkWrite(binding.model)
      return try tx.statement { () throws(StorageError) in
        var assignments = Assignments<M>()
        assign(&assignments)
        try tx.checkUse(binding.model)
        let bound = try tx.bind(assignments.list, binding)
        return try tx.updateRows(tx.bind(selection.query, binding), bound)
      }
    }
  }
}
