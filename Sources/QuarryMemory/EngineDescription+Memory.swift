public import QuarryBackend

extension EngineDescription {
  /// `memory:` is a store of its own, gone when it is closed; `memory:NAME` is shared in the process under that name.
  public static let memory = EngineDescription(
    name: "memory", scheme: "memory", purpose: "caches, tests, working sets", manifest: MemoryConfiguration.manifest,
    path: .optionalName, keepsAllInMemory: true, fileSuffix: nil,
    modules: ["QuarryMemory", "QuarryTree", "QuarryKeyValue"], options: []
  ) { name, _ throws(StorageError) in
    MemoryConfiguration(name: name.isEmpty ? nil : name)
  }
}
