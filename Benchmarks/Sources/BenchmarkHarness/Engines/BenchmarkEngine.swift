/// An engine under measurement: one of Quarry's, or a peer.
public struct BenchmarkEngine: Sendable {
  /// What a commit outlives.
  public enum Durability: String, Sendable, Codable {
    case none, processCrash, powerLoss
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
  /// What this engine is compared with: the one written directly over the library underneath; the plain one for an engine
  /// of Quarry's that encrypts.
  public let peer: String?
  /// Whether its stores are encrypted: such an engine takes part where the run is about encryption, or where it is named.
  public let isEncrypted: Bool
  /// Whether it is another engine with an option: such an engine takes part where it is named alone.
  public let isVariant: Bool
  /// Why it cannot take part here; nil when it can.
  public let obstacle: String?
  /// The workloads that mean nothing on it.
  public let unsupported: Set<String>
  /// Opens the store in a folder, and makes it when it is not there.
  public let open: @Sendable (_ folder: String) throws -> any BenchmarkStore
  /// Makes a store with relations in a folder; nil for an engine that has none.
  public let openRelated: (@Sendable (_ folder: String) throws -> any RelatedStore)?

  /// Makes a store whose changes are observed in a folder; nil for an engine that tells of none.
  public let openObserved: (@Sendable (_ folder: String) throws -> any ObservedStore)?
  /// The stores of an engine that keeps them outside of the folders; nil for all others.
  public let elsewhere: StoresElsewhere?

  public init(
    name: String, summary: String, version: String, isQuarry: Bool, durability: Durability = .powerLoss,
    isPersistent: Bool = true, isEncrypted: Bool = false, isVariant: Bool = false, peer: String?,
    obstacle: String? = nil, unsupported: Set<String> = [], elsewhere: StoresElsewhere? = nil,
    openRelated: (@Sendable (_ folder: String) throws -> any RelatedStore)? = nil,
    openObserved: (@Sendable (_ folder: String) throws -> any ObservedStore)? = nil,
    open: @escaping @Sendable (_ folder: String) throws -> any BenchmarkStore
  ) {
    self.name = name
    self.summary = summary
    self.version = version
    self.isQuarry = isQuarry
    self.durability = durability
    self.isPersistent = isPersistent
    self.isEncrypted = isEncrypted
    self.isVariant = isVariant
    self.obstacle = obstacle
    self.peer = peer
    self.unsupported = isPersistent ? unsupported : unsupported.union(["open"])
    self.openRelated = openRelated
    self.openObserved = openObserved
    self.elsewhere = elsewhere
    self.open = open
  }

  public func supports(_ workload: Workload) -> Bool {
    guard !unsupported.contains(workload.id) else { return false }
    return switch workload.subject {
    case .people: true
    case .relations: openRelated != nil
    case .observation: openObserved != nil
    }
  }
}
