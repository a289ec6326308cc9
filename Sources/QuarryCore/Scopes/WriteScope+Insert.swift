public import Foundation
import QuarryBackend

extension WriteScope {
  /// Adds an object, which gets a key where it has none and its model generates keys.
  ///
  /// - Parameter object: The object to store.
  /// - Returns: The object with its key. An object that got one here is read from its row.
  /// - Throws: `duplicateKey` when an object with its primary key exists. `uniqueViolation` when another object has its value in
  ///   a unique index; `missingReference`, `invalidValue`, `limitExceeded`, `full`, `io`. `iterationActive` when a cursor over
  ///   the model is open; `schemaMismatch` when the store was not opened for the model. On a store also as
  ///   ``Store/write(author:retry:timeout:alone:_:)-swift.method``.
  /// - Complexity: One row and its index entries. On a store each call is a commit: add many objects in one call or in one
  ///   `write`.
  // calls: async
  @inlinable @discardableResult
  public func insert<M: Model>(_ object: M) throws -> M {
    var stored: M?
    try writing(asOneStatement: true) { tx throws(StorageError) in stored = try tx.insertOne(object) }
    return stored ?? object
  }

  /// Adds objects: all of them, or none when it throws.
  ///
  /// The sequence may read and write in the transaction. What it writes is written before the objects, and undone with them.
  ///
  /// Where a progress has no total, it gets the number of objects if the sequence knows it, and is indeterminate until the end if
  /// not.
  ///
  /// - Parameters:
  ///   - objects: The objects to store.
  ///   - progress: Counts the objects, and ends the call when it is cancelled.
  /// - Throws: As ``insert(_:)``; `CancellationError` when the progress was cancelled.
  /// - Complexity: O(n). The call collects about 1 MiB of rows before it hands them to the engine.
  // calls: async
  @inlinable
  public func insert<M: Model>(contentsOf objects: some Sequence<M>, progress: Progress? = nil) throws {
    if let progress { return try insert(objects, reporting: progress) }
    try writing { tx throws(StorageError) in try tx.insertAll(objects) }
  }

  @usableFromInline
  func insert<M: Model>(_ objects: some Sequence<M>, reporting progress: Progress) throws {
    try writingAndCalling { tx in
      try tx.savepoint { try ProgressCount.following(objects, progress) { try tx.insertAll($0) } }
    }
  }

  /// Adds objects, and returns them with the keys that they have: all of them are added, or none when it throws.
  ///
  /// - Parameter objects: The objects to store.
  /// - Returns: The objects as they are stored, in the order of the sequence.
  /// - Throws: As ``insert(_:)``.
  // calls: async
  public func insertAndFetch<M: Model>(contentsOf objects: some Sequence<M>) throws -> [M] {
    try writing { tx throws(StorageError) in
      var stored: [M] = []
      try tx.insertAll(objects) { stored += $0 }
      return stored
    }
  }

  /// Adds the object, or replaces the object with its primary key.
  ///
  /// An upsert never deletes an object: a value that another object has in a unique index is an error.
  ///
  /// - Parameter object: The object to store.
  /// - Returns: Whether the object was added.
  /// - Throws: `uniqueViolation`, `missingReference`, `invalidValue`, `limitExceeded`, `full`, `io`. `iterationActive` when a
  ///   cursor over the model is open; `schemaMismatch` when the store was not opened for the model. On a store also as
  ///   ``Store/write(author:retry:timeout:alone:_:)-swift.method``.
  // calls: async
  @discardableResult
  public func upsert<M: Model>(_ object: M) throws -> Bool {
    try writing(asOneStatement: true) { tx throws(StorageError) in
      try tx.upsert(CollectionOfOne(object), .replace) == 1
    }
  }

  /// Adds or replaces objects: all of them, or none when it throws. Uniqueness is checked when all objects are in.
  ///
  /// - Parameters:
  ///   - objects: The objects to store. Where several have one primary key, the last one is stored.
  ///   - progress: Counts the objects, and ends the call when it is cancelled.
  /// - Returns: The number of objects that were added.
  /// - Throws: As ``upsert(_:)``.
  /// - Complexity: O(n), with the rows of all objects in memory.
  // calls: async
  @discardableResult
  public func upsert<M: Model>(contentsOf objects: some Sequence<M>, progress: Progress? = nil) throws -> Int {
    if let progress {
      return try writingAndCalling { tx in
        try tx.savepoint { try ProgressCount.following(objects, progress) { try tx.upsert($0, .replace) } }
      }
    }
    return try writing { tx throws(StorageError) in try tx.upsert(objects, .replace) }
  }

