import Foundation
public import QuarryBackend

/// What the author of a backend writes, so that the kit can run on it.
///
/// The manifest is written down here a second time, apart from the backend's own: the kit compares both, so that a
/// change of what is offered is seen where it is proven.
public protocol ConformanceHarness: Sendable {
  /// The backend's name, for reports.
  var name: String { get }
  /// What the backend offers: every capability, without a default.
  var manifest: BackendManifest { get }
  /// Whether a store that was closed can be opened again with what it had.
  var isPersistent: Bool { get }
  /// A provider for a place where there is nothing yet.
  func makePlace() throws -> any BackendProvider
  /// Places without a store, each with an unreasonable value of an option of the engine: the least and the greatest number, 0, -1.
  ///
  /// Each has a name that tells the option and its value.
  func makePlacesWithAnyOptions() throws -> [(name: String, place: any BackendProvider)]
  /// Removes what is at the place. The stores there were closed.
  func remove(_ place: any BackendProvider)
  /// The paths of the files of the store at the place that are there now; empty for a store without files.
  func files(at place: any BackendProvider) -> [String]
  /// The folder that has the files of the store and those that it leaves next to it, and nothing else; nil without files.
  ///
  /// A backend that encrypts needs it: the kit checks there that nothing is in the clear.
  func folder(of place: any BackendProvider) -> String?
  /// Where stores are. The default is ``ConformanceStorage/files``. Cases that are about files of a store alone are refused on a
  /// server.
  var storage: ConformanceStorage { get }
  /// The names that stand next to the place and begin with its name and a dot: stores that were put aside, remains of processes.
  func neighbours(of place: any BackendProvider) throws -> [String]
  /// The place that is named so by a report, such as that of a store that was put aside; nil where places have no names.
  func place(at path: String) throws -> (any BackendProvider)?
  /// Stores that earlier versions of the backend wrote, which are made at places of it; empty where there was none yet.
  var goldenStores: [GoldenStore] { get }
  /// How to start a second process, for cases in which two processes meet or one is killed; nil if there is no such program.
  ///
  /// Without it these cases count as not run, and the levels that need them are not awarded. A store that does not persist needs
  /// none.
  var secondProcess: ConformanceProcess? { get }
  /// What a loss of power leaves of a store that was opened for less than `powerLoss` (contract DUR-7).
  func afterLostPower(_ durability: BackendManifest.Durability) -> LostPowerPromise
  /// The clock of the run's report.
  var clock: ConformanceClock { get }
  /// What is known to differ from the contract.
  var deviations: [ConformanceDeviation] { get }
}

extension ConformanceHarness {
  /// None: the engine has no options that are numbers.
  public func makePlacesWithAnyOptions() throws -> [(name: String, place: any BackendProvider)] { [] }
  public func files(at place: any BackendProvider) -> [String] { [] }
  public func folder(of place: any BackendProvider) -> String? { nil }
  public var storage: ConformanceStorage { .files }
  public var goldenStores: [GoldenStore] { [] }
  public var secondProcess: ConformanceProcess? { nil }
  /// The place that a second process opens by that address.
  public func place(at path: String) throws -> (any BackendProvider)? { try secondProcess?.place(path) }
  /// The names of the files in the folder of the path by which a second process finds the place; none where there is no such path.
  public func neighbours(of place: any BackendProvider) throws -> [String] {
    guard let path = secondProcess?.address(place) else { return [] }
    let url = URL(fileURLWithPath: path)
    return try FileManager.default.contentsOfDirectory(atPath: url.deletingLastPathComponent().path)
      .filter { $0.hasPrefix(url.lastPathComponent + ".") }.sorted()
  }

  public func afterLostPower(_ durability: BackendManifest.Durability) -> LostPowerPromise { LostPowerPromise() }
  public var clock: ConformanceClock { .system }
  public var deviations: [ConformanceDeviation] { [] }
}

/// Where the stores of a backend are, once they are on a disk.
public enum ConformanceStorage: String, Sendable, Hashable, Codable {
  /// In files that the processes of programs open.
  case files
  /// On a server, whose files no program opens: stores have names and no paths.
  case server
}

/// What a backend promises after a loss of power for a store that was opened for less than `powerLoss`.
///
/// Without a promise, such a store may be damaged.
public struct LostPowerPromise: Sendable, Hashable {
  /// Whether it opens in a committed state, perhaps an older one, in which `check` finds nothing.
  public var isCommittedState: Bool
  /// Whether what it had when it was closed stays.
  public var keepsWhatWasClosed: Bool

  /// Creates a promise of what a loss of power leaves.
  public init(isCommittedState: Bool = false, keepsWhatWasClosed: Bool = false) {
    self.isCommittedState = isCommittedState
    self.keepsWhatWasClosed = keepsWhatWasClosed
  }
}

/// A case that a backend is known to fail.
///
/// The kit runs it. It counts as deviated if it fails, and as a failure if it passes. The level of the case is not awarded.
public struct ConformanceDeviation: Sendable, Hashable, Codable {
  /// The id of the case that deviates.
  public var caseID: String
  /// Why the case fails.
  public var reason: String

  /// Creates a deviation from the contract.
  public init(_ caseID: String, reason: String) {
    self.caseID = caseID
    self.reason = reason
  }
}
