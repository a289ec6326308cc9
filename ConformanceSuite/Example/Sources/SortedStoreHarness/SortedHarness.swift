import Foundation
public import QuarryBackend
public import QuarryConformance
import QuarryKeyValue
public import SortedStore

/// What the kit has to know to try the backend.
public struct SortedHarness: ConformanceHarness {
  public let name = "sorted store"
  public let isPersistent = true
  public let manifest = BackendManifest.keyValue(
    KeyValueEngineProperties(
      name: "sorted", version: "2", durability: .powerLoss, sharing: .oneProcess, countsRanges: true,
      encrypts: true))

  public init() {}

  /// What this example leaves out, with the reason: the reports name it, and a case that passes all the same is a failure.
  public var deviations: [ConformanceDeviation] {
    let things = ["moved", "removed", "replaced"]
    let unwatched =
      ["destroy", "observer", "read", "rekey", "write"].flatMap { call in things.map { "FILE.\(call)-\($0)" } }
      + ["FILE.back", "FILE.other-process", "FILE.while-open"]
    let twoSteps = ["MOVE.killed-copy-at-steps", "MOVE.killed-making-copy", "MOVE.killed-making-restore"]
    return twoSteps.map {
      ConformanceDeviation($0, reason: "the example makes a store before the mark of a copy is in it (MOVE-9)")
    }
      + unwatched.map {
        ConformanceDeviation(
          $0, reason: "the example does not look whether its folder is still the one that it opened (FILE-20)")
      } + [
        ConformanceDeviation("CARE.growing", reason: "each commit of the example writes the whole file anew"),
        ConformanceDeviation("MOVE.output-store", reason: "no output knows the files of an engine of another package"),
        ConformanceDeviation("FILE.link-quarantined", reason: "the example puts aside what a link leads to"),
      ]
  }

  public var secondProcess: ConformanceProcess? {
    ConformanceProcess(
      "sorted-store-conformance", address: { ($0 as? SortedProvider)?.path }, place: { SortedProvider(path: $0) })
  }

  /// Each place has a folder of its own, for what the store leaves beside itself.
  public func makePlace() throws -> any BackendProvider {
    let folder = FileManager.default.temporaryDirectory.appending(path: "sorted-store-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    return SortedProvider(path: folder.appending(path: "store").path)
  }

  public func folder(of place: any BackendProvider) -> String? {
    (place as? SortedProvider).map { URL(fileURLWithPath: $0.path).deletingLastPathComponent().path }
  }

  public func remove(_ place: any BackendProvider) {
    if let folder = folder(of: place) { try? FileManager.default.removeItem(atPath: folder) }
  }

  public func files(at place: any BackendProvider) -> [String] {
    guard let path = (place as? SortedProvider)?.path else { return [] }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return names.sorted().map { "\(path)/\($0)" }
  }
}

/// What the small suite has to know to try the engine alone, in memory.
public struct SortedEngineHarness: KeyValueEngineHarness {
  public init() {}
  public func makeEngine() throws -> SortedEngine { SortedEngine() }
}
