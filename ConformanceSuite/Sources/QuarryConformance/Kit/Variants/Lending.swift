import QuarryBackend

/// Lends the bytes to the body. What the standard library offers throws any error.
func lend<R>(
  _ bytes: [UInt8], _ body: (UnsafeRawBufferPointer) throws(StorageError) -> R
) throws(StorageError) -> R {
  let result: Result<R, StorageError> = bytes.withUnsafeBytes { bytes in
    do throws(StorageError) {
      return .success(try body(bytes))
    } catch {
      return .failure(error)
    }
  }
  return try result.get()
}
