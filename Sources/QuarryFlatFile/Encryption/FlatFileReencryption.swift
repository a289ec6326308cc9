public import QuarryBackend
import QuarrySystem

extension FlatFileConfiguration: EncryptingProvider {
  /// Rewrites a closed store: encrypts it, decrypts it, or gives it another data key.
  ///
  /// - Throws: As `EncryptingProvider.reencrypt(from:to:)`. `unsupported` for a file with other names, and for a plain store with
  ///   a torn end next to it, which would stay plain.
  public func reencrypt(from old: Encryption?, to new: Encryption?) throws(StorageError) {
    try FlatFileReencryption(FlatFileOpening(path, SystemFileSystem(), old), new).run()
  }

  /// Reads the slot from the beginning of the file; nil for a plain store.
  ///
  /// - Throws: `notFound`, `corrupt`, `schemaTooNew`, `io`.
  public func envelopeSlot() throws(StorageError) -> EnvelopeSlot? {
    try FlatFileOpening(path, SystemFileSystem()).envelopeSlot()
  }
}

/// Rewrites a closed store, sealed or plain: to a file next to it that takes its name when it is whole and on the disk.
struct FlatFileReencryption {
  private let opening: FlatFileOpening
  private let new: Encryption?
  private var files: any FlatFileSystem { opening.files }
  private var path: String { opening.path }

  /// - Parameters:
  ///   - opening: With the key that the store has.
  ///   - new: The key that it gets; nil for none.
  init(_ opening: FlatFileOpening, _ new: Encryption?) {
    self.opening = opening
    self.new = new
  }

  /// - Throws: As `EncryptingProvider` says; `unsupported` for a file with other names, and for a plain store with a tail next to
  ///   it, which would stay plain.
  func run() throws(StorageError) {
    let (old, content) = try opening.openForWriting(createsIfMissing: false)
    do throws(StorageError) {
      try requireAlone(old, content)
      try write(content, insteadOf: old)
    } catch {
      try? FlatFileOwner.clear(in: old)
      old.unlock()
      throw error
    }
    if let from = opening.encryption, let new { QuarantinedTail.rekey(path, files, from: from, to: new) }
    old.unlock()
  }

  private func requireAlone(_ old: any StoreFile, _ content: FlatFileContent) throws(StorageError) {
    if try old.status().links != 1 {
      throw .unsupported(.openEncryption, "\(path) has other names, which would be left with the old content")
    }
    guard content.key == nil, new != nil, let tail = try FlatFileTail.names(path, files).first else { return }
    throw .unsupported(
      .openEncryption, "\(tail) has an end of the store that was set aside unencrypted: salvage or remove it first")
  }

  private func write(_ content: FlatFileContent, insteadOf old: any StoreFile) throws(StorageError) {
    let header = content.header.rewritten(isSealed: new != nil, snapshot: content.state.version.rawValue)
    let key: FlatFileKey?
    switch (content.key, new) {
    case (_, nil): key = nil
    case (let before?, let new?): key = try before.renewed(with: new, for: header.identity)
    case (nil, let new?): key = try .make(new, for: header.identity)
    }
    let permissions = try old.status().permissions
    let figures = content.state.statistics()
    try files.requireRoom(for: opening.partialPath, about: FlatFileLog.estimatedBytes(figures)) {
      FlatFileLog.leastBytes(figures)
    }
    guard let file = try files.open(opening.partialPath, .create) else {
      throw StorageError(.io, "\(opening.partialPath) could not be created")
    }
    guard try file.lock() else { throw .inUse(by: nil, "\(opening.partialPath) is in use") }
    do throws(StorageError) {
      try file.setPermissions(permissions)
      _ = try SnapshotWriter.writeClosed(content.state, to: file, header, key)
      guard try files.status(of: path)?.identity == old.status().identity else {
        throw .removedOrReplaced(path)
      }
      try files.rename(file, at: opening.partialPath, to: path)
    } catch {
      try? files.remove(opening.partialPath)
      throw error
    }
    try files.syncDirectory(of: path)
  }
}
