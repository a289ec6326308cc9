import Dispatch
import Foundation
import QuarryBackend
import QuarryKeyValue
import QuarryTestSupport
import Synchronization
import Testing

@testable import QuarryFlatFile

/// Commits of several writers at once, and rewrites between them.
@Suite struct CommitTests {
  private static let path = "/store.quarry"

  private static func open(
    _ disk: SimulatedDisk, compaction: FlatFileConfiguration.Compaction = .manual, busyTimeout: Double = 5
  ) throws(StorageError) -> FlatFileEngine {
    var options = OpenOptions()
    options.busyTimeout = busyTimeout
    return try FlatFileEngine(FlatFileConfiguration(path: path, compaction: compaction), options, files: disk)
  }

  /// Holds syncs back.
  private final class Brake: Sendable {
    let isOn = Atomic(false)
    let arrived = DispatchSemaphore(value: 0)
    let released = DispatchSemaphore(value: 0)

    func stop() {
      if !isOn.load(ordering: .acquiring) { return }
      arrived.signal()
      released.wait()
    }
  }

  private static func inBackground(_ body: @escaping @Sendable () -> Void) -> DispatchSemaphore {
    let done = DispatchSemaphore(value: 0)
    Thread {
      body()
      done.signal()
    }.start()
    return done
  }

  @Test func theNextWriterBuildsOnWhatIsNotYetOnTheDisk() throws {
    let brake = Brake()
    let disk = SimulatedDisk { brake.stop() }
    let engine = try Self.open(disk)
    brake.isOn.store(true, ordering: .releasing)
    let first = Self.inBackground { _ = try? engine.write { tx throws(StorageError) in try tx.put(1, [1], [1]) } }
    brake.arrived.wait()
    // The first waits for its sync; the second sees what it wrote, readers do not.
    let write = try engine.beginWrite(timeout: 5)
    #expect(try write.get(1, [1]) == [1])
    #expect(try engine.beginRead().get(1, [1]) == nil)
    try write.put(1, [2], [2])
    let syncs = disk.syncs
    let written = disk.bytes(Self.path)?.count ?? 0
    nonisolated(unsafe) let transaction = write
    let second = Self.inBackground { _ = try? transaction.commit() }
    // Until the second has written its batch too, and waits.
    while (disk.bytes(Self.path)?.count ?? 0) == written { usleep(100) }
    brake.isOn.store(false, ordering: .releasing)
    brake.released.signal()
    first.wait()
    second.wait()
    #expect(try engine.beginRead().keys(1) == [[1], [2]])
    #expect(disk.syncs - syncs <= 2)
    try engine.close()
  }

  @Test func whatBuiltOnAFailedSyncFailsToo() throws {
    let brake = Brake()
    let disk = SimulatedDisk { brake.stop() }
    let engine = try Self.open(disk)
    try engine.write { tx throws(StorageError) in try tx.put(1, [0], [0]) }
    brake.isOn.store(true, ordering: .releasing)
    let codes = Mutex<[StorageError.Code?]>([])
    let first = Self.inBackground {
      let found = code { () throws(StorageError) in
        try engine.write { tx throws(StorageError) in try tx.put(1, [1], [1]) }
      }
      codes.withLock { $0.append(found) }
    }
    brake.arrived.wait()
    let write = try engine.beginWrite(timeout: 5)
    try write.put(1, [2], [2])
    disk.state.withLock { $0.fault = ($0.operations + 1, .error) }
    brake.isOn.store(false, ordering: .releasing)
    brake.released.signal()
    first.wait()
    #expect(code { () throws(StorageError) in _ = try write.commit() } == .io)
    #expect(codes.withLock { $0 } == [.io])
    #expect(try engine.beginRead().keys(1) == [[0]])
    #expect(code { () throws(StorageError) in _ = try engine.beginWrite(timeout: 0) } == .readOnly)
    try engine.close()
    #expect(try Self.open(disk).beginRead().keys(1) == [[0]])
  }

