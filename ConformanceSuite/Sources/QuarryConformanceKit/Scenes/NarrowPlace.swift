package import QuarryBackend

/// A place whose engine says that it holds less than it does, or whose disk says that it has less room.
package struct NarrowPlace: BackendProvider {
  /// Changes what the engine says of itself, and what is free on its disk.
  package typealias Change = @Sendable (inout BackendManifest, inout Int?) -> Void

  package let inner: any BackendProvider
  package let change: Change

  package init(inner: any BackendProvider, change: @escaping Change) {
    self.inner = inner
    self.change = change
  }

  package func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
    NarrowBackend(try inner.open(options), change)
  }
}

private final class NarrowBackend: BackendLayer, @unchecked Sendable {
  // Unchecked because the class that it inherits from is open; what it adds is constant and Sendable.
  private let narrowed: BackendManifest
  private let freeBytes: Int?

  init(_ backend: any Backend, _ change: NarrowPlace.Change) {
    var (manifest, free) = (backend.manifest, (backend as? any DiskSpaceReporting)?.freeDiskBytes())
    change(&manifest, &free)
    narrowed = manifest
    freeBytes = free
    super.init(backend)
  }

  override var manifest: BackendManifest { narrowed }
  override func freeDiskBytes() -> Int? { freeBytes }
}
