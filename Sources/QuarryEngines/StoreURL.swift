public import QuarryBackend

/// Where a store is, by text: the kind of engine, a colon, a path or name, and options after a question mark.
///
/// ```
/// memory:                                   a store of its own, gone when it is closed
/// memory:cache                              shared in the process under that name
/// file:library.quarry?compaction=manual     one file
/// sqlite:/var/lib/app.db?cache=64MB&durability=processCrash
/// lmdb:library.lmdb?map=16GB&readers=64     a directory
/// ```
///
/// The path is written as it is, spaces and percent signs too; only a question mark in it is written twice. Every option has its
/// meaning in ``EngineDescription/options`` and at the engines themselves, such as ``EngineDescription/sqlite``.
public struct StoreURL: ProviderLayer, Hashable, CustomStringConvertible {
  /// The forms that are known, for messages and help.
  public static let forms = EngineDescription.all.map(\.form).joined(separator: ", ")

  /// The text that was parsed.
  public let text: String
  /// The URL for messages: the text, but three dots in place of the connection string of a server.
  public var description: String {
    guard engine.path == .connection else { return text }
    return "\(engine.scheme):…" + (query.map { "?" + $0 } ?? "")
  }
  /// The engine that the scheme names.
  public let engine: EngineDescription
  /// The path of the store, or the name of one in memory; empty for a store in memory of its own.
  public let path: String
  /// The engine's own configuration at that path.
  public let provider: any BackendProvider
  /// The name of the engine.
  public var engineName: String { engine.name }
  private let query: String?
  private let changes: OpenOptionChanges

  /// Parses the text.
  ///
  /// - Parameter text: The URL: `sqlite:PATH?OPTION=VALUE&…`. A question mark in the path is written twice.
  /// - Throws: `invalidValue`, which names the kinds or the options that are known.
  public init(parsing text: String) throws {
    // By scalars: a character may unite the marks with what follows them.
    let scalars = text.unicodeScalars
    guard let colon = scalars.firstIndex(of: ":") else {
      // A connection string without its scheme is not repeated.
      let given = text.contains("=") ? "the text" : StoreURLOptions.quoted(text)
      throw StorageError(.invalidValue, "\(given) names no kind of store: write one of \(Self.forms)")
    }
    let scheme = String(scalars[..<colon])
    guard let engine = EngineDescription(scheme: scheme) else {
      throw StorageError(
        .invalidValue, "\(StoreURLOptions.quoted(scheme)) is not a kind of store: write one of \(Self.forms)")
    }
    let (path, query) = Self.split(scalars[scalars.index(after: colon)...])
    guard !path.isEmpty || engine.path == .optionalName else {
      let missing = engine.path == .connection ? "a connection string" : "a path"
      throw StorageError(.invalidValue, "\(scheme): needs \(missing) after the colon")
    }
    (provider, changes) = try engine.place(at: path, query)
    self.text = text
    self.query = query
    self.engine = engine
    self.path = path
  }

  /// Opens the store.
  ///
  /// Options in the URL take precedence over the given options.
  ///
  /// - Parameter options: The options for all that the URL leaves open.
  /// - Throws: As `BackendProvider.open(_:)`.
  public func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
    try provider.open(self.options(options))
  }

  /// Options with what the URL says put into them.
  ///
  /// - Parameter options: The options for all that the URL leaves open.
  public func options(_ options: OpenOptions = OpenOptions()) -> OpenOptions {
    changes.applied(to: options)
  }

  /// The value of an option of the URL; nil where it is not given.
  package func option(_ name: String) -> String? {
    try? StoreURLOptions(query, of: engine).take(name)
  }

  public static func == (left: StoreURL, right: StoreURL) -> Bool {
    left.text.utf8.elementsEqual(right.text.utf8)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(ByteString(text))
  }

  // MARK: Parts

  /// The path with its double question marks made single ones, and what follows a single one.
  private static func split(_ text: Substring.UnicodeScalarView) -> (path: String, query: String?) {
    var path = String.UnicodeScalarView()
    var place = text.startIndex
    while place < text.endIndex {
      let next = text.index(after: place)
      guard text[place] == "?" else {
        path.append(text[place])
        place = next
        continue
      }
      guard next < text.endIndex, text[next] == "?" else { return (String(path), String(text[next...])) }
      path.append("?")
      place = text.index(after: next)
    }
    return (String(path), nil)
  }

  /// Returns a path as it is written in a URL.
  ///
  /// - Parameter path: The path as the system takes it; each question mark is doubled.
  public static func escaped(_ path: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in path.unicodeScalars {
      if scalar == "?" { result.append("?") }
      result.append(scalar)
    }
    return String(result)
  }
}

extension BackendProvider where Self == StoreURL {
  /// The store at a URL such as `sqlite:library.db?cache=64MB`. See ``StoreURL``.
  ///
  /// - Throws: `invalidValue` for a text that is no such URL.
  public static func url(_ text: String) throws -> StoreURL {
    try StoreURL(parsing: text)
  }
}
