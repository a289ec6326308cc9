package import QuarryBackend

extension KeyValueBackendWriteTransaction: RepairingWriteTransaction {
  package func removeUnreadableRows(
    _ model: ModelID, _ keep: (UnreadableRow) throws(StorageError) -> Void
  ) throws(StorageError) -> Int {
    try store.manifest.require(.repair)
    let table = try tables().table(model)
    var keys: [[UInt8]] = []
    var cursor = try trees.cursor(table.tree, .all, descending: false)
    while let (key, row) = try cursor.next() {
      guard let reason = reason(row, key, table) else { continue }
      try keep(
        UnreadableRow(
          model: table.model.name, key: StoreCheck<Transaction>.text(key, table), reason: reason,
          content: .bytes(Array(row))))
      keys.append(Array(key))
    }
    guard !keys.isEmpty else { return 0 }
    state.willWrite(model)
    try atomically { () throws(StorageError) in
      for key in keys {
        try key.withBytes { key throws(StorageError) in try trees.remove(table.tree, key) }
      }
    }
    return keys.count
  }

  /// Why a row is none of its model under this key; nil for one that is.
  private func reason(_ row: UnsafeRawBufferPointer, _ key: UnsafeRawBufferPointer, _ table: Table) -> String? {
    do throws(StorageError) {
      let view = try RowView(row, table.layout)
      let defects = view.defects(table.layout, table.model)
      guard defects.isEmpty else { return defects.joined(separator: "; ") }
      let own = try entries.primaryKey(view, table)
      guard own.compare(key) == 0 else {
        return "the row there has the key \(StoreCheck<Transaction>.text(own, table))"
      }
      return nil
    } catch {
      return error.message
    }
  }
}
