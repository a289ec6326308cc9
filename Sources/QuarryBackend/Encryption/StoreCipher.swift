/// Seals and opens pieces of a store with encryption that detects every change (AEAD).
///
/// Many threads may use it at once.
///
/// At most ``StoreCipherFormat/sealLimit`` pieces may be sealed with one cipher's key, because nonces are random. The caller that
/// seals counts the pieces, and takes a cipher with another salt in time.
public protocol StoreCipher: AnyObject, Sendable {
  /// Seals a piece.
  ///
  /// - Parameters:
  ///   - content: The bytes to seal.
  ///   - associated: The data that the piece is bound to, such as its place. It is not stored.
  ///   - sealed: As many bytes as the content; may be the same memory.
  ///   - trailer: ``StoreCipherFormat/trailerBytes`` for the nonce, which is new and random, and the tag.
  /// - Throws: `io` when the system gives no random bytes, or the library refuses.
  func seal(
    _ content: UnsafeRawBufferPointer, _ associated: UnsafeRawBufferPointer, into sealed: UnsafeMutableRawBufferPointer,
    trailer: UnsafeMutableRawBufferPointer
  ) throws(StorageError)

  /// Opens a piece.
  ///
  /// - Parameters:
  ///   - trailer: The nonce and the tag.
  ///   - content: As many bytes as are sealed; may be the same memory. Means nothing where the piece is not authentic.
  /// - Returns: Whether the piece is as it was sealed, with this key and bound to the same.
  /// - Throws: `io` when the library refuses.
  func open(
    _ sealed: UnsafeRawBufferPointer, _ associated: UnsafeRawBufferPointer, trailer: UnsafeRawBufferPointer,
    into content: UnsafeMutableRawBufferPointer
  ) throws(StorageError) -> Bool
}

/// The numbers of every suite of this version.
public enum StoreCipherFormat {
  /// Bytes of a nonce.
  public static let nonceBytes = 12
  /// Bytes of a tag.
  public static let tagBytes = 16
  /// A nonce, then a tag.
  public static let trailerBytes = 28
  /// How many pieces may be sealed with one key at most: with random nonces of 96 bits, 2^32 (NIST SP 800-38D, 8.3).
  public static let sealLimit = UInt64(1) << 32
}
