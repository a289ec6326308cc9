import QuarryBackend
import QuarryFlatFile
import QuarryLMDB
import QuarryMemory
import QuarrySQLite

// What each engine takes. A new engine is a case of `Engine`, a line in each of these, and a line in `forms`.
extension StoreURL {
  /// The names of the options that a kind of store takes, in the order of their names.
  ///
  /// All take `readOnly` and `create` (`true` or `false`), `durability` (`none`, `processCrash` or `powerLoss`) and
  /// `timeout` (seconds to wait for another writer).
  ///
  /// - `file`: `compaction` is `manual`, or the garbage that sets it off, `4MB`.
  /// - `sqlite`: `cache` is the size of each connection's page cache, `64MB`; `readers` how many idle ones are kept.
  /// - `lmdb`: `map` is the most that the store can grow to, `16GB`; `readers` how many may read at once.
  public static func options(of engine: Engine) -> [String] {
    let own =
      switch engine {
      case .memory: [] as [String]
      case .file: ["compaction"]
      case .sqlite: ["cache", "readers"]
      case .lmdb: ["map", "readers"]
      }
    return (OpenOptionChanges.names + own).sorted()
  }

  /// The engine's configuration for a path and options of its own.
  static func provider(
    _ engine: Engine, _ path: String, _ options: StoreURLOptions
  ) throws(StorageError) -> any BackendProvider {
    switch engine {
    case .memory:
      return MemoryConfiguration(name: path.isEmpty ? nil : path)
    case .file:
      var configuration = FlatFileConfiguration(path: path)
      if let text = options.take("compaction") {
        configuration.compaction =
          text == "manual" ? .manual : .automatic(garbageBytes: try options.bytes(text, of: "compaction"))
      }
      return configuration
    case .sqlite:
      var configuration = SQLiteConfiguration(path: path)
      if let text = options.take("cache") { configuration.cacheBytes = try options.bytes(text, of: "cache") }
      if let text = options.take("readers") { configuration.readers = try options.number(text, of: "readers") }
      return configuration
    case .lmdb:
      var configuration = LMDBConfiguration(path: path)
      if let text = options.take("map") { configuration.mapBytes = try options.bytes(text, of: "map") }
      if let text = options.take("readers") { configuration.readers = try options.number(text, of: "readers") }
      return configuration
    }
  }
}
