/// One of Quarry's engines: its name, what it is good for, how its stores are named by URLs, and what tests need of it.
///
/// Whatever lists engines asks here: the reader of URLs, `quarry engines`, the harnesses of the conformance kit, golden
/// stores, mutants, the benchmark, and scripts through `quarry engines --json`. A new engine is a value in its own module, and
/// a place in `EngineDescription.all` of QuarryEngines.
public struct EngineDescription: Sendable {
  /// Its name in reports, and the name of its page in `docs/engines`: `flat-file`.
  public let name: String
  /// The part of its URLs before the colon: `file`.
  public let scheme: String
  /// Its purpose, in a few words.
  public let purpose: String
  /// The manifest of a store that is opened without options.
  public let manifest: BackendManifest
  /// The part of its URLs after the colon.
  public let path: PathKind
  /// Whether all rows of a store are in memory while it is open.
  public let keepsAllInMemory: Bool
  /// Whether programs that do not know Quarry read its stores as they are.
  public let isReadByOthers: Bool
  /// The ending of its stores' names where tests, examples and benchmarks choose them: `db`; nil for stores without a path.
  public let fileSuffix: String?
  /// Its stores with options that change how a store is kept. Tests try each of them by its name.
  public let variants: [Variant]
  /// The modules that have its code, its own first, without those that every engine uses: mutants of these are tried on it.
  public let modules: [String]
  /// The names of the options that its URLs take in addition to the options of every store.
  private let ownOptions: [String]
  /// Its configuration for a path and options of its own.
  private let configure: @Sendable (String, StoreURLOptions) throws(StorageError) -> any BackendProvider

  /// The meaning of the text after the colon of a URL.
  public enum PathKind: Sendable, Hashable {
    /// A path, which has to be there.
    case path
    /// A name, or nothing.
    case optionalName
    /// The connection string of a server.
    case connection
  }

  /// Stores of an engine that options make another kind of store.
  public struct Variant: Sendable, Hashable, Codable {
    /// Its name in reports and for the kit: `lmdb-checksums`.
    public let name: String
    /// The options of its URLs: `checksums=true`.
    public let options: String

    /// Makes a variant.
    ///
    /// - Parameters:
    ///   - name: The name of the variant in reports and for the kit: `lmdb-checksums`.
    ///   - options: The options as a URL has them: `checksums=true`.
    public init(name: String, options: String) {
      self.name = name
      self.options = options
    }
  }

  /// Describes an engine, in the engine's own module.
  package init(
    name: String, scheme: String, purpose: String, manifest: BackendManifest, path: PathKind = .path,
    keepsAllInMemory: Bool, isReadByOthers: Bool = false, fileSuffix: String?, variants: [Variant] = [],
    modules: [String], options: [String],
    configure: @escaping @Sendable (String, StoreURLOptions) throws(StorageError) -> any BackendProvider
  ) {
    self.name = name
    self.scheme = scheme
    self.purpose = purpose
    self.manifest = manifest
    self.path = path
    self.keepsAllInMemory = keepsAllInMemory
    self.isReadByOthers = isReadByOthers
    self.fileSuffix = fileSuffix
    self.variants = variants
    self.modules = modules
    ownOptions = options
    self.configure = configure
  }

  /// The names of the options that its URLs take, in the order of their names.
  ///
  /// All take `readOnly` and `create` (`true` or `false`), `durability` (`none`, `processCrash` or `powerLoss`), `timeout`
  /// (seconds to wait for another writer) and `history`. A history is `off`, an age such as `30d`, bytes such as `64MB`, or both
  /// with a comma between them.
  public var options: [String] { (OpenOptionChanges.names + ownOptions).sorted() }

  /// The place of a store.
  ///
  /// - Parameters:
  ///   - path: The path of the store, or the name of one in memory.
  ///   - options: Options as a URL has them: `cache=64MB&readers=3`; nil for none.
  /// - Throws: `invalidValue` for options that the engine does not take. Options that every engine takes, such as
  ///   `readOnly`, are checked and change nothing here: a store's URL applies them.
  public func provider(at path: String, options: String? = nil) throws(StorageError) -> any BackendProvider {
    try place(at: path, options).provider
  }

  /// The place of a store, and what the options say of opening it.
  package func place(
    at path: String, _ options: String?
  ) throws(StorageError) -> (provider: any BackendProvider, changes: OpenOptionChanges) {
    let options = try StoreURLOptions(options, of: self)
    let changes = try OpenOptionChanges(options)
    return (try configure(path, options), changes)
  }

  /// The path of a store in a folder, with the ending of the engine's stores: `store.db`; empty for stores without a path.
  ///
  /// - Parameters:
  ///   - folder: The folder's path.
  ///   - name: The name of the store without an ending.
  public func path(in folder: String, _ name: String = "store") -> String {
    fileSuffix.map { "\(folder)/\(name).\($0)" } ?? ""
  }

  /// How its URLs look, for messages and help: `sqlite:PATH`.
  public var form: String {
    switch path {
    case .path: "\(scheme):PATH"
    case .optionalName: "\(scheme):, \(scheme):NAME"
    case .connection: "\(scheme):CONNECTION"
    }
  }
}

extension EngineDescription: Hashable, CustomStringConvertible {
  public var description: String { name }

  public static func == (left: EngineDescription, right: EngineDescription) -> Bool { left.name == right.name }

  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
