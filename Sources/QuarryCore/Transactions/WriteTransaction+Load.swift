package import QuarryBackend

extension WriteTransaction {
  /// Adds many rows to a model, which come batch by batch, in bounded memory. It is not all or nothing by itself: after a
  /// throw the transaction takes no calls and is rolled back.
  ///
  /// Rows may refer to rows that come after them.
  ///
  /// - Parameter next: Appends rows in the layout of the model to the batch, which is empty; none when there are no more.
  /// - Throws: As an insert of all of them; what the closure throws.
  package func loadRows(
    into model: ModelSchema, _ next: (inout RowBatch) throws(StorageError) -> Void
  ) throws(StorageError) {
    try checkWrite(model.id)
    let layout = RowLayout(model)
    let mark = pendingMark
    do throws(StorageError) {
      try writer.load(model.id) { batch throws(StorageError) in
        try next(&batch)
        try keys?.assign(model.id, &batch)
        try context.limits.check(batch, layout, model)
        if let references { try checkReferences(references, model.id, batch, mayFollow: true) }
      }
      try settleReferences(from: mark)
    } catch {
      forgetPending(from: mark)
      fail(error)
      throw error
    }
  }
}

extension WriteLimits {
  func check(_ rows: borrowing RowBatch, _ layout: RowLayout, _ model: ModelSchema) throws(StorageError) {
    guard keyBytes != .max || rows.byteCount > rowBytes else { return }
    try rows.forEach { (_, row) throws(StorageError) in try check(row, layout, model) }
  }
}
