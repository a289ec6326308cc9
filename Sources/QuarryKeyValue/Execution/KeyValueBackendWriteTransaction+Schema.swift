package import QuarryBackend

extension KeyValueBackendWriteTransaction {
  package func apply(_ change: SchemaChange) throws(StorageError) {
    try store.manifest.require(change.capability)
    let old = try tables()
    let new = SchemaState(try old.schema.applying(change), after: old)
    switch change {
    case .createModel, .renameModel, .addProperty, .renameProperty, .dropProperty, .renameIndex,
      .setProgramVersion, .changeReference, .changeKeyGeneration, .changeSearch, .changeSyncName:
      // Rows stay as they are: names are not in them, and they know how many slots they were written with.
      changeSchema(new)
    case .dropModel(let model):
      let table = try old.table(model)
      state.willWrite(model)
      try emptying { () throws(StorageError) in
        for index in table.indexes { try trees.remove(index.tree, in: .all) }
        try trees.remove(table.tree, in: .all)
        changeSchema(new)
      }
    case .dropIndex(let model, let id):
      state.willWrite(model)
      try emptying { () throws(StorageError) in
        try trees.remove(Tree(id), in: .all)
        changeSchema(new)
      }
    case .changeOptionality(let model, let slot, let isOptional):
      let before = try old.table(model)
      if !isOptional { try NilCheck.run(slot, before.model, in: self) }
      try changeOptionality(slot, before, try new.table(model), new)
    case .createIndex(let model, let index):
      try createIndex(index, try old.table(model), try new.table(model), new)
    }
  }

  /// Fills the trees of a new index. They are empty before, so that emptying them undoes it: nothing need be noted.
  private func createIndex(
    _ index: IndexSchema, _ before: Table, _ after: Table, _ schema: SchemaState
  ) throws(StorageError) {
    let known = Set(before.indexes.map(\.tree))
    let added = after.indexes.filter { !known.contains($0.tree) }
    do throws(StorageError) {
      if hasSavepoint {
        try atomically { () throws(StorageError) in for index in added { try fill(index, after) } }
      } else {
        try fill(added, after)
      }
    } catch {
      guard error.code == .uniqueViolation else { throw error }
      throw UniqueClash.describe(index, before.model, in: self, error)
    }
    changeSchema(schema)
  }

  private func fill(_ indexes: [TableIndex], _ table: Table) throws(StorageError) {
    do throws(StorageError) {
      for index in indexes { try fill(index, table) }
    } catch {
      do throws(StorageError) {
        for index in indexes { try trees.remove(index.tree, in: .all) }
      } catch let second {
        state.fail(second)
      }
      throw error
    }
  }

  /// Empties whole trees, which is known to be allowed. To undo it would mean to note all that they have, which is done only
  /// where a savepoint is open that could be rolled back.
  private func emptying(_ body: () throws(StorageError) -> Void) throws(StorageError) {
    if hasSavepoint { try atomically(body) } else { try writing(body) }
  }

  /// Rows stay as they are, because each has its null bits. Index entries change: entries of an optional property record for each
  /// value whether it is nil.
  private func changeOptionality(
    _ slot: Int, _ before: Table, _ after: Table, _ schema: SchemaState
  ) throws(StorageError) {
    let isChanged = before.model.properties[slot].isOptional != after.model.properties[slot].isOptional
    let indexes = isChanged ? zip(before.indexes, after.indexes).filter { $0.0.uses([slot]) } : []
    if !indexes.isEmpty { state.willWrite(before.model.id) }
    try atomically { () throws(StorageError) in
      for (old, new) in indexes {
        try trees.remove(old.tree, in: .all)
        try fill(new, after)
      }
    }
    changeSchema(schema)
  }

  /// Adds the entries of all rows to a new index, in their order as far as memory goes: an ordered tree takes them one
  /// behind the other then.
  func fill(_ index: TableIndex, _ table: Table) throws(StorageError) {
    let sorter = EntrySorter()
    var cursor = try trees.cursor(table.tree, .all, descending: false)
    while let (key, value) = try cursor.next() {
      let view = try RowView(value, table.layout)
      let entry = try entries.entry(view, key, index, table)
      try checkLimits(entry, key, index, table)
      sorter.append(entry, key)
      if sorter.isFull { try add(sorter, to: index, table) }
    }
    try add(sorter, to: index, table)
  }

  private func add(_ sorter: EntrySorter, to index: TableIndex, _ table: Table) throws(StorageError) {
    try sorter.forEach { (entry, key) throws(StorageError) in try add(index, entry, key, table) }
    sorter.removeAll()
  }
}
