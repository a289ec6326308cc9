import Foundation
import QuarryBackend
import QuarryKeyValue
import QuarryTestSupport
import Testing

@testable import QuarryMemory

@Suite struct MemoryEngineTests {
  let engine = MemoryEngine()

  // MARK: Transactions

  @Test(arguments: EngineTrial.allCases)
  func itDoesWhatEveryEngineDoes(_ trial: EngineTrial) throws {
    try trial.run(on: engine)
  }

  @Test func commitsAreNumbered() throws {
    #expect(try engine.beginRead().version == CommitVersion(0))
    #expect(try engine.write { tx throws(StorageError) in try tx.put(1, [1], [1]) } == CommitVersion(1))
    #expect(try engine.write { tx throws(StorageError) in try tx.put(1, [1], [1]) } == CommitVersion(2))
    #expect(try engine.beginRead().version == CommitVersion(2))
  }

  @Test func aWriterThatIsDroppedRollsBack() throws {
    do {
      let write = try engine.beginWrite(timeout: 0)
      try write.put(1, [1], [1])
    }
    #expect(try engine.beginRead().get(1, [1]) == nil)
    try engine.beginWrite(timeout: 0).end()
  }

  @Test func aTransactionThatEndedThrows() throws {
    let read = try engine.beginRead()
    read.end()
    #expect(code { () throws(StorageError) in _ = try read.get(1, [1]) } == .transactionEnded)
    #expect(code { () throws(StorageError) in _ = try read.count(1, .all) } == .transactionEnded)
    let write = try engine.beginWrite(timeout: 0)
    _ = try write.commit()
    #expect(code { () throws(StorageError) in try write.put(1, [1], [1]) } == .transactionEnded)
    #expect(code { () throws(StorageError) in try write.savepoint() } == .transactionEnded)
    #expect(code { () throws(StorageError) in _ = try write.commit() } == .transactionEnded)
    #expect(code { () throws(StorageError) in _ = try write.cursor(1, .all, descending: false) } == .transactionEnded)
  }

  // MARK: Savepoints

  @Test func savepointsNestFiftyDeep() throws {
    let write = try engine.beginWrite(timeout: 0)
    for depth in 0..<50 as Range<UInt8> {
      try write.put(1, [depth], [depth])
      try write.savepoint()
      try write.put(1, [depth], [255])
      try write.put(2, [depth], [])
    }
    for depth in (0..<50 as Range<UInt8>).reversed() {
      #expect(try write.get(1, [depth]) == [255])
      try write.rollbackSavepoint()
      #expect(try write.get(1, [depth]) == [depth])
      #expect(try write.count(1, .all) == Int(depth) + 1)
      #expect(try write.count(2, .all) == Int(depth))
    }
    _ = try write.commit()
    #expect(try engine.beginRead().keys(1) == [[0]])
    #expect(try engine.check() == [])
  }

  @Test func aReleasedSavepointIsKept() throws {
    try engine.write { tx throws(StorageError) in
      try tx.savepoint()
      try tx.savepoint()
      try tx.put(1, [1], [1])
      try tx.releaseSavepoint()
      try tx.put(1, [2], [2])
      try tx.releaseSavepoint()
    }
    #expect(try engine.beginRead().keys(1) == [[1], [2]])
  }

  // MARK: Cursors

  @Test func aWriteEndsTheCursorsOfItsTree() throws {
    try engine.write { tx throws(StorageError) in for key in 0..<9 as Range<UInt8> { try tx.put(1, [key], []) } }
    let write = try engine.beginWrite(timeout: 0)
    var cursor = try write.cursor(1, .all, descending: false)
    #expect(try cursor.next() != nil)
    try write.put(2, [1], [])
    #expect(try !write.delete(1, [100]))
    #expect(try cursor.next() != nil)
    try write.put(1, [4], [1])
    #expect(code { () throws(StorageError) in _ = try cursor.next() } == .transactionEnded)
    var other = try write.cursor(1, .all, descending: true)
    #expect(try other.next().map { Array($0.key) } == [8])
  }

