import Quarry
import QuarryBackend
import QuarryKeyValue
import QuarryMemory

/// A new store in memory.
struct MemoryPlace: BackendProvider {
  func open(_ options: OpenOptions) throws(QuarryBackend.StorageError) -> any Backend {
    try KeyValueBackend(MemoryEngine(isReadOnly: options.isReadOnly), options: options)
  }
}
