import QuarryBackend
public import QuarryCore

/// Makes one row of a conflict in a store: the program's closure behind the types of the store.
typealias StoredResolver = @Sendable (Store, SyncConflict, RowTable) throws -> SyncRow

extension StoreSync {
  /// Sets the program of a hub for conflicts in the objects of a model.
  ///
  /// It is asked where a client has changed an object and its author had not seen what the hub has in one of the changed properties.
  /// Counters, sets, maxima and minima are no conflicts, because both sides join them alike. The three objects differ in the properties
  /// that both sides have written. In all others they have the merged value:
  ///
  /// ```swift
  /// try hub.sync?.resolve(Account.self) { base, theirs, mine in
  ///   var result = mine
  ///   result.balance = theirs.balance + mine.balance - base.balance
  ///   return result
  /// }
  /// ```
  ///
  /// The result becomes a transaction of the hub behind the client's, in the same write. A result that is as the merged object writes
  /// nothing. The client's transaction is refused where the closure throws, with the words of its error. It is refused too where the
  /// result has another key, takes a unique value, or refers to a missing object.
  ///
  /// The hub calls the closure inside its own write, after `authorize`, perhaps more than once for a transaction. It must be quick,
  /// depend on its arguments alone and not use the store. It stays until the store is closed, and a later call replaces it. Set it before
  /// the first exchange after each opening: clients learn by exchanges which models are resolved, and note from then on what their
  /// edits write over.
  ///
  /// - Parameters:
  ///   - type: The model.
  ///   - resolver: Makes the result of what the client had seen, what the hub has and what the client has written.
  /// - Throws: `unsupported` in a store that is no hub; `schemaMismatch` for a model that the store was not opened for; `notFound` for
  ///   one that is not synced; the errors of a read.
  public func resolve<M: Model>(
    _ type: M.Type, by resolver: @escaping @Sendable (_ base: M, _ theirs: M, _ mine: M) throws -> M
  ) throws {
    _ = try ObjectForm<M>(store)
    try setResolver(of: M.storedName) { store, conflict, table in
      let form = try ObjectForm<M>(store)
      func row(_ object: M) throws -> (ObjectID, SyncRow) {
        try form.row(object).bytes.withBytes { bytes throws(StorageError) in try table.object(bytes) }
      }
      let rows = [conflict.mine, conflict.theirs, conflict.base]
      let objects = try rows.map { try form.object(table.row(conflict.object, $0)) }
      let result = try resolver(objects[2], objects[1], objects[0])
      try form.validate(result)
      let (key, written) = try row(result)
      guard key == conflict.object else {
        throw StorageError(.invalidValue, "the resolver of \(M.storedName) has changed the primary key")
      }
      var values = written
      // A type may write less than it has read, of a Codable value from a newer version for example. What the program has not changed
      // stays as it is.
      for (given, object) in zip(rows, objects).reversed() {
        for (column, value) in try row(object).1 where written[column] == value { values[column] = given[column] }
      }
      return values
    }
  }

  /// Sets the resolver of a model by its name: ``resolve(_:by:)``.
  func setResolver(of model: String, _ resolver: @escaping StoredResolver) throws {
    try reading { work in
      guard work.state.role == .hub else {
        throw StorageError(.unsupported, "a resolver needs a hub: enableSync(as: .hub)", model: model)
      }
      guard !work.schema.models(named: [model]).isEmpty else {
        throw StorageError(.notFound, "the model is not synced", model: model)
      }
    }
    keeper.setResolver(resolver, of: model)
  }

  /// Gives work that takes entries the program of the hub, for one client.
  func decide(_ work: StoredWork, for principal: SyncPrincipal?) {
    work.program = program(for: principal, work.schema)
    guard work.state.role == .hub else { return }
    let all = keeper.allResolvers
    for (name, table) in all.isEmpty ? [:] : work.schema.tables {
      guard let resolver = all[table.schema.name] else { continue }
      work.resolvers[name] = { [store] conflict in
        do {
          return try resolver(store, conflict, table)
        } catch let error as StorageError {
          throw error
        } catch {
          throw StorageError(.invalidValue, String("\(error)".prefix(Self.longestReason)))
        }
      }
    }
  }
}
