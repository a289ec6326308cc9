import QuarryBackend
import QuarryKeyValue
import QuarryTestSupport
import Testing

@testable import QuarryFlatFile

/// Every fault at every operation of a small workload.
@Suite struct FaultTests {
  private static let path = "/store.quarry"

  private static func open(
    _ disk: SimulatedDisk, durability: BackendManifest.Durability = .powerLoss, isReadOnly: Bool = false,
    _ encryption: Encryption? = nil
  ) throws(StorageError) -> FlatFileEngine {
    var options = OpenOptions()
    options.encryption = encryption
    options.durability = durability
    options.isReadOnly = isReadOnly
    return try FlatFileEngine(FlatFileConfiguration(path: path, compaction: .manual), options, files: disk)
  }

  /// What a run of the workload was told.
  struct Outcome {
    var acknowledged: Set<UInt8> = []
    /// Refused for want of room: these must not be there.
    var refused: Set<UInt8> = []
    var attempted: Set<UInt8> = []
    var errors: [StorageError] = []
  }

  /// Opens, commits, rewrites, commits, closes. Each commit writes its number to two trees, and goes on after errors.
  private static func run(
    on disk: SimulatedDisk, _ durability: BackendManifest.Durability = .powerLoss, _ encryption: Encryption? = nil
  ) -> Outcome {
    var outcome = Outcome()
    func attempt(_ body: () throws(StorageError) -> Void) {
      do throws(StorageError) { try body() } catch { outcome.errors.append(error) }
    }
    var opened: FlatFileEngine?
    attempt { () throws(StorageError) in opened = try open(disk, durability: durability, encryption) }
    guard let engine = opened else { return outcome }
    for number in 1...7 as ClosedRange<UInt8> {
      if number == 4 { attempt { () throws(StorageError) in try engine.compact() } }
      outcome.attempted.insert(number)
      do throws(StorageError) {
        try engine.write { tx throws(StorageError) in
          try tx.put(1, [number], [UInt8](repeating: number, count: 20))
          try tx.put(2, [number], [])
          if number > 2 { _ = try tx.delete(3, [number - 2]) }
          try tx.put(3, [number], [number])
        }
        outcome.acknowledged.insert(number)
      } catch {
        outcome.errors.append(error)
        if error.code == .full { outcome.refused.insert(number) }
      }
    }
    attempt { () throws(StorageError) in try engine.close() }
    return outcome
  }

