package import QuarryBackend

#if canImport(CryptoKit)
  import CryptoKit
  import Foundation
#else
  import CCrypto
#endif

/// SHA-256 (FIPS 180-4) of bytes as they come, from the system's library.
package final class SHA256Digest {
  #if canImport(CryptoKit)
    private var state = SHA256()

    package init() throws(StorageError) {}

    package func add(_ bytes: [UInt8]) throws(StorageError) {
      state.update(data: bytes)
    }

    package func add(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
      state.update(bufferPointer: bytes)
    }

    /// The digest of the bytes added so far, in 64 hexadecimal digits. More may be added.
    package func text() throws(StorageError) -> String {
      Self.hexadecimal(Array(state.finalize()))
    }
  #else
    private let state: OpaquePointer

    /// - Throws: `io` when the library refuses.
    package init() throws(StorageError) {
      guard let state = EVP_MD_CTX_new() else { throw Self.failure }
      self.state = state
      guard EVP_DigestInit_ex(state, EVP_sha256(), nil) == 1 else { throw Self.failure }
    }

    deinit { EVP_MD_CTX_free(state) }

    package func add(_ bytes: [UInt8]) throws(StorageError) {
      guard EVP_DigestUpdate(state, bytes, bytes.count) == 1 else { throw Self.failure }
    }

    package func add(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
      guard EVP_DigestUpdate(state, bytes.baseAddress, bytes.count) == 1 else { throw Self.failure }
    }

    /// The digest of the bytes added so far, in 64 hexadecimal digits. More may be added.
    package func text() throws(StorageError) -> String {
      guard let copy = EVP_MD_CTX_new() else { throw Self.failure }
      defer { EVP_MD_CTX_free(copy) }
      var digest = [UInt8](repeating: 0, count: 32)
      guard EVP_MD_CTX_copy_ex(copy, state) == 1, EVP_DigestFinal_ex(copy, &digest, nil) == 1 else {
        throw Self.failure
      }
      return Self.hexadecimal(digest)
    }

    private static var failure: StorageError { StorageError(.io, "libcrypto cannot calculate SHA-256") }
  #endif

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
