/// How far the key of a store is changed.
public enum RekeyExtent: Sendable, Hashable {
  /// Everything is sealed again under a new data key: an attacker with an earlier copy of the store and the old key learns
  /// nothing of its current content.
  case full
  /// The data key stays, and is wrapped by the new key: instant.
  ///
  /// Anyone with the old slot, from a backup for example, and the old key can still read the store's current content.
  case wrappingOnly
}

/// A backend whose key can be changed: one that was opened with a key.
public protocol RekeyingBackend: Backend {
  /// Whether and how the store is encrypted: the slot that holds its key; nil for a plain store.
  var envelopeSlot: EnvelopeSlot? { get }

  /// Changes the key of the store, which is of the old or of the new one after a crash.
  ///
  /// - Parameters:
  ///   - new: The new key.
  ///   - extent: Whether the store gets a new data key too, or only a new wrapping of its data key.
  /// - Throws: `closed`; `notEncrypted` for a plain store; `unsupported` for an engine that does not encrypt; `readOnly`; `inUse`
  ///   where another user has the store open in a way that forbids it; `busy`, `full`, `io`, `corrupt`.
  /// - Complexity: ``RekeyExtent/full`` rewrites the store; ``RekeyExtent/wrappingOnly`` writes two slots.
  func rekey(to new: Encryption, _ extent: RekeyExtent) throws(StorageError)
}

extension Backend {
  /// Returns the backend as one whose key can be changed.
  ///
  /// - Throws: `unsupported` when it is none.
  public func requireRekeying() throws(StorageError) -> any RekeyingBackend {
    if let backend = self as? any RekeyingBackend { return backend }
    throw manifest.refusal(of: .openEncryption)
  }
}

/// A provider whose closed store can be rewritten, sealed or plain.
public protocol EncryptingProvider: BackendProvider {
  /// Rewrites the store: encrypts it, decrypts it, or gives it another data key.
  ///
  /// After a crash it is in the old state or in the new one, and no plain data lies next to a sealed store.
  ///
  /// - Parameters:
  ///   - old: How it is encrypted; nil for a plain store.
  ///   - new: The new encryption; nil for a plain store.
  /// - Throws: `notFound`; `inUse` when it is open anywhere; `unsupported` for a file with other names, which would be left with
  ///   the old content; `keyRequired`, `wrongKey`, `notEncrypted`, `corrupt`, `full`, `io`. The store is then as it was.
  /// - Complexity: Reads and writes the whole store once; meanwhile it takes as much room again.
  func reencrypt(from old: Encryption?, to new: Encryption?) throws(StorageError)

  /// The slot that holds the key of the store at the place; nil for a plain one.
  ///
  /// - Throws: `notFound`, `corrupt`, `schemaTooNew`, `io`.
  func envelopeSlot() throws(StorageError) -> EnvelopeSlot?
}

extension BackendProvider {
  /// Returns the provider as one whose closed store can be rewritten.
  ///
  /// - Parameter engine: The engine's name in the error.
  /// - Throws: `unsupported` when it is none.
  package func requireEncrypting(_ engine: String = "the engine") throws(StorageError) -> any EncryptingProvider {
    if let provider = self as? any EncryptingProvider { return provider }
    throw .unsupported(.openEncryption, "\(engine) does not encrypt")
  }
}
