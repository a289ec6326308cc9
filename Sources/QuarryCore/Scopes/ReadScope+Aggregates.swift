import QuarryBackend

extension ReadScope {
  /// The sum of a column, nil values left out; nil when there is no value.
  ///
  /// Integers are added exactly; floating-point numbers as if exactly, and rounded once.
  ///
  /// - Parameters:
  ///   - selection: The objects: a query, the ``Many`` of an object, or its ``Links``, in which an object counts as often as it
  ///     is there.
  ///   - column: A numeric column of the model.
  /// - Throws: `invalidValue` when the exact total does not fit its type. `invalidQuery`, `unsupported` or `limitExceeded` for a
  ///   query that cannot be executed. `schemaMismatch` when the store was not opened for the model; `corrupt`, `io`.
  /// - Complexity: O(n) in the number of objects that the query reads. The engine calculates without creating objects.
  // calls: async
  public func sum<M: Model, V: NumericStorable>(
    _ selection: some Selection<M>, of column: KeyPath<M.Columns, Column<V>>
  ) throws -> V.Total? {
    try reading { tx throws(StorageError) in try tx.figure(selection, .sum, column) }
  }

  /// The average of a column, nil values left out; nil when there is no value.
  ///
  /// Integers and floating-point numbers have their exact average, rounded once to a `Double`. Decimals have a `Decimal`.
  ///
  /// - Throws: As ``sum(_:of:)``, but no total is too large for an average of integers or floating-point numbers.
  // calls: async
  public func average<M: Model, V: NumericStorable>(
    _ selection: some Selection<M>, of column: KeyPath<M.Columns, Column<V>>
  ) throws -> V.Average? {
    try reading { tx throws(StorageError) in try tx.figure(selection, .average, column) }
  }

  /// The least value of a column; nil when there is none.
  ///
  /// - Parameters:
  ///   - selection: The objects, as in ``sum(_:of:)``.
  ///   - column: A column whose type has an order.
  /// - Throws: `unsupported`, or `invalidQuery` of ``Links``, for a column whose type has no order, such as an array.
  ///   `invalidValue` when the type refuses the stored value; otherwise as ``sum(_:of:)``.
  /// - Complexity: At most as ``sum(_:of:)``.
  // calls: async
  public func min<M: Model, V: Storable>(
    _ selection: some Selection<M>, of column: KeyPath<M.Columns, Column<V>>
  ) throws -> V? {
    try reading { tx throws(StorageError) in try tx.figure(selection, .min, column) }
  }

  /// The least value of a column of optionals, nil left out; nil when there is none.
  ///
  /// - Throws: As ``min(_:of:)``.
  // calls: async
  public func min<M: Model, V: Storable>(
    _ selection: some Selection<M>, of column: KeyPath<M.Columns, Column<V?>>
  ) throws -> V? {
    try reading { tx throws(StorageError) in try tx.figure(selection, .min, column) }
  }

  /// The greatest value of a column; nil when there is none.
  ///
  /// - Throws: As ``min(_:of:)``.
  // calls: async
  public func max<M: Model, V: Storable>(
    _ selection: some Selection<M>, of column: KeyPath<M.Columns, Column<V>>
  ) throws -> V? {
    try reading { tx throws(StorageError) in try tx.figure(selection, .max, column) }
  }

  /// The greatest value of a column of optionals, nil left out; nil when there is none.
  ///
  /// - Throws: As ``min(_:of:)``.
  // calls: async
  public func max<M: Model, V: Storable>(
    _ selection: some Selection<M>, of column: KeyPath<M.Columns, Column<V?>>
  ) throws -> V? {
    try reading { tx throws(StorageError) in try tx.figure(selection, .max, column) }
  }

  /// The distinct values of a column, in ascending order, nil first.
  ///
  /// - Parameters:
  ///   - selection: The objects, as in ``sum(_:of:)``.
  ///   - column: A column whose type has an order.
  /// - Throws: As ``count(_:by:)``.
  /// - Complexity: One read of the objects, and memory for the distinct values.
  // calls: async
  public func distinct<M: Model, V: Storable>(
    _ selection: some Selection<M>, _ column: KeyPath<M.Columns, Column<V>>
  ) throws -> [V] {
    try reading { tx throws(StorageError) in try tx.distinctValues(selection, column) }
  }

