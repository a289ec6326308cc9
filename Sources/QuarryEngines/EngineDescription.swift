public import QuarryBackend

/// One of Quarry's engines: its name, what it is good for, and how its stores are named by URLs.
///
/// Whatever lists engines takes what it knows from here: the reader of URLs, `quarry engines`, the harnesses of the
/// conformance kit, the benchmark. A new engine is a value in a file of its own, and a place in ``all``.
public struct EngineDescription: Sendable {
  /// Its name in reports, which is also that of its page in `docs/engines`: `flat-file`.
  public let name: String
  /// What stands before the colon of its URLs: `file`.
  public let scheme: String
  /// What it is good for, in a few words.
  public let purpose: String
  /// What it offers when a store is opened without options.
  public let manifest: BackendManifest
  /// What follows the colon of its URLs.
  public let path: PathKind
  /// Whether all rows of a store are in memory while it is open.
  public let keepsAllInMemory: Bool
  /// Whether programs that do not know Quarry read its stores as they are.
  public let isReadByOthers: Bool
  /// The names of the options that its URLs take beside those of every store.
  let ownOptions: [String]
  /// Its configuration for a path and options of its own.
  let configure: @Sendable (String, StoreURLOptions) throws(StorageError) -> any BackendProvider

  /// What a URL says after the colon.
  public enum PathKind: Sendable, Hashable {
    /// A path, which has to be there.
    case path
    /// A name, or nothing.
    case optionalName
  }

  /// Every engine, in the order of reports.
  public static let all: [EngineDescription] = [.memory, .flatFile, .sqlite, .lmdb]

  /// The engine whose URLs begin with the scheme.
  public init?(scheme: String) {
    guard let engine = Self.all.first(where: { $0.scheme.utf8.elementsEqual(scheme.utf8) }) else { return nil }
    self = engine
  }

  init(
    name: String, scheme: String, purpose: String, manifest: BackendManifest, path: PathKind = .path,
    keepsAllInMemory: Bool, isReadByOthers: Bool = false, options: [String],
    configure: @escaping @Sendable (String, StoreURLOptions) throws(StorageError) -> any BackendProvider
  ) {
    self.name = name
    self.scheme = scheme
    self.purpose = purpose
    self.manifest = manifest
    self.path = path
    self.keepsAllInMemory = keepsAllInMemory
    self.isReadByOthers = isReadByOthers
    ownOptions = options
    self.configure = configure
  }

  /// The names of the options that its URLs take, in the order of their names.
  ///
  /// All take `readOnly` and `create` (`true` or `false`), `durability` (`none`, `processCrash` or `powerLoss`) and
  /// `timeout` (seconds to wait for another writer).
  public var options: [String] { (OpenOptionChanges.names + ownOptions).sorted() }

  /// How its URLs look, for messages and help: `sqlite:PATH`.
  public var form: String {
    switch path {
    case .path: "\(scheme):PATH"
    case .optionalName: "\(scheme):, \(scheme):NAME"
    }
  }
}

extension EngineDescription: Hashable, CustomStringConvertible {
  public var description: String { name }

  public static func == (left: EngineDescription, right: EngineDescription) -> Bool { left.name == right.name }

  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
