import Dispatch
import Foundation
import QuarryBackend
import QuarryKeyValue
import QuarryTestSupport
import Synchronization
import Testing

@testable import QuarryFlatFile

/// What commits that are under way at once show and leave, moment by moment.
@Suite struct GroupCommitTests {
  private static let path = "/store.quarry"

  private static func open(_ disk: SimulatedDisk) throws(StorageError) -> FlatFileEngine {
    try FlatFileEngine(FlatFileConfiguration(path: path, compaction: .manual), OpenOptions(), files: disk)
  }

  /// Does something once, in the middle of the next sync.
  private final class Interruption: Sendable {
    private let body = Mutex<(@Sendable () -> Void)?>(nil)

    func set(_ body: @escaping @Sendable () -> Void) {
      self.body.withLock { $0 = body }
    }

    func happen() {
      let body = body.withLock { body in
        defer { body = nil }
        return body
      }
      body?()
    }
  }

  private static func onAnotherThread(_ body: @escaping @Sendable () -> Void) -> DispatchSemaphore {
    let done = DispatchSemaphore(value: 0)
    Thread {
      body()
      done.signal()
    }.start()
    return done
  }

  /// Runs a first commit, and a second one that is appended while the first one's sync goes on.
  ///
  /// - Parameter atSecondSync: Happens when the second waits for its own sync, and the first is done.
  private static func two(
    _ disk: SimulatedDisk, _ interruption: Interruption, _ engine: FlatFileEngine,
    atSecondSync: @escaping @Sendable () -> Void
  ) throws -> StorageError.Code? {
    let second = Mutex<(done: DispatchSemaphore?, code: StorageError.Code?)>((nil, nil))
    interruption.set {
      let before = disk.bytes(path)?.count ?? 0
      let done = onAnotherThread {
        let found = code { () throws(StorageError) in
          try engine.write { tx throws(StorageError) in try tx.put(1, [2], [2]) }
        }
        second.withLock { $0.code = found }
      }
      second.withLock { $0.done = done }
      // Until its batch is in the file.
      while (disk.bytes(path)?.count ?? 0) == before { usleep(100) }
      interruption.set(atSecondSync)
    }
    try engine.write { tx throws(StorageError) in try tx.put(1, [1], [1]) }
    second.withLock { $0.done }?.wait()
    return second.withLock { $0.code }
  }

