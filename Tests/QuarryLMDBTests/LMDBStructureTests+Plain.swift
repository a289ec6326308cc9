import Foundation
import QuarryBackend
import QuarryEncryption
import QuarryKeyValue
import QuarrySealed
import QuarryTestSupport
import Testing
@testable import QuarryLMDB

extension LMDBStructureTests {
  // MARK: Plain stores

  /// A closed plain store: pages of 400 entries in three trees, a value of many pages, and free pages.
  private func makePlainStore() throws -> Data {
    let engine = try place.open()
    try engine.write { tx throws(StorageError) in
      for tree: TreeID in 1...3 {
        for number in 0..<400 { try tx.put(tree, key(number), Array(repeating: UInt8(number % 251), count: 100)) }
      }
      for number in 0..<3 { try tx.put(2, key(1_000 + number), Array(repeating: 9, count: 30_000)) }
    }
    for _ in 0..<2 {
      try engine.write { tx throws(StorageError) in
        for number in 0..<50 { _ = try tx.delete(1, key(number)) }
        for number in 0..<50 { try tx.put(1, key(number), Array(repeating: 1, count: 100)) }
      }
    }
    try engine.close()
    return try Data(contentsOf: dataPath)
  }

  private func openChecking() throws -> LMDBEngine {
    var options = OpenOptions()
    options.checksStructure = true
    options.durability = .processCrash
    options.busyTimeout = 0.2
    return try LMDBEngine(LMDBConfiguration(path: place.path), options)
  }

  /// Reads and writes what the file has become, all that the library may follow.
  ///
  /// - Returns: Whether it was opened.
  private func survives(_ damaged: Data, _ about: String) throws -> Bool {
    try damaged.write(to: dataPath)
    do {
      let engine = try openChecking()
      defer { try? engine.close() }
      _ = try engine.check()
      _ = try content(engine)
      try engine.write { tx throws(StorageError) in
        for tree: TreeID in 1...3 {
          for number in stride(from: 0, to: 400, by: 3) { _ = try tx.delete(tree, key(number)) }
          for number in stride(from: 0, to: 400, by: 5) {
            try tx.put(tree, key(number), Array(repeating: 7, count: 300))
          }
        }
        _ = try tx.delete(2, in: .all)
      }
      _ = try content(engine)
      return true
    } catch let error as StorageError {
      #expect(error.code == .corrupt, "\(about): \(error)")
      return false
    }
  }

  @Test func noErasedPageEndsTheProcessThatLooks() throws {
    let data = try makePlainStore()
    #expect(try survives(data, "nothing"))
    var opened = 0
    let pages = data.count / Self.pageSize
    for page in 0..<pages {
      var damaged = data
      damaged.replaceSubrange(page * Self.pageSize..<(page + 1) * Self.pageSize, with: Data(count: Self.pageSize))
      if try survives(damaged, "page \(page)") { opened += 1 }
    }
    // What is free, the pages of values behind their heads, and the older meta page.
    #expect(opened < pages * 2 / 3)
  }

  @Test func noExchangedPagesEndTheProcessThatLooks() throws {
    let data = try makePlainStore()
    let pages = data.count / Self.pageSize
    for page in 0..<pages {
      let other = (page * 7 + 3) % pages
      var damaged = data
      for (one, two) in [(page, other), (other, page)] {
        damaged.replaceSubrange(
          one * Self.pageSize..<(one + 1) * Self.pageSize,
          with: data[two * Self.pageSize..<(two + 1) * Self.pageSize])
      }
      _ = try survives(damaged, "pages \(page) and \(other)")
    }
  }

  @Test func noTurnedBitEndsTheProcessThatLooks() throws {
    let data = try makePlainStore()
    var places = [0, Self.pageSize].flatMap { Array($0..<$0 + 152) }
    for page in ownPages(data) {
      places += page..<page + number(data, page + 12)
      places += page + number(data, page + 14)..<page + Self.pageSize
    }
    var random = SystemRandomNumberGenerator()
    for place in places.shuffled(using: &random).prefix(600) {
      var damaged = data
      let bit = Int.random(in: 0..<8, using: &random)
      damaged[place] ^= 1 << UInt8(bit)
      _ = try survives(damaged, "bit \(bit) of byte \(place)")
    }
  }

