import QuarryBackend

#if canImport(CryptoKit)
  import CryptoKit
  import Foundation
#else
  import CCrypto
#endif

#if canImport(CryptoKit)
  /// Seals and opens with one key, for one thread at a time.
  final class CipherContext: @unchecked Sendable {
    private let key: SymmetricKey
    private var nonces = NoncePool()

    init(_ key: SecretBytes) throws(StorageError) {
      self.key = try key.withBytes { bytes throws(StorageError) in SymmetricKey(data: bytes) }
    }

    func seal(
      _ content: UnsafeRawBufferPointer, _ associated: UnsafeRawBufferPointer,
      into sealed: UnsafeMutableRawBufferPointer, trailer: UnsafeMutableRawBufferPointer
    ) throws(StorageError) -> Bool {
      try nonces.next(into: trailer)
      guard let nonce = try? AES.GCM.Nonce(data: UnsafeRawBufferPointer(rebasing: trailer[..<12])),
        let box = try? AES.GCM.seal(content, using: key, nonce: nonce, authenticating: associated)
      else { return false }
      sealed.copyBytes(from: box.ciphertext)
      UnsafeMutableRawBufferPointer(rebasing: trailer[12...]).copyBytes(from: box.tag)
      return true
    }

    func open(
      _ sealed: UnsafeRawBufferPointer, _ associated: UnsafeRawBufferPointer, trailer: UnsafeRawBufferPointer,
      into content: UnsafeMutableRawBufferPointer
    ) -> Bool {
      guard let nonce = try? AES.GCM.Nonce(data: UnsafeRawBufferPointer(rebasing: trailer[..<12])),
        let box = try? AES.GCM.SealedBox(
          nonce: nonce, ciphertext: sealed, tag: UnsafeRawBufferPointer(rebasing: trailer[12...])),
        let plain = try? AES.GCM.open(box, using: key, authenticating: associated)
      else { return false }
      content.copyBytes(from: plain)
      return true
    }
  }
#else
  /// Seals and opens with one key, for one thread at a time.
  ///
  /// libcrypto's contexts are kept with the key's schedule, so that a piece costs no more than its bytes and a nonce.
  ///
  /// The unsafe part is the two contexts, which are made in `init` and freed in `deinit`, and the pointers of a call, which
  /// are valid for the call and whose lengths ``LibraryCipher`` has compared.
  final class CipherContext: @unchecked Sendable {
    private let sealing: OpaquePointer
    private let opening: OpaquePointer
    private var nonces = NoncePool()

    nonisolated(unsafe) private static let algorithm = EVP_CIPHER_fetch(nil, "AES-256-GCM", nil)

    /// - Throws: `io` when the library has no AES-256-GCM.
    init(_ key: SecretBytes) throws(StorageError) {
      guard let algorithm = Self.algorithm, let sealing = EVP_CIPHER_CTX_new() else { throw Self.failure }
      guard let opening = EVP_CIPHER_CTX_new() else {
        EVP_CIPHER_CTX_free(sealing)
        throw Self.failure
      }
      self.sealing = sealing
      self.opening = opening
      let isReady = try key.withBytes { bytes throws(StorageError) -> Bool in
        guard bytes.count == 32, let key = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return false }
        return EVP_EncryptInit_ex(sealing, algorithm, nil, key, nil) == 1
          && EVP_DecryptInit_ex(opening, algorithm, nil, key, nil) == 1
      }
      guard isReady else { throw Self.failure }
    }

    deinit {
      EVP_CIPHER_CTX_free(sealing)
      EVP_CIPHER_CTX_free(opening)
    }

    private static var failure: StorageError { StorageError(.io, "libcrypto has no AES-256-GCM") }

    @inline(__always)
    private static func bytes(_ buffer: UnsafeRawBufferPointer) -> UnsafePointer<UInt8>? {
      buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
    }

    @inline(__always)
    private static func bytes(_ buffer: UnsafeMutableRawBufferPointer) -> UnsafeMutablePointer<UInt8>? {
      buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
    }

    func seal(
      _ content: UnsafeRawBufferPointer, _ associated: UnsafeRawBufferPointer,
      into sealed: UnsafeMutableRawBufferPointer, trailer: UnsafeMutableRawBufferPointer
    ) throws(StorageError) -> Bool {
      try nonces.next(into: trailer)
      var count: Int32 = 0
      var rest: UInt64 = 0
      return withUnsafeMutableBytes(of: &rest) { rest in
        EVP_EncryptInit_ex(sealing, nil, nil, nil, Self.bytes(trailer)) == 1
          && (associated.isEmpty
            || EVP_EncryptUpdate(sealing, nil, &count, Self.bytes(associated), Int32(associated.count)) == 1)
          && (content.isEmpty
            || EVP_EncryptUpdate(sealing, Self.bytes(sealed), &count, Self.bytes(content), Int32(content.count)) == 1)
          && EVP_EncryptFinal_ex(sealing, Self.bytes(rest), &count) == 1
          && EVP_CIPHER_CTX_ctrl(
            sealing, EVP_CTRL_AEAD_GET_TAG, 16, trailer.baseAddress.map { $0 + StoreCipherFormat.nonceBytes }) == 1
      }
    }

    func open(
      _ sealed: UnsafeRawBufferPointer, _ associated: UnsafeRawBufferPointer, trailer: UnsafeRawBufferPointer,
      into content: UnsafeMutableRawBufferPointer
    ) -> Bool {
      var count: Int32 = 0
      var rest: UInt64 = 0
      return withUnsafeMutableBytes(of: &rest) { rest in
        EVP_DecryptInit_ex(opening, nil, nil, nil, Self.bytes(trailer)) == 1
          && (associated.isEmpty
            || EVP_DecryptUpdate(opening, nil, &count, Self.bytes(associated), Int32(associated.count)) == 1)
          && (sealed.isEmpty
            || EVP_DecryptUpdate(opening, Self.bytes(content), &count, Self.bytes(sealed), Int32(sealed.count)) == 1)
          && EVP_CIPHER_CTX_ctrl(
            opening, EVP_CTRL_AEAD_SET_TAG, 16,
            UnsafeMutableRawPointer(mutating: trailer.baseAddress.map { $0 + StoreCipherFormat.nonceBytes })) == 1
          && EVP_DecryptFinal_ex(opening, Self.bytes(rest), &count) == 1
      }
    }
  }
#endif
