import QuarryBackend
public import QuarryCore

extension Draft {
  /// The objects of the query with the edits of the draft laid over the store: the result of the query after a save.
  ///
  /// The query's filter, order, limit and offset apply to the edited objects. Objects of the result do not become objects of the
  /// draft: pass ``update(_:from:)`` the object that was read.
  ///
  /// - Parameter query: A query of the store; conditions through references see the edits too.
  /// - Throws: As a `fetch` of the store. Where the edits affect the query through other objects, the draft is stored in a write
  ///   that is undone: the errors of ``save(onConflict:isolation:)``, except for conflicts.
  /// - Complexity: The cost of the query on the store, and O(n log n) in the number of changed objects. Memory for the result and
  ///   the changed objects. A query that leads to other objects, and a draft that deletes objects to which others may refer, wait
  ///   for the store's writer.
  public func fetch<M: Model>(_ query: Query<M>) throws -> [M] {
    guard hasChanges else { return try store.fetch(query) }
    let rows = (tables[ObjectIdentifier(M.self)] as? DraftTable<M>)?.rows ?? [:]
    let deleting = tables.values.filter(\.deletes)
    let result = try store.read { tx -> [M]? in
      for table in deleting { guard try table.isFree(in: tx) else { return nil } }
      return try tx.fetch(query, laying: rows)
    }
    return try result ?? rehearse { tx in try tx.fetch(query) }
  }

  /// Runs the body in the state after a save, which is undone.
  private func rehearse<R>(_ body: (WriteTransaction) throws -> R) throws -> R {
    let plan = plan
    var result: R?
    do {
      try store.write(alone: true) { tx in
        _ = try plan.run(.overwrite, in: tx)
        result = try body(tx)
        throw Rehearsed()
      }
    } catch is Rehearsed {}
    guard let result else { throw StorageError(.conflict, "the draft was changed while it was read") }
    return result
  }

  /// Ends a rehearsal: what it has written is undone.
  private struct Rehearsed: Error {}
}
