public import QuarryBackend
import QuarryKeyValue
import QuarrySealed

/// A store on sorted arrays in a folder, plain or sealed.
public struct SortedProvider: BackendProvider {
  /// What a store offers that is opened without options.
  public static let manifest = BackendManifest.keyValue(SortedEngine.properties())

  /// The path of the store's folder.
  public var path: String

  public init(path: String) {
    self.path = path
  }

  public func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
    // Before a folder is made.
    try Self.manifest.check(options)
    let engine = try SortedEngine(path, options)
    do throws(StorageError) {
      let backend = try Self.backend(engine, path, options)
      engine.removeUnfinished()
      return backend
    } catch {
      try? engine.close()
      throw error
    }
  }

  private static func backend(
    _ engine: SortedEngine, _ path: String, _ options: OpenOptions
  ) throws(StorageError) -> any Backend {
    guard let encryption = options.encryption else { return try KeyValueBackend(engine, options: options) }
    let sealed = try SealedEngine(engine, encryption: encryption, name: path, timeout: options.busyTimeout)
    return try KeyValueBackend(sealed, options: options)
  }
}

/// Stores that are there are sealed and made plain: all entries are copied to an engine in memory, whose state then takes the
/// place of the old one, as a commit does.
extension SortedProvider: EncryptingProvider {
  public func reencrypt(from old: Encryption?, to new: Encryption?) throws(StorageError) {
    var options = OpenOptions()
    options.createsIfMissing = false
    options.encryption = old
    let engine = try SortedEngine(path, options)
    defer { try? engine.close() }
    let before = try engine.state()
    let copy = SortedEngine()
    if let old {
      let sealed = try SealedEngine(engine, encryption: old, name: path)
      try Self.copy(sealed, sealed.treesWithEntries(), to: copy, new)
    } else {
      try Self.copy(engine, before.trees.keys.sorted(), to: copy, new)
    }
    try engine.replace(before, with: copy.state(), isSealed: new != nil)
  }

  private static func copy(
    _ source: some KeyValueEngine, _ trees: [TreeID], to engine: SortedEngine, _ encryption: Encryption?
  ) throws(StorageError) {
    guard let encryption else { return try copy(source, trees, to: engine) }
    try copy(source, trees, to: SealedEngine(engine, encryption: encryption))
  }

  private static func copy(
    _ source: some KeyValueEngine, _ trees: [TreeID], to target: some KeyValueEngine
  ) throws(StorageError) {
    let reading = try source.beginRead()
    defer { reading.end() }
    let writing = try target.beginWrite(timeout: 0)
    defer { writing.end() }
    for tree in trees {
      var cursor = try reading.cursor(tree, .all, descending: false)
      while let (key, value) = try cursor.next() { _ = try writing.put(tree, key, value) }
    }
    _ = try writing.commit()
  }

  public func envelopeSlot() throws(StorageError) -> EnvelopeSlot? {
    let engine = try SortedEngine(ofAnyKind: path)
    defer { try? engine.close() }
    return try SealedEngine.envelopeSlot(of: engine)
  }
}

extension BackendProvider where Self == SortedProvider {
  /// A store on sorted arrays in the folder with the path.
  public static func sorted(at path: String) -> SortedProvider { SortedProvider(path: path) }
}
