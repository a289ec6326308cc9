import QuarryBackend
import QuarryKeyValue
import QuarryMemory
import QuarryTestSupport
import Testing

@testable import QuarrySealed

/// Pages with checksums in place of seals, over any engine.
@Suite struct SealedChecksumTests {
  private func checked(_ base: MemoryEngine) throws -> SealedEngine<MemoryEngine> {
    try SealedEngine(checksumming: base)
  }

  private func content() throws -> (BaseContent, [[[UInt8]: [UInt8]]]) {
    let base = MemoryEngine()
    let engine = try checked(base)
    try engine.write { tx throws(StorageError) in
      for number in 0..<120 { try tx.put(0, key(number), Array("value \(number)".utf8)) }
      try tx.put(9, key(0), [UInt8](repeating: 7, count: 9_000))
    }
    try engine.write { tx throws(StorageError) in
      for number in 0..<40 { try tx.put(0, key(number * 3), key(number)) }
    }
    #expect(try engine.check() == [])
    return (try BaseContent(base), try engine.beginRead().contents([0, 9]))
  }

  @Test func nothingIsEncryptedAndNothingIsAKey() throws {
    let (content, expected) = try content()
    #expect(content.envelope.keys.sorted { $0.lexicographicallyPrecedes($1) } == [SealedTrees.rootKey])
    #expect(content.pages[SealedTrees.otherSlotKey] == nil)
    let text = Array("value 119".utf8)
    #expect(
      content.pages.values.contains { page in
        (0...(page.count - text.count)).contains { page[$0..<($0 + text.count)].elementsEqual(text) }
      })
    let engine = try checked(content.engine())
    #expect(engine.envelopeSlot == nil)
    #expect(try engine.beginRead().contents([0, 9]) == expected)
    #expect(code { () throws(any Error) in try engine.rekey(to: encryption(3), .full) } == .notEncrypted)
  }

  @Test func theKindsAreToldApart() throws {
    let (content, _) = try content()
    #expect(
      code { () throws(any Error) in _ = try KeyValueBackend(content.engine(), options: OpenOptions()) } == .corrupt)
    #expect(code { () throws(any Error) in _ = try sealed(content.engine()) } == .corrupt)
    let base = MemoryEngine()
    _ = try sealed(base)
    #expect(code { () throws(any Error) in _ = try checked(base) } == .keyRequired)
    let plain = MemoryEngine()
    try plain.write { tx throws(StorageError) in try tx.put(0, key(1), key(1)) }
    #expect(code { () throws(any Error) in _ = try checked(plain) } == .corrupt)
  }

  @Test func noTurnedBitGivesOtherData() throws {
    let (content, expected) = try content()
    var (errors, same) = (0, 0)
    func turn(_ path: WritableKeyPath<BaseContent, [[UInt8]: [UInt8]]>, _ key: [UInt8], _ place: Int) throws {
      let damaged = content.turned(path, key, place)
      if try isRead(expected, { try checked(damaged.engine()).beginRead().contents([0, 9]) }) {
        same += 1
      } else {
        errors += 1
      }
    }
    for (key, value) in content.envelope { for place in value.indices { try turn(\.envelope, key, place) } }
    for (key, value) in content.pages {
      for place in stride(from: 0, to: value.count, by: 5) { try turn(\.pages, key, place) }
    }
    #expect(errors > 1_000 && same == 0)
  }

  @Test func anOlderOrOtherPageIsFound() throws {
    let base = MemoryEngine()
    let engine = try checked(base)
    try engine.write { tx throws(StorageError) in
      for number in 0..<300 { try tx.put(0, key(number), key(number)) }
    }
    let older = try BaseContent(base)
    try engine.write { tx throws(StorageError) in try tx.put(0, key(5), key(6)) }
    let newer = try BaseContent(base)
    var tried = 0
    for (page, value) in older.pages where newer.pages[page] != value {
      var mixed = newer
      mixed.pages[page] = value
      #expect(code { () throws(any Error) in _ = try checked(mixed.engine()).beginRead().contents([0]) } == .corrupt)
      tried += 1
    }
    for (page, _) in newer.pages {
      guard let other = newer.pages.first(where: { $0.key != page }) else { continue }
      var mixed = newer
      mixed.pages[page] = other.value
      #expect(code { () throws(any Error) in _ = try checked(mixed.engine()).beginRead().contents([0]) } == .corrupt)
      tried += 1
    }
    #expect(tried > 3)
  }
}
