public import QuarryBackend
public import QuarryConformance
import QuarryManyWriters

/// The engine with many writers in memory, behind a simulated server. The kit is tried on it for what differs where writers do
/// not wait for each other.
public struct ManyWritersHarness: ConformanceHarness {
  public let name = "many-writers"
  public let isPersistent = true
  public var manifest: BackendManifest { ManyWriterProvider.manifest }

  public init() {}

  public func makePlace() throws -> any BackendProvider { ManyWriterProvider() }
  public func remove(_ place: any BackendProvider) {}
}
