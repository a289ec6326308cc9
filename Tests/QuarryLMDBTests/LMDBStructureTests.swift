import Foundation
import QuarryBackend
import QuarryEncryption
import QuarryKeyValue
import QuarrySealed
import QuarryTestSupport
import Testing

@testable import QuarryLMDB

/// What LMDB follows blindly is looked at before: damage is an error.
@Suite struct LMDBStructureTests {
  static let pageSize = 4_096
  let place: Place
  var dataPath: URL { URL(fileURLWithPath: place.path + "/data.mdb") }

  init() throws {
    place = try Place()
  }

  private func sealed() throws -> SealedEngine<LMDBEngine> {
    var options = OpenOptions()
    options.encryption = Encryption(try EncryptionKey([UInt8](repeating: 7, count: 32)))
    options.busyTimeout = 0.2
    options.durability = .processCrash
    let backend = try LMDBConfiguration(path: place.path).open(options)
    return try #require(backend as? KeyValueBackend<SealedEngine<LMDBEngine>>).engine
  }

  /// A closed store, whose last two commits leave the same: pages of 400 entries, a value of many pages, and free pages.
  private func makeStore() throws -> (data: Data, content: [[[UInt8]: [UInt8]]]) {
    let engine = try sealed()
    try engine.write { tx throws(StorageError) in
      for number in 0..<400 { try tx.put(1, key(number), Array(repeating: UInt8(number % 251), count: 300)) }
      try tx.put(2, [1], Array(repeating: 9, count: 30_000))
    }
    for _ in 0..<2 {
      try engine.write { tx throws(StorageError) in try tx.put(1, key(399), Array(repeating: 1, count: 300)) }
    }
    defer { try? engine.close() }
    #expect(try engine.check() == [])
    return (try Data(contentsOf: dataPath), try content(engine))
  }

  func content(_ engine: some KeyValueEngine) throws -> [[[UInt8]: [UInt8]]] {
    let read = try engine.beginRead()
    defer { read.end() }
    return try read.contents([1, 2])
  }

  /// Reads and writes what the file has become.
  ///
  /// - Returns: The code of the error; nil for the same content.
  private func found(in damaged: Data, _ expected: [[[UInt8]: [UInt8]]], _ about: String) throws -> StorageError.Code? {
    try damaged.write(to: dataPath)
    do {
      let engine = try sealed()
      defer { try? engine.close() }
      #expect(try content(engine) == expected, "\(about)")
      try engine.write { tx throws(StorageError) in
        _ = try tx.delete(1, key(7))
        try tx.put(1, key(7), Array(repeating: 7, count: 300))
        try tx.put(2, [1], Array(repeating: 9, count: 30_000))
      }
      #expect(try content(engine) == expected, "\(about), written to")
      return nil
    } catch let error as StorageError {
      #expect(error.code == .corrupt, "\(about): \(error)")
      return error.code
    }
  }

  func number(_ data: Data, _ offset: Int) -> Int { Int(data[offset]) | Int(data[offset + 1]) << 8 }

  /// The branch and leaf pages of a file, the free ones among them.
  func ownPages(_ data: Data) -> [Int] {
    (2..<data.count / Self.pageSize).map { $0 * Self.pageSize }.filter { [1, 2].contains(number(data, $0 + 10)) }
  }

  /// The heads of values, of free pages too.
  func heads(_ data: Data) -> [Int] {
    (2..<data.count / Self.pageSize).map { $0 * Self.pageSize }.filter { number(data, $0 + 10) == 4 }
  }

  /// A list of free pages is a value, in its page or in pages of its own.
  @Test func aListOfFreePagesOfAnotherKindIsDamage() throws {
    let data = try makeStore().data
    func word(_ offset: Int) -> Int { (0..<8).reduce(0) { $0 | Int(data[offset + $1]) << (8 * $1) } }
    let meta = word(144) > word(Self.pageSize + 144) ? 0 : Self.pageSize
    let page = word(meta + 80) * Self.pageSize
    #expect(number(data, page + 10) == 2)
    let count = (number(data, page + 12) - 16) / 2
    #expect(count > 1)
    for (index, flags) in [(0, 2), (0, 4), (count - 1, 2)] as [(Int, UInt8)] {
      var damaged = data
      damaged[page + number(data, page + 16 + 2 * index) + 4] = flags
      try damaged.write(to: dataPath)
      #expect(code { () throws(any Error) in try sealed().close() } == .corrupt, "list \(index), flags \(flags)")
    }
  }

