public import QuarryBackend
public import QuarryCore

extension Store {
  /// Opens a store for some models at a URL such as `sqlite:library.db?cache=64MB`. See ``StoreURL``.
  ///
  /// Options in the URL take precedence over the given options.
  ///
  /// - Throws: `invalidValue` for a text that is no such URL, and the errors of
  ///   ``QuarryCore/Store/init(for:in:options:encryption:migration:)``.
  public convenience init(
    for models: any Model.Type..., url: String, options: OpenOptions = OpenOptions(), encryption: Encryption? = nil,
    migration: Migration = .automatic
  ) throws {
    let url = try StoreURL(parsing: url)
    try self.init(
      models: models, in: url.provider, options: url.options(options), encryption: encryption, migration: migration)
  }
}

extension StoreConfiguration {
  /// The place and the options of a URL such as `sqlite:library.db?cache=64MB`. See ``StoreURL``.
  ///
  /// Options in the URL take precedence over the given options.
  ///
  /// - Throws: `invalidValue` for a text that is no such URL.
  public init(url: String, options: OpenOptions = OpenOptions(), migration: Migration = .automatic) throws {
    let url = try StoreURL(parsing: url)
    self.init(url.provider, options: url.options(options), migration: migration)
  }
}
