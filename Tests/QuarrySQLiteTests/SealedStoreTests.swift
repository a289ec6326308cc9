import CSQLite
import Foundation
import QuarryBackend
import QuarryEncryption
import QuarryTestSupport
import Testing

@testable import QuarrySQLite

/// Stores that are sealed: what works with them, and that nothing of them is in the clear.
@Suite struct SealedStoreTests {
  private typealias Sealed = SealedStore

  @Test func aStoreIsMadeAndOpenedAgainWithNothingInTheClear() throws {
    let store = try Sealed.store(0..<500)
    #expect(store.directory.contents == ["store.db", "store.db-shm", "store.db-wal"])
    #expect(Sealed.leaks(store.directory) == [])
    try Sealed.count(store, to: 7)
    #expect(Sealed.leaks(store.directory) == [])
    try store.backend.close()
    #expect(store.directory.contents == ["store.db"])
    #expect(Sealed.leaks(store.directory) == [])
    #expect(Sealed.bytes(store.path).prefix(8).elementsEqual(SealedHeader.magic))
    #expect(try Sealed.rows(store.path) == (0..<500).map { Sealed.row($0, 7) })
    #expect(try FileManager.default.attributesOfItem(atPath: store.path)[.posixPermissions] as? Int == 0o600)
  }

  @Test func aPlainStoreIsFoundInTheClear() throws {
    let store = try Sealed.store(0..<5, key: nil)
    #expect(Sealed.leaks(store.directory).contains("store.db-wal"))
    try store.backend.close()
    #expect(Sealed.leaks(store.directory) == ["store.db"])
  }

  // MARK: Keys that do not go with the store

  @Test func storesAndKeysThatDoNotGoTogetherLeaveTheFilesAsTheyAre() throws {
    let sealed = try Sealed.store()
    let plain = try Sealed.store(key: nil)
    for isClosed in [false, true] {
      if isClosed {
        try sealed.backend.close()
        try plain.backend.close()
      }
      let files = [Sealed.files(sealed.directory), Sealed.files(plain.directory)]
      for isReadOnly in [false, true] {
        func open(_ path: String, _ key: UInt8?) throws {
          try SQLiteConfiguration(path: path).open(Sealed.options(key) { $0.isReadOnly = isReadOnly }).close()
        }
        #expect(code { try open(sealed.path, nil) } == .keyRequired)
        #expect(code { try open(sealed.path, 2) } == .wrongKey)
        #expect(code { try open(plain.path, 1) } == .notEncrypted)
      }
      #expect([Sealed.files(sealed.directory), Sealed.files(plain.directory)] == files)
    }
  }

  @Test func aPassphraseIsAnotherKind() throws {
    let store = try Sealed.store(0..<3)
    try store.backend.close()
    var options = OpenOptions()
    options.encryption = Encryption(try EncryptionKey.passphrase("secret", logN: 14))
    #expect(code { try SQLiteConfiguration(path: store.path).open(options) } == .wrongKey)
    let directory = try TestDirectory()
    try SQLiteConfiguration(path: directory.file()).open(options).close()
    try SQLiteConfiguration(path: directory.file()).open(options).close()
    #expect(code { try Sealed.open(directory.file()) } == .wrongKey)
  }

  @Test func nothingIsMadeWhereNothingMayBe() throws {
    let directory = try TestDirectory()
    let place = SQLiteConfiguration(path: directory.file())
    #expect(code { try place.open(Sealed.options { $0.createsIfMissing = false }) } == .notFound)
    #expect(code { try place.open(Sealed.options { $0.isReadOnly = true }) } == .notFound)
    #expect(code { try place.envelopeSlot() } == .notFound)
    #expect(directory.contents == [])
    try Sealed.write(Array("something that is no database".utf8), to: directory.file())
    #expect(code { try place.open(Sealed.options()) } == .corrupt)
    #expect(code { try place.open(Sealed.options(nil)) } == .corrupt)
  }

  @Test func anEmptyFileBecomesAStore() throws {
    let directory = try TestDirectory()
    try Sealed.write([], to: directory.file())
    let backend = try Sealed.open(directory.file())
    #expect(Sealed.leaks(directory) == [])
    #expect(try backend.check() == [])
    try backend.close()
    #expect(directory.contents == ["store.db"])
    #expect(Sealed.leaks(directory) == [])
    #expect(code { try Sealed.open(directory.file(), 2) } == .wrongKey)
    #expect(code { try Sealed.open(directory.file(), nil) } == .keyRequired)
    try Sealed.open(directory.file()).close()
  }