  @Test func noTurnedBitOfLMDBsOwnPagesGivesOtherDataOrTheEnd() throws {
    let (data, expected) = try makeStore()
    var places = [0, Self.pageSize].flatMap { Array($0..<$0 + 152) }
    for page in ownPages(data) {
      places += page..<page + number(data, page + 12)
      places += page + number(data, page + 14)..<page + Self.pageSize
    }
    var random = SystemRandomNumberGenerator()
    var errors = 0
    for place in places.shuffled(using: &random).prefix(1_200) {
      var damaged = data
      let bit = Int.random(in: 0..<8, using: &random)
      damaged[place] ^= 1 << UInt8(bit)
      if try found(in: damaged, expected, "bit \(bit) of byte \(place)") != nil { errors += 1 }
    }
    #expect(errors > 100)
  }

  /// A head is not read before LMDB would free as many pages as it says.
  @Test(arguments: [0, 1, 7, 10, 11, 12, 13, 15])
  func aDamagedHeadOfAValueFreesNothing(byte: Int) throws {
    let (data, expected) = try makeStore()
    var damaged = data
    for page in heads(data) { damaged[page + byte] ^= 0x10 }
    #expect(try found(in: damaged, expected, "byte \(byte)") == .corrupt)
    try damaged.write(to: dataPath)
    let opened = Result { try sealed() }
    // Where the head is of another kind nothing of it is read.
    guard let engine = try? opened.get() else { return }
    defer { try? engine.close() }
    #expect(try engine.check().contains { $0.contains("no head of a value") })
    #expect(
      code { () throws(any Error) in try engine.backup(to: place.folder + "/copy.lmdb") { _, _ in true } } == .corrupt)
  }

  /// The commit before the newest is taken for it, by one number or the other.
  @Test(arguments: [(true, 2), (true, 4), (false, 2), (false, 4), (false, 32)])
  func anotherCommitIsNotTakenForTheNewest(isNewest: Bool, by difference: UInt64) throws {
    let (data, expected) = try makeStore()
    func number(_ page: Int) -> UInt64 {
      data[page * Self.pageSize + 144..<page * Self.pageSize + 152].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    let newest = number(1) > number(0) ? 1 : 0
    let page = isNewest ? newest : 1 - newest
    let changed = isNewest ? number(page) - difference : number(page) + difference
    var damaged = data
    for byte in 0..<8 {
      damaged[page * Self.pageSize + 144 + byte] = UInt8(truncatingIfNeeded: changed >> UInt64(8 * byte))
    }
    #expect(try found(in: damaged, expected, "\(isNewest) \(difference)") == .corrupt)
  }

  /// A commit ends with the writing of a meta page, over that of the commit before the last: its number comes last.
  @Test func aMetaPageThatWasWrittenInPartIsTheCommitBefore() throws {
    let (data, expected) = try makeStore()
    let engine = try sealed()
    try engine.write { tx throws(StorageError) in try tx.put(1, key(399), Array(repeating: 1, count: 300)) }
    try engine.close()
    let later = try Data(contentsOf: dataPath)
    let fields = 32..<152
    let page = later[fields] == data[fields] ? Self.pageSize : 0
    // The place of the root page comes to be the new one's with byte 97; all of a commit but its number is damage.
    for count in 0..<fields.count {
      var torn = later
      let old = page + fields.lowerBound + count..<page + fields.upperBound
      torn[old] = data[old]
      let code = try found(in: torn, expected, "\(count) bytes")
      #expect(code == nil || count > 96, "\(count) bytes")
      #expect(code == .corrupt || count != 112, "\(count) bytes")
    }
  }

  /// LMDB writes a meta page whose writing was refused again: with the old number, and the records of the refused commit.
  @Test func aRefusedMetaPageIsPutBack() throws {
    let (data, expected) = try makeStore()
    let engine = try sealed()
    let environment = engine.base.environment
    let number = UInt64(environment.lastTransaction) + 1
    #expect(environment.keepMeta(ofCommit: number))
    let page = Int(number % 2) * Self.pageSize
    let newest = Self.pageSize - page
    // Where the commit freed and used as many pages as the one before it, its records are like those.
    let records = newest + 40..<newest + 136
    let file = try FileHandle(forUpdating: dataPath)
    defer { try? file.close() }
    try file.seek(toOffset: UInt64(page + 40))
    try file.write(contentsOf: data[records])
    try #require(try Data(contentsOf: dataPath) != data)
    environment.restoreMeta(ofCommit: number)
    #expect(try Data(contentsOf: dataPath) == data)
    #expect(try engine.check() == [])
    #expect(try content(engine) == expected)

    // The page of a commit that succeeded stays.
    try engine.write { tx throws(StorageError) in try tx.put(1, key(399), Array(repeating: 2, count: 300)) }
    let later = try Data(contentsOf: dataPath)
    environment.restoreMeta(ofCommit: number)
    #expect(try Data(contentsOf: dataPath) == later)
    try engine.close()
  }

  /// A commit notes its number in the lock file last. A process that was killed before that leaves a meta page that LMDB does
  /// not know of while somebody has the store open.
  @Test func aCommitThatIsNotNotedIsNoReasonToWait() throws {
    _ = try makeStore()
    let engine = try sealed()
    try engine.write { tx throws(StorageError) in try tx.put(1, key(399), Array(repeating: 1, count: 300)) }
    let before = try content(engine)
    try engine.write { tx throws(StorageError) in try tx.put(1, key(399), Array(repeating: 2, count: 300)) }
    let number = UInt64(engine.base.environment.lastTransaction)
    let locks = try FileHandle(forUpdating: dataPath.deletingLastPathComponent().appending(path: "lock.mdb"))
    defer { try? locks.close() }
    // Behind a lock, whose size is the system's.
    let beginning = try #require(try locks.read(upToCount: 128))
    let places = stride(from: 8, to: 128, by: 8).filter { place in
      beginning.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: place, as: UInt64.self) } == number
    }
    try #require(places.count == 1)
    try locks.seek(toOffset: UInt64(places[0]))
    try locks.write(contentsOf: withUnsafeBytes(of: number - 1) { Data($0) })
    try engine.base.environment.requireWholeStructure(readsHeads: true)
    #expect(try engine.check() == [])
    #expect(try content(engine) == before)
    try engine.write { tx throws(StorageError) in try tx.put(1, key(399), Array(repeating: 1, count: 300)) }
    #expect(try engine.check() == [])
    #expect(try content(engine) == before)
    try engine.close()
  }

  /// Whatever was done to a store, its structure is as it is expected.
  @Test func noSoundStoreIsTakenForDamage() throws {
    var random = SystemRandomNumberGenerator()
    for round in 0..<6 {
      let engine = try sealed()
      let environment = { engine.base.environment }
      try environment().requireWholeStructure(readsHeads: true)
      for _ in 0..<25 {
        try engine.write { tx throws(StorageError) in
          for _ in 0..<Int.random(in: 1...300, using: &random) {
            let entry = key(Int.random(in: 0..<4_000, using: &random))
            if Bool.random(using: &random) {
              let size = Int.random(in: 0...3, using: &random) == 0 ? 6_000 : 200
              try tx.put(TreeID.random(in: 1...80, using: &random), entry, Array(repeating: 5, count: size))
            } else {
              _ = try tx.delete(TreeID.random(in: 1...80, using: &random), entry)
            }
          }
          if Int.random(in: 0..<12, using: &random) == 0 {
            for tree: TreeID in 1...80 { _ = try tx.delete(tree, in: .all) }
          }
        }
        try environment().requireWholeStructure(readsHeads: true)
      }
      if round % 2 == 1 { try engine.compact() }
      if round == 3 { try engine.rekey(to: Encryption(try EncryptionKey([UInt8](repeating: 7, count: 32))), .full) }
      try environment().requireWholeStructure(readsHeads: true)
      try engine.backup(to: place.folder + "/copy\(round).lmdb") { _, _ in true }
      #expect(try engine.check() == [])
      try engine.close()
    }
  }

  /// A store that another process writes to all the time is opened.
  @Test func aStoreThatIsWrittenToIsOpened() async throws {
    _ = try makeStore()
    let writing = try sealed()
    let environment = writing.base.environment
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for number in 0..<400 {
          try writing.write { tx throws(StorageError) in try tx.put(1, key(number % 50), key(number)) }
        }
      }
      group.addTask {
        for _ in 0..<100 { try environment.requireWholeStructure() }
      }
      try await group.waitForAll()
    }
    try writing.close()
  }
}