  @Test func aCursorOfATreeThatIsNotThereEndsWhenItIsMade() throws {
    let write = try engine.beginWrite(timeout: 0)
    var cursor = try write.cursor(1, .all, descending: false)
    #expect(try cursor.next() == nil)
    try write.put(1, [1], [])
    #expect(code { () throws(StorageError) in _ = try cursor.next() } == .transactionEnded)
  }

  @Test func aRollbackToASavepointEndsTheCursorsOfTreesThatWereChanged() throws {
    let write = try engine.beginWrite(timeout: 0)
    try write.put(1, [1], [])
    try write.put(2, [1], [])
    try write.savepoint()
    var untouched = try write.cursor(1, .all, descending: false)
    try write.put(2, [2], [])
    try write.put(3, [1], [])
    var changed = try write.cursor(2, .all, descending: false)
    var made = try write.cursor(3, .all, descending: false)
    try write.rollbackSavepoint()
    #expect(try untouched.next() != nil)
    #expect(code { () throws(StorageError) in _ = try changed.next() } == .transactionEnded)
    #expect(code { () throws(StorageError) in _ = try made.next() } == .transactionEnded)
  }

  @Test func cursorsEndWithTheirTransaction() throws {
    try engine.write { tx throws(StorageError) in try tx.put(1, [1], []) }
    let read = try engine.beginRead()
    var cursor = try read.cursor(1, .all, descending: false)
    read.end()
    #expect(code { () throws(StorageError) in _ = try cursor.next() } == .transactionEnded)
  }

  // MARK: Snapshots

  @Test func aSnapshotStaysAsItWas() throws {
    try engine.write { tx throws(StorageError) in try tx.put(1, [1], [1]) }
    let snapshot = try engine.snapshot()
    try engine.write { tx throws(StorageError) in _ = try tx.delete(1, in: .all) }
    #expect(snapshot.version == CommitVersion(1))
    #expect(try snapshot.beginRead().get(1, [1]) == [1])
    #expect(try engine.beginRead().get(1, [1]) == nil)
  }

  @Test func aClosedSnapshotThrows() throws {
    let snapshot = try engine.snapshot()
    let read = try snapshot.beginRead()
    snapshot.close()
    snapshot.close()
    #expect(code { () throws(StorageError) in _ = try snapshot.beginRead() } == .closed)
    #expect(code { () throws(StorageError) in _ = try read.get(1, [1]) } == .closed)
    #expect(try engine.beginRead().get(1, [1]) == nil)
  }

  // MARK: Close

  @Test func whateverIsOpenThrowsAfterClose() throws {
    try engine.write { tx throws(StorageError) in try tx.put(1, [1], [1]) }
    let read = try engine.beginRead()
    var cursor = try read.cursor(1, .all, descending: false)
    let snapshot = try engine.snapshot()
    let write = try engine.beginWrite(timeout: 0)
    try engine.close()
    try engine.close()
    #expect(code { () throws(StorageError) in _ = try read.get(1, [1]) } == .closed)
    #expect(code { () throws(StorageError) in _ = try cursor.next() } == .closed)
    #expect(code { () throws(StorageError) in _ = try snapshot.beginRead() } == .closed)
    #expect(code { () throws(StorageError) in try write.put(1, [1], [1]) } == .closed)
    #expect(code { () throws(StorageError) in _ = try write.commit() } == .closed)
    #expect(code { () throws(StorageError) in _ = try engine.beginRead() } == .closed)
    #expect(code { () throws(StorageError) in _ = try engine.beginWrite(timeout: 0) } == .closed)
    #expect(code { () throws(StorageError) in _ = try engine.snapshot() } == .closed)
    #expect(code { () throws(StorageError) in _ = try engine.statistics() } == .closed)
    #expect(code { () throws(StorageError) in try engine.destroy() } == .closed)
    read.end()
    write.end()
  }

  // MARK: One writer