  @Test func writersAtOnceShareSyncs() throws {
    let disk = SimulatedDisk { usleep(2000) }
    let engine = try Self.open(disk)
    let syncs = disk.syncs
    let threads = (0..<8 as Range<UInt8>).map { thread in
      Self.inBackground {
        for number in 0..<20 as Range<UInt8> {
          _ = try? engine.write { tx throws(StorageError) in try tx.put(1, [thread, number], []) }
        }
      }
    }
    for thread in threads { thread.wait() }
    #expect(try engine.beginRead().count(1, .all) == 160)
    #expect(disk.syncs - syncs < 160)
    try engine.close()
    #expect(try Self.open(disk).beginRead().count(1, .all) == 160)
  }

  @Test func aCommitWithoutChangesWritesNothing() throws {
    let disk = SimulatedDisk()
    let engine = try Self.open(disk)
    let operations = disk.operations
    let version = try engine.write { tx throws(StorageError) in
      try tx.savepoint()
      try tx.put(1, [1], [1])
      try tx.rollbackSavepoint()
      _ = try tx.delete(1, [5])
    }
    #expect(version == CommitVersion(0))
    #expect(disk.operations == operations)
  }

  // MARK: Rewrites

  @Test func aRewriteKeepsEverythingAndEveryReader() throws {
    let disk = SimulatedDisk()
    let engine = try Self.open(disk)
    for round in 0..<50 as Range<UInt8> {
      try engine.write { tx throws(StorageError) in
        try tx.put(1, [1], [UInt8](repeating: round, count: 500))
        try tx.put(2, [round], [round])
      }
    }
    let snapshot = try engine.snapshot()
    let before = try engine.beginRead()
    let size = try #require(disk.bytes(Self.path)?.count)
    let identity = try #require(disk.bytes(Self.path)?[16..<32])
    let free = try #require(try engine.statistics().freeBytes)
    #expect(free > 20_000)
    try engine.compact()
    let rewritten = try #require(disk.bytes(Self.path)?.count)
    #expect(rewritten < size / 10)
    #expect(disk.bytes(Self.path)?[16..<32] == identity)
    #expect(try engine.statistics().freeBytes == 0)
    #expect(before.version == CommitVersion(50))
    #expect(try before.keys(2).count == 50)
    try engine.write { tx throws(StorageError) in _ = try tx.delete(2, in: .all) }
    #expect(try snapshot.beginRead().keys(2).count == 50)
    #expect(try engine.check() == [])
    try engine.close()
    let again = try Self.open(disk)
    #expect(try again.beginRead().version == CommitVersion(51))
    #expect(try again.beginRead().get(1, [1]) == [UInt8](repeating: 49, count: 500))
    #expect(try again.beginRead().keys(2) == [])
    #expect(disk.names == [Self.path])
  }

