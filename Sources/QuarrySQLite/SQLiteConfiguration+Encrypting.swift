public import QuarryBackend

extension SQLiteConfiguration: EncryptingProvider, ChecksummingProvider {
  /// Rewrites a closed store: encrypts it, decrypts it, or gives it another data key.
  ///
  /// - Throws: As `EncryptingProvider.reencrypt(from:to:)`; `schemaMismatch` for a database of another program.
  public func reencrypt(from old: Encryption?, to new: Encryption?) throws(StorageError) {
    try rewrite(from: old, to: new)
  }

  /// - Parameter addsChecksums: Whether a plain store is rewritten, too, to have them.
  private func rewrite(
    from old: Encryption?, to new: Encryption?, addsChecksums: Bool = false
  ) throws(StorageError) {
    let file = try SQLiteFile(path)
    try file.requireOrdinaryLogs()
    var attempts = 0
    while true {
      do throws(StorageError) {
        guard try file.size() != nil else { throw .noStore(at: file.path) }
        let vfs = try old.flatMap { old throws(StorageError) in
          try SealedVFS.forStore(at: file, old, makes: false)
        }
        guard case .store = try file.content(vfs) else { throw .noStore(at: file.path) }
        guard old != nil || new != nil || addsChecksums else { return }
        if addsChecksums, try file.hasChecksums() { return }
        _ = try file.putForeignLogAside(vfs, 0)
        let keys = try new.map { new throws(StorageError) in try SealedKeys.make(new) }
        return try SQLiteReencryption(file).run(from: vfs, to: keys, hasChecksums: addsChecksums || checksums)
      } catch {
        attempts += 1
        guard error.isOfMovedFile(at: path), attempts < 100 else { throw error }
      }
    }
  }

  /// Reads the slot from the header of the file; nil for a plain store.
  ///
  /// - Throws: `notFound`, `corrupt`, `schemaTooNew`, `io`.
  public func envelopeSlot() throws(StorageError) -> EnvelopeSlot? {
    let file = try SQLiteFile(path)
    guard try file.size() != nil else { throw .noStore(at: file.path) }
    do throws(StorageError) {
      guard let header = try file.sealedHeader() else { throw .noStore(at: file.path) }
      return header.envelope.slot
    } catch {
      if error.code == .notEncrypted { return nil }
      throw error
    }
  }

  /// Rewrites a closed plain store with a checksum in each page. A store that has them already stays as it is.
  ///
  /// - Throws: `notFound`; `schemaMismatch` for a database of another program; `schemaTooNew`; `inUse` when it is open anywhere;
  ///   `keyRequired` for an encrypted store; `corrupt`, `full`, `io`. The store is then as it was.
  /// - Complexity: The cost of rewriting the store; meanwhile it takes as much room again.
  public func addChecksums() throws(StorageError) { try rewrite(from: nil, to: nil, addsChecksums: true) }
}