  @Test func whatIsAppendedDuringASyncIsNotPublishedWithIt() throws {
    let interruption = Interruption()
    let disk = SimulatedDisk { interruption.happen() }
    let engine = try Self.open(disk)
    let seen = Mutex<[[UInt8]]?>(nil)
    let synced = Mutex<[UInt8]?>(nil)
    let failed = try Self.two(disk, interruption, engine) {
      let keys = try? engine.beginRead().keys(1)
      seen.withLock { $0 = keys }
      let bytes = disk.state.withLock { state in state.names[Self.path].flatMap { state.inodes[$0]?.synced } }
      synced.withLock { $0 = bytes }
    }
    #expect(failed == nil)
    #expect(seen.withLock { $0 } == [[1]])
    #expect(try engine.beginRead().keys(1) == [[1], [2]])
    // What was on the disk when the first returned has the first.
    let crashed = SimulatedDisk(Self.path, try #require(synced.withLock { $0 }))
    #expect(try Self.open(crashed).beginRead().get(1, [1]) == [1])
    try engine.close()
    #expect(try Self.open(disk).beginRead().keys(1) == [[1], [2]])
  }

  @Test func aSyncThatFailsTakesOnlyWhatWasNotPublished() throws {
    let interruption = Interruption()
    let disk = SimulatedDisk { interruption.happen() }
    let engine = try Self.open(disk)
    let failed = try Self.two(disk, interruption, engine) {
      disk.state.withLock { $0.fault = ($0.operations + 1, .error) }
    }
    #expect(failed == .io)
    #expect(try engine.beginRead().keys(1) == [[1]])
    #expect(code { () throws(StorageError) in _ = try engine.beginWrite(timeout: 0) } == .readOnly)
    try engine.close()
    let again = try Self.open(disk)
    #expect(try again.beginRead().keys(1) == [[1]])
    #expect(again.openingReport == OpeningReport(wasClosed: false))
  }

  @Test func whatIsCommittedWhileTheFileIsRewrittenIsInTheNewOne() throws {
    let interruption = Interruption()
    let disk = SimulatedDisk { interruption.happen() }
    let engine = try Self.open(disk)
    try engine.write { tx throws(StorageError) in try tx.put(1, [1], [1]) }
    // The first sync of the rewrite is that of the snapshot.
    interruption.set {
      Self.onAnotherThread {
        for key in 2..<5 as Range<UInt8> {
          _ = try? engine.write { tx throws(StorageError) in
            try tx.put(1, [key], [key])
            _ = try tx.delete(1, [key - 1])
          }
        }
      }.wait()
    }
    try engine.compact()
    #expect(try engine.beginRead().keys(1) == [[4]])
    #expect(try engine.check() == [])
    try engine.write { tx throws(StorageError) in try tx.put(1, [9], [9]) }
    // Killed now, or closed, it is all there.
    let killed = SimulatedDisk(Self.path, try #require(disk.bytes(Self.path)))
    #expect(try Self.open(killed).beginRead().keys(1) == [[4], [9]])
    try engine.close()
    let again = try Self.open(disk)
    #expect(try again.beginRead().keys(1) == [[4], [9]])
    #expect(try again.beginRead().version == CommitVersion(5))
    #expect(again.openingReport == OpeningReport(wasClosed: true))
  }

  @Test func aTailThatWasCutIsWrittenOver() throws {
    let disk = SimulatedDisk()
    let engine = try Self.open(disk)
    try engine.write { tx throws(StorageError) in try tx.put(1, [1], [1]) }
    let border = try #require(disk.bytes(Self.path)?.count)
    try engine.write { tx throws(StorageError) in try tx.put(1, [2], [UInt8](repeating: 2, count: 500)) }
    var bytes = try #require(disk.bytes(Self.path))
    bytes[border + 100] ^= 1
    let crashed = SimulatedDisk(Self.path, bytes)
    let opened = try Self.open(crashed)
    #expect(crashed.bytes(Self.path)?.count == border)
    // On the disk, too: what is written over it next may be shorter.
    #expect(crashed.afterPowerLoss(.nothing, keepsNames: true).bytes(Self.path)?.count == border)
    try opened.write { tx throws(StorageError) in try tx.put(1, [3], [3]) }
    let killed = SimulatedDisk(Self.path, try #require(crashed.bytes(Self.path)))
    let again = try Self.open(killed)
    #expect(try again.beginRead().keys(1) == [[1], [3]])
    #expect(again.openingReport.tail == nil)
    #expect(try again.beginRead().version == CommitVersion(2))
  }

  @Test func oneSyncASessionIsMoreThanItsCommits() throws {
    let disk = SimulatedDisk()
    try Self.open(disk).close()
    let syncs = disk.syncs
    let engine = try Self.open(disk)
    #expect(disk.syncs == syncs + 1)
    for key in 0..<10 as Range<UInt8> { try engine.write { tx throws(StorageError) in try tx.put(1, [key], []) } }
    #expect(disk.syncs == syncs + 11)
    try engine.close()
    #expect(disk.syncs == syncs + 12)
    let operations = disk.operations
    try Self.open(disk).close()
    // The owner's number, said and taken back, and the sync of opening.
    #expect(disk.operations == operations + 3)
  }

  // MARK: The writer of batches

  @Test func aWriterThatRanOutOfMemoryIsAsNewWhenItIsEmptied() throws {
    func content(_ writer: BatchWriter) throws -> [UInt8] {
      let checksum = writer.contentChecksum()
      return try writer.withBatch(tag: 1, commit: 1, synced: 0, contentChecksum: checksum) { Array($0) }
    }
    func fill(_ writer: BatchWriter) {
      withUnsafeBytes(of: UInt32(7)) { bytes in
        writer.put(5, bytes, bytes)
        writer.delete(5, bytes)
      }
    }
    let fresh = BatchWriter()
    fill(fresh)
    let used = BatchWriter()
    fill(used)
    // A length that no memory has; the bytes are not looked at.
    withUnsafeBytes(of: UInt32(7)) { bytes in
      used.put(5, bytes, UnsafeRawBufferPointer(start: bytes.baseAddress, count: Int.max / 2))
    }
    #expect(used.isOutOfMemory)
    #expect(throws: StorageError.self) { try content(used) }
    used.reset()
    #expect(!used.isOutOfMemory)
    fill(used)
    #expect(try content(used) == content(fresh))
    // What selected the tree was taken back with the rest.
    let mark = FlatFileFormat.batchHeaderBytes
    used.rollBack(to: mark)
    fill(used)
    #expect(try content(used) == content(fresh))
  }
}
