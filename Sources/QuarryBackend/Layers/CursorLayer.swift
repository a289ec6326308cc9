/// A cursor over another cursor: it forwards every call, and a subclass overrides the calls that it changes.
open class CursorLayer: RowCursor {
  /// The cursor beneath.
  public let base: any RowCursor

  /// Makes a layer that changes nothing.
  ///
  /// - Parameter base: The cursor beneath.
  public init(_ base: any RowCursor) {
    self.base = base
  }

  open func fill(_ rows: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) throws(StorageError) -> Int {
    try base.fill(rows)
  }

  open func close() { base.close() }
}
