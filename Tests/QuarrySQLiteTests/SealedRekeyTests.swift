import Foundation
import QuarryBackend
import QuarryEncryption
import QuarryTestSupport
import Testing

@testable import QuarrySQLite

/// Changes of the key, whole and of the slots alone, with stops between their steps.
@Suite struct SealedRekeyTests {
  private typealias Sealed = SealedStore

  /// Which of the keys open the store, with all of its rows.
  private static func keys(_ path: String, rows: Int, of keys: [UInt8?]) -> [UInt8?] {
    keys.filter { key in
      do {
        return try Sealed.rows(path, key).count == rows
      } catch {
        let code = (error as? StorageError)?.code
        #expect(code == .wrongKey || code == .keyRequired || code == .notEncrypted, "\(error)")
        return false
      }
    }
  }

  @Test(arguments: [RekeyExtent.full, .wrappingOnly])
  func theNewKeyOpensTheStoreAndTheOldOneDoesNot(_ extent: RekeyExtent) throws {
    let store = try Sealed.store()
    let old = try #require(store.backend.envelopeSlot)
    try store.backend.rekey(to: Sealed.key(2), extent)
    #expect(Sealed.leaks(store.directory) == [])
    let new = try #require(store.backend.envelopeSlot)
    #expect((old.identity == new.identity) == (extent == .wrappingOnly))
    // The store goes on.
    try Sealed.count(store, to: 4)
    #expect(try Sealed.rows(store.backend) == (0..<60).map { Sealed.row($0, 4) })
    #expect(try store.backend.check() == [])
    #expect(code { try Sealed.open(store.path, 1) } == .wrongKey)
    try store.backend.close()
    #expect(store.directory.contents == ["store.db"])
    #expect(Self.keys(store.path, rows: 60, of: [1, 2, nil]) == [2])
    #expect(try SQLiteConfiguration(path: store.path).envelopeSlot() == new)
    // Nothing of the old slot is left in the file.
    let file = Sealed.bytes(store.path)
    #expect(!file.withUnsafeBytes { Sealed.contains($0, old.wrapped) })
  }

  @Test func aChangeOfTheKeyIsRefusedWhereThereIsNoneOrNobodyMayWrite() throws {
    let plain = try Sealed.store(key: nil)
    #expect(code { try plain.backend.rekey(to: Sealed.key(), .full) } == .notEncrypted)
    let store = try Sealed.store()
    try store.backend.close()
    let reader = try SQLiteBackend(SQLiteConfiguration(path: store.path), Sealed.options { $0.isReadOnly = true })
    #expect(code { try reader.rekey(to: Sealed.key(2), .full) } == .readOnly)
    #expect(code { try reader.rekey(to: Sealed.key(2), .wrappingOnly) } == .readOnly)
    try reader.close()
    #expect(code { try reader.rekey(to: Sealed.key(2), .full) } == .closed)
  }

  @Test func aWholeChangeNeedsTheStoreForItself() throws {
    let store = try Sealed.store()
    let other = try Sealed.open(store.path)
    #expect(code { try store.backend.rekey(to: Sealed.key(2), .full) } == .inUse)
    #expect(code { try SQLiteConfiguration(path: store.path).reencrypt(from: Sealed.key(), to: nil) } == .inUse)
    try other.close()
    let snapshot = try store.backend.snapshot()
    #expect(code { try store.backend.rekey(to: Sealed.key(2), .full) } == .inUse)
    snapshot.close()
    #expect(try Sealed.rows(store.backend).count == 60)
    #expect(store.directory.contents.allSatisfy { !$0.contains("rekeyed") })
    try store.backend.rekey(to: Sealed.key(2), .full)
    #expect(try Sealed.rows(store.backend).count == 60)
  }

  @Test func otherStoresGoOnWhenTheSlotsChange() throws {
    let store = try Sealed.store()
    let other = try Sealed.open(store.path)
    try other.rekey(to: Sealed.key(2), .wrappingOnly)
    try Sealed.count(store, to: 1)
    // More readers than there are connections open some.
    let readers = try (0..<4).map { _ in try store.backend.beginRead() }
    #expect(try readers.map { try $0.count(store.query()) } == [60, 60, 60, 60])
    for reader in readers { reader.end() }
    // Who has the data key may change the slots once more.
    try store.backend.rekey(to: Sealed.key(3), .wrappingOnly)
    try other.close()
    try store.backend.close()
    #expect(Self.keys(store.path, rows: 60, of: [1, 2, 3]) == [3])
  }

  // MARK: Stops

  @Test func aStopWhileTheSlotsChangeLeavesOneKey() throws {
    let store = try Sealed.store()
    try store.backend.close()
    let before = Sealed.bytes(store.path)
    let backend = try Sealed.open(store.path)
    try backend.rekey(to: Sealed.key(2), .wrappingOnly)
    try backend.close()
    let after = Sealed.bytes(store.path)
    let order = try #require(try SQLiteFile(store.path).sealedHeader()).envelope.order
    #expect(order.count == 2)
    for (torn, place) in [(0, 0), (40, 0), (128, 0), (0, 1), (40, 1), (128, 1)] {
      // The first place is whole before the second one is touched.
      var file = before
      // With both the same the second place is overwritten first.
      for (number, slot) in [1, 0].enumerated() where number <= place {
        let start = SealedHeader.keyPlaces[slot]
        let count = number < place ? 128 : torn
        file.replaceSubrange(start..<start + count, with: after[start..<start + count])
      }
      try Sealed.write(file, to: store.path)
      let expected: [UInt8?] = place == 0 && torn < 128 ? [1] : [2]
      #expect(Self.keys(store.path, rows: 60, of: [1, 2]) == expected, "place \(place), \(torn) bytes")
      // The next commit finishes it.
      let again = try Sealed.open(store.path, expected[0])
      let transaction = try again.beginWrite(WriteOptions())
      try transaction.apply(.setProgramVersion(torn + place + 1))
      _ = try transaction.commit()
      try again.close()
      #expect(try #require(try SQLiteFile(store.path).sealedHeader()).envelope.stale == [])
    }
  }

