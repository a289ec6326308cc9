import QuarryBackend

#if canImport(CryptoKit)
  import CryptoKit
  import Foundation
#else
  import CCrypto
#endif

/// SHA-256 (FIPS 180-4), from the system's library.
enum SyncHash {
  #if !canImport(CryptoKit)
    /// Found once: the library would look for it at each use.
    private nonisolated(unsafe) static let algorithm = EVP_MD_fetch(nil, "SHA256", nil) ?? EVP_sha256()
  #endif

  /// The 32 bytes of the hash. Empty where the library refuses, which it does for lack of memory alone.
  static func sha256(_ bytes: [UInt8]) -> [UInt8] {
    #if canImport(CryptoKit)
      return Array(SHA256.hash(data: bytes))
    #else
      var hash = [UInt8](repeating: 0, count: 32)
      return EVP_Digest(bytes, bytes.count, &hash, nil, algorithm, nil) == 1 ? hash : []
    #endif
  }

  /// The first eight bytes of the hash, as a big-endian number.
  static func number(_ bytes: [UInt8]) -> UInt64 {
    sha256(bytes).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }
}
