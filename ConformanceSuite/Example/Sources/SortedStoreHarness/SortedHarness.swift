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

  /// What the example leaves out, with the reason. Reports name each; the kit fails a deviating case that passes.
  public var deviations: [ConformanceDeviation] {
    let unwatchedCases = ["destroy", "observer", "read", "rekey", "write"].flatMap { call in
      ["moved", "removed", "replaced"].map { "FILE.\(call)-\($0)" }
    }
    let reasons = [
      "the example does not check that its path still names the folder that it opened (FILE-20)":
        unwatchedCases + ["FILE.back", "FILE.other-process", "FILE.while-open"],
      "the example creates a store before it writes the mark of a copy (MOVE-9)":
        ["MOVE.killed-copy-at-steps", "MOVE.killed-making-copy", "MOVE.killed-making-restore"],
      "each commit of the example rewrites the file": ["CARE.growing"],
      "a commit of the example throws where its file has its name and the sync of the folder failed (DUR-8)":
        ["DUR.failed-update", "ENC.rekey-failed-keeps-key", "ENC.rekey-failed-wrapping"],
      "Quarry does not recognise the files of this engine as a store": ["MOVE.output-store"],
      "the example quarantines the folder that a link leads to": ["FILE.link-quarantined"],
    ]
    return reasons.flatMap { reason, cases in cases.map { ConformanceDeviation($0, reason: reason) } }
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
