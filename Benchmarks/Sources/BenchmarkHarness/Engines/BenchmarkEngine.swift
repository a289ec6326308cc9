/// An engine under measurement: one of Quarry's, or a peer.
public struct BenchmarkEngine: Sendable {
  /// What a commit outlives.
  public enum Durability: String, Sendable, Codable {
    case none, powerLoss
  }

  /// The name in flags and reports.
  public let name: String
  /// What it is, in a few words.
  public let summary: String
  /// The version of the library underneath.
  public let version: String
  /// Whether it is one of Quarry's.
  public let isQuarry: Bool
  public let durability: Durability
  /// Whether its stores have files, so that they can be opened again and weighed.
  public let isPersistent: Bool
  /// The engine written directly over the library underneath, which this one is compared with.
  public let peer: String?
  /// The workloads that mean nothing on it.
  public let unsupported: Set<String>
  /// Opens the store in a folder, and makes it when it is not there.
  public let open: @Sendable (_ folder: String) throws -> any BenchmarkStore

  public init(
    name: String, summary: String, version: String, isQuarry: Bool, durability: Durability = .powerLoss,
    isPersistent: Bool = true, peer: String?, unsupported: Set<String> = [],
    open: @escaping @Sendable (_ folder: String) throws -> any BenchmarkStore
  ) {
    self.name = name
    self.summary = summary
    self.version = version
    self.isQuarry = isQuarry
    self.durability = durability
    self.isPersistent = isPersistent
    self.peer = peer
    self.unsupported = isPersistent ? unsupported : unsupported.union(["open"])
    self.open = open
  }

  public func supports(_ workload: Workload) -> Bool { !unsupported.contains(workload.id) }
}
