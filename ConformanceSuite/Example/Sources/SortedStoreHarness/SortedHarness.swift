public import QuarryBackend
public import QuarryConformance
import QuarryKeyValue
public import SortedStore

/// What the kit has to know to try the backend.
public struct SortedHarness: ConformanceHarness {
  public let name = "sorted store"
  public let isPersistent = false
  public let manifest = BackendManifest.keyValue(
    KeyValueEngineProperties(
      name: "sorted", version: "1", durability: .none, sharing: .oneProcess, countsRanges: true,
      encrypts: true))

  public init() {}
  public func makePlace() throws -> any BackendProvider { SortedProvider() }
  public func remove(_ place: any BackendProvider) {}
}

/// What the small suite has to know to try the engine alone.
public struct SortedEngineHarness: KeyValueEngineHarness {
  public init() {}
  public func makeEngine() throws -> SortedEngine { SortedEngine() }
}