  /// LMDB takes 48 bytes for the record of a tree, whatever its length is said to be.
  @Test func aRecordOfATreeThatIsNoneIsDamage() throws {
    let data = try makePlainStore()
    // The root of the main database, by the meta page of the newest commit.
    let newest = data[144] > data[Self.pageSize + 144] ? 0 : Self.pageSize
    let page = number(data, newest + 128) * Self.pageSize
    try #require(number(data, page + 10) == 2)
    var tried = 0
    for index in 0..<(number(data, page + 12) - 16) / 2 {
      let node = page + number(data, page + 16 + 2 * index)
      guard number(data, node + 4) == 2 else { continue }
      // One byte more is room that the node may have behind it.
      for (place, value) in [(node, 49), (node, 47), (node, 50), (node + 4, 0), (node + 4, 1)] {
        var damaged = data
        damaged[place] = UInt8(value)
        #expect(try !survives(damaged, "\(value) at \(place)"))
        tried += 1
      }
    }
    #expect(tried >= 15)
  }

  /// A store that was just made has one commit, whose number is one bit from that of an environment that has none.
  @Test func aStoreWhoseOnlyCommitLostItsNumberIsNotTakenForNone() throws {
    let engine = try place.open()
    try engine.close()
    var data = try Data(contentsOf: dataPath)
    let numbers = [144, Self.pageSize + 144]
    #expect(numbers.map { data[$0] } == [0, 1])
    data[Self.pageSize + 144] = 0
    #expect(try !survives(data, "no number"))
    #expect(code { () throws(StorageError) in _ = try place.open() } == .corrupt)
    #expect(try Data(contentsOf: dataPath) == data)
  }

  /// The other meta page of such a store is that of the empty environment, which one bit of its number makes the newest.
  @Test func theStateBeforeTheOnlyCommitIsNotTakenForTheNewest() throws {
    try place.open().close()
    let sound = try Data(contentsOf: dataPath)
    try #require(sound[144] == 0 && sound[Self.pageSize + 144] == 1)
    for bit in 0..<64 {
      var data = sound
      data[144 + bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(try !survives(data, "bit \(bit)"))
      #expect(code { () throws(StorageError) in _ = try place.open() } == .corrupt, "bit \(bit)")
      #expect(try Data(contentsOf: dataPath) == data)
    }
  }

  /// LMDB keeps the pages of a value that is written again in the same transaction.
  @Test func aValueThatBecameShortInItsPagesIsNoDamage() throws {
    let engine = try place.open()
    try engine.write { tx throws(StorageError) in
      for number in 0..<40 { try tx.put(1, key(number), Array(repeating: 5, count: 30_000)) }
      for number in 0..<40 { try tx.put(1, key(number), Array(repeating: 6, count: number * 300)) }
    }
    try engine.environment.requireWholeStructure(readsHeads: true)
    #expect(try engine.check() == [])
    try engine.close()
    try openChecking().close()
  }

  @Test func noSoundPlainStoreIsTakenForDamage() throws {
    var random = SystemRandomNumberGenerator()
    let engine = try place.open()
    for _ in 0..<60 {
      try engine.write { tx throws(StorageError) in
        for _ in 0..<Int.random(in: 1...300, using: &random) {
          let entry = key(Int.random(in: 0..<2_000, using: &random))
          let tree = TreeID.random(in: 1...20, using: &random)
          if Bool.random(using: &random) {
            let size = [0, 20, 1_900, 2_030, 6_000].randomElement(using: &random) ?? 0
            try tx.put(tree, entry, Array(repeating: 5, count: size))
          } else {
            _ = try tx.delete(tree, entry)
          }
        }
        if Int.random(in: 0..<8, using: &random) == 0 { _ = try tx.delete(5, in: .all) }
      }
      try engine.environment.requireWholeStructure(readsHeads: true)
    }
    try engine.compact()
    try engine.environment.requireWholeStructure(readsHeads: true)
    try engine.close()
    try openChecking().close()
  }

  /// Numbers of pages that the map has room for, and the file does not have, in a plain store: of children, and of values.
  @Test(arguments: [1, 2])
  func aPageBeyondTheFileIsAnError(kind: Int) throws {
    var engine = try place.open()
    try engine.write { tx throws(StorageError) in
      for number in 0..<1_000 { try tx.put(1, key(number), Array(repeating: 3, count: number % 9 == 0 ? 5_000 : 9)) }
    }
    try engine.close()
    var data = try Data(contentsOf: dataPath)
    for page in ownPages(data) where number(data, page + 10) == kind {
      for index in 0..<(number(data, page + 12) - 16) / 2 {
        let node = page + number(data, page + 16 + 2 * index)
        if kind == 1 {
          data[node + 2] = 1
        } else if number(data, node + 4) == 1 {
          data[node + 8 + number(data, node + 6) + 2] = 1
        }
      }
    }
    try data.write(to: dataPath)
    engine = try place.open()
    for number in [0, 1, 500, 999] {
      let isThere = kind == 2 && number % 9 != 0
      #expect(code { () throws(StorageError) in _ = try engine.value(1, key(number)) } == (isThere ? nil : .corrupt))
    }
  }
}
