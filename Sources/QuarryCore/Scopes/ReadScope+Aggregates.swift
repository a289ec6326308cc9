import QuarryBackend

extension ReadScope {
  /// The sum of a column, nil values left out; nil when there is no value.
  ///
  /// Integers are added exactly; floating-point numbers as if exactly, and rounded once.
  ///
  /// - Throws: `invalidValue` when the exact total does not fit its type.
  // calls: async
  public func sum<M: Model, V: NumericStorable>(
    _ selection: some Selection<M>, of column: KeyPath<M.Columns, Column<V>>
  ) throws -> V.Total? {
    try reading { tx throws(StorageError) in try tx.figure(selection, .sum, column) }
  }

  /// The average of a column, nil values left out; nil when there is no value.
  // calls: async
  public func average<M: Model, V: NumericStorable>(
    _ selection: some Selection<M>, of column: KeyPath<M.Columns, Column<V>>
  ) throws -> V.Average? {
    try reading { tx throws(StorageError) in try tx.figure(selection, .average, column) }
  }

  /// The least value of a column; nil when there is none.
  // calls: async
  public func min<M: Model, V: Storable>(
    _ selection: some Selection<M>, of column: KeyPath<M.Columns, Column<V>>
  ) throws -> V? {
    try reading { tx throws(StorageError) in try tx.figure(selection, .min, column) }
  }

  /// The least value of a column of optionals, nil left out; nil when there is none.
  // calls: async
  public func min<M: Model, V: Storable>(
    _ selection: some Selection<M>, of column: KeyPath<M.Columns, Column<V?>>
  ) throws -> V? {
    try reading { tx throws(StorageError) in try tx.figure(selection, .min, column) }
  }

  /// The greatest value of a column; nil when there is none.
  // calls: async
  public func max<M: Model, V: Storable>(
    _ selection: some Selection<M>, of column: KeyPath<M.Columns, Column<V>>
  ) throws -> V? {
    try reading { tx throws(StorageError) in try tx.figure(selection, .max, column) }
  }

  /// The greatest value of a column of optionals, nil left out; nil when there is none.
  // calls: async
  public func max<M: Model, V: Storable>(
    _ selection: some Selection<M>, of column: KeyPath<M.Columns, Column<V?>>
  ) throws -> V? {
    try reading { tx throws(StorageError) in try tx.figure(selection, .max, column) }
  }

  /// The distinct values of a column, in ascending order, nil first.
  // calls: async
  public func distinct<M: Model, V: Storable>(
    _ selection: some Selection<M>, _ column: KeyPath<M.Columns, Column<V>>
  ) throws -> [V] {
    try reading { tx throws(StorageError) in try tx.distinctValues(selection, column) }
  }

  /// The number of objects for each value of a column, in ascending order of the values.
  // calls: async
  public func count<M: Model, K: Storable>(
    _ selection: some Selection<M>, by group: KeyPath<M.Columns, Column<K>>
  ) throws -> [GroupValue<K, Int>] {
    try reading { tx throws(StorageError) in try tx.counts(selection, by: group) }
  }

  /// The sum of a column for each value of another.
  // calls: async
  public func sum<M: Model, V: NumericStorable, K: Storable>(
    _ selection: some Selection<M>, of column: KeyPath<M.Columns, Column<V>>, by group: KeyPath<M.Columns, Column<K>>
  ) throws -> [GroupValue<K, V.Total?>] {
    try reading { tx throws(StorageError) in try tx.figures(selection, .sum, column, by: group) }
  }

  /// The average of a column for each value of another.
  // calls: async
  public func average<M: Model, V: NumericStorable, K: Storable>(
    _ selection: some Selection<M>, of column: KeyPath<M.Columns, Column<V>>, by group: KeyPath<M.Columns, Column<K>>
  ) throws -> [GroupValue<K, V.Average?>] {
    try reading { tx throws(StorageError) in try tx.figures(selection, .average, column, by: group) }
  }

  /// The least value of a column for each value of another.
  // calls: async
  public func min<M: Model, V: Storable, K: Storable>(
    _ selection: some Selection<M>, of column: KeyPath<M.Columns, Column<V>>, by group: KeyPath<M.Columns, Column<K>>
  ) throws -> [GroupValue<K, V?>] {
    try reading { tx throws(StorageError) in try tx.figures(selection, .min, column, by: group) }
  }

  /// The greatest value of a column for each value of another.
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
  // calls: async
  public func grouped<M: Model, K: Storable>(
    _ selection: some Selection<M>, by column: KeyPath<M.Columns, Column<K>>
  ) throws -> [GroupedObjects<K, M>] {
    try reading { tx throws(StorageError) in try tx.groups(selection, by: column) }
  }
}
