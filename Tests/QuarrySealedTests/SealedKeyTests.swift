import QuarryBackend
import QuarryKeyValue
import QuarryMemory
import QuarryTestSupport
import Testing

@testable import QuarrySealed

@Suite struct SealedKeyTests {
  private func filled(_ base: MemoryEngine) throws -> SealedEngine<MemoryEngine> {
    let engine = try sealed(base)
    try engine.write { tx throws(StorageError) in
      for number in 0..<800 { try tx.put(1, key(number), key(number)) }
      try tx.put(2, [1], [UInt8](repeating: 5, count: 20_000))
    }
    return engine
  }

  @Test(arguments: [RekeyExtent.full, .wrappingOnly])
  func theNewKeyOpensAndTheOldOneDoesNot(_ extent: RekeyExtent) throws {
    let base = MemoryEngine()
    let engine = try filled(base)
    let (before, content) = (try BaseContent(base), try engine.beginRead().contents([1, 2]))
    try engine.rekey(to: encryption(8), extent)
    #expect(try engine.beginRead().contents([1, 2]) == content)
    try engine.write { tx throws(StorageError) in try tx.put(3, [1], [1]) }
    let again = try base.reopened()
    #expect(code { () throws(any Error) in _ = try sealed(again, 7) } == .wrongKey)
    #expect(try sealed(again, 8).beginRead().contents([1, 2]) == content)
    #expect(try sealed(again, 8).check() == [])
    #expect(engine.envelopeSlot?.generation == 2)
    // An old slot that is put back opens pages that only its data key was changed around.
    var mixed = try BaseContent(again)
    mixed.envelope[SealedTrees.slotKey] = before.envelope[SealedTrees.slotKey]
    mixed.pages[SealedTrees.otherSlotKey] = before.pages[SealedTrees.otherSlotKey]
    let error = code { () throws(any Error) in _ = try sealed(mixed.engine(), 7) }
    #expect(error == (extent == .full ? .corrupt : nil))
    // Not a page is as it was after the full change.
    let kept = try BaseContent(base).pages.filter { before.pages[$0.key] == $0.value }.count
    #expect(extent == .full ? kept == 0 : kept > 10)
  }

  /// A base that fails at some write, as on a full disk or at the end of a process: one transaction, all or nothing.
  @Test(arguments: [RekeyExtent.full, .wrappingOnly])
  func aChangeThatIsNotCommittedIsNone(_ extent: RekeyExtent) throws {
    let base = MemoryEngine()
    let engine = try filled(base)
    let before = try BaseContent(base)
    let write = try base.beginWrite(timeout: 0)
    _ = try SealedRekeying(engine.session, write).run(to: encryption(8), extent)
    #expect(try BaseContent(base) == before)
    write.end()
    #expect(try BaseContent(base) == before)
    #expect(code { () throws(any Error) in _ = try sealed(base.reopened(), 8) } == .wrongKey)
    #expect(try sealed(base.reopened(), 7).check() == [])
    try engine.write { tx throws(StorageError) in try tx.put(3, [1], [1]) }
    #expect(try engine.check() == [])
  }

  @Test func whoHasTheStoreOpenLearnsThatTheKeyWasChanged() throws {
    let base = MemoryEngine()
    let (one, two) = (try filled(base), try sealed(base))
    try one.rekey(to: encryption(8), .wrappingOnly)
    #expect(try two.value(1, key(3)) == key(3))
    try one.rekey(to: encryption(9), .full)
    #expect(code { () throws(any Error) in _ = try two.value(1, key(3)) } == .wrongKey)
    #expect(code { () throws(any Error) in _ = try two.beginWrite(timeout: 0) } == .wrongKey)
    #expect(try one.value(1, key(3)) == key(3))
  }

  @Test func sealsOfTransactionsThatFailAreCounted() throws {
    let base = MemoryEngine()
    let engine = try sealed(base)
    let first = try #require(try engine.statistics().details["seals"].flatMap { Int($0) })
    let write = try engine.beginWrite(timeout: 0)
    try write.put(1, [1], [UInt8](repeating: 1, count: 40_000))
    write.end()
    try engine.write { tx throws(StorageError) in try tx.put(1, [1], [1]) }
    // Ten pages of the chain, one leaf, one root record.
    #expect(try engine.statistics().details["seals"] == String(first + 12))
  }
}
