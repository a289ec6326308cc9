import Foundation
import QuarryBackend
import QuarryHarnesses
import QuarryMemory

@testable import QuarryConformance
@testable import QuarryConformanceKit

/// A memory harness that can be made to say or do what is not so.
struct LyingHarness: ConformanceHarness {
  var name = "lying"
  var manifest = MemoryHarness().manifest
  var isPersistent = false
  var deviations: [ConformanceDeviation] = []
  /// Puts a backend of the test's before the real one.
  var wrap: @Sendable (any Backend) -> any Backend = { $0 }
  var failsToMakePlaces = false
  var clock = ConformanceClock.system
  /// Whether places keep what they have.
  var keeps = false
  private let named = NamedMemoryHarness()

  func makePlace() throws -> any BackendProvider {
    if failsToMakePlaces { throw StorageError(.io, "no place") }
    return keeps ? try named.makePlace() : Place(wrap: wrap)
  }

  func remove(_ place: any BackendProvider) { named.remove(place) }

  init(
    manifest: BackendManifest = MemoryHarness().manifest, isPersistent: Bool = false,
    deviations: [ConformanceDeviation] = [], wrap: @escaping @Sendable (any Backend) -> any Backend = { $0 },
    failsToMakePlaces: Bool = false, clock: ConformanceClock = .system, keeps: Bool = false
  ) {
    self.manifest = manifest
    self.isPersistent = isPersistent || keeps
    self.deviations = deviations
    self.wrap = wrap
    self.failsToMakePlaces = failsToMakePlaces
    self.clock = clock
    self.keeps = keeps
  }

  private struct Place: BackendProvider {
    let wrap: @Sendable (any Backend) -> any Backend

    func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
      wrap(try MemoryConfiguration.memory.open(options))
    }
  }

  /// Runs a few cases on the harness.
  func report(
    _ cases: [ConformanceCase], _ change: (inout ConformanceSelection) -> Void = { _ in }
  ) -> ConformanceReport {
    var selection = ConformanceSelection()
    change(&selection)
    return ConformanceRunner(self, selection, cases: cases).run()
  }
}

extension ConformanceCase {
  static func passing(_ id: String, level: ConformanceLevel? = nil) -> ConformanceCase {
    ConformanceCase(id, ["CRUD-1"], "Passes.", level: level) { _ in }
  }

  static func failing(_ id: String, level: ConformanceLevel? = nil) -> ConformanceCase {
    ConformanceCase(id, ["CRUD-1"], "Fails.", level: level) { _ in
      try expect(false, "a <message> & \"more\"\nof two lines | with # signs")
    }
  }
}

/// Hangs in every read.
final class HangingBackend: BackendLayer, @unchecked Sendable {
  override func beginRead() throws(StorageError) -> any BackendReadTransaction {
    DispatchSemaphore(value: 0).wait()
    return try super.beginRead()
  }
}

/// Has one manifest when it is opened and another later.
final class RelabellingBackend: BackendLayer, @unchecked Sendable {
  override var manifest: BackendManifest {
    var manifest = super.manifest
    manifest.durability = .powerLoss
    return manifest
  }
}

/// Ignores a capability that its manifest does not offer: snapshots work all the same.
final class IgnoringBackend: BackendLayer, @unchecked Sendable {
  override var manifest: BackendManifest { Self.manifest }

  static let manifest: BackendManifest = {
    var manifest = MemoryHarness().manifest
    manifest.capabilities[.snapshots] = .unsupported(reason: "for the test")
    return manifest
  }()
}

/// Refuses snapshots, as its manifest says.
final class RefusingBackend: BackendLayer, @unchecked Sendable {
  override var manifest: BackendManifest { IgnoringBackend.manifest }

  override func snapshot() throws(StorageError) -> any BackendSnapshot {
    try manifest.require(.snapshots)
    return try super.snapshot()
  }
}
