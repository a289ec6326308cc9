public import QuarryBackend

extension EngineDescription {
  /// `file:PATH`; `compaction` is `manual`, or the garbage that sets it off, `4MB`.
  public static let flatFile = EngineDescription(
    name: "flat-file", scheme: "file",
    purpose: "one file and no library: settings, documents, tools; all data in memory",
    manifest: FlatFileConfiguration.manifest, keepsAllInMemory: true, fileSuffix: "quarry",
    modules: ["QuarryFlatFile", "QuarryTree", "QuarryKeyValue", "QuarrySystem", "QuarryEncryption"],
    options: ["compaction"]
  ) { path, options throws(StorageError) in
    var configuration = FlatFileConfiguration(path: path)
    if let text = options.take("compaction") {
      configuration.compaction =
        text == "manual" ? .manual : .automatic(garbageBytes: try options.bytes(text, of: "compaction"))
    }
    return configuration
  }
}