  /// The number of objects for each value of a column, in ascending order of the values.
  ///
  /// - Parameters:
  ///   - selection: The objects, as in ``sum(_:of:)``.
  ///   - group: A column whose type has an order. Nil is a group, too, and comes first.
  /// - Throws: `unsupported`, or `invalidQuery` of ``Links``, for a column whose type has no order. `invalidValue` when the type
  ///   of the column refuses a stored value; otherwise as ``sum(_:of:)``.
  /// - Complexity: One read of the objects, and memory for the groups.
  // calls: async
  public func count<M: Model, K: Storable>(
    _ selection: some Selection<M>, by group: KeyPath<M.Columns, Column<K>>
  ) throws -> [GroupValue<K, Int>] {
    try reading { tx throws(StorageError) in try tx.counts(selection, by: group) }
  }

  /// The sum of a column for each value of another.
  ///
  /// - Parameters:
  ///   - selection: The objects, as in ``sum(_:of:)``.
  ///   - column: The numeric column to add up. A group without a value has nil.
  ///   - group: The column to group by, as in ``count(_:by:)``.
  /// - Throws: As ``sum(_:of:)`` and ``count(_:by:)``.
  /// - Complexity: As ``count(_:by:)``.
  // calls: async
  public func sum<M: Model, V: NumericStorable, K: Storable>(
    _ selection: some Selection<M>, of column: KeyPath<M.Columns, Column<V>>, by group: KeyPath<M.Columns, Column<K>>
  ) throws -> [GroupValue<K, V.Total?>] {
    try reading { tx throws(StorageError) in try tx.figures(selection, .sum, column, by: group) }
  }

  /// The average of a column for each value of another.
  ///
  /// - Throws: As ``average(_:of:)`` and ``count(_:by:)``.
  // calls: async
  public func average<M: Model, V: NumericStorable, K: Storable>(
    _ selection: some Selection<M>, of column: KeyPath<M.Columns, Column<V>>, by group: KeyPath<M.Columns, Column<K>>
  ) throws -> [GroupValue<K, V.Average?>] {
    try reading { tx throws(StorageError) in try tx.figures(selection, .average, column, by: group) }
  }

  /// The least value of a column for each value of another.
  ///
  /// - Throws: As ``min(_:of:)`` and ``count(_:by:)``.
  // calls: async
  public func min<M: Model, V: Storable, K: Storable>(
    _ selection: some Selection<M>, of column: KeyPath<M.Columns, Column<V>>, by group: KeyPath<M.Columns, Column<K>>
  ) throws -> [GroupValue<K, V?>] {
    try reading { tx throws(StorageError) in try tx.figures(selection, .min, column, by: group) }
  }

  /// The greatest value of a column for each value of another.
  ///
  /// - Throws: As ``min(_:of:)`` and ``count(_:by:)``.
  // calls: async
  public func max<M: Model, V: Storable, K: Storable>(
    _ selection: some Selection<M>, of column: KeyPath<M.Columns, Column<V>>, by group: KeyPath<M.Columns, Column<K>>
  ) throws -> [GroupValue<K, V?>] {
    try reading { tx throws(StorageError) in try tx.figures(selection, .max, column, by: group) }
  }

  /// The objects of the selection in groups of the same value of a column.
  ///
  /// Groups come in ascending order of the value, the objects of a group in the order of the selection. Values that are ordered
  /// as one (-0.0 and 0.0, all NaNs) are one group.
  ///
  /// - Parameters:
  ///   - selection: The objects: a query, the ``Many`` of an object, or its ``Links``.
  ///   - column: A column whose type has an order.
  /// - Throws: As ``fetch(_:onUnreadable:)``; `unsupported` for a column whose type has no order.
  /// - Complexity: One read of the objects, which are in memory at once, and a sort of the groups.
  // calls: async
  public func grouped<M: Model, K: Storable>(
    _ selection: some Selection<M>, by column: KeyPath<M.Columns, Column<K>>
  ) throws -> [GroupedObjects<K, M>] {
    try reading { tx throws(StorageError) in try tx.groups(selection, by: column) }
  }
}
