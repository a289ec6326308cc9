import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import Synchronization

/// A place whose engine claims to have many writers, and whose commits conflict on request. So every engine shows what a store
/// does after a conflict.
final class ConflictingPlace: BackendProvider {
  private let inner: any BackendProvider
  private let conflicts = Mutex(0)

  init(_ inner: any BackendProvider) {
    self.inner = inner
  }

  func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
    ConflictingBackend(try inner.open(options), self)
  }

  /// Lets so many of the next commits meet a conflict.
  func conflict(_ count: Int) { conflicts.withLock { $0 = count } }

  /// How many conflicts no commit has met.
  var left: Int { conflicts.withLock { $0 } }

  fileprivate func take() -> Bool {
    conflicts.withLock { left in
      guard left > 0 else { return false }
      left -= 1
      return true
    }
  }
}

private final class ConflictingBackend: BackendLayer, @unchecked Sendable {
  // Unchecked as its superclass is: the field is immutable and Sendable.
  private let place: ConflictingPlace

  init(_ backend: any Backend, _ place: ConflictingPlace) {
    self.place = place
    super.init(backend)
  }

  override var manifest: BackendManifest {
    var manifest = base.manifest
    manifest.writers = .many
    return manifest
  }

  override func writeHooks() -> (any TransactionHooks)? { ConflictingHooks(place: place) }
}

private struct ConflictingHooks: TransactionHooks {
  let place: ConflictingPlace

  func commit(_ base: Writer) throws(StorageError) -> CommitResult {
    guard place.take() else { return try base.commit() }
    base.rollback()
    throw StorageError(.conflict, "a requested conflict")
  }
}
