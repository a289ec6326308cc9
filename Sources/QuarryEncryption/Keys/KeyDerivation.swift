import QuarryBackend

#if canImport(CryptoKit)
  import CryptoKit
  import Foundation
#else
  import CCrypto
#endif

/// Keys of other keys.
enum KeyDerivation {
  /// Bytes of every derived key.
  static let keyBytes = 32

  /// HKDF-SHA256 (RFC 5869).
  ///
  /// - Throws: `io` when the library refuses.
  static func hkdf(
    _ key: SecretBytes, salt: [UInt8], info: [UInt8], count: Int = keyBytes
  ) throws(StorageError) -> SecretBytes {
    #if canImport(CryptoKit)
      return try key.withBytes { bytes throws(StorageError) in
        let derived = HKDF<SHA256>.deriveKey(
          inputKeyMaterial: SymmetricKey(data: bytes), salt: salt, info: info, outputByteCount: count)
        return derived.withUnsafeBytes { SecretBytes($0) }
      }
    #else
      guard let algorithm = EVP_KDF_fetch(nil, "HKDF", nil) else { throw refusal("HKDF") }
      defer { EVP_KDF_free(algorithm) }
      guard let context = EVP_KDF_CTX_new(algorithm) else { throw refusal("HKDF") }
      defer { EVP_KDF_CTX_free(context) }
      return try SecretBytes(count: count) { derived throws(StorageError) in
        let isDerived = try key.withBytes { key throws(StorageError) -> Bool in
          // The library keeps the pointers until the key is derived, and writes to none of them. Names are there for good.
          var digest = Array("SHA256".utf8CString)
          var salt = salt
          var info = info
          var empty: UInt8 = 0
          return digest.withUnsafeMutableBufferPointer { digest in
            salt.withUnsafeMutableBytes { salt in
              info.withUnsafeMutableBytes { info in
                withUnsafeMutableBytes(of: &empty) { empty in
                  var parameters = [
                    OSSL_PARAM_construct_utf8_string(name("digest"), digest.baseAddress, 0),
                    OSSL_PARAM_construct_octet_string(
                      name("key"), UnsafeMutableRawPointer(mutating: key.baseAddress), key.count),
                    OSSL_PARAM_construct_octet_string(name("salt"), salt.baseAddress ?? empty.baseAddress, salt.count),
                    OSSL_PARAM_construct_octet_string(name("info"), info.baseAddress ?? empty.baseAddress, info.count),
                    OSSL_PARAM_construct_end(),
                  ]
                  return EVP_KDF_derive(
                    context, derived.baseAddress?.assumingMemoryBound(to: UInt8.self), derived.count, &parameters) == 1
                }
              }
            }
          }
        }
        guard isDerived else { throw refusal("HKDF") }
      }
    #endif
  }

  #if !canImport(CryptoKit)
    /// The name of a parameter (EVP_KDF-HKDF(7)), where it stays.
    private static func name(_ name: StaticString) -> UnsafePointer<CChar> {
      UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
    }
  #endif

  /// The most memory that a slot may ask for: what a forged one asks for, an opener would take.
  static let memoryLimit: UInt64 = 1 << 30

  /// scrypt (RFC 7914).
  ///
  /// - Throws: `limitExceeded` for parameters that take more than a gigabyte, `io` when the library refuses.
  static func scrypt(
    _ passphrase: SecretBytes, salt: [UInt8], logN: UInt8, r: UInt8, p: UInt8, count: Int = keyBytes
  ) throws(StorageError) -> SecretBytes {
    guard (1...24).contains(logN), r > 0, p > 0, p <= 16, UInt64(128) * UInt64(r) << UInt64(logN) <= memoryLimit else {
      throw StorageError(
        .limitExceeded, "scrypt with N = 2^\(logN), r = \(r), p = \(p) takes more than any key of a store may take")
    }
    #if canImport(CryptoKit)
      throw StorageError(.unsupported, "there is no scrypt on this system: use a key of a key store")
    #else
      return try SecretBytes(count: count) { derived throws(StorageError) in
        let result = try passphrase.withBytes { passphrase throws(StorageError) in
          EVP_PBE_scrypt(
            passphrase.baseAddress?.assumingMemoryBound(to: CChar.self), passphrase.count, salt, salt.count,
            UInt64(1) << UInt64(logN), UInt64(r), UInt64(p), memoryLimit + (1 << 24),
            derived.baseAddress?.assumingMemoryBound(to: UInt8.self), derived.count)
        }
        guard result == 1 else { throw refusal("scrypt") }
      }
    #endif
  }

  private static func refusal(_ what: String) -> StorageError {
    StorageError(.io, "the library cannot derive a key by \(what)")
  }
}
