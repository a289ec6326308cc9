import QuarryBackend
import QuarrySystem

extension FlatFileLog {
  /// Changes the key of an encrypted store. Readers and writers continue.
  ///
  /// After a crash the store has the old or the new key. Where `wrappingOnly` throws when the new key was on the disk, that
  /// one holds, and the store takes no more writes; `envelopeSlot` says which.
  ///
  /// - Parameter timeout: How long a full change waits for a writer, in seconds.
  /// - Throws: `notEncrypted`; `readOnly` after a failure; `busy`; `unsupported` for a file with other names; `full`, `io`.
  func rekey(to new: Encryption, _ extent: RekeyExtent, timeout: Double) throws(StorageError) {
    guard processID == FlatFileOwner.thisProcess else {
      throw .inUse(
        by: processID, "\(path) was opened by process \(processID): a fork of that process must open the store itself")
    }
    guard let old = state.withLock({ $0.key?.encryption }) else { throw .notEncrypted(path) }
    var error: StorageError?
    // Not during a rewrite, which takes the slots along as they are at its beginning.
    compactions.sync {
      do throws(StorageError) {
        switch extent {
        case .full: try rewrite(timeout: timeout, to: new)
        case .wrappingOnly: try wrap(by: new)
        }
        QuarantinedTail.rekey(path, files, from: old, to: new)
      } catch let failure {
        error = failure
      }
    }
    if let error { throw error }
  }

  /// Overwrites one slot, and when that is on the disk, the other.
  private func wrap(by new: Encryption) throws(StorageError) {
    let (file, key, header) = try state.withLock { state throws(StorageError) in
      try Self.requireWritable(state)
      return (state.file, state.key, state.header)
    }
    guard let file, let key else { throw .storeClosed }
    let wrapped = try key.wrapped(by: new, for: header.identity)
    let order = key.order
    do throws(StorageError) {
      try wrapped.write(to: file, place: order[0])
      try file.sync()
    } catch {
      // The old slot returns to its place: a caller that receives an error has the key as it was.
      try? key.write(to: file, place: order[0])
      throw state.withLock { fail(&$0, error) }
    }
    state.withLock { $0.key = wrapped }
    do throws(StorageError) {
      try wrapped.write(to: file, place: order[1])
      try file.sync()
    } catch {
      throw state.withLock { fail(&$0, error) }
    }
  }
}
