/// Rows that prevent the creation of a unique index.
public enum UniqueClash {
  /// Returns the error that names the first duplicate.
  ///
  /// It holds the first primary key whose row repeats an earlier row's value, and that value.
  ///
  /// - Parameters:
  ///   - model: The model as the transaction has it, without the index.
  ///   - error: The engine's error, which is returned if no such rows are found.
  /// - Complexity: Reads the rows in the order of the index.
  public static func describe(
    _ index: IndexSchema, _ model: ModelSchema, in transaction: any BackendReadTransaction, _ error: StorageError
  ) -> StorageError {
    do throws(StorageError) {
      let members = model.keyProperty.keyMembers
      guard let (first, second) = try keys(index, model, transaction), let first = KeyText.text(first, members),
        let second = KeyText.text(second, members)
      else { return error }
      return .cannotBeUnique(index, model, first: first, second: second, cause: error.cause)
    } catch {
      return error
    }
  }

  /// The least primary key whose row has the value of one with a lesser key, after that. Rows with nil have no value.
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
    var found: (first: Value, second: Value)?
    while true {
      let count = try cursor.fill(rows)
      if count == 0 { return found.map { ($0.first, $0.second) } }
      for row in rows[..<count] {
        let view = try RowView(row, layout)
        var values: [Value] = []
        for slot in slots { values.append(try view.value(layout.slots[slot], layout)) }
        let key = try view.value(layout.keySlot, layout)
        if let last, zip(last.values, values).allSatisfy({ ValueOrder.compare($0, $1) == 0 }) {
          // Those of one value come in the order of their keys: a third one comes after the second.
          if found.map({ ValueOrder.compare(key, $0.second) < 0 }) ?? true { found = (last.key, key) }
        }
        last = (values, key)
      }
    }
  }
}