  @Test func aRewriteOfSeveralBatches() throws {
    let disk = SimulatedDisk()
    let engine = try Self.open(disk)
    try engine.write { tx throws(StorageError) in
      for key in 0..<60 as Range<UInt8> {
        try tx.put(TreeID(key % 3), [key], [UInt8](repeating: key, count: 60_000))
      }
    }
    try engine.compact()
    #expect(try #require(try engine.statistics().details["batches"].flatMap { Int($0) }) > 3)
    try engine.close()
    let again = try Self.open(disk)
    for tree in 0..<3 as Range<TreeID> { #expect(try again.beginRead().keys(tree).count == 20) }
    #expect(try again.check() == [])
    try again.compact()
    #expect(try again.beginRead().get(2, [59])?.count == 60_000)
  }

  @Test func aRewriteOfAnEmptyStore() throws {
    let disk = SimulatedDisk()
    let engine = try Self.open(disk)
    try engine.compact()
    try engine.write { tx throws(StorageError) in try tx.put(1, [1], [1]) }
    try engine.close()
    #expect(try Self.open(disk).beginRead().keys(1) == [[1]])
  }

  @Test func writersGoOnWhileTheFileIsRewritten() throws {
    let disk = SimulatedDisk()
    let engine = try Self.open(disk)
    let stop = Atomic(false)
    let writers = (0..<3 as Range<UInt8>).map { thread in
      Self.inBackground {
        for number in 0..<200 as Range<UInt8> {
          _ = try? engine.write { tx throws(StorageError) in try tx.put(1, [thread, number], [number]) }
        }
      }
    }
    let rewriter = Self.inBackground {
      while !stop.load(ordering: .acquiring) { try? engine.compact() }
    }
    for writer in writers { writer.wait() }
    stop.store(true, ordering: .releasing)
    rewriter.wait()
    #expect(try engine.beginRead().count(1, .all) == 600)
    #expect(try engine.check() == [])
    try engine.close()
    let again = try Self.open(disk)
    #expect(try again.beginRead().count(1, .all) == 600)
    #expect(try again.beginRead().version == CommitVersion(600))
  }

  @Test func garbageIsCollectedOnItsOwn() throws {
    let disk = SimulatedDisk()
    let engine = try Self.open(disk, compaction: .automatic(garbageBytes: 10_000))
    // The rewrite runs beside the writer, sooner or later.
    var rounds = 0
    while rounds < 20_000, try engine.statistics().details["compactions"] == "0" {
      rounds += 1
      try engine.write { tx throws(StorageError) in
        try tx.put(1, [1], [UInt8](repeating: UInt8(truncatingIfNeeded: rounds), count: 1000))
      }
    }
    // Closing waits for a rewrite that goes on.
    try engine.close()
    #expect(try #require(disk.bytes(Self.path)?.count) < rounds * 1000)
    #expect(disk.names == [Self.path])
    #expect(
      try Self.open(disk).beginRead().get(1, [1])
        == [UInt8](repeating: UInt8(truncatingIfNeeded: rounds), count: 1000))
  }

  @Test func garbageOfCommitsDuringARewriteIsCollected() throws {
    let (brake, writer) = (Brake(), ObjectIdentifier(Thread.current))
    let disk = SimulatedDisk { if ObjectIdentifier(Thread.current) != writer { brake.stop() } }
    let engine = try Self.open(disk, compaction: .automatic(garbageBytes: 10_000))
    func put() throws {
      try engine.write { tx throws(StorageError) in try tx.put(1, [1], [UInt8](repeating: 1, count: 1000)) }
    }
    brake.isOn.store(true, ordering: .releasing)
    var rounds = 0
    while rounds < 20_000, brake.arrived.wait(timeout: .now()) == .timedOut {
      rounds += 1
      try put()
    }
    brake.isOn.store(false, ordering: .releasing)
    for _ in 0..<50 { try put() }
    brake.released.signal()
    // No commit follows.
    let end = ContinuousClock.now + .seconds(60)
    while try #require(disk.bytes(Self.path)?.count) > 20_000, ContinuousClock.now < end { usleep(1_000) }
    #expect(try #require(disk.bytes(Self.path)?.count) <= 20_000)
    try engine.close()
  }

  @Test func aRewriteThatFindsNoRoomHarmsNothing() throws {
    let disk = SimulatedDisk()
    let engine = try Self.open(disk)
    try engine.write { tx throws(StorageError) in try tx.put(1, [1], [1]) }
    for operation in 1...3 {
      disk.state.withLock { $0.fault = ($0.operations + operation, .full) }
      #expect(code { () throws(StorageError) in try engine.compact() } == .full)
      #expect(disk.names == [Self.path])
    }
    try engine.write { tx throws(StorageError) in try tx.put(1, [2], [2]) }
    try engine.compact()
    #expect(try engine.beginRead().keys(1) == [[1], [2]])
  }

  @Test func anOpenWriteTransactionMakesARewriteBusy() throws {
    let disk = SimulatedDisk()
    let engine = try Self.open(disk, busyTimeout: 0.1)
    let write = try engine.beginWrite(timeout: 0)
    try write.put(1, [1], [1])
    #expect(code { () throws(StorageError) in try engine.compact() } == .busy)
    _ = try write.commit()
    try engine.compact()
    #expect(try engine.beginRead().keys(1) == [[1]])
  }
}
