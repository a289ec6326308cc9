import QuarryBackend
import QuarryEncryption
import QuarryKeyValue
import QuarryMemory
import QuarryTestSupport
import Testing

@testable import QuarrySealed

/// A key of one byte, repeated.
func encryption(_ byte: UInt8) throws -> Encryption {
  Encryption(try EncryptionKey([UInt8](repeating: byte, count: 32)))
}

/// What an engine below has: its two trees, as they stand.
struct BaseContent: Equatable {
  var envelope: [[UInt8]: [UInt8]]
  var pages: [[UInt8]: [UInt8]]

  init(_ base: MemoryEngine) throws {
    let read = try base.beginRead()
    defer { read.end() }
    let trees = try read.contents([SealedTrees.envelope, SealedTrees.pages])
    (envelope, pages) = (trees[0], trees[1])
  }

  /// An engine with this content.
  func engine() throws -> MemoryEngine {
    let base = MemoryEngine()
    try base.write { tx throws(StorageError) in
      for (key, value) in envelope { try tx.put(SealedTrees.envelope, key, value) }
      for (key, value) in pages { try tx.put(SealedTrees.pages, key, value) }
    }
    return base
  }

  var all: [[UInt8]] { envelope.flatMap { [$0.key, $0.value] } + pages.flatMap { [$0.key, $0.value] } }
}

extension MemoryEngine {
  /// The engine once more, as a reopened store has it.
  func reopened() throws -> MemoryEngine { try BaseContent(self).engine() }
}

func sealed(_ base: MemoryEngine, _ byte: UInt8 = 7, cacheBytes: Int = 32 << 20) throws -> SealedEngine<MemoryEngine> {
  try SealedEngine(base, encryption: encryption(byte), cacheBytes: cacheBytes)
}

/// The bytes of a number whose order is the numbers'.
func key(_ number: Int) -> [UInt8] { withUnsafeBytes(of: UInt64(number).bigEndian) { Array($0) } }

extension BaseContent {
  /// The content with one bit turned, in a byte of the value of a key.
  func turned(_ path: WritableKeyPath<BaseContent, [[UInt8]: [UInt8]]>, _ key: [UInt8], _ place: Int) -> BaseContent {
    var damaged = self
    damaged[keyPath: path][key]?[place] ^= 1 << UInt8(place % 8)
    return damaged
  }
}

/// Expects what is read of a damaged store to be as before, or an error that says what it is.
///
/// - Returns: Whether it is as before.
func isRead(_ expected: [[[UInt8]: [UInt8]]], _ read: () throws -> [[[UInt8]: [UInt8]]]) throws -> Bool {
  do {
    #expect(try read() == expected)
    return true
  } catch let error as StorageError {
    #expect([.corrupt, .schemaTooNew].contains(error.code), "\(error)")
    return false
  }
}
