import QuarryBackend

/// Lends the bytes to the body.
func lend<R>(
  _ bytes: [UInt8], _ body: (UnsafeRawBufferPointer) throws(StorageError) -> R
) throws(StorageError) -> R {
  try bytes.withBytes(body)
}