  /// Opens what is left, and looks whether it is what was promised.
  private static func verify(
    _ disk: SimulatedDisk, _ outcome: Outcome, keepsAcknowledged: Bool = true, _ encryption: Encryption?
  ) throws {
    let engine = try open(disk, encryption)
    let read = try engine.beginRead()
    let first = try read.keys(1).map { $0[0] }
    let second = try read.keys(2).map { $0[0] }
    #expect(first == second, "a commit is there in part")
    #expect(Set(first).isSubset(of: outcome.attempted))
    if keepsAcknowledged { #expect(outcome.acknowledged.isSubset(of: first), "\(outcome.acknowledged) of \(first)") }
    #expect(outcome.refused.isDisjoint(with: first))
    // An end that power tore is told; what the end of a process leaves is no defect.
    let tail = engine.openingReport.tail
    #expect(try engine.check().isEmpty || tail.map { !$0.isBeginningOfCommit } == true)
    try engine.write { tx throws(StorageError) in try tx.put(1, [99], [1]) }
    try engine.close()
    #expect(disk.names == [path] + (tail?.path.map { [$0] } ?? []))
    let again = try open(disk, isReadOnly: true, encryption)
    #expect(try again.beginRead().get(1, [99]) == [1])
    try again.close()
  }

  /// No key and one, each with every operation of the workload.
  private static func operations(
    _ body: (Int, Encryption?) throws -> Void
  ) throws {
    for encryption in [nil, try SealedStore.key(1)] {
      let disk = SimulatedDisk()
      let outcome = run(on: disk, .powerLoss, encryption)
      #expect(outcome.errors.isEmpty)
      for operation in 1...disk.operations { try body(operation, encryption) }
    }
  }

  @Test(arguments: [SimulatedDisk.Fault.full, .error, .errorAfterwards])
  func anErrorAtEveryOperation(_ fault: SimulatedDisk.Fault) throws {
    try Self.operations { operation, encryption in
      let disk = SimulatedDisk()
      disk.state.withLock { $0.fault = (operation, fault) }
      let outcome = Self.run(on: disk, .powerLoss, encryption)
      for error in outcome.errors {
        #expect([.full, .io, .readOnly].contains(error.code), "\(fault) at \(operation): \(error)")
      }
      disk.state.withLock { $0.fault = nil }
      try Self.verify(disk, outcome, encryption)
    }
  }

  @Test(arguments: SimulatedDisk.Remains.allCases, [false, true])
  func aLossOfPowerAtEveryOperation(_ remains: SimulatedDisk.Remains, keepsNames: Bool) throws {
    try Self.operations { operation, encryption in
      let disk = SimulatedDisk()
      disk.state.withLock { $0.fault = (operation, .stop) }
      let outcome = Self.run(on: disk, .powerLoss, encryption)
      try Self.verify(disk.afterPowerLoss(remains, keepsNames: keepsNames), outcome, encryption)
    }
  }

  @Test(arguments: [BackendManifest.Durability.processCrash, .none])
  func aKilledProcessAtEveryOperation(_ durability: BackendManifest.Durability) throws {
    try Self.operations { operation, encryption in
      let disk = SimulatedDisk()
      disk.state.withLock { $0.fault = (operation, .stop) }
      let outcome = Self.run(on: disk, durability, encryption)
      try Self.verify(disk.afterPowerLoss(.everything, keepsNames: true), outcome, encryption)
    }
  }

  /// Without syncs a loss of power may take commits, but the store opens, and none is there in part.
  @Test(arguments: SimulatedDisk.Remains.allCases)
  func aLossOfPowerWithoutSyncs(_ remains: SimulatedDisk.Remains) throws {
    try Self.operations { operation, encryption in
      let disk = SimulatedDisk()
      disk.state.withLock { $0.fault = (operation, .stop) }
      let outcome = Self.run(on: disk, .processCrash, encryption)
      try Self.verify(disk.afterPowerLoss(remains, keepsNames: true), outcome, keepsAcknowledged: false, encryption)
    }
  }

  @Test func afterAFullDiskTheStoreIsUsable() throws {
    let disk = SimulatedDisk()
    let engine = try Self.open(disk)
    try engine.write { tx throws(StorageError) in try tx.put(1, [1], [1]) }
    let size = disk.bytes(Self.path)?.count
    disk.state.withLock { $0.fault = ($0.operations + 1, .full) }
    #expect(
      code { () throws(StorageError) in try engine.write { tx throws(StorageError) in try tx.put(1, [2], [2]) } }
        == .full)
    #expect(try engine.beginRead().keys(1) == [[1]])
    #expect(disk.bytes(Self.path)?.count == size)
    try engine.write { tx throws(StorageError) in try tx.put(1, [3], [3]) }
    #expect(try engine.beginRead().keys(1) == [[1], [3]])
    #expect(try engine.check() == [])
    try engine.close()
    #expect(try Self.open(disk).beginRead().keys(1) == [[1], [3]])
  }

  @Test func afterAFailedSyncTheStoreIsReadOnly() throws {
    let disk = SimulatedDisk()
    let engine = try Self.open(disk)
    try engine.write { tx throws(StorageError) in try tx.put(1, [1], [1]) }
    disk.state.withLock { $0.fault = ($0.operations + 2, .error) }
    #expect(
      code { () throws(StorageError) in try engine.write { tx throws(StorageError) in try tx.put(1, [2], [2]) } } == .io
    )
    #expect(code { () throws(StorageError) in _ = try engine.beginWrite(timeout: 0) } == .readOnly)
    #expect(code { () throws(StorageError) in try engine.compact() } == .readOnly)
    #expect(try engine.beginRead().keys(1) == [[1]])
    try engine.close()
    #expect(try Self.open(disk).beginRead().keys(1) == [[1]])
  }

  @Test func aCutThatFailsMakesTheStoreReadOnly() throws {
    let disk = SimulatedDisk()
    let engine = try Self.open(disk)
    disk.state.withLock { $0.fault = ($0.operations + 1, .fullThenStop) }
    #expect(
      code { () throws(StorageError) in try engine.write { tx throws(StorageError) in try tx.put(1, [1], [1]) } }
        == .full)
    #expect(code { () throws(StorageError) in _ = try engine.beginWrite(timeout: 0) } == .readOnly)
    #expect(try engine.beginRead().keys(1) == [])
  }

  @Test func aStoreThatWasRemovedRefusesCommits() throws {
    let disk = SimulatedDisk()
    let engine = try Self.open(disk)
    try engine.write { tx throws(StorageError) in try tx.put(1, [1], [1]) }
    try disk.remove(Self.path)
    #expect(
      code { () throws(StorageError) in try engine.write { tx throws(StorageError) in try tx.put(1, [2], [2]) } } == .io
    )
    #expect(try engine.beginRead().keys(1) == [[1]])
    #expect(
      code { () throws(StorageError) in try engine.write { tx throws(StorageError) in try tx.put(1, [3], [3]) } } == .io
    )
    #expect(try engine.beginRead().keys(1) == [[1]])
    try? engine.close()
  }
}
