/// Rows with nil in a property that is to be no longer optional.
public enum NilCheck {
  /// Throws unless every row has a value in the slot. A row from before the property was added has its default.
  ///
  /// - Parameter model: The model as the transaction has it, with the property as an optional one.
  /// - Throws: `missingValue` with the least primary key of the rows that have nil, `corrupt`, `io`.
  /// - Complexity: Reads the rows in the order of their keys, unless an index has the slot.
  public static func run(
    _ slot: Int, _ model: ModelSchema, in transaction: any BackendReadTransaction
  ) throws(StorageError) {
    guard model.properties[slot].isOptional else { return }
    let query = BoundQuery(
      model: model.id, predicate: .isNull(slot: slot), order: [BoundSortKey(slot: model.primaryKey)], limit: 1,
      projection: [model.primaryKey])
    let cursor = try transaction.cursor(query)
    defer { cursor.close() }
    let rows = UnsafeMutableBufferPointer<UnsafeRawBufferPointer>.allocate(capacity: 1)
    defer { rows.deallocate() }
    guard try cursor.fill(rows) > 0, let row = rows.first else { return }
    let layout = RowLayout(model)
    throw .cannotBeRequired(model.properties[slot], model, key: KeyText.text(of: try RowView(row, layout), layout))
  }
}
