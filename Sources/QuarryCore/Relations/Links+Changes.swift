import QuarryBackend

// The changes of a list, each written once: in a transaction a part of it, on a store a transaction of its own.

extension Links {
  /// Adds an object at the end of the list: `try show.rooms.append(picture, in: tx)`.
  ///
  /// - Parameters:
  ///   - target: The object, which is stored. Only its primary key counts.
  ///   - scope: A write transaction, whose part the change is, or a store, where it is a transaction of its own.
  /// - Throws: `uniqueViolation` when the list has the object and may not have it twice; `missingReference` when it, or the owner
  ///   of the list, is not stored. `schemaMismatch` when the store was not opened for the links; on a store also as
  ///   ``Store/write(author:retry:timeout:alone:_:)-swift.method``.
  /// - Complexity: One row is written, and two look-ups find the end of the list and an unused number.
  // calls: async
  public func append(_ target: Target, in scope: some WriteScope) throws {
    try append(Ref(target), in: scope)
  }

  /// Adds the object that a reference leads to at the end of the list.
  ///
  /// - Parameter target: A reference to the object.
  /// - Throws: As ``append(_:in:)``.
  // calls: async
  public func append(_ target: Ref<Target>, in scope: some WriteScope) throws {
    try scope.writing { tx throws(StorageError) in
      try tx.change(self) { list throws(StorageError) in try tx.insert([target], at: nil, list) }
    }
  }

  /// Adds objects at the end of the list: all of them, or none when it throws.
  ///
  /// - Parameter targets: The objects, in the order in which they are added.
  /// - Throws: As ``append(_:in:)``.
  // calls: async
  public func append(contentsOf targets: some Sequence<Target>, in scope: some WriteScope) throws {
    (scope as? WriteTransaction)?.willRead(targets)
    try append(contentsOf: targets.map { Ref($0) }, in: scope)
  }

  /// Adds the objects that references lead to at the end of the list: all of them, or none when it throws.
  ///
  /// - Parameter targets: References to the objects, in the order in which they are added.
  /// - Throws: As ``append(_:in:)``.
  // calls: async
  @_disfavoredOverload
  public func append(contentsOf targets: some Sequence<Ref<Target>>, in scope: some WriteScope) throws {
    try scope.writing { tx throws(StorageError) in
      tx.willRead(targets)
      let references = Array(targets)
      try tx.change(self) { list throws(StorageError) in try tx.insert(references, at: nil, list) }
    }
  }

  /// Adds an object at a place in the list, before the object that is there.
  ///
  /// - Parameters:
  ///   - target: The object, which is stored.
  ///   - place: 0 for the beginning, the number of objects for the end.
  ///   - scope: As in ``append(_:in:)``.
  /// - Throws: `invalidValue` for a place past the end; as ``append(_:in:)``.
  /// - Complexity: One row is written, and about thirty rows once in twenty calls at one place. The place is found by
  ///   passing over the entries before it in an index.
  // calls: async
  public func insert(_ target: Target, at place: Int, in scope: some WriteScope) throws {
    try insert(Ref(target), at: place, in: scope)
  }

  /// Adds the object that a reference leads to at a place in the list, before the object that is there.
  ///
  /// - Parameter target: A reference to the object.
  /// - Throws: As ``insert(_:at:in:)``.
  // calls: async
  public func insert(_ target: Ref<Target>, at place: Int, in scope: some WriteScope) throws {
    try scope.writing { tx throws(StorageError) in
      try tx.change(self) { list throws(StorageError) in try tx.insert([target], at: place, list) }
    }
  }

  /// Removes an object from the list, as often as it is in it. The object itself stays.
  ///
  /// - Parameters:
  ///   - target: The object, of which only the primary key counts.
  ///   - scope: As in ``append(_:in:)``.
  /// - Returns: The number of its occurrences in the list.
  /// - Throws: As ``removeAll(in:)``.
  // calls: async
  @discardableResult
  public func remove(_ target: Target, in scope: some WriteScope) throws -> Int {
    try remove(Ref(target), in: scope)
  }

  /// Removes the object that a reference leads to from the list, as often as it is in it.
  ///
  /// - Parameter target: A reference to the object.
  /// - Returns: The number of its occurrences in the list.
  /// - Throws: As ``removeAll(in:)``.
  // calls: async
  @discardableResult
  public func remove(_ target: Ref<Target>, in scope: some WriteScope) throws -> Int {
    try scope.writing { tx throws(StorageError) in
      try tx.change(self) { list throws(StorageError) in try tx.remove(target, list) }
    }
  }

  /// Removes the object at a place from the list. The object itself stays.
  ///
  /// - Parameters:
  ///   - place: The place of the object, 0 for the first.
  ///   - scope: As in ``append(_:in:)``.
  /// - Throws: `invalidValue` for a place past the end, or less than 0; as ``removeAll(in:)``.
  /// - Complexity: O(place).
  // calls: async
  public func remove(at place: Int, in scope: some WriteScope) throws {
    try scope.writing { tx throws(StorageError) in
      try tx.change(self) { list throws(StorageError) in try tx.remove(at: place, list) }
    }
  }

  /// Removes all objects from the list. The objects themselves stay.
  ///
  /// - Parameter scope: As in ``append(_:in:)``.
  /// - Returns: The number of objects that were in the list.
  /// - Throws: `schemaMismatch` when the store was not opened for the links; on a store also as
  ///   ``Store/write(author:retry:timeout:alone:_:)-swift.method``.
  /// - Complexity: O(n) in the length of the list.
  // calls: async
  @discardableResult
  public func removeAll(in scope: some WriteScope) throws -> Int {
    try scope.writing { tx throws(StorageError) in
      try tx.change(self) { list throws(StorageError) in try tx.clear(list) }
    }
  }

  /// Moves the object at a place of the list to another place.
  ///
  /// - Parameters:
  ///   - place: The place of the object before the move, 0 for the first.
  ///   - other: The place of the object after the move.
  ///   - scope: As in ``append(_:in:)``.
  /// - Throws: `invalidValue` for a place past the end, or less than 0; as ``removeAll(in:)``.
  /// - Complexity: As ``insert(_:at:in:)``, whatever the length of the list is.
  // calls: async
  public func move(from place: Int, to other: Int, in scope: some WriteScope) throws {
    try scope.writing { tx throws(StorageError) in
      try tx.change(self) { list throws(StorageError) in try tx.move(from: place, to: other, list) }
    }
  }

  /// Replaces the list with just these objects, in their order: all of it, or nothing when it throws.
  ///
  /// - Parameters:
  ///   - targets: The objects, in the new order of the list.
  ///   - scope: As in ``append(_:in:)``.
  /// - Throws: As ``append(_:in:)``.
  /// - Complexity: O(n) in the length of the old list and of the new one.
  // calls: async
  public func replace(with targets: some Sequence<Target>, in scope: some WriteScope) throws {
    (scope as? WriteTransaction)?.willRead(targets)
    try replace(with: targets.map { Ref($0) }, in: scope)
  }

  /// Replaces the list with just the objects that the references lead to, in their order: all of it, or nothing when it throws.
  ///
  /// - Parameter targets: References to the objects, in the new order of the list.
  /// - Throws: As ``append(_:in:)``.
  // calls: async
  @_disfavoredOverload
  public func replace(with targets: some Sequence<Ref<Target>>, in scope: some WriteScope) throws {
    try scope.writing { tx throws(StorageError) in
      tx.willRead(targets)
      let references = Array(targets)
      try tx.change(self) { list throws(StorageError) in
        try tx.clear(list)
        try tx.insert(references, at: nil, list)
      }
    }
  }
}