  @Test func aHeaderWithoutPagesIsAStoreThatWasNotMadeYet() throws {
    let directory = try TestDirectory()
    let keys = try SealedKeys.make(Sealed.key())
    try Sealed.write(try keys.newHeader(isWhole: false), to: directory.file())
    #expect(code { try Sealed.open(directory.file(), 2) } == .wrongKey)
    let backend = try Sealed.open(directory.file())
    #expect(try backend.check() == [])
    try backend.close()
    try Sealed.write(try keys.newHeader(isWhole: true), to: directory.file())
    #expect(code { try Sealed.open(directory.file()) } == .corrupt)
  }

  // MARK: Work

  @Test func transactionsThatSpillIntoTheLogAreSealed() throws {
    let directory = try TestDirectory()
    let place = SQLiteConfiguration(path: directory.file(), cacheBytes: 1 << 16)
    let backend = try SQLiteBackend(place, Sealed.options())
    let transaction = try #require(try backend.beginWrite(WriteOptions()) as? SQLiteWriteTransaction)
    try transaction.apply(.createModel(Sealed.model))
    let model = try #require(transaction.schema.models.first)
    let layout = RowLayout(model)
    func batch(_ range: Range<Int64>) throws -> RowBatch {
      var batch = RowBatch()
      let writer = RowWriter(layout)
      for id in range {
        writer.begin()
        for (slot, value) in zip(layout.slots, Sealed.row(id)) { try writer.set(slot, value: value) }
        batch.append(try writer.finish())
      }
      return batch
    }
    let all = BoundQuery(model: model.id, predicate: .constant(true), order: [], limit: nil, offset: 0)
    try transaction.insert(model.id, try batch(0..<3_000))
    // Pages that are in the log already are written there once more, and their checksums made anew.
    _ = try transaction.update(all, [BoundAssignment(slot: 2, operation: .set, value: .int(1))])
    try transaction.savepoint()
    _ = try transaction.update(all, [BoundAssignment(slot: 2, operation: .set, value: .int(2))])
    try transaction.insert(model.id, try batch(3_000..<4_000))
    try transaction.rollbackSavepoint()
    _ = try transaction.commit()
    #expect(Sealed.leaks(directory) == [])
    // What a process leaves that is killed here.
    let crashed = try Sealed.directory(Sealed.files(directory))
    #expect(try Sealed.rows(crashed.file()) == (0..<3_000).map { Sealed.row($0, 1) })
    #expect(try Sealed.rows(backend) == (0..<3_000).map { Sealed.row($0, 1) })
    #expect(try backend.check() == [])
    try backend.close()
    #expect(try Sealed.rows(directory.file()).count == 3_000)
  }

  @Test func aLogOfAKilledProcessIsRead() throws {
    let store = try Sealed.store()
    try Sealed.count(store, to: 3)
    let crashed = try Sealed.directory(Sealed.files(store.directory))
    #expect(code { try Sealed.rows(crashed.file(), 2) } == .wrongKey)
    #expect(try Sealed.rows(crashed.file()) == (0..<60).map { Sealed.row($0, 3) })
    #expect(Sealed.leaks(crashed) == [])
  }

  @Test func aKilledProcessLosesNothingWithoutSyncs() throws {
    let store = try TestStore(Sealed.model, options: Sealed.options { $0.durability = BackendManifest.Durability.none })
    try store.insert((0..<60).map { Sealed.row($0) })
    for count in 1...5 {
      try Sealed.count(store, to: Int64(count))
      let crashed = try Sealed.directory(Sealed.files(store.directory))
      #expect(try Sealed.rows(crashed.file()) == (0..<60).map { Sealed.row($0, Int64(count)) })
    }
  }

  @Test func severalStoresOfOneFile() throws {
    let store = try Sealed.store()
    let other = try Sealed.open(store.path)
    #expect(try Sealed.rows(other).count == 60)
    try Sealed.count(store, to: 1)
    #expect(try Sealed.rows(other) == (0..<60).map { Sealed.row($0, 1) })
    let reader = try SQLiteConfiguration(path: store.path).open(Sealed.options { $0.isReadOnly = true })
    #expect(try Sealed.rows(reader) == (0..<60).map { Sealed.row($0, 1) })
    try Sealed.count(store, to: 2)
    #expect(try Sealed.rows(reader) == (0..<60).map { Sealed.row($0, 2) })
    try reader.close()
    try store.backend.close()
    #expect(try Sealed.rows(other) == (0..<60).map { Sealed.row($0, 2) })
    try other.close()
    #expect(store.directory.contents == ["store.db"])
  }

