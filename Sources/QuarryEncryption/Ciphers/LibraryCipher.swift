import QuarryBackend
import Synchronization

#if canImport(CryptoKit)
  import CryptoKit
  import Foundation
#else
  import CCrypto
#endif

/// AES-256-GCM (NIST SP 800-38D) with one key.
///
/// A piece is sealed or opened with a context that has the key's schedule; contexts are kept, so that threads at work at
/// once have one each.
final class LibraryCipher: StoreCipher {
  private let idle: Mutex<[CipherContext]>
  private let key: SecretBytes

  /// - Parameter key: 32 bytes.
  init(_ key: SecretBytes) throws(StorageError) {
    self.key = key
    idle = Mutex([try CipherContext(key)])
  }

  func seal(
    _ content: UnsafeRawBufferPointer, _ associated: UnsafeRawBufferPointer, into sealed: UnsafeMutableRawBufferPointer,
    trailer: UnsafeMutableRawBufferPointer
  ) throws(StorageError) {
    guard sealed.count == content.count, trailer.count == StoreCipherFormat.trailerBytes, content.count < Int32.max
    else {
      throw StorageError(.limitExceeded, "a piece of \(content.count) bytes cannot be sealed")
    }
    let context = try take()
    let isSealed = try context.seal(content, associated, into: sealed, trailer: trailer)
    give(context)
    guard isSealed else { throw StorageError(.io, "the library cannot seal") }
  }

  func open(
    _ sealed: UnsafeRawBufferPointer, _ associated: UnsafeRawBufferPointer, trailer: UnsafeRawBufferPointer,
    into content: UnsafeMutableRawBufferPointer
  ) throws(StorageError) -> Bool {
    guard sealed.count == content.count, trailer.count == StoreCipherFormat.trailerBytes, content.count < Int32.max
    else {
      return false
    }
    let context = try take()
    let isAuthentic = context.open(sealed, associated, trailer: trailer, into: content)
    give(context)
    return isAuthentic
  }

  @inline(__always)
  private func take() throws(StorageError) -> CipherContext {
    if let context = idle.withLock({ $0.popLast() }) { return context }
    return try CipherContext(key)
  }

  @inline(__always)
  private func give(_ context: CipherContext) {
    idle.withLock { if $0.count < 64 { $0.append(context) } }
  }
}
