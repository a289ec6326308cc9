public import QuarryBackend

extension EngineDescription {
  /// The SQLite engine: `sqlite:PATH`.
  ///
  /// `cache` is the size of each connection's page cache, `64MB`. `readers` is the number of idle readers that are kept.
  /// `checksums=false` creates a store whose pages have none, for other programs that write to it.
  public static let sqlite = EngineDescription(
    name: "sqlite", scheme: "sqlite", purpose: "files that other tools read; most programs",
    manifest: SQLiteConfiguration.manifest, keepsAllInMemory: false, isReadByOthers: true,
    fileSuffix: "db", modules: ["QuarrySQLite", "QuarrySQL", "QuarrySystem", "QuarryEncryption"],
    options: ["cache", "checksums", "readers"]
  ) { path, options throws(StorageError) in
    var configuration = SQLiteConfiguration(path: path)
    if let text = options.take("cache") { configuration.cacheBytes = try options.bytes(text, of: "cache") }
    if let text = options.take("readers") { configuration.readers = try options.number(text, of: "readers") }
    if let text = options.take("checksums") { configuration.checksums = try options.truth(text, of: "checksums") }
    return configuration
  }
}
