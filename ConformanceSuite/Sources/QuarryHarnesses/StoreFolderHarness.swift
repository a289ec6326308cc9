import Foundation
public import QuarryBackend
public import QuarryConformance

/// A harness of an engine with files: each store is in a temporary folder of its own, as the engine's description says.
///
/// A harness of this kind names its engine and folder. It states what the kit holds the engine to beyond that: a manifest,
/// golden stores, what is left after a loss of power.
public protocol StoreFolderHarness: ConformanceHarness {
  /// The engine.
  var engine: EngineDescription { get }
  /// The variant of the engine that is tried; nil for its stores as they are without options.
  var variant: EngineDescription.Variant? { get }
  /// The folder that has the folders of the stores.
  var folder: TemporaryFolder { get }
}

extension StoreFolderHarness {
  public var variant: EngineDescription.Variant? { nil }
  public var name: String { variant?.name ?? engine.name }
  public var isPersistent: Bool { true }
  public var manifest: BackendManifest { engine.manifest }

  public var secondProcess: ConformanceProcess? {
    ConformanceProcess(
      EngineHarnesses.program, arguments: [name], address: { ($0 as? any PlacedProvider)?.storePath },
      place: { [engine, variant] in try engine.provider(at: $0, options: variant?.options) })
  }

  public func makePlace() throws -> any BackendProvider {
    try engine.provider(at: engine.path(in: folder.make()), options: variant?.options)
  }

  public func folder(of place: any BackendProvider) -> String? {
    (place as? any PlacedProvider)?.storePath.map { TemporaryFolder.folder(of: $0) }
  }

  public func remove(_ place: any BackendProvider) {
    if let path = (place as? any PlacedProvider)?.storePath { folder.remove(folderOf: path) }
  }

  public func files(at place: any BackendProvider) -> [String] {
    (place as? any PlacedProvider)?.storePath.map { folder.files(beside: $0) } ?? []
  }
}

/// The harness of an engine that has none of its own: its stores have to be what the engine's description says.
public struct EngineHarness: StoreFolderHarness {
  public let engine: EngineDescription
  public let variant: EngineDescription.Variant?
  public let folder: TemporaryFolder

  /// Makes the harness of an engine with files.
  ///
  /// - Parameters:
  ///   - engine: The engine.
  ///   - variant: One of the engine's variants; nil for its stores as they are without options.
  ///   - folder: The folder that has the folders of the stores.
  public init(
    _ engine: EngineDescription, _ variant: EngineDescription.Variant? = nil, in folder: TemporaryFolder
  ) {
    self.engine = engine
    self.variant = variant
    self.folder = folder
  }
}
