import Foundation
import QuarryBackend
import QuarryKeyValue
import QuarryTestSupport
import Testing

@testable import QuarryLMDB

@Suite struct LMDBEngineTests {
  let place: Place
  let engine: LMDBEngine

  init() throws {
    place = try Place()
    engine = try place.open()
  }

  // MARK: Transactions

  @Test(arguments: EngineTrial.allCases)
  func itDoesWhatEveryEngineDoes(_ trial: EngineTrial) throws {
    try trial.run(on: engine)
  }

  @Test func whatWasCommittedIsThereAfterReopening() throws {
    try engine.write { tx throws(StorageError) in
      for id in 0..<40 as Range<TreeID> { try tx.put(id, key(Int(id)), [1, 2]) }
    }
    try engine.close()
    let again = try place.open()
    for id in 0..<40 as Range<TreeID> { #expect(try again.value(id, key(Int(id))) == [1, 2]) }
    #expect(try again.check() == [])
  }

  @Test func anEmptyValueComesBackWhenItsSavepointIsRolledBack() throws {
    try engine.write { tx throws(StorageError) in
      try tx.put(1, [1], [])
      try tx.put(1, [2], [7])
    }
    let write = try engine.beginWrite(timeout: 0)
    try write.savepoint()
    #expect(try write.delete(1, [1]))
    try write.put(1, [2], [])
    try write.put(1, [3], [])
    try write.rollbackSavepoint()
    #expect(try write.contents([1]) == [[[1]: [], [2]: [7]]])
    try write.savepoint()
    #expect(try write.delete(1, in: .all) == 2)
    try write.rollbackSavepoint()
    try write.put(2, [1], [])
    _ = try write.commit()
    #expect(try engine.beginRead().contents([1, 2]) == [[[1]: [], [2]: [7]], [[1]: []]])
  }

  // MARK: Keys

  static let zeroKeys: [[UInt8]] = [[], [0], [0, 0], [0, 0, 1], [0, 1], [1], [1, 0], [255]]

  @Test func everyKeyIsAKey() throws {
    try engine.write { tx throws(StorageError) in
      for key in Self.zeroKeys.shuffled() { try tx.put(1, key, key + [7]) }
    }
    for key in Self.zeroKeys { #expect(try engine.value(1, key) == key + [7]) }
    let read = try engine.beginRead()
    #expect(try read.keys(1) == Self.zeroKeys)
    #expect(try read.keys(1, descending: true) == Self.zeroKeys.reversed())
  }

  @Test(arguments: zeroKeys, zeroKeys)
  func boundsOfZerosAreBounds(lower: [UInt8], upper: [UInt8]) throws {
    try engine.write { tx throws(StorageError) in
      for key in Self.zeroKeys { try tx.put(1, key, []) }
    }
    let range = KeyRange(lower: lower, upper: upper)
    let expected = Self.zeroKeys.filter { !$0.lexicographicallyPrecedes(lower) && $0.lexicographicallyPrecedes(upper) }
    let read = try engine.beginRead()
    #expect(try read.keys(1, range) == expected)
    #expect(try read.keys(1, range, descending: true) == expected.reversed())
    #expect(try read.count(1, range) == expected.count)
  }

  @Test(arguments: [0, 7] as [UInt8])
  func theLongestKeyIsStoredAndOneByteMoreIsRefused(byte: UInt8) throws {
    let limit = try #require(engine.properties.maximumKeyBytes)
    let longest = [UInt8](repeating: byte, count: limit)
    let write = try engine.beginWrite(timeout: 0)
    try write.put(1, longest, [1])
    #expect(code { () throws(StorageError) in try write.put(1, longest + [byte], [1]) } == .limitExceeded)
    #expect(code { () throws(StorageError) in _ = try write.insert(1, longest + [byte], [1]) } == .limitExceeded)
    #expect(try !write.delete(1, longest + [byte]))
    #expect(try write.get(1, longest + [byte]) == nil)
    _ = try write.commit()
    #expect(try engine.value(1, longest) == [1])
    #expect(try engine.value(1, longest + [byte]) == nil)
  }

  @Test(arguments: [0, 1, 2_000, 5_000, 1 << 20])
  func valuesOfAnySize(count: Int) throws {
    let value = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try engine.write { tx throws(StorageError) in try tx.put(1, [1], value) }
    #expect(try engine.value(1, [1]) == value)
  }

  // MARK: Cursors

  @Test(arguments: [false, true])
  func batchesAreWhatStepsAre(descending: Bool) throws {
    try engine.write { tx throws(StorageError) in
      for number in 0..<1000 { try tx.put(1, key(number), key(number)) }
    }
    let read = try engine.beginRead()
    var cursor = try read.cursor(1, KeyRange(lower: key(100), upper: key(900)), descending: descending)
    let room = UnsafeMutableBufferPointer<UnsafeRawBufferPointer>.allocate(capacity: 64)
    defer { room.deallocate() }
    var found: [[UInt8]] = []
    while case let count = try cursor.fill(room), count > 0 { found += room[..<count].map { Array($0) } }
    #expect(found == (descending ? (100..<900).reversed().map(key) : (100..<900).map(key)))
    #expect(try cursor.fill(room) == 0)
  }

  @Test func aCursorEndsWhenItsTreeIsWrittenTo() throws {
    let write = try engine.beginWrite(timeout: 0)
    for number in 0..<10 { try write.put(1, key(number), []) }
    var cursor = try write.cursor(1, .all, descending: false)
    var other = try write.cursor(2, .all, descending: false)
    _ = try cursor.next()
    try write.put(1, key(99), [])
    #expect(code { () throws(StorageError) in _ = try cursor.next() } == .transactionEnded)
    #expect(try other.next() == nil)
  }

  @Test func cursorsOutliveTheirTransactionHarmlessly() throws {
    try engine.write { tx throws(StorageError) in try tx.put(1, [1], [1]) }
    let read = try engine.beginRead()
    let write = try engine.beginWrite(timeout: 0)
    var cursors = [
      try read.cursor(1, .all, descending: false), try write.cursor(1, .all, descending: true),
    ]
    read.end()
    write.end()
    for place in cursors.indices {
      #expect(code { () throws(StorageError) in _ = try cursors[place].next() } == .transactionEnded)
    }
  }

  @Test func manyCursorsOfAWriterAreGivenBack() throws {
    let write = try engine.beginWrite(timeout: 0)
    try write.put(1, [1], [1])
    for _ in 0..<1000 {
      var cursor = try write.cursor(1, .all, descending: false)
      #expect(try cursor.next() != nil)
    }
    _ = try write.commit()
    #expect(try engine.value(1, [1]) == [1])
  }

  // MARK: Writing

  @Test(arguments: 1...(40 as UInt64))
  func randomOperationsAgreeWithADictionary(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var model: [[[UInt8]: [UInt8]]] = [[:], [:], [:]]
    for _ in 0..<30 {
      let write = try engine.beginWrite(timeout: 0)
      var working = model
      var saved: [[[[UInt8]: [UInt8]]]] = []
      for _ in 0..<random.below(60) {
        let tree = random.below(3)
        let key = random.key()
        let value = [UInt8](
          repeating: UInt8(random.below(256)), count: random.below(10) == 0 ? 6_000 : random.below(40))
        // A read leaves the cursor where the next change may find it.
        if random.below(2) == 0 {
          let read = random.below(3) == 0 ? random.key() : key
          #expect(try write.get(TreeID(tree), read) == working[tree][read], "seed \(seed)")
        }
        switch random.below(12) {
        case 0..<4:
          #expect(try write.put(TreeID(tree), key, value) == (working[tree].updateValue(value, forKey: key) == nil))
        case 4..<6:
          let isNew = working[tree][key] == nil
          #expect(try write.insert(TreeID(tree), key, value) == isNew)
          if isNew { working[tree][key] = value }
        case 6..<8:
          #expect(try write.delete(TreeID(tree), key) == (working[tree].removeValue(forKey: key) != nil))
        case 8:
          let range = random.below(3) == 0 ? KeyRange.all : KeyRange(lower: key, upper: random.key())
          let gone = working[tree].keys.filter { candidate in
            !(range.lower.map { candidate.lexicographicallyPrecedes($0) } ?? false)
              && (range.upper.map { candidate.lexicographicallyPrecedes($0) } ?? true)
          }
          #expect(try write.delete(TreeID(tree), in: range) == gone.count)
          for key in gone { working[tree][key] = nil }
        case 9:
          try write.savepoint()
          saved.append(working)
        default:
          guard let kept = saved.popLast() else { continue }
          if random.below(2) == 0 {
            try write.rollbackSavepoint()
            working = kept
          } else {
            try write.releaseSavepoint()
          }
        }
      }
      #expect(try write.contents(0..<3) == working, "seed \(seed)")
      if random.below(4) == 0 {
        write.end()
      } else {
        _ = try write.commit()
        model = working
      }
      #expect(try engine.beginRead().contents(0..<3) == model, "seed \(seed)")
    }
    #expect(try engine.check() == [], "seed \(seed)")
  }

  @Test func ascendingKeysFillPages() throws {
    let value = [UInt8](repeating: 1, count: 100)
    try engine.write { tx throws(StorageError) in
      for number in 0..<4_000 { try tx.put(1, key(number), value) }
    }
    let figures = try engine.beginRead().statistics(of: 1)
    #expect(figures.entries == 4_000)
    #expect(try #require(figures.bytes) < 4_000 * 100 * 5 / 4)
  }

  @Test func keysThatAscendAmongOthersAreFoundAgain() throws {
    try engine.write { tx throws(StorageError) in
      try tx.put(1, [255], [])
      for number in 0..<3_000 { try tx.put(1, key(number), []) }
      for number in (3_000..<4_000).reversed() { try tx.put(1, key(number), []) }
    }
    let read = try engine.beginRead()
    #expect(try read.keys(1) == (0..<4_000).map(key) + [[255]])
  }

  @Test func aRollbackBringsBackARange() throws {
    try engine.write { tx throws(StorageError) in
      for number in 0..<500 { try tx.put(1, key(number), key(number)) }
    }
    let write = try engine.beginWrite(timeout: 0)
    try write.savepoint()
    #expect(try write.delete(1, in: .all) == 500)
    try write.put(1, key(7), [1])
    try write.rollbackSavepoint()
    #expect(try write.keys(1) == (0..<500).map(key))
    #expect(try write.get(1, key(7)) == key(7))
  }

  @Test func aFullMapIsFullAndTheStoreGoesOn() throws {
    let small = try Place()
    let engine = try small.open(mapBytes: 1 << 18)
    try engine.write { tx throws(StorageError) in try tx.put(1, [1], [1]) }
    let write = try engine.beginWrite(timeout: 0)
    let value = [UInt8](repeating: 1, count: 10_000)
    let found = code { () throws(StorageError) in
      for number in 0..<100 { try write.put(1, key(number), value) }
    }
    #expect(found == .full)
    #expect(code { () throws(StorageError) in try write.put(1, [2], [2]) } == .full)
    #expect(code { () throws(StorageError) in _ = try write.commit() } == .full)
    #expect(try engine.value(1, [1]) == [1])
    try engine.write { tx throws(StorageError) in try tx.put(1, [2], [2]) }
    #expect(try engine.value(1, [2]) == [2])
    #expect(try engine.check() == [])
  }
}

extension SeededGenerator {
  fileprivate mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }

  /// A key of few values, so that keys meet again; keys of zeros among them.
  fileprivate mutating func key() -> [UInt8] { (0..<below(4)).map { _ in UInt8([0, 0, 1, 200][below(4)]) } }
}
