/// Rows that stand in the way of a unique index that is to be made.
public enum UniqueClash {
  /// The error that says which: with the keys of the first two rows of one value, in the order of the index.
  ///
  /// - Parameters:
  ///   - model: The model as the transaction has it, without the index.
  ///   - error: What the engine threw, which is given back where no such rows are found.
  ///   - text: A primary key as people read it.
  /// - Complexity: Reads the rows in the order of the index.
  public static func describe(
    _ index: IndexSchema, _ model: ModelSchema, in transaction: any BackendReadTransaction, _ error: StorageError,
    text: (Value) -> String?
  ) -> StorageError {
    do throws(StorageError) {
      guard let (first, second) = try keys(index, model, transaction), let first = text(first),
        let second = text(second)
      else { return error }
      let names = index.columns.map { model.properties[$0.slot].name }.joined(separator: ", ")
      return StorageError(
        .uniqueViolation,
        "the unique index \(index.name) cannot be made: the objects with the keys \(first) and \(second) have the same "
          + "value",
        model: model.name, property: names, key: second, cause: error.cause)
    } catch {
      return error
    }
  }

  /// The primary keys of the first two rows that have one value in the index. Rows with nil in it have none.
  private static func keys(
    _ index: IndexSchema, _ model: ModelSchema, _ transaction: any BackendReadTransaction
  ) throws(StorageError) -> (Value, Value)? {
    let slots = index.columns.map(\.slot)
    let query = BoundQuery(
      model: model.id, predicate: .and(slots.map { .not(.isNull(slot: $0)) }),
      order: slots.map { BoundSortKey(slot: $0) } + [BoundSortKey(slot: model.primaryKey)],
      projection: slots + [model.primaryKey])
    let layout = RowLayout(model)
    let cursor = try transaction.cursor(query)
    defer { cursor.close() }
    let rows = UnsafeMutableBufferPointer<UnsafeRawBufferPointer>.allocate(capacity: 64)
    defer { rows.deallocate() }
    var last: (values: [Value], key: Value)?
    while true {
      let count = try cursor.fill(rows)
      if count == 0 { return nil }
      for row in rows[..<count] {
        let view = try RowView(row, layout)
        var values: [Value] = []
        for slot in slots { values.append(try view.value(layout.slots[slot], layout)) }
        let key = try view.value(layout.keySlot, layout)
        if let last, zip(last.values, values).allSatisfy({ ValueOrder.compare($0, $1) == 0 }) { return (last.key, key) }
        last = (values, key)
      }
    }
  }
}
