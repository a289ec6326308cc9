// Bytes for the time of a call, lent to a body with a typed throw. The standard library's calls for raw bytes and for text
// rethrow any error: the workarounds for that are here alone. The bytes are valid until the body returns.

extension [UInt8] {
  /// Lends the bytes to the body.
  @inlinable @inline(__always)
  package func withBytes<R, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> R
  ) throws(Failure) -> R {
    try withUnsafeBufferPointer { (bytes) throws(Failure) in try body(UnsafeRawBufferPointer(bytes)) }
  }

  /// Lends the bytes to the body, which may change them.
  @inlinable @inline(__always)
  package mutating func withMutableBytes<R, Failure: Error>(
    _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> R
  ) throws(Failure) -> R {
    try withUnsafeMutableBufferPointer { (bytes) throws(Failure) in try body(UnsafeMutableRawBufferPointer(bytes)) }
  }
}

extension String {
  /// Lends the UTF-8 of the text to the body.
  @inlinable @inline(__always)
  package func withBytes<R, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> R
  ) throws(Failure) -> R {
    var text = self
    let result: Result<R, Failure> = text.withUTF8 { bytes in
      do throws(Failure) {
        return .success(try body(UnsafeRawBufferPointer(bytes)))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}
