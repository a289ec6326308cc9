import QuarryBackend
import QuarrySystem
import Synchronization

extension FlatFileLog {
  /// Ends rewriting for good: the file keeps its place until it is closed.
  func endCompactions() {
    state.withLock { $0.isClosing = true }
    compactions.sync {}
  }

  /// Brings what is written to the disk, and lets the next opener in.
  ///
  /// - Throws: The error of the last sync, unless a commit has thrown it before; the store is closed anyway.
  func close() throws(StorageError) {
    let (written, hasFailed) = state.withLock { state in
      state.isClosing = true
      return (state.written, state.failure != nil)
    }
    // A rewrite in progress sees that the store is closing and ends.
    compactions.sync {}
    var failure: StorageError?
    // The caller whose commit failed received the error.
    if !hasFailed {
      do throws(StorageError) {
        try waitForSync(of: written.version)
        try state.withLock { state throws(StorageError) in
          if let file = state.file { try Self.markClosed(&state, file) }
        }
      } catch {
        failure = error
      }
    }
    let file = state.withLock { state in
      let file = state.file
      state.file = nil
      return file
    }
    if let file {
      try? FlatFileOwner.clear(in: file)
      file.unlock()
    }
    if let failure { throw failure }
  }

  /// Records in the file where it ends, so that the next opening knows whether it is whole. Only when no write is on its way to
  /// the disk any more.
  static func markClosed(_ state: inout State, _ file: any StoreFile) throws(StorageError) {
    // Without syncs there is nothing that the file could be compared with.
    if state.durability == .none || state.mark.isClosed && state.mark.end == state.end { return }
    if state.durability == .processCrash { try file.sync() }
    let mark = state.mark.next(
      isClosed: true, end: state.end, commit: state.written.version.rawValue, chain: state.chain, last: state.last)
    try mark.write(to: file, of: state.header, state.key)
    try file.sync()
    state.mark = mark
    // An encrypted file says it at both places: see FlatFileMark.settle. The one is on the disk before the other is torn.
    guard state.key != nil else { return }
    let again = mark.again(isClosed: true)
    try again.write(to: file, of: state.header, state.key)
    try file.sync()
    state.mark = again
  }
}
