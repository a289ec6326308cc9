import QuarryBackend
import QuarryConformance
import QuarryKeyValue
import QuarryMemory
import QuarryTestSupport
import Testing

@testable import QuarrySealed

@Suite struct SealedEngineTests {
  private struct Harness: KeyValueEngineHarness {
    var cacheBytes = 32 << 20
    func makeEngine() throws -> SealedEngine<MemoryEngine> { try sealed(MemoryEngine(), cacheBytes: cacheBytes) }
  }

  private static let suite = KeyValueEngineSuite(Harness())
  private static let withoutCache = KeyValueEngineSuite(Harness(cacheBytes: 0))

  @Test(arguments: suite.cases)
  func conforms(_ name: String) {
    let failure = Self.suite.failure(of: name)
    #expect(failure == nil, "\(String(describing: failure))")
  }

  @Test(arguments: withoutCache.cases)
  func conformsWithoutACache(_ name: String) {
    let failure = Self.withoutCache.failure(of: name)
    #expect(failure == nil, "\(String(describing: failure))")
  }

  @Test(arguments: EngineTrial.allCases)
  func itDoesWhatEveryEngineDoes(_ trial: EngineTrial) throws {
    try trial.run(on: sealed(MemoryEngine()))
  }

  @Test func itSaysWhetherItEncrypts() throws {
    #expect(!MemoryEngine().properties.encrypts)
    #expect(try sealed(MemoryEngine()).properties.encrypts)
    #expect(try !SealedEngine(checksumming: MemoryEngine()).properties.encrypts)
  }

  @Test func whatWasCommittedIsThereAfterReopening() throws {
    let base = MemoryEngine()
    let engine = try sealed(base)
    try engine.write { tx throws(StorageError) in
      for number in 0..<2_000 { try tx.put(TreeID(number % 3), key(number), key(number * 7)) }
      try tx.put(5, [], [UInt8](repeating: 9, count: 100_000))
    }
    let again = try sealed(base.reopened())
    for number in 0..<2_000 { #expect(try again.value(TreeID(number % 3), key(number)) == key(number * 7)) }
    #expect(try again.value(5, []) == [UInt8](repeating: 9, count: 100_000))
    #expect(try again.check() == [])
  }

  /// More than are found by a walk, some of them for the first time in a savepoint that is rolled back.
  @Test func aTransactionKnowsManyTrees() throws {
    let base = MemoryEngine()
    let engine = try sealed(base)
    try engine.write { tx throws(StorageError) in
      for tree in 0..<30 { try tx.put(TreeID(tree), key(1), key(tree)) }
      try tx.savepoint()
      for tree in 0..<60 { try tx.put(TreeID(tree), key(1), key(99)) }
      try tx.rollbackSavepoint()
      for tree in 20..<40 { try tx.put(TreeID(tree), key(2), key(tree)) }
    }
    let again = try sealed(base.reopened())
    for tree in 0..<60 {
      #expect(try again.value(TreeID(tree), key(1)) == (tree < 30 ? key(tree) : nil))
      #expect(try again.value(TreeID(tree), key(2)) == ((20..<40).contains(tree) ? key(tree) : nil))
    }
    #expect(try again.check() == [])
  }

  @Test(arguments: [0, 1, 1_000, 2_009, 2_010, 2_011, 4_023, 4_024, 4_025, 8_048, 8_049, 300_000])
  func valuesOfEveryLengthComeBack(_ count: Int) throws {
    let base = MemoryEngine()
    let engine = try sealed(base)
    let value = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    try engine.write { tx throws(StorageError) in
      try tx.put(1, [1], value)
      try tx.put(1, [2], [1])
    }
    #expect(try engine.value(1, [1]) == value)
    #expect(try sealed(base.reopened()).value(1, [1]) == value)
    try engine.write { tx throws(StorageError) in try tx.put(1, [1], [7]) }
    #expect(try engine.check() == [])
    // A slot of the key, and one leaf.
    #expect(try BaseContent(base).pages.count == 2)
  }

  @Test func theLongestKeyIsStoredAndOneByteMoreIsRefused() throws {
    let engine = try sealed(MemoryEngine())
    let longest = [UInt8](repeating: 3, count: 960)
    let write = try engine.beginWrite(timeout: 0)
    try write.put(1, longest, [UInt8](repeating: 1, count: 5_000))
    #expect(code { () throws(StorageError) in try write.put(1, longest + [1], [1]) } == .limitExceeded)
    #expect(code { () throws(StorageError) in _ = try write.insert(1, longest + [1], [1]) } == .limitExceeded)
    #expect(try write.get(1, longest + [1]) == nil)
    #expect(try !write.delete(1, longest + [1]))
    _ = try write.commit()
    #expect(try engine.value(1, longest)?.count == 5_000)
  }

  @Test func pagesOfWhatIsRemovedGo() throws {
    let base = MemoryEngine()
    let engine = try sealed(base)
    try engine.write { tx throws(StorageError) in
      for number in 0..<3_000 {
        try tx.put(1, key(number), [UInt8](repeating: 1, count: number % 500 == 0 ? 9_000 : 50))
      }
    }
    #expect(try BaseContent(base).pages.count > 40)
    try engine.write { tx throws(StorageError) in
      #expect(try tx.delete(1, in: KeyRange(lower: key(10), upper: key(2_900))) == 2_890)
    }
    #expect(try engine.check() == [])
    #expect(try BaseContent(base).pages.count < 15)
    try engine.write { tx throws(StorageError) in
      for number in 0..<3_000 { _ = try tx.delete(1, key(number)) }
    }
    #expect(try engine.check() == [])
    #expect(try BaseContent(base).pages.count == 1)
  }

  @Test func aSnapshotOutlivesChangesAndAFullChangeOfTheKey() throws {
    let base = MemoryEngine()
    let engine = try sealed(base, cacheBytes: 0)
    try engine.write { tx throws(StorageError) in
      for number in 0..<500 { try tx.put(1, key(number), key(number)) }
    }
    let snapshot = try engine.snapshot()
    try engine.write { tx throws(StorageError) in _ = try tx.delete(1, in: .all) }
    try engine.rekey(to: encryption(8), .full)
    let read = try snapshot.beginRead()
    #expect(try read.count(1, .all) == 500)
    #expect(try read.keys(1).count == 500)
    #expect(try read.get(1, key(77)) == key(77))
    #expect(try engine.beginRead().count(1, .all) == 0)
    snapshot.close()
    #expect(code { () throws(StorageError) in _ = try read.get(1, key(77)) } == .closed)
  }

  @Test func twoEnginesOnOneBaseSeeEachOthersCommits() throws {
    let base = MemoryEngine()
    let (one, two) = (try sealed(base), try sealed(base))
    for number in 0..<200 {
      let (writer, reader) = number % 2 == 0 ? (one, two) : (two, one)
      try writer.write { tx throws(StorageError) in try tx.put(1, key(number % 50), key(number)) }
      #expect(try reader.value(1, key(number % 50)) == key(number))
    }
    #expect(try one.check() == [])
  }
}
