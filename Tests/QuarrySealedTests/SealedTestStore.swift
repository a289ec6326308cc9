import QuarryBackend
import QuarryEncryption
import QuarryKeyValue
import QuarryMemory
import QuarryTestSupport

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
