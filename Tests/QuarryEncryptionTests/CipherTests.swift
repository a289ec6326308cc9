import Foundation
import QuarryBackend
import Testing

@testable import QuarryEncryption

@Suite struct CipherTests {
  private func seal(
    _ cipher: any StoreCipher, _ content: [UInt8], _ associated: [UInt8]
  ) throws -> (sealed: [UInt8], trailer: [UInt8]) {
    var sealed = [UInt8](repeating: 0, count: content.count)
    var trailer = [UInt8](repeating: 0, count: StoreCipherFormat.trailerBytes)
    try content.withBytes { content throws(StorageError) in
      try associated.withBytes { associated throws(StorageError) in
        try sealed.withMutableBytes { sealed throws(StorageError) in
          try trailer.withMutableBytes { trailer throws(StorageError) in
            try cipher.seal(content, associated, into: sealed, trailer: trailer)
          }
        }
      }
    }
    return (sealed, trailer)
  }

  private func open(
    _ cipher: any StoreCipher, _ sealed: [UInt8], _ associated: [UInt8], _ trailer: [UInt8]
  ) throws -> [UInt8]? {
    var content = [UInt8](repeating: 0, count: sealed.count)
    var isAuthentic = false
    try sealed.withBytes { sealed throws(StorageError) in
      try associated.withBytes { associated throws(StorageError) in
        try trailer.withBytes { trailer throws(StorageError) in
          try content.withMutableBytes { content throws(StorageError) in
            isAuthentic = try cipher.open(sealed, associated, trailer: trailer, into: content)
          }
        }
      }
    }
    return isAuthentic ? content : nil
  }

  @Test func whatIsSealedOpens() throws {
    let cipher = try StoreDataKey(bytes: SecretBytes(randomCount: 32)).cipher(for: "test", salt: [1])
    for count in [0, 1, 15, 16, 17, 4064, 100_000] {
      let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      let (sealed, trailer) = try seal(cipher, content, [UInt8(truncatingIfNeeded: count)])
      if count > 15 { #expect(sealed != content) }
      #expect(try open(cipher, sealed, [UInt8(truncatingIfNeeded: count)], trailer) == content)
      #expect(try open(cipher, sealed, [UInt8(truncatingIfNeeded: count &+ 1)], trailer) == nil)
    }
  }

  @Test func otherPurposesSaltsAndStoresHaveOtherKeys() throws {
    let key = StoreDataKey(bytes: try SecretBytes(randomCount: 32))
    let (sealed, trailer) = try seal(key.cipher(for: "a", salt: [1]), [1, 2, 3], [])
    #expect(try open(key.cipher(for: "a", salt: [1]), sealed, [], trailer) == [1, 2, 3])
    #expect(try open(key.cipher(for: "b", salt: [1]), sealed, [], trailer) == nil)
    #expect(try open(key.cipher(for: "a", salt: [2]), sealed, [], trailer) == nil)
    let other = StoreDataKey(bytes: try SecretBytes(randomCount: 32))
    #expect(try open(other.cipher(for: "a", salt: [1]), sealed, [], trailer) == nil)
  }

  @Test func noNonceComesTwice() throws {
    let cipher = try StoreDataKey(bytes: SecretBytes(randomCount: 32)).cipher(for: "test", salt: [])
    var nonces: Set<[UInt8]> = []
    for _ in 0..<1_000_000 {
      var trailer = [UInt8](repeating: 0, count: StoreCipherFormat.trailerBytes)
      let empty = UnsafeRawBufferPointer(start: nil, count: 0)
      try trailer.withMutableBytes { trailer throws(StorageError) in
        try cipher.seal(empty, empty, into: UnsafeMutableRawBufferPointer(start: nil, count: 0), trailer: trailer)
      }
      nonces.insert(Array(trailer[..<12]))
    }
    #expect(nonces.count == 1_000_000)
  }

  @Test func threadsSealAndOpenAtOnce() throws {
    let cipher = try StoreDataKey(bytes: SecretBytes(randomCount: 32)).cipher(for: "test", salt: [])
    nonisolated(unsafe) var failures = [Int](repeating: 0, count: 8)
    failures.withUnsafeMutableBufferPointer { failures in
      nonisolated(unsafe) let failures = failures
      DispatchQueue.concurrentPerform(iterations: 8) { thread in
        for round in 0..<2_000 {
          let content = [UInt8](repeating: UInt8(truncatingIfNeeded: thread &* 31 &+ round), count: 100 + round % 64)
          guard let (sealed, trailer) = try? seal(cipher, content, [UInt8(thread)]),
            let opened = try? open(cipher, sealed, [UInt8(thread)], trailer), opened == content
          else {
            failures[thread] += 1
            continue
          }
        }
      }
    }
    #expect(failures == [Int](repeating: 0, count: 8))
  }

  @Test func aPoolIsThrownAwayInAChild() throws {
    // What a child sees: the mark of another process. A fork of a program with threads cannot run Swift, so that the mark
    // is what is tried here; the kit forks.
    var pool = NoncePool()
    var trailer = [UInt8](repeating: 0, count: StoreCipherFormat.trailerBytes)
    try trailer.withMutableBytes { trailer throws(StorageError) in try pool.next(into: trailer) }
    var copy = pool
    copy.owner = ForkMark.current &+ 1
    var other = trailer
    try trailer.withMutableBytes { trailer throws(StorageError) in try pool.next(into: trailer) }
    try other.withMutableBytes { other throws(StorageError) in try copy.next(into: other) }
    #expect(trailer[..<12] != other[..<12])
  }
}
