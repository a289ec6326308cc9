import QuarryBackend
import QuarryTestSupport
import Testing

@testable import QuarryKeyValue

@Suite struct KeyValueBackendTests {
  @Test func everyCapabilityIsDeclared() throws {
    let manifest = try KeyValueBackend(SortedArrayEngine(), options: OpenOptions()).manifest
    #expect(Set(manifest.capabilities.keys) == Set(Capability.allCases))
  }

  @Test func optionsThatAreNotOfferedAreRefused() throws {
    var options = OpenOptions()
    options.encryption = Encryption(NoKey())
    let encrypted = failure { _ = try KeyValueBackend(SortedArrayEngine(), options: options) }
    #expect(encrypted?.capability == .openEncryption)
    options = OpenOptions()
    options.namespace = "x"
    let named = failure { _ = try KeyValueBackend(SortedArrayEngine(), options: options) }
    #expect(named?.capability == .openNamespace)
    options = OpenOptions()
    options.durability = .powerLoss
    let durable = failure { _ = try KeyValueBackend(SortedArrayEngine(), options: options) }
    #expect(durable?.capability == .openDurability)
  }

  @Test func callsThatAreNotOfferedAreRefused() throws {
    let backend = try KeyValueBackend(SortedArrayEngine(), options: OpenOptions())
    #expect(failure { try backend.compact() }?.capability == .compact)
    #expect(failure { try backend.requireBackup().backup(to: "/nowhere") }?.capability == .backup)
    // The writer's place was not taken.
    try backend.beginWrite(WriteOptions(timeout: 0)).rollback()
  }

  @Test func aStoreForReadingRefusesToWrite() throws {
    var options = OpenOptions()
    options.isReadOnly = true
    let backend = try KeyValueBackend(SortedArrayEngine(), options: options)
    #expect(thrownCode { _ = try backend.beginWrite(WriteOptions()) } == .readOnly)
    #expect(thrownCode { try backend.destroy() } == .readOnly)
  }

  @Test func anEngineForReadingRefusesToWrite() throws {
    let backend = try KeyValueBackend(SortedArrayEngine(isReadOnly: true), options: OpenOptions())
    #expect(thrownCode { _ = try backend.beginWrite(WriteOptions()) } == .readOnly)
  }

  @Test func aSecondWriterIsBusyAfterItsTimeout() throws {
    let backend = try KeyValueBackend(SortedArrayEngine(), options: OpenOptions())
    let first = try backend.beginWrite(WriteOptions())
    #expect(thrownCode { _ = try backend.beginWrite(WriteOptions(timeout: 0.01)) } == .busy)
    first.rollback()
    try backend.beginWrite(WriteOptions(timeout: 0.01)).rollback()
  }

  /// What keeps the bytes of a row may be the engine's cursor.
  @Test(arguments: [1, 2, 64, 65]) func theLastRowsOfALimitStayUntilTheNextCall(_ limit: Int) throws {
    let store = try TestStore()
    try store.write { try store.insert($0, (0..<70).map { Book(id: $0, title: "title \($0)") }) }
    try store.read { transaction in
      let cursor = try transaction.cursor(store.query(limit: limit))
      var titles: [Value] = []
      try withUnsafeTemporaryAllocation(of: UnsafeRawBufferPointer.self, capacity: 100) { rows in
        while case let count = try cursor.fill(rows), count > 0 {
          for place in 0..<count { titles.append(try store.values(rows[place])[Books.Slot.title]) }
        }
        #expect(try cursor.fill(rows) == 0)
      }
      #expect(titles == (0..<limit).map { .string("title \($0)") })
    }
  }

  @Test func statisticsCountRowsAndIndexes() throws {
    let store = try TestStore()
    try store.write { try store.insert($0, (0..<9).map { Book(id: $0) }) }
    let statistics = try store.backend.statistics()
    #expect(statistics.models.map(\.name) == ["Book"])
    #expect(statistics.models.map(\.rows) == [9])
    #expect(statistics.models[0].indexes.count == 5)
    #expect(statistics.models[0].indexes.allSatisfy { $0.entries == 9 })
    #expect(statistics.details["trees"] != nil)
  }

  @Test func aDestroyedStoreIsClosed() throws {
    let store = try TestStore()
    try store.backend.destroy()
    #expect(thrownCode { _ = try store.backend.beginRead() } == .closed)
  }

  @Test func anEngineOfShortKeysShowsNoLimit() throws {
    let store = try TestStore(.sortedArrayOfShortKeys)
    #expect(store.backend.manifest.limits.keyBytes == nil)
  }

  @Test(arguments: [1, 2]) func aRowWithItsLongKeysIsRefusedOverTheLimitOfValues(_ count: Int) throws {
    let engine = SortedArrayEngine(maximumKeyBytes: 20, maximumValueBytes: 200)
    let store = try TestStore(KeyValueBackend(engine, options: OpenOptions()), Self.shortKeyModel)
    func row(_ count: Int) -> [Value] { [.string(String(repeating: "x", count: count)), .int(1)] }
    // The row is its header, two slots, the nulls and the string; the entry's value is that, a length and the key.
    let fits = (200 - 4 - 4 - 4 - 8 - 1) / 2
    try store.write { transaction throws in
      try store.insert(transaction, Array([[.string("a"), .int(1)], row(fits)].suffix(count)))
      #expect(try transaction.count(store.query()) == count)
      let tooLong = Array([[.string("b"), .int(1)], row(fits + 1)].suffix(count))
      #expect(thrownCode { try store.insert(transaction, tooLong) } == .limitExceeded)
      #expect(try transaction.count(store.query()) == count)
    }
  }

