import QuarryBackend
import QuarryConformance
import QuarryConformanceTesting
import QuarryHarnesses
import QuarryMemory
import QuarryTestSupport
import Synchronization
import Testing

/// Proves of the differential test that it finds faults, and makes what it found short.
@Suite struct PlantedFaultTests {
  @Test(arguments: PlantedFault.allCases)
  func findsFaultAndShrinksIt(_ fault: PlantedFault) throws {
    let failure = try #require(try Self.firstFailure(fault))
    #expect(failure.commandCount <= 6, "\(failure)")
  }

  @Test func sameSeedGivesSameFailure() throws {
    let failures = try (0..<2).map { _ in try #require(try Self.firstFailure(.savepointKept)).description }
    #expect(failures[0] == failures[1])
  }

  @Test func failuresAreIssuesOfTheirArea() async throws {
    var selection = ConformanceSelection.forTests
    selection.areas = ["TXN"]
    let conformance = StorageConformance(FaultyHarness(fault: .savepointKept), selection)
    #expect(conformance.areas.map(\.name) == ["TXN"])
    let area = try #require(conformance.areas.first)
    let found = Mutex<[String]>([])
    await withKnownIssue {
      await conformance.check(area)
    } matching: { issue in
      found.withLock { $0 += issue.comments.map(\.rawValue) }
      return true
    }
    let comments = found.withLock { $0 }
    #expect(comments.count > 1 && comments.allSatisfy { $0.hasPrefix("TXN.") }, "\(comments)")
  }

  private static func firstFailure(_ fault: PlantedFault) throws -> DifferentialTest.Failure? {
    let test = DifferentialTest([MemoryHarness(), FaultyHarness(fault: fault)])
    for seed in 1...40 {
      if let failure = try failure(test, seed: UInt64(seed)) { return failure }
    }
    return nil
  }

  private static func failure(_ test: DifferentialTest, seed: UInt64) throws -> DifferentialTest.Failure? {
    do {
      try test.run(seed: seed)
      return nil
    } catch let failure as DifferentialTest.Failure {
      return failure
    }
  }
}

/// What is wrong with a store.
enum PlantedFault: CaseIterable {
  /// Of several keys to be deleted the last stays.
  case deleteForgetsLast
  /// A savepoint that should be undone is kept.
  case savepointKept
  /// Rows beyond an offset are counted as if there were none.
  case countIgnoresOffset
  /// A snapshot shows what was committed after it.
  case snapshotMoves
  /// A unique value that is taken is reported as a taken key.
  case wrongCode
}

private struct FaultyHarness: ConformanceHarness {
  let fault: PlantedFault

  var name: String { "\(fault)" }
  var isPersistent: Bool { false }
  var manifest: BackendManifest { MemoryHarness().manifest }
  func makePlace() throws -> any BackendProvider { FaultyPlace(fault: fault) }
  func remove(_ place: any BackendProvider) {}
}

private struct FaultyPlace: BackendProvider {
  let fault: PlantedFault

  func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
    FaultyBackend(try MemoryConfiguration.memory.open(options), fault)
  }
}

private final class FaultyBackend: BackendLayer, @unchecked Sendable {
  private let fault: PlantedFault

  init(_ backend: any Backend, _ fault: PlantedFault) {
    self.fault = fault
    super.init(backend)
  }

  override func readHooks() -> (any TransactionHooks)? { FaultyHooks(fault: fault) }
  override func writeHooks() -> (any TransactionHooks)? { FaultyHooks(fault: fault) }

  override func snapshot() throws(StorageError) -> any BackendSnapshot {
    let snapshot = try super.snapshot()
    return fault == .snapshotMoves ? MovingSnapshot(self, snapshot) : snapshot
  }
}

private final class MovingSnapshot: BackendSnapshot {
  private let backend: FaultyBackend
  private let snapshot: any BackendSnapshot

  init(_ backend: FaultyBackend, _ snapshot: any BackendSnapshot) {
    self.backend = backend
    self.snapshot = snapshot
  }

  var version: CommitVersion { snapshot.version }
  func beginRead() throws(StorageError) -> any BackendReadTransaction { try backend.beginRead() }
  func close() { snapshot.close() }
}

private struct FaultyHooks: TransactionHooks {
  let fault: PlantedFault

  func count(_ base: Reader, _ query: BoundQuery) throws(StorageError) -> Int {
    var query = query
    if fault == .countIgnoresOffset { query.offset = 0 }
    return try base.count(query)
  }

  func insert(_ base: Writer, _ model: ModelID, _ rows: borrowing RowBatch) throws(StorageError) {
    do throws(StorageError) {
      try base.insert(model, rows)
    } catch {
      guard fault == .wrongCode, error.code == .uniqueViolation else { throw error }
      throw StorageError(.duplicateKey, "planted")
    }
  }

  func load(
    _ base: Writer, _ model: ModelID, _ next: (inout RowBatch) throws(StorageError) -> Void
  ) throws(StorageError) {
    try loadByInserting(base, model, next)
  }

  func delete(_ base: Writer, _ model: ModelID, _ keys: [Key]) throws(StorageError) -> Int {
    guard fault == .deleteForgetsLast, keys.count > 1 else { return try base.delete(model, keys) }
    return try base.delete(model, Array(keys.dropLast())) + 1
  }

  func rollbackSavepoint(_ base: Writer) throws(StorageError) {
    if fault == .savepointKept { try base.releaseSavepoint() } else { try base.rollbackSavepoint() }
  }
}
