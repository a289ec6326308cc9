import QuarryBackend

// Removal, and the delete rules for referring objects: contract, REL-4 and REL-5.

extension WriteTransaction {
  /// Removes rows, and applies the delete rules to the rows that refer to them: all of it, or nothing.
  ///
  /// - Returns: The number of keys that existed.
  @usableFromInline
  func delete(_ map: ReferenceMap, _ model: ModelID, _ keys: [Key]) throws(StorageError) -> Int {
    guard !map.references(to: model).isEmpty else { return try writer.delete(model, keys) }
    return try removal { () throws(StorageError) in
      let removed = try stored(model, keys)
      let count = try writer.delete(model, keys)
      if count > 0 { try followRules(map, model, removed) }
      return count
    }
  }

  /// The given keys that are stored. Pending references may have missing keys, and the rules apply to removed objects only.
  private func stored(_ model: ModelID, _ keys: [Key]) throws(StorageError) -> [Key] {
    // Where no check is pending, no object refers to a missing one.
    guard !pendingReferences.isEmpty else { return keys }
    var missing = try writer.missing(model, keys)[...]
    return keys.indices.compactMap { place in
      guard missing.first == place else { return keys[place] }
      missing.removeFirst()
      return nil
    }
  }

  /// Removes the rows of a query, and applies the delete rules.
  ///
  /// - Returns: The number of rows of the query.
  @usableFromInline
  func delete(_ map: ReferenceMap, _ query: BoundQuery) throws(StorageError) -> Int {
    guard !map.references(to: query.model).isEmpty, let schema = backend.schema.model(id: query.model) else {
      return try writer.delete(query)
    }
    return try removal { () throws(StorageError) in
      // The keys alone, one after the other: some bytes for each.
      var removed = RowBatch()
      let layout = RowLayout(schema)
      var keysOnly = query
      keysOnly.projection = [schema.primaryKey]
      try writer.cursor(keysOnly).forEach { row throws(StorageError) in
        try Key(of: row, layout).bytes.withBytes { removed.append($0) }
        return true
      }
      let count = try writer.delete(query)
      var keys: [Key] = []
      try removed.forEach { _, key throws(StorageError) in
        keys.append(Key(copying: key))
        guard keys.count == Self.removalBatch else { return }
        try followRules(map, query.model, keys)
        keys.removeAll(keepingCapacity: true)
      }
      if !keys.isEmpty { try followRules(map, query.model, keys) }
      return count
    }
  }

  private static var removalBatch: Int { 1_000 }

  private func removal(_ body: () throws(StorageError) -> Int) throws(StorageError) -> Int {
    let mark = pendingMark
    try writer.savepoint()
    let count: Int
    do throws(StorageError) {
      count = try body()
      try settleReferences(from: mark)
    } catch {
      forgetPending(from: mark)
      do throws(StorageError) {
        try writer.rollbackSavepoint()
      } catch {
        fail(error)
        throw error
      }
      throw error
    }
    try writer.releaseSavepoint()
    return count
  }

  /// Rows that are removed, and how far the rules of those that refer to them are followed.
  private struct Removed {
    var model: ModelID
    var keys: [Key]
    var next = 0
  }

  /// Applies the delete rules to the rows that refer to removed rows, and to the rows removed because of that.
  ///
  /// For a long chain of objects that refer to each other one batch is kept at a time; for a deep tree one for each of its
  /// levels.
  private func followRules(_ map: ReferenceMap, _ model: ModelID, _ keys: [Key]) throws(StorageError) {
    var stack: [Removed] = []
    for start in stride(from: 0, to: keys.count, by: Self.removalBatch).reversed() {
      stack.append(Removed(model: model, keys: Array(keys[start..<Swift.min(start + Self.removalBatch, keys.count)])))
    }
    while var top = stack.popLast() {
      let references = map.references(to: top.model)
      guard top.next < references.count else { continue }
      let reference = references[top.next]
      var values: [Value] = []
      for key in top.keys { values.append(try reference.value(of: key)) }
      try checkUse(reference.source.id)
      var found: [Key] = []
      switch reference.rule {
      case .cascade where map.references(to: reference.source.id).isEmpty:
        _ = try writer.delete(reference.referrers(values))
      case .cascade:
        try writer.cursor(reference.referrers(values, limit: Self.removalBatch)).forEach {
          row throws(StorageError) in
          found.append(try Key(of: row, reference.layout))
          return true
        }
        _ = try writer.delete(reference.source.id, found)
      case .nullify:
        _ = try writer.update(
          reference.referrers(values), [BoundAssignment(slot: reference.slot, operation: .set, value: .null)])
      case .deny:
        try deny(reference, top.keys, values)
      }
      // A full batch may not be the last. A batch that is not full is, and need not be kept while its referrers are followed.
      if found.count < Self.removalBatch { top.next += 1 }
      if top.next < references.count { stack.append(top) }
      if !found.isEmpty { stack.append(Removed(model: reference.source.id, keys: found)) }
    }
  }

  /// Notes the given keys that something refers to: the referring object may be removed itself before the statement ends.
  private func deny(
    _ reference: ReferenceMap.Reference, _ keys: [Key], _ values: [Value]
  ) throws(StorageError) {
    guard try firstKey(reference.referrers(values, limit: 1), reference) != nil else { return }
    for (key, value) in zip(keys, values)
    where try firstKey(reference.referrers([value], limit: 1), reference) != nil {
      addPending(PendingReference(source: reference.source.id, slot: reference.slot, key: key, isRemoved: true))
    }
  }
}
