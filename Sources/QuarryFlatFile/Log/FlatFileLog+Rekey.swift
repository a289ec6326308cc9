import QuarryBackend
import QuarrySystem

extension FlatFileLog {
  /// Changes the key of an encrypted store. Readers and writers continue.
  ///
  /// After a crash the store has the old or the new key.
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
    var begun: [Int] = []
    do throws(StorageError) {
      for place in key.order {
        begun.append(place)
        try wrapped.write(to: file, place: place)
        try file.sync()
        state.withLock { $0.key = wrapped }
      }
    } catch {
      // A caller that receives an error has the key as it was.
      let isBack = putBack(key, begun, file)
      throw state.withLock {
        if isBack { $0.key = key }
        return fail(&$0, error)
      }
    }
  }

  /// Writes the old slots to the places of a change that failed, the last one first: one of the two is whole at any moment.
  ///
  /// - Returns: Whether they are on the disk. Where the disk refuses this, too, the key that was on the disk last holds.
  private func putBack(_ key: FlatFileKey, _ places: [Int], _ file: any StoreFile) -> Bool {
    do throws(StorageError) {
      for place in places.reversed() {
        try key.write(to: file, place: place)
        try file.sync()
      }
      return true
    } catch {
      return false
    }
  }
}
