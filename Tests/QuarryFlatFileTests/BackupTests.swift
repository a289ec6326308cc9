import Foundation
import QuarryBackend
import QuarryKeyValue
import QuarryTestSupport
import Synchronization
import Testing

@testable import QuarryFlatFile

/// Copies of a store, on a disk that has no room and one that stops.
@Suite struct BackupTests {
  private static let path = "/store.quarry"

  private static func open(_ disk: SimulatedDisk, _ path: String = path) throws(StorageError) -> FlatFileEngine {
    try FlatFileEngine(FlatFileConfiguration(path: path, compaction: .manual), OpenOptions(), files: disk)
  }

  private static func filled(_ disk: SimulatedDisk) throws -> FlatFileEngine {
    let engine = try open(disk)
    for number: UInt8 in 0..<20 {
      try engine.write { tx throws(StorageError) in try tx.put(1, [number], [UInt8](repeating: number, count: 500)) }
    }
    return engine
  }

  private static func backUp(_ engine: FlatFileEngine, to path: String) -> StorageError.Code? {
    code { () throws(StorageError) in try engine.backup(to: path) { _, _ in true } }
  }

  @Test func aBackupIsAStoreThatWasClosed() throws {
    let disk = SimulatedDisk()
    let engine = try Self.filled(disk)
    try engine.backup(to: "/copy.quarry") { _, _ in true }
    #expect(disk.names == ["/copy.quarry", Self.path])
    let copy = try Self.open(disk, "/copy.quarry")
    #expect(copy.openingReport.wasClosed == true)
    #expect(try copy.beginRead().keys(1) == engine.beginRead().keys(1))
    #expect(try copy.beginRead().version == engine.beginRead().version)
    #expect(try copy.check() == [])
  }

  @Test func aDiskThatIsFullKeepsNothingOfABackup() throws {
    let disk = SimulatedDisk()
    let engine = try Self.filled(disk)
    for operation in 1...4 {
      disk.state.withLock { $0.fault = ($0.operations + operation, .full) }
      #expect(Self.backUp(engine, to: "/copy.quarry") == .full)
      #expect(disk.names == [Self.path])
    }
    disk.state.withLock { $0.fault = nil }
    #expect(Self.backUp(engine, to: "/copy.quarry") == nil)
    try engine.write { tx throws(StorageError) in try tx.put(1, [100], [1]) }
  }

  @Test func aMachineThatStopsLeavesTheOtherNameOrAWholeBackup() throws {
    for operation in 1...12 {
      let disk = SimulatedDisk()
      let engine = try Self.filled(disk)
      disk.state.withLock { $0.fault = ($0.operations + operation, .stop) }
      let failed = Self.backUp(engine, to: "/copy.quarry") != nil
      #expect(disk.names.allSatisfy { ["/copy.quarry", "/copy.quarry._quarry.partial", Self.path].contains($0) })
      if !failed { break }
    }
  }

  @Test func whatAKilledBackupLeftIsTakenOver() throws {
    let disk = SimulatedDisk("/copy.quarry._quarry.partial", [UInt8](repeating: 7, count: 100_000))
    let engine = try Self.filled(disk)
    #expect(Self.backUp(engine, to: "/copy.quarry") == nil)
    #expect(disk.names == ["/copy.quarry", Self.path])
    #expect(try Self.open(disk, "/copy.quarry").check() == [])
  }

  @Test func theNamesOfTheStoreAreNoPlaces() throws {
    let disk = SimulatedDisk()
    let engine = try Self.filled(disk)
    #expect(Self.backUp(engine, to: Self.path) == .inUse)
    #expect(Self.backUp(engine, to: Self.path + "._quarry.partial") == .invalidValue)
    #expect(disk.names == [Self.path])
  }

  /// Between the name and the end of the backup its lock is on a file that anybody may open by now.
  @Test func whoeverOpensABackupBeforeItsLockIsGoneWaits() throws {
    let opener = Opener()
    let disk = SimulatedDisk(onDirectorySync: { disk in
      guard disk.names.contains("/copy.quarry"), opener.begin() else { return }
      Thread { opener.open { try Self.open(disk, "/copy.quarry") } }.start()
      // The lock is let go only after somebody has met it.
      while disk.state.withLock({ $0.refusedLocks == 0 }), !opener.isDone { usleep(200) }
    })
    let engine = try Self.filled(disk)
    try engine.backup(to: "/copy.quarry") { _, _ in true }
    let copy = try opener.wait()
    #expect(disk.state.withLock { $0.refusedLocks } > 0)
    #expect(try copy.beginRead().keys(1) == engine.beginRead().keys(1))
  }

  @Test func whatHasNoRoomIsRefusedBeforeItsFirstByte() throws {
    let disk = SimulatedDisk()
    let engine = try Self.filled(disk)
    let least = 20 * 501 + FlatFileFormat.firstBatch
    disk.state.withLock { $0.freeBytes = 5_000 }
    let operations = disk.operations
    for call: () throws -> Void in [
      { try engine.backup(to: "/copy.quarry") { _, _ in true } }, { try engine.compact() },
    ] {
      let error = #expect(throws: StorageError.self) { try call() }
      #expect(error?.code == .full)
      #expect(error?.message.contains("at least \(least) bytes") == true, "\(error as Any)")
      #expect(error?.message.contains("has 5000 left") == true, "\(error as Any)")
    }
    #expect(disk.operations == operations)
    #expect(disk.names == [Self.path])
    // Enough for the keys and values may be enough.
    disk.state.withLock { $0.freeBytes = least }
    try engine.backup(to: "/copy.quarry") { _, _ in true }
    try engine.compact()
  }
}

/// Opens an engine on another thread, once.
private final class Opener: Sendable {
  private let result = Mutex<Result<FlatFileEngine, any Error>?>(nil)
  private let hasBegun = Atomic(false)

  func begin() -> Bool { !hasBegun.exchange(true, ordering: .sequentiallyConsistent) }
  var isDone: Bool { result.withLock { $0 != nil } }

  func open(_ body: () throws -> FlatFileEngine) {
    let opened = Result { try body() }
    result.withLock { $0 = opened }
  }

  func wait() throws -> FlatFileEngine {
    while true {
      if let result = result.withLock({ $0 }) { return try result.get() }
      usleep(1_000)
    }
  }
}
