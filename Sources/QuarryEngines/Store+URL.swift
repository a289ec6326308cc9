public import QuarryBackend
public import QuarryCore

extension Store {
  /// Opens a store for some models at a URL such as `sqlite:library.db?cache=64MB`. See ``StoreURL``.
  ///
  /// What the URL says of opening goes before what the options say.
  ///
  /// - Throws: `invalidValue` for a text that is no such URL, and what ``Store/init(for:in:options:)`` throws.
  public convenience init(
    for models: any Model.Type..., url: String, options: OpenOptions = OpenOptions(), encryption: Encryption? = nil
  ) throws(StorageError) {
    let url = try StoreURL(parsing: url)
    try self.init(models: models, in: url.provider, options: url.options(options), encryption: encryption)
  }
}
