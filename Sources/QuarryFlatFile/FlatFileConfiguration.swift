public import QuarryBackend
import QuarryKeyValue
import QuarrySystem

/// A store in one file: `.flatFile(at: "library.quarry")`.
public struct FlatFileConfiguration: BackendProvider, Hashable {
  /// The rule for rewriting the file without overwritten or deleted data.
  public enum Compaction: Sendable, Hashable {
    /// When `compact` is called.
    case manual
    /// Also on its own, in the background: when the file has more than twice the bytes of a rewritten file, and at least the
    /// given number more.
    case automatic(garbageBytes: Int)
  }

  /// The manifest of a store that is opened without options.
  public static let manifest = BackendManifest.keyValue(FlatFileEngine.properties(.powerLoss, isReadOnly: false))

  /// The path of the file.
  public var path: String
  /// When the file is rewritten.
  public var compaction: Compaction

  /// Creates the configuration of a store in a flat file.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - compaction: When the file is rewritten. The default rewrites it when at least 4 MiB and more than half of it are
  ///     garbage.
  public init(path: String, compaction: Compaction = .automatic(garbageBytes: 4 << 20)) {
    self.path = path
    self.compaction = compaction
  }

  public static func == (left: FlatFileConfiguration, right: FlatFileConfiguration) -> Bool {
    left.path.utf8.elementsEqual(right.path.utf8) && left.compaction == right.compaction
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(ByteString(path))
    hasher.combine(compaction)
  }

  /// Opens the store, and creates it when it does not exist and the options allow.
  ///
  /// - Parameter options: The options of opening.
  /// - Throws: As `BackendProvider.open(_:)`.
  /// - Complexity: O(n) for n bytes of the file, because the trees are in memory.
  public func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
    try OwnName.requireOther(path)
    try Self.manifest.check(options)
    let engine = try FlatFileEngine(self, options, files: SystemFileSystem())
    do throws(StorageError) {
      let backend = try KeyValueBackend(engine, options: options)
      if !options.isReadOnly { ScratchPlace.sweep(beside: path) }
      return backend
    } catch {
      try? engine.close()
      throw error
    }
  }
}

extension FlatFileConfiguration: PlacedProvider {
  public var storePath: String? { path }

  /// Runs the body with a store of the same engine in a folder next to this store.
  ///
  /// - Throws: The errors of the body; `io`, `full`, `readOnly` where no folder can be created next to the store.
  public func withScratch<R>(_ body: (any BackendProvider) throws -> R) throws -> R {
    try ScratchPlace.with(beside: path, Self.scratchName) { path in
      var place = self
      place.path = path
      return try body(place)
    }
  }
}

extension BackendProvider where Self == FlatFileConfiguration {
  /// A store in the file at a path. See ``FlatFileConfiguration``.
  public static func flatFile(
    at path: String, compaction: FlatFileConfiguration.Compaction = .automatic(garbageBytes: 4 << 20)
  ) -> FlatFileConfiguration {
    FlatFileConfiguration(path: path, compaction: compaction)
  }
}

extension BackendProvider where Self == SeededProvider {
  /// A store in the file at a path, which begins as a copy of the one at another path. See ``SeededProvider``.
  public static func flatFile(at path: String, seededFrom seed: String) -> SeededProvider {
    SeededProvider(FlatFileConfiguration(path: path), from: FlatFileConfiguration(path: seed), path: path)
  }
}
