public import QuarryBackend
public import QuarryQuery

extension Records where Scope: WriteScope {
  /// Adds objects: all of them, or none when it throws.
  ///
  /// Values are converted to the types of their properties where that is exact. A property that a record leaves out has its
  /// default, or nil.
  ///
  /// - Parameters:
  ///   - model: The name of the model.
  ///   - records: The objects to store. The sequence may read and write in the transaction.
  /// - Throws: `invalidQuery` for an unknown name. `missingValue` where a record lacks a value that its property needs;
  ///   `invalidValue` for a value that does not fit its property; otherwise as ``WriteScope/insert(_:)``.
  // calls: async
  public func insert(into model: String, _ records: some Sequence<Record>) throws {
    try scope.writing { tx throws(StorageError) in try tx.insertRecords(model, records) }
  }

  /// Adds or replaces objects: all of them, or none when it throws.
  ///
  /// - Parameters:
  ///   - model: The name of the model.
  ///   - records: The objects to store, whole. Where several have one primary key, the last one is stored.
  /// - Returns: The number of objects that were added.
  /// - Throws: As ``insert(into:_:)``, without `duplicateKey`.
  // calls: async
  @discardableResult
  public func upsert(into model: String, _ records: some Sequence<Record>) throws -> Int {
    try scope.writing { tx throws(StorageError) in
      let model = try tx.writableModel(model)
      try tx.checkWrite(model.id)
      return try tx.statement { () throws(StorageError) in
        var batch = try tx.encode(records, model)
        try tx.checkUse(model.id)
        return try tx.upsertRows(model.id, &batch, .replace)
      }
    }
  }

  /// Adds objects, or, where an object has the primary key, replaces only these properties of it: all of them, or none when it
  /// throws.
  ///
  /// A record may leave other properties out: a stored object keeps its values, a new one has their defaults, or nil.
  ///
  /// - Parameters:
  ///   - model: The name of the model.
  ///   - records: The objects to store, each with its primary key.
  ///   - names: The properties to replace, which every record has.
  /// - Returns: The number of objects that were added.
  /// - Throws: `missingValue` where a record lacks one of the properties, or a new object one that is not optional and has
  ///   no default; `invalidQuery` for an unknown name; as ``upsert(into:_:)``.
  // calls: async
  @discardableResult
  public func upsert(
    into model: String, _ records: some Sequence<Record>, updating names: [String]
  ) throws -> Int {
    try scope.writing { tx throws(StorageError) in
      let model = try tx.writableModel(model)
      try tx.checkWrite(model.id)
      let binder = QueryBinder(model)
      var updated: [Int] = []
      for name in names {
        updated.append(try tx.describing(model) { () throws(StorageError) in try binder.slot(name) })
      }
      return try tx.statement { () throws(StorageError) in
        // All records are taken before the stored rows are read: the sequence may write.
        tx.willRead(records)
        let records = Array(records)
        try tx.checkUse(model.id)
        var batch = try tx.encode(records, updating: updated, model)
        return try tx.upsertRows(model.id, &batch, .merge(slots: updated))
      }
    }
  }

  /// Applies assignments to the stored object with the primary key of a record, or to that record where none is stored.
  ///
  /// The first writes of a word store `count` as 1, each later one adds 1:
  /// `records.upsert(into: "Word", default: Record(["text": "emma", "count": 0]), AssignmentParser.parse("count += 1"))`.
  ///
  /// - Parameters:
  ///   - model: The name of the model.
  ///   - record: The object that is added where none is stored, before the assignments.
  ///   - assignments: The changes of the object, as of ``assign(_:_:)``.
  /// - Returns: Whether the object was added.
  /// - Throws: `missingValue` where the record lacks the primary key; as ``insert(into:_:)`` and ``assign(_:_:)``.
  // calls: async
  @discardableResult
  public func upsert(
    into model: String, default record: Record, _ assignments: [AssignmentTree]
  ) throws -> Bool {
    try scope.writing { tx throws(StorageError) in
      let model = try tx.writableModel(model)
      try tx.checkWrite(model.id)
      return try tx.statement { () throws(StorageError) in
        let query = try model.query(keyOf: record)
        let isNew = try tx.countRecords(query) == 0
        if isNew { try tx.insertRecords(model.name, CollectionOfOne(record)) }
        try tx.assignRecords(query, assignments)
        return isNew
      }
    }
  }

  /// Applies assignments to every object of the query.
  ///
  /// - Parameters:
  ///   - query: The objects to change, by the name of their model.
  ///   - assignments: The changes: `AssignmentParser.parse("year = 1979, count += 1")`.
  /// - Returns: The number of objects in the query.
  /// - Throws: `invalidQuery` for an unknown name, for an assignment to the primary key and for two to one property.
  ///   `invalidValue` when a result does not fit its property, `missingValue` for nil where it needs a value; `uniqueViolation`,
  ///   `missingReference`. On a store also as ``Store/write(author:retry:timeout:alone:_:)-swift.method``.
  /// - Complexity: O(n). The engine changes the rows.
  // calls: async
  @discardableResult
  public func assign(_ query: QueryTree, _ assignments: [AssignmentTree]) throws -> Int {
    try scope.writing { tx throws(StorageError) in try tx.assignRecords(query, assignments) }
  }

  /// Removes the objects with these primary keys.
  ///
  /// - Parameters:
  ///   - model: The name of the model.
  ///   - keys: The primary keys, of the type of the key's property.
  /// - Returns: The number of objects that were there.
  /// - Throws: `invalidQuery` for an unknown model; `invalidValue` for a key of another type. `referenced` when another object
  ///   refers to one of them by a rule that denies it.
  // calls: async
  @discardableResult
  public func delete(in model: String, keys: some Sequence<Value>) throws -> Int {
    try scope.writing { tx throws(StorageError) in try tx.deleteRecords(model, keys) }
  }

  /// Removes every object of the query.
  ///
  /// - Parameter query: The objects to remove, by the name of their model; limit and offset count.
  /// - Returns: The number of objects.
  /// - Throws: `invalidQuery` for an unknown name; as ``delete(in:keys:)``.
  // calls: async
  @discardableResult
  public func delete(_ query: QueryTree) throws -> Int {
    try scope.writing { tx throws(StorageError) in try tx.deleteRecords(query) }
  }
}

extension ModelSchema {
  /// The query for the object that has the primary key of the record.
  fileprivate func query(keyOf record: Record) throws(StorageError) -> QueryTree {
    var query = QueryTree(model: name)
    for slot in keyMembers ?? [primaryKey] {
      let property = properties[slot]
      guard let value = record[property.name], value != .null else {
        throw StorageError(
          .missingValue, "the record lacks the primary key", model: name, property: property.name)
      }
      let path = Operand.property(PropertyPath(property.name))
      do throws(StorageError) {
        query.predicate = query.predicate.and(.compare(path, .equal, .value(try property.converted(value))))
      } catch {
        throw error.with(model: name)
      }
    }
    return query
  }
}