  /// Adds the object, or, where an object has its primary key, replaces only these columns of that object.
  ///
  /// - Parameters:
  ///   - object: The object to store, whole where none has its primary key.
  ///   - columns: The columns to replace in the stored object; the others stay.
  /// - Returns: Whether the object was added.
  /// - Throws: As ``upsert(_:)``.
  // calls: async
  @discardableResult
  public func upsert<M: Model, each V: Storable>(
    _ object: M, updating columns: repeat KeyPath<M.Columns, Column<each V>>
  ) throws -> Bool {
    try writing { tx throws(StorageError) in
      let binding = try tx.context.binding(M.self)
      let all = M.Columns()
      var slots: [Int] = []
      for column in repeat each columns { slots.append(Int(try binding.slot(all[keyPath: column]).index)) }
      return try tx.upsert(CollectionOfOne(object), .merge(slots: slots)) == 1
    }
  }

  /// The stored object with the primary key of this object, or this object after adding it.
  ///
  /// - Parameter object: The object to find or to add.
  /// - Throws: As ``insert(_:)``, without `duplicateKey`.
  // calls: async
  public func getOrInsert<M: Model>(_ object: M) throws -> M {
    try writing { tx throws(StorageError) in
      let binding = try tx.context.binding(M.self)
      try tx.checkWrite(binding.model)
      return try tx.getOrInsert(object, binding)
    }
  }

  /// The object with the primary key, or the object that the closure creates, after adding it.
  ///
  /// Where the closure stores an object with that key itself, the result is that object.
  ///
  /// - Parameters:
  ///   - type: The model of the object.
  ///   - key: Its primary key.
  ///   - make: Creates the object, which must have the key. It is called only where no object is stored, and may read and write
  ///     in the transaction.
  /// - Throws: `invalidValue` when the created object has another primary key; the error of the closure; as ``getOrInsert(_:)``.
  // calls: async
  public func getOrInsert<M: Model>(_ type: M.Type, _ key: M.PrimaryKey, _ make: () throws -> M) throws -> M {
    try writingAndCalling { tx in
      if let found = try tx.get(M.self, key) { return found }
      return try tx.statement {
        let object = try make()
        guard try object.primaryKeyValue.isSameKey(as: key) else {
          throw StorageError(
            .invalidValue, "the closure created an object with another primary key", model: M.modelDefinition.name)
        }
        let binding = try tx.context.binding(M.self)
        try tx.checkUse(binding.model)
        return try tx.getOrInsert(object, binding)
      }
    }
  }

  /// Changes the object with the primary key in place, or the given object where there is none, and stores it.
  ///
  /// `try tx.upsert(Word.self, "emma", default: Word("emma")) { $0.count += 1 }`.
  ///
  /// The closure may read and write in the transaction; its writes are undone when the call throws.
  ///
  /// - Parameters:
  ///   - type: The model of the object.
  ///   - key: Its primary key.
  ///   - object: The object that the closure changes where none is stored. It has the primary key.
  ///   - change: Changes the object, except its primary key.
  /// - Returns: The object as it is stored now.
  /// - Throws: `invalidValue` when the given object has another primary key, or the closure changed it; `conflict` and
  ///   `duplicateKey` when the closure has stored the object itself; the error of the closure; as ``upsert(_:)``.
  // calls: async
  @discardableResult
  public func upsert<M: Model>(
    _ type: M.Type, _ key: M.PrimaryKey, default object: M, _ change: (inout M) throws -> Void
  ) throws -> M {
    try writingAndCalling { tx in
      guard try object.primaryKeyValue.isSameKey(as: key) else { throw WriteTransaction.otherKey(M.self, key) }
      if try tx.exists(M.self, key) { return try tx.update(M.self, key, change) }
      return try tx.statement {
        var object = object
        try change(&object)
        guard try object.primaryKeyValue.isSameKey(as: key) else { throw WriteTransaction.otherKey(M.self, key) }
        return try tx.insert(object)
      }
    }
  }
}

extension WriteTransaction {
  fileprivate static func otherKey<M: Model>(_ type: M.Type, _ key: M.PrimaryKey) -> StorageError {
    StorageError(
      .invalidValue, "the object to store has another primary key", model: M.modelDefinition.name, key: key.keyText)
  }
}
