public import QuarryBackend

/// An object that is stored and cannot be read: one of its values is none that the program's type has.
struct Unreadable<M: Model>: Error {
  /// Nil when the key itself cannot be read.
  let key: M.PrimaryKey?
  let error: StorageError
}

extension StorageError {
  /// Whether reading a row ended in this error because of the row's content, not because of an error of the engine: contract,
  /// ERR-8.
  @usableFromInline var isOfValue: Bool { code == .invalidValue || code == .missingValue || code == .limitExceeded }
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
        .invalidQuery, "a page needs a size of at least 1, and a query without limit and offset", model: tree.model)
    }
  }
}

// The reads that pass over unreadable objects. A call comes here when its quick form has met one.

extension ReadTransaction {
  /// The objects of a selection that can be read, in its order.
  ///
  /// - Parameter limit: The greatest number of objects; nil for all.
  @usableFromInline
  final func readable<M: Model>(
    _ selection: some Selection<M>, limit: Int?,
    _ onUnreadable: (M.PrimaryKey?, StorageError) throws -> Void
  ) throws -> [M] {
    if let list = selection.list {
      let keys = try linkedKeys(list, limit: nil)
      let encoded = try primaryKeys(keys, context.binding(M.self).schema)
      return try readable(M.self, encoded, limit: limit) { place, error in
        try onUnreadable(try? M.PrimaryKey(storedValue: keys[place]), error)
      }.compactMap { $0 }
    }
    let cursor = try cursor(selection.query)
    defer { cursor.close() }
    var result: [M] = []
    while result.count < limit ?? .max, let object = try cursor.next(onUnreadable: onUnreadable) {
      result.append(object)
    }
    return result
  }

  /// The objects with these primary keys, in their order; nil where there is none or it cannot be read.
  final func readable<M: Model>(
    _ type: M.Type, _ keys: [M.PrimaryKey], _ encoded: [Key],
    _ onUnreadable: (M.PrimaryKey?, StorageError) throws -> Void
  ) throws -> [M?] {
    try readable(M.self, encoded, limit: nil) { place, error in try onUnreadable(keys[place], error) }
  }

  /// - Parameter onUnreadable: Called, when all keys were read, with the place of each object that cannot be read.
  private func readable<M: Model>(
    _ type: M.Type, _ encoded: [Key], limit: Int?, _ onUnreadable: (Int, StorageError) throws -> Void
  ) throws -> [M?] {
    let binding = try context.binding(M.self)
    var result: [M?] = []
    var read = 0
    var failures: [(place: Int, error: StorageError)] = []
    try coding { () throws(StorageError) in
      try backend.rows(binding.model, encoded) { place, row throws(StorageError) in
        guard read < limit ?? .max else { return }
        guard let row else { return result.append(nil) }
        switch try ModelReader(row, binding).attempt(M.self) {
        case .success(let object):
          read += 1
          result.append(object)
        case .failure(let failure):
          failures.append((result.count, failure.error))
          result.append(nil)
        }
      }
    }
    for failure in failures { try onUnreadable(failure.place, failure.error) }
    return result
  }

  /// The primary keys of a selection, in its order, and the errors of those that cannot be read.
  final func keys<M: Model>(
    of selection: some Selection<M>
  ) throws(StorageError) -> (keys: [M.PrimaryKey], failures: [StorageError]) {
    var result: [M.PrimaryKey] = []
    if let list = selection.list {
      for value in try linkedKeys(list, limit: nil) { result.append(try M.PrimaryKey(storedValue: value)) }
      return (result, [])
    }
    let binding = try context.binding(M.self)
    if let keys: [M.PrimaryKey] = try keysFoundByWords(selection.query, binding) { return (keys, []) }
    var failures: [StorageError] = []
    let cursor = try rows(selection.query, binding, projection: [])
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
    return (result, failures)
  }

  /// The primary keys of a query that finds them by words alone; nil for another query, and where the key's type refuses one.
  private func keysFoundByWords<M: Model>(
    _ query: Query<M>, _ binding: ModelBinding
  ) throws(StorageError) -> [M.PrimaryKey]? {
    guard let found: ArraySlice<Key> = try keysFoundByWords(query, binding) else { return nil }
    let type = binding.schema.keyProperty.type
    var keys: [M.PrimaryKey] = []
    keys.reserveCapacity(found.count)
    try coding { () throws(StorageError) in
      for key in found {
        guard let key = try? M.PrimaryKey(storedValue: key.value(of: type)) else { return }
        keys.append(key)
      }
    }
    return keys.count == found.count ? keys : nil
  }

  /// Runs code of the models that reads lent rows.
  private func coding(_ body: () throws(StorageError) -> Void) throws(StorageError) {
    beginCoding()
    defer { endCoding() }
    try body()
  }
}
