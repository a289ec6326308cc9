import Foundation
import QuarryBackend
import QuarryKeyValue
import Testing

@testable import QuarryLMDB

/// Pages of LMDB that are whole by themselves, with their own numbers and as many entries as before, whose keys belong into
/// other pages.
@Suite struct LMDBKeyBoundsTests {
  private static let pageSize = 4_096
  private let place: Place

  init() throws {
    place = try Place()
  }

  private func word(_ data: Data, _ offset: Int) -> Int { Int(data[offset]) | Int(data[offset + 1]) << 8 }

  /// The leaf pages of the store's tree, in the order of their keys.
  private func leaves(_ data: Data) -> [(offset: Int, key: [UInt8], count: Int)] {
    var found: [(offset: Int, key: [UInt8], count: Int)] = []
    for offset in stride(from: 2 * Self.pageSize, to: data.count, by: Self.pageSize) where word(data, offset + 10) == 2
    {
      let count = (word(data, offset + 12) - 16) / 2
      guard count > 0 else { continue }
      let node = offset + word(data, offset + 16)
      let key = Array(data[node + 8..<node + 8 + word(data, node + 6)])
      if key.count >= 16 { found.append((offset, key, count)) }
    }
    return found.sorted { $0.key.lexicographicallyPrecedes($1.key) }
  }

  private func code(_ data: Data) throws -> (StorageError.Code, String)? {
    try data.write(to: URL(fileURLWithPath: place.path + "/data.mdb"))
    var options = OpenOptions()
    options.checksStructure = true
    do throws(StorageError) {
      try LMDBEngine(LMDBConfiguration(path: place.path), options).close()
      return nil
    } catch {
      return (error.code, error.message)
    }
  }

  @Test func keysOfTheNextPageAndOfTheOneBeforeAreDamage() throws {
    let engine = try place.open()
    try engine.write { tx throws(StorageError) in
      for number in 0..<600 {
        let text = Array("key of the entry ".utf8) + withUnsafeBytes(of: UInt32(number).bigEndian) { Array($0) }
        try tx.put(1, text, Array(repeating: UInt8(number % 251), count: 60))
      }
    }
    try engine.close()
    let data = try Data(contentsOf: URL(fileURLWithPath: place.path + "/data.mdb"))
    let leaves = leaves(data)
    #expect(leaves.count > 8)
    #expect(try code(data) == nil)
    var tried = 0
    for (left, right) in zip(leaves, leaves.dropFirst()) where left.count == right.count {
      for (from, to) in [(left, right), (right, left)] {
        tried += 1
        // The number of a page stays, which is at its beginning.
        var changed = data
        changed.replaceSubrange(
          to.offset + 8..<to.offset + Self.pageSize, with: data[from.offset + 8..<from.offset + Self.pageSize])
        let found = try code(changed)
        #expect(found?.0 == .corrupt)
        #expect(found?.1.contains("out of order") == true)
      }
    }
    #expect(tried > 8)
  }
}
