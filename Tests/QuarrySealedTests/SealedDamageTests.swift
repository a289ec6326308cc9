import QuarryBackend
import QuarryEncryption
import QuarryKeyValue
import QuarryMemory
import QuarryTestSupport
import Testing

@testable import QuarrySealed

@Suite struct SealedDamageTests {
  private static let canary = Array("the canary sings".utf8)

  /// A store with everything: branches, chains, several trees.
  private func content(_ byte: UInt8 = 7) throws -> (BaseContent, [[[UInt8]: [UInt8]]]) {
    let base = MemoryEngine()
    let engine = try sealed(base, byte)
    try engine.write { tx throws(StorageError) in
      for number in 0..<120 { try tx.put(0, Self.canary + key(number), Self.canary + key(number)) }
      try tx.put(9, Self.canary, Array(repeatElement(Self.canary, count: 600).joined()))
    }
    try engine.write { tx throws(StorageError) in
      for number in 0..<40 { try tx.put(0, Self.canary + key(number * 3), key(number)) }
    }
    return (try BaseContent(base), try engine.beginRead().contents([0, 9]))
  }

  private func read(_ content: BaseContent) throws -> [[[UInt8]: [UInt8]]] {
    try sealed(content.engine()).beginRead().contents([0, 9])
  }

  private func holds(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
    guard bytes.count >= part.count else { return false }
    return (0...(bytes.count - part.count)).contains { bytes[$0..<($0 + part.count)].elementsEqual(part) }
  }

  @Test func nothingIsInTheClear() throws {
    let (content, _) = try content()
    for bytes in content.all { #expect(!holds(bytes, Array("canary".utf8))) }
    // Sizes say nothing either.
    for (key, page) in content.pages { #expect(page.count == (key == SealedTrees.otherSlotKey ? 128 : 4_080)) }
  }

  @Test func theErrorsAreToldApart() throws {
    let (content, _) = try content()
    let base = try content.engine()
    #expect(code { () throws(any Error) in _ = try sealed(base, 8) } == .wrongKey)
    #expect(code { () throws(any Error) in _ = try KeyValueBackend(base, options: OpenOptions()) } == .keyRequired)
    #expect(try BaseContent(base) == content)

    let plain = MemoryEngine()
    let backend = try KeyValueBackend(plain, options: OpenOptions())
    let write = try backend.beginWrite(WriteOptions())
    let id = PropertySchema(name: "id", type: .int64)
    try write.apply(.createModel(ModelSchema(name: "Book", properties: [id], primaryKey: 0)))
    _ = try write.commit()
    #expect(code { () throws(any Error) in _ = try sealed(plain) } == .notEncrypted)
    #expect(try BaseContent(plain).all.isEmpty)

    var newer = content
    newer.envelope[SealedTrees.rootKey]?[0] = 2
    #expect(code { () throws(any Error) in _ = try sealed(newer.engine()) } == .corrupt)
    newer.envelope[SealedTrees.rootKey]?.replaceSubrange(2..<4, with: [0xFD, 0xFF])
    #expect(code { () throws(any Error) in _ = try sealed(newer.engine()) } == .schemaTooNew)
  }

  @Test func oneSlotServesAndBothAreNeededByNobody() throws {
    var (content, expected) = try content()
    let slot = try #require(content.envelope[SealedTrees.slotKey])
    content.envelope[SealedTrees.slotKey]?[60] ^= 1
    #expect(try read(content) == expected)
    // The next commit overwrites the slot, and opening does not.
    let mended = try content.engine()
    let engine = try sealed(mended)
    #expect(try engine.check().count == 1)
    #expect(try BaseContent(mended).envelope[SealedTrees.slotKey] != slot)
    let write = try engine.beginWrite(timeout: 0)
    _ = try [9].withBytes { key throws(StorageError) in try write.put(9, key, key) }
    _ = try write.commit()
    #expect(try engine.check() == [])
    #expect(try BaseContent(mended).envelope[SealedTrees.slotKey] == slot)
    content.envelope[SealedTrees.slotKey] = nil
    #expect(try read(content) == expected)
    content.pages[SealedTrees.otherSlotKey]?[60] ^= 1
    #expect(code { try read(content) } == .corrupt)
    content.pages[SealedTrees.otherSlotKey] = nil
    #expect(code { try read(content) } == .corrupt)
    // A slot that was exported is given back.
    content.envelope[SealedTrees.slotKey] = slot
    #expect(try read(content) == expected)
  }

  /// Every bit would take minutes: every byte has one that is turned.
  @Test func noTurnedBitGivesOtherData() throws {
    let (content, expected) = try content()
    var (errors, same) = (0, 0)
    func turn(_ path: WritableKeyPath<BaseContent, [[UInt8]: [UInt8]]>, _ key: [UInt8], _ place: Int) throws {
      let damaged = content.turned(path, key, place)
      if try isRead(expected, { try read(damaged) }) { same += 1 } else { errors += 1 }
    }
    for (key, value) in content.envelope {
      for place in value.indices { try turn(\.envelope, key, place) }
    }
    for (key, value) in content.pages {
      for place in stride(from: 0, to: value.count, by: 13) { try turn(\.pages, key, place) }
    }
    // A slot is there twice.
    #expect(same == 128 + 128 / 13 + 1)
    #expect(errors > 1_000)
  }

  @Test func pagesThatWereExchangedRemovedOrPutBackAreFound() throws {
    let (content, _) = try content()
    let pages = content.pages.keys.filter { $0 != SealedTrees.otherSlotKey }
    let (other, _) = try self.content()
    for page in pages {
      var damaged = content
      damaged.pages[page] = nil
      #expect(code { try read(damaged) } == .corrupt)
      damaged.pages[page] = [UInt8](repeating: 0, count: 4_080)
      #expect(code { try read(damaged) } == .corrupt)
      damaged.pages[page] = other.pages[page]
      #expect(code { try read(damaged) } == .corrupt)
      damaged.pages[page] = content.pages[page]?.dropLast()
      #expect(code { try read(damaged) } == .corrupt)
      for second in pages where second != page {
        var damaged = content
        damaged.pages[page] = content.pages[second]
        damaged.pages[second] = content.pages[page]
        #expect(code { try read(damaged) } == .corrupt)
      }
    }
  }

  @Test func anOlderPageOfTheSameStoreIsFound() throws {
    let base = MemoryEngine()
    let engine = try sealed(base)
    try engine.write { tx throws(StorageError) in try tx.put(1, [1], [1]) }
    let before = try BaseContent(base)
    try engine.write { tx throws(StorageError) in try tx.put(1, [1], [2]) }
    var after = try BaseContent(base)
    let page = try #require(after.pages.keys.first { $0 != SealedTrees.otherSlotKey })
    after.pages[page] = before.pages[page]
    #expect(code { () throws(any Error) in _ = try sealed(after.engine()).value(1, [1]) } == .corrupt)
    #expect(try sealed(after.engine()).check() != [])
  }

  @Test func aPageThatBelongsToNothingIsNamed() throws {
    var (content, _) = try content()
    let page = try #require(content.pages.first { $0.key != SealedTrees.otherSlotKey })
    content.pages[[0, 0, 0, 0, 0, 1, 0, 0]] = page.value
    let defects = try sealed(content.engine()).check()
    #expect(defects.count == 1)
    #expect(defects.first?.contains("belong to nothing") == true)
  }
}