  @Test(arguments: [(1, 2), (1, nil), (nil, 2)] as [(UInt8?, UInt8?)])
  func aStopWhileAllIsWrittenAnewLeavesTheOldStoreOrTheNewOne(_ keys: (old: UInt8?, new: UInt8?)) throws {
    let store = try Sealed.store(key: keys.old)
    try Sealed.count(store, to: 9)
    // A log that a process has left.
    let directory = try Sealed.directory(Sealed.files(store.directory))
    let file = try SQLiteFile(directory.file())
    let vfs = try keys.old.map { try #require(try SealedVFS.forStore(at: file, Sealed.key($0), makes: false)) }
    var states: [(SQLiteReencryption.Step, [String: [UInt8]])] = []
    var work = try SQLiteReencryption(file)
    work.after = { states.append(($0, Sealed.files(directory))) }
    try work.run(from: vfs, to: try keys.new.map { try SealedKeys.make(Sealed.key($0)) })
    #expect(states.map(\.0) == SQLiteReencryption.Step.allCases)
    #expect(directory.contents == ["store.db"])
    for (step, files) in states {
      let stopped = try Sealed.directory(files)
      let isNew = step == .placed
      let expected = isNew ? keys.new : keys.old
      #expect(Self.keys(stopped.file(), rows: 60, of: [1, 2, nil]) == [expected], "\(step)")
      #expect(try Sealed.rows(stopped.file(), expected) == (0..<60).map { Sealed.row($0, 9) })
      if keys.old != nil, keys.new != nil { #expect(Sealed.leaks(stopped) == [], "\(step)") }
      if keys.old != nil, keys.new == nil, !isNew {
        // The plain one beside it was removed by the first who opened the store for writing.
        #expect(Sealed.leaks(stopped) == [], "\(step)")
      }
    }
  }

  // MARK: Closed stores

  @Test func aClosedStoreIsSealedGetsAnotherKeyAndIsPlainAgain() throws {
    let store = try Sealed.store(key: nil)
    try store.backend.close()
    let plain = Sealed.bytes(store.path)
    let place = SQLiteConfiguration(path: store.path)
    #expect(try place.envelopeSlot() == nil)
    try place.reencrypt(from: nil, to: Sealed.key(1))
    #expect(store.directory.contents == ["store.db"])
    #expect(Sealed.leaks(store.directory) == [])
    #expect(try place.envelopeSlot() != nil)
    #expect(Self.keys(store.path, rows: 60, of: [1, 2, nil]) == [1])
    try place.reencrypt(from: Sealed.key(1), to: Sealed.key(2))
    #expect(Self.keys(store.path, rows: 60, of: [1, 2, nil]) == [2])
    try place.reencrypt(from: Sealed.key(2), to: nil)
    // Byte for byte but for what SQLite counts when it opens a file.
    #expect(Self.keys(store.path, rows: 60, of: [1, 2, nil]) == [nil])
    #expect(Sealed.bytes(store.path).count == plain.count)
  }

  @Test func keysThatDoNotGoWithAClosedStoreLeaveItAsItIs() throws {
    let sealed = try Sealed.store()
    let plain = try Sealed.store(key: nil)
    try sealed.backend.close()
    try plain.backend.close()
    let files = [Sealed.files(sealed.directory), Sealed.files(plain.directory)]
    #expect(code { try SQLiteConfiguration(path: sealed.path).reencrypt(from: nil, to: Sealed.key(2)) } == .keyRequired)
    #expect(code { try SQLiteConfiguration(path: sealed.path).reencrypt(from: Sealed.key(3), to: nil) } == .wrongKey)
    #expect(code { try SQLiteConfiguration(path: plain.path).reencrypt(from: Sealed.key(), to: nil) } == .notEncrypted)
    let nothing = SQLiteConfiguration(path: plain.path + "x")
    #expect(code { try nothing.reencrypt(from: nil, to: Sealed.key()) } == .notFound)
    #expect([Sealed.files(sealed.directory), Sealed.files(plain.directory)] == files)
  }

  @Test func damageEndsAChangeAndLeavesTheStore() throws {
    let store = try Sealed.store(0..<200)
    try store.backend.close()
    var file = Sealed.bytes(store.path)
    file[file.count - 2_000] ^= 1
    try Sealed.write(file, to: store.path)
    #expect(code { try SQLiteConfiguration(path: store.path).reencrypt(from: Sealed.key(), to: nil) } == .corrupt)
    #expect(Sealed.bytes(store.path) == file)
    #expect(store.directory.contents.allSatisfy { !$0.contains("rekeyed") })
    #expect(Sealed.leaks(store.directory) == [])
  }
}
