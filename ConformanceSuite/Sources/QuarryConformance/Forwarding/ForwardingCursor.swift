public import QuarryBackend

/// A cursor that hands every call on to another.
open class ForwardingCursor: RowCursor {
  public let inner: any RowCursor

  public init(_ inner: any RowCursor) {
    self.inner = inner
  }

  open func fill(_ rows: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) throws(StorageError) -> Int {
    try inner.fill(rows)
  }

  open func close() { inner.close() }
}
