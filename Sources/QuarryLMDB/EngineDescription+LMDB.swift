public import QuarryBackend

extension EngineDescription {
  /// The LMDB engine: `lmdb:PATH`.
  ///
  /// `map` is the maximum size of the store, `16GB`. `readers` is the number of readers at once. `checksums=true` creates a store
  /// whose damage is found, at the cost of an encrypted one.
  public static let lmdb = EngineDescription(
    name: "lmdb", scheme: "lmdb", purpose: "many reads, much data, several processes",
    manifest: LMDBConfiguration.manifest, keepsAllInMemory: false, fileSuffix: "lmdb", variants: [.lmdbChecksums],
    modules: ["QuarryLMDB", "QuarrySealed", "QuarryKeyValue", "QuarrySystem", "QuarryEncryption"],
    options: ["checksums", "map", "readers"]
  ) { path, options throws(StorageError) in
    var configuration = LMDBConfiguration(path: path)
    if let text = options.take("map") { configuration.mapBytes = try options.bytes(text, of: "map") }
    if let text = options.take("readers") { configuration.readers = try options.number(text, of: "readers") }
    if let text = options.take("checksums") { configuration.checksums = try options.truth(text, of: "checksums") }
    return configuration
  }
}

extension EngineDescription.Variant {
  /// Stores of LMDB whose trees are in pages with checksums.
  public static let lmdbChecksums = EngineDescription.Variant(name: "lmdb-checksums", options: "checksums=true")
}
