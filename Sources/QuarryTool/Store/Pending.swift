import QuarryBackend
import QuarryKeyValue
import QuarryMemory

/// Memory until the module has a provider of its own.
struct Pending: BackendProvider {
  func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
    try KeyValueBackend(MemoryEngine(), options: options)
  }
}

extension BackendProvider where Self == Pending {
  static var memory: Pending { Pending() }
}
