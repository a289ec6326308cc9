public import QuarryBackend
import QuarryKeyValue

/// Stores in memory: ``BackendProvider/memory`` and ``BackendProvider/memory(named:)``.
public struct MemoryConfiguration: BackendProvider {
  /// The manifest of a store that is opened without options.
  public static let manifest = BackendManifest.keyValue(MemoryEngine.properties(isReadOnly: false))

  /// The name under which the data is shared in the process; nil for a store of its own at each opening.
  public let name: String?

  /// Creates the configuration of a store in memory.
  ///
  /// - Parameter name: The name under which the data is shared in the process; nil for a store of its own at each opening.
  public init(name: String? = nil) {
    self.name = name
  }

  /// Opens the store. One without a name is always there, and empty.
  ///
  /// - Parameter options: The options of opening.
  /// - Throws: `notFound` for a name that is not open, when it is opened for reading only or may not be created. `unsupported`
  ///   for a key of encryption, a namespace, or a durability other than none.
  public func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
    try Self.manifest.check(options)
    let engine =
      if let name {
        try MemoryEngine(named: name, isReadOnly: options.isReadOnly, createsIfMissing: options.createsIfMissing)
      } else {
        MemoryEngine(isReadOnly: options.isReadOnly)
      }
    return try KeyValueBackend(engine, options: options)
  }
}

extension MemoryConfiguration: ScratchProvider {
  /// Calls the body with a store in memory of its own.
  ///
  /// - Throws: The errors of the body.
  public func withScratch<R>(_ body: (any BackendProvider) throws -> R) throws -> R { try body(MemoryConfiguration()) }
}

extension BackendProvider where Self == MemoryConfiguration {
  /// A store in memory of its own: empty at each opening, and gone when it is closed.
  public static var memory: MemoryConfiguration { MemoryConfiguration() }

  /// A store in memory that is shared in the process.
  ///
  /// All stores opened with the same name, compared by its UTF-8 bytes, read and write the same data. Each is closed on its own;
  /// the data is discarded when the last of them is closed.
  public static func memory(named name: String) -> MemoryConfiguration { MemoryConfiguration(name: name) }
}