  @Test(arguments: [0, -1, 0.01, .nan])
  func aSecondWriterIsBusy(_ timeout: Double) throws {
    let write = try engine.beginWrite(timeout: 0)
    #expect(code { () throws(StorageError) in _ = try engine.beginWrite(timeout: timeout) } == .busy)
    write.end()
    try engine.beginWrite(timeout: timeout).end()
  }

  /// Runs the body on so many threads of their own: tasks may have to share fewer threads than there are of them.
  ///
  /// - Returns: Waits for them.
  private func onThreads(_ count: Int, _ body: @escaping @Sendable () -> Void) -> () -> Void {
    let group = DispatchGroup()
    for _ in 0..<count {
      group.enter()
      Thread {
        body()
        group.leave()
      }.start()
    }
    return { group.wait() }
  }

  @Test(arguments: [60, .infinity, .greatestFiniteMagnitude])
  func aWriterWaitsForTheOneBefore(_ timeout: Double) throws {
    let engine = engine
    let first = try engine.beginWrite(timeout: 0)
    let wait = onThreads(3) {
      #expect(throws: Never.self) {
        let write = try engine.beginWrite(timeout: timeout)
        try write.put(1, [1], [(try write.get(1, [1])?[0] ?? 0) + 1])
        _ = try write.commit()
      }
    }
    try first.put(1, [1], [10])
    _ = try first.commit()
    wait()
    let read = try engine.beginRead()
    #expect(try read.get(1, [1]) == [13])
    #expect(read.version == CommitVersion(4))
  }

  @Test func anyThreadMayEndTheWriter() throws {
    nonisolated(unsafe) let write = try engine.beginWrite(timeout: 0)
    try write.put(1, [1], [1])
    onThreads(1) { #expect(throws: Never.self) { try write.commit() } }()
    #expect(try engine.beginRead().get(1, [1]) == [1])
    try engine.beginWrite(timeout: 0).end()
  }

  @Test func readersSeeWholeStatesWhileAWriterCommits() throws {
    let engine = engine
    let last = CommitVersion(300)
    let wait = onThreads(3) {
      #expect(throws: Never.self) {
        var version = CommitVersion(0)
        while version < last {
          let read = try engine.beginRead()
          defer { read.end() }
          #expect(read.version >= version)
          version = read.version
          // Each commit writes its number to all keys, and one key more.
          var cursor = try read.cursor(1, .all, descending: version.rawValue.isMultiple(of: 2))
          var values: [UInt64] = []
          while let (_, value) = try cursor.next() { values.append(value.loadUnaligned(as: UInt64.self)) }
          #expect(values == Array(repeating: version.rawValue, count: Int(version.rawValue)))
        }
      }
    }
    for round in 1...last.rawValue {
      let value = withUnsafeBytes(of: round) { Array($0) }
      try engine.write { tx throws(StorageError) in
        for key in 0..<round { try tx.put(1, withUnsafeBytes(of: key.bigEndian) { Array($0) }, value) }
      }
    }
    wait()
    #expect(try engine.check() == [])
  }

  // MARK: Others

  @Test func aStoreForReadingOnlyRefusesWrites() throws {
    let engine = MemoryEngine(isReadOnly: true)
    #expect(engine.properties.isReadOnly)
    #expect(code { () throws(StorageError) in _ = try engine.beginWrite(timeout: 0) } == .readOnly)
    #expect(code { () throws(StorageError) in try engine.destroy() } == .readOnly)
    #expect(try engine.beginRead().count(0, .all) == 0)
  }

  @Test func statisticsCountBytesAndNodes() throws {
    try engine.write { tx throws(StorageError) in
      for key in 0..<200 as Range<UInt8> { try tx.put(1, [key], [UInt8](repeating: 0, count: 100)) }
      try tx.put(2, [], [UInt8](repeating: 0, count: 1_000_000))
    }
    let statistics = try engine.statistics()
    let bytes = try #require(statistics.bytes)
    #expect((1_020_000..<1_060_000).contains(bytes))
    #expect(statistics.details["entries"] == "201")
    #expect(statistics.details["trees"] == "2")
    #expect(statistics.details["height"] == "2")
  }
}