  @Test func readingOnlyWritesNoFile() throws {
    let store = try Sealed.store()
    try store.backend.close()
    let before = Sealed.files(store.directory)
    let reader = try SQLiteConfiguration(path: store.path).open(Sealed.options { $0.isReadOnly = true })
    #expect(try Sealed.rows(reader).count == 60)
    #expect(code { try reader.beginWrite(WriteOptions()) } == .readOnly)
    try reader.close()
    #expect(Sealed.files(store.directory) == before)
  }

  @Test func filesOfSQLitesOwnAreRefused() throws {
    let store = try Sealed.store(0..<10)
    let connection = try store.backend.pool.take()
    defer { store.backend.pool.give(connection) }
    #expect(try connection.integer("PRAGMA temp_store") == 2)
    try connection.run("PRAGMA temp_store = FILE")
    let numbers = "WITH RECURSIVE c(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM c WHERE x < 99999)"
    #expect(throws: StorageError.self) {
      try connection.run("CREATE TEMP TABLE t AS \(numbers) SELECT x, randomblob(100) FROM c")
    }
    connection.rollBack()
    #expect(try connection.integer("PRAGMA cache_size") == -32 * 1024)
  }

  @Test func anEpochThatIsUsedUpIsFollowedByAnother() throws {
    let (slot, key) = try Sealed.key().key.makeDataKey(for: .random(count: 16), generation: 1)
    let keys = try SealedKeys(key, slot, sealLimit: 3)
    let pages = [UInt8](repeating: 0, count: 8 * SealedDatabaseFormat.pageBytes)
    let file = try keys.seal(pages)
    let epochs = stride(
      from: 2 * SealedDatabaseFormat.pageBytes, through: file.count, by: SealedDatabaseFormat.pageBytes
    ).map { end in
      Array(file[end - 4..<end])
    }
    #expect(epochs.count == 8)
    #expect(Set(epochs).count == 3)
    #expect(Set(Dictionary(grouping: epochs, by: \.self).values.map(\.count)) == [3, 2])
  }

  // MARK: Care

  @Test func backupsAreSealedWithTheStoresKey() throws {
    let store = try Sealed.store(0..<300)
    let path = store.directory.file("copy.db")
    var seen: [String] = []
    try store.backend.backup(to: path) { _, _ in
      seen += Sealed.leaks(store.directory)
      return true
    }
    #expect(seen == [])
    #expect(Sealed.leaks(store.directory) == [])
    #expect(!store.directory.contents.contains { $0.hasPrefix("copy.db") && $0 != "copy.db" })
    #expect(code { try Sealed.rows(path, nil) } == .keyRequired)
    #expect(code { try Sealed.rows(path, 2) } == .wrongKey)
    let copy = try Sealed.open(path)
    #expect(try copy.check() == [])
    #expect(try Sealed.rows(copy).count == 300)
    try copy.close()
  }

  @Test func aBackupAfterAChangeOfTheKeyHasTheNewOne() throws {
    let store = try Sealed.store(0..<10)
    let other = try Sealed.open(store.path)
    try other.rekey(to: Sealed.key(2), .wrappingOnly)
    let path = store.directory.file("copy.db")
    try store.backend.backup(to: path)
    #expect(try Sealed.rows(path, 2).count == 10)
  }

  @Test func aStoreBeginsAsACopyOfASealedOne() throws {
    let seed = try Sealed.store(0..<20)
    try seed.backend.close()
    let directory = try TestDirectory()
    let place = SeededProvider(
      SQLiteConfiguration(path: directory.file()), from: SQLiteConfiguration(path: seed.path), path: directory.file())
    #expect(code { try place.open(Sealed.options(nil)) } == .keyRequired)
    #expect(code { try place.open(Sealed.options(2)) } == .wrongKey)
    #expect(directory.contents == [])
    let backend = try place.open(Sealed.options())
    #expect(try Sealed.rows(backend).count == 20)
    #expect(Sealed.leaks(directory) == [])
    try backend.close()
  }

  @Test func aCompactedStoreIsShorterAndSealed() throws {
    let store = try Sealed.store(0..<2_000)
    _ = try store.write { try $0.delete(store.query(.compare(slot: 0, .greaterOrEqual, .int(20)))) }
    let before = store.backend.file.databaseByteCount + store.backend.file.walByteCount
    try store.backend.compact()
    #expect(Sealed.leaks(store.directory) == [])
    #expect(store.backend.file.databaseByteCount + store.backend.file.walByteCount < before / 4)
    #expect(try store.backend.check() == [])
    #expect(try Sealed.rows(store.backend).count == 20)
    try store.backend.close()
    #expect(try Sealed.rows(store.path).count == 20)
  }

  @Test func aStoreThatIsPutAsideIsSealed() throws {
    let store = try Sealed.store()
    let place = try store.backend.quarantine()
    #expect(Sealed.leaks(store.directory) == [])
    #expect(code { try Sealed.rows(place, nil) } == .keyRequired)
    // It has a rollback journal until it is opened for writing.
    let reader = try SQLiteConfiguration(path: place).open(Sealed.options { $0.isReadOnly = true })
    #expect(try Sealed.rows(reader).count == 60)
    try reader.close()
    #expect(try Sealed.rows(place).count == 60)
    #expect(try SQLiteConfiguration(path: place).envelopeSlot() != nil)
  }

  @Test func destroyRemovesEveryFile() throws {
    let store = try Sealed.store()
    try Sealed.write([1, 2, 3], to: store.path + "._quarry.rekeyed")
    try store.backend.destroy()
    #expect(store.directory.contents == [])
  }

  @Test func statisticsSayHowAStoreIsSealed() throws {
    let sealed = try Sealed.store()
    #expect(try sealed.backend.statistics().details["encryption"] == "AES-256-GCM, HKDF-SHA256")
    #expect(sealed.backend.envelopeSlot != nil)
    let plain = try Sealed.store(key: nil)
    #expect(try plain.backend.statistics().details["encryption"] == "none")
    #expect(plain.backend.envelopeSlot == nil)
  }

  @Test func aCheckFindsPagesThatNoTableUsesAndSlotsThatAreDamaged() throws {
    let store = try Sealed.store(0..<500)
    try Sealed.count(store, to: 1)
    _ = try store.write { try $0.delete(store.query(.compare(slot: 0, .greaterOrEqual, .int(5)))) }
    try store.backend.close()
    let file = Sealed.bytes(store.path)
    let sound = try Sealed.open(store.path)
    #expect(try sound.check() == [])
    try sound.close()
    var found = 0
    for page in 2..<file.count / 4096 {
      var damaged = file
      damaged[page * 4096 + 100] ^= 1
      try Sealed.write(damaged, to: store.path)
      let backend = try? Sealed.open(store.path)
      let lines = try backend?.check() ?? ["not opened"]
      try? backend?.close()
      #expect(!lines.isEmpty, "page \(page)")
      found += lines.contains { $0.contains("page \(page):") } ? 1 : 0
    }
    #expect(found > 5)
    for place in SealedHeader.logPlaces {
      var damaged = file
      damaged[place + 3] ^= 1
      try Sealed.write(damaged, to: store.path)
      let backend = try SQLiteConfiguration(path: store.path).open(Sealed.options { $0.isReadOnly = true })
      #expect(try backend.check().count == 1)
      try backend.close()
    }
    for place in SealedHeader.keyPlaces {
      var damaged = file
      damaged[place + 30] ^= 1
      try Sealed.write(damaged, to: store.path)
      let reader = try SQLiteConfiguration(path: store.path).open(Sealed.options { $0.isReadOnly = true })
      #expect(try reader.check().count == 1)
      try reader.close()
      #expect(Sealed.bytes(store.path) == damaged)
      let writer = try Sealed.open(store.path)
      #expect(try writer.check().count == 1)
      // A commit overwrites it.
      let transaction = try writer.beginWrite(WriteOptions())
      try transaction.insert(store.id, try store.batch([Sealed.row(1_000)]))
      _ = try transaction.commit()
      #expect(try writer.check() == [])
      try writer.close()
      #expect(Sealed.bytes(store.path)[place..<place + 128] == file[place..<place + 128])
    }
  }

  /// SQLite never writes the page that has the bytes which it locks. They are moved here, in a process of their own, so that
  /// a small file has it.
  @Test func thePageOfTheLocks() async {
    await #expect(processExitsWith: .success) {
      _ = quarry_sqlite3_pending_byte(0x10000)
      let store = try SealedStore.store(0..<3_000)
      let path = store.directory.file("copy.db")
      try store.backend.backup(to: path)
      try store.backend.close()
      guard try SealedStore.rows(store.path).count == 3_000, try SealedStore.rows(path).count == 3_000 else { exit(1) }
      let backend = try SealedStore.open(store.path)
      try backend.compact()
      guard try backend.check() == [] else { exit(2) }
      try backend.rekey(to: SealedStore.key(2), .full)
      guard try backend.check() == [], try SealedStore.rows(backend).count == 3_000 else { exit(3) }
      try backend.close()
      try SQLiteConfiguration(path: store.path).reencrypt(from: SealedStore.key(2), to: nil)
      guard try SealedStore.rows(store.path, nil).count == 3_000 else { exit(4) }
      try SQLiteConfiguration(path: store.path).reencrypt(from: nil, to: SealedStore.key(3))
      guard try SealedStore.rows(store.path, 3).count == 3_000 else { exit(5) }
      exit(0)
    }
  }
}