  private static let shortKeyModel = ModelSchema(
    name: "Short", properties: [PropertySchema(name: "id", type: .string), PropertySchema(name: "n", type: .int64)],
    primaryKey: 0)

  @Test func aStoreKeepsTheLimitThatItWasMadeWith() throws {
    let engine = SortedArrayEngine(maximumKeyBytes: 20)
    let store = try TestStore(KeyValueBackend(engine, options: OpenOptions()), Self.shortKeyModel)
    let names = ["short", String(repeating: "m", count: 25), String(repeating: "x", count: 50)]
    try store.write { transaction throws in
      try store.insert(transaction, names.map { [.string($0), .int(1)] })
    }
    for limit in [20, 30, nil] {
      let other = SortedArrayEngine(maximumKeyBytes: limit, state: engine.state.withLock { $0 })
      let backend = try KeyValueBackend(other, options: OpenOptions())
      for name in names {
        let isThere = try Array(name.utf8).withBytes { key throws(StorageError) in
          try backend.withRow(store.model.id, key) { _ in }
        }
        #expect(isThere)
      }
    }
    let shorter = SortedArrayEngine(maximumKeyBytes: 19, state: engine.state.withLock { $0 })
    #expect(thrownCode { _ = try KeyValueBackend(shorter, options: OpenOptions()) } == .unsupported)
  }

  @Test func anEngineOfMuchTooShortKeysIsRefused() {
    let engine = SortedArrayEngine(maximumKeyBytes: 15)
    #expect(thrownCode { _ = try KeyValueBackend(engine, options: OpenOptions()) } == .unsupported)
  }

  @Test func aRowOverTheLimitIsRefusedWithBothNumbers() throws {
    let store = try TestStore(KeyValueBackend(SortedArrayEngine(maximumValueBytes: 500), options: OpenOptions()))
    try store.write { transaction throws in
      try store.insert(transaction, [Book(id: 1), Book(id: 2)])
      let long = Book(id: 1, title: String(repeating: "x", count: 500))
      #expect(thrownCode { try store.update(transaction, long) } == .limitExceeded)
      #expect(thrownCode { try store.upsert(transaction, [long, Book(id: 3)]) } == .limitExceeded)
      #expect(thrownCode { try store.upsert(transaction, [long]) } == .limitExceeded)
      let assignment = BoundAssignment(slot: 3, operation: .set, value: .string(long.title))
      #expect(thrownCode { _ = try transaction.update(store.query(), [assignment]) } == .limitExceeded)
      #expect(try store.rows(transaction, store.query()).map { $0[3] } == [.string(""), .string("")])
    }
  }

  @Test func anUnknownModelIsAnInvalidQuery() throws {
    let store = try TestStore()
    let query = BoundQuery(model: ModelID(77), order: [BoundSortKey(slot: 0)])
    #expect(thrownCode { _ = try store.ids(query) } == .invalidQuery)
  }

  @Test func anIndexEntryWithoutItsRowIsCorrupt() throws {
    let engine = SortedArrayEngine()
    let store = try TestStore(KeyValueBackend(engine, options: OpenOptions()))
    let index = try #require(store.model.indexes.first { $0.name == "byYear" })
    engine.plant(index.id, [0x80, 0, 0, 5] + [0x80, 0, 0, 0, 0, 0, 0, 1], [0x80, 0, 0, 0, 0, 0, 0, 1])
    #expect(thrownCode { _ = try store.ids(store.query(.compare(slot: 2, .equal, .int(5)))) } == .corrupt)
  }

  @Test(arguments: [1, 2]) func aChangeByIndexEntriesWithoutTheirRowsIsCorrupt(_ count: UInt8) throws {
    let engine = SortedArrayEngine()
    let store = try TestStore(KeyValueBackend(engine, options: OpenOptions()))
    let index = try #require(store.model.indexes.first { $0.name == "byYear" })
    for id in 1...count {
      let key: [UInt8] = [0x80, 0, 0, 0, 0, 0, 0, id]
      engine.plant(index.id, [0x80, 0, 0, 5] + key, key)
    }
    let query = store.query(.compare(slot: 2, .equal, .int(5)))
    let assignment = BoundAssignment(slot: 3, operation: .set, value: .string("x"))
    let transaction = try store.backend.beginWrite(WriteOptions())
    defer { transaction.rollback() }
    #expect(thrownCode { _ = try transaction.update(query, [assignment]) } == .corrupt)
    #expect(thrownCode { _ = try transaction.delete(query) } == .corrupt)
  }

  @Test func aDamagedRowIsCorrupt() throws {
    let engine = SortedArrayEngine()
    let store = try TestStore(KeyValueBackend(engine, options: OpenOptions()))
    engine.plant(store.model.id.rawValue, [0x80, 0, 0, 0, 0, 0, 0, 1], [9, 9, 9, 9])
    try store.read { transaction throws in
      #expect(thrownCode { _ = try transaction.count(store.query(.compare(slot: 3, .equal, .string("")))) } == .corrupt)
    }
  }
}
