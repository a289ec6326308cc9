import Dispatch
import QuarryBackend
import QuarrySystem
import QuarryTree
import Synchronization

/// Batches on their way to the file, and waiting until they are on the disk.
extension FlatFileLog {
  func commit(_ state: TreeState, _ changes: (any TreeRecorder)?) throws(StorageError) {
    do throws(StorageError) {
      guard let batch = changes as? BatchWriter else {
        throw StorageError(.io, "the transaction belongs to another engine")
      }
      try append(batch, state)
    } catch {
      store.leave()
      throw error
    }
    store.leave()
    if durability == .powerLoss { try waitForSync(of: state.version) }
    compactIfWorthwhile()
  }

  func commitUnchanged(_ state: TreeState) throws(StorageError) {
    store.leave()
    if durability == .powerLoss { try waitForSync(of: state.version) }
  }

  func rollBack() {
    let seen = state.withLock { $0.written.version }
    store.leave()
    // The body may have seen a state that readers do not see before it is on the disk, and its caller knows: no later reader sees
    // an older one. Where the disk refuses, the store takes no more writes.
    if durability == .powerLoss { try? waitForSync(of: seen) }
  }

  private func append(_ batch: BatchWriter, _ new: TreeState) throws(StorageError) {
    let tag = try seal(batch, new)
    let checksum = tag == nil ? batch.contentChecksum() : 0
    try state.withLock { state throws(StorageError) in
      if let failure = state.failure { throw failure }
      guard let file = state.file, !state.isClosing else { throw .storeClosed }
      guard processID == FlatFileOwner.thisProcess else {
        throw .inUse(
          by: processID, "\(path) was opened by process \(processID): a fork of that process must open the store itself"
        )
      }
      // Nothing has failed yet: when the file has its name again, writing continues.
      if let path = batch.path { try requireInPlace(&state, path) }
      if state.key?.isStale == true { try state.key?.repair(file) }
      let end = state.end
      do throws(StorageError) {
        // It gets to the disk with the first sync that a commit waits for; until then the older mark holds as well.
        if state.mark.isClosed {
          let mark = state.mark.again(isClosed: false)
          try mark.write(to: file, of: state.header, state.key)
          state.mark = mark
        }
        let write = { (bytes: UnsafeRawBufferPointer) throws(StorageError) in
          try file.write(bytes, at: end)
          state.end = end + bytes.count
          state.chain = FlatFileMark.chain(state.chain, BatchHeader.checksum(bytes))
        }
        if let tag {
          try batch.withSealedBatch(write)
          state.last = tag
        } else {
          try batch.withBatch(
            tag: state.header.tag, commit: new.version.rawValue, synced: state.synced, contentChecksum: checksum, write)
        }
      } catch {
        guard error.code == .full else { throw fail(&state, error) }
        do throws(StorageError) { try file.truncate(to: end) } catch { _ = fail(&state, error) }
        throw error
      }
      state.written = new
      state.figures.batches += 1
      state.figures.commits += 1
      if state.durability != .powerLoss { publish(&state, new, end: state.end) }
    }
  }

  /// Seals the batch of an encrypted file, in place.
  ///
  /// Only for the holder of the turn: no other thread changes what the batch is bound to.
  ///
  /// - Returns: Its tag; nil for a plain file.
  /// - Throws: `full`, `limitExceeded`, `io`; nothing is written then.
  private func seal(_ batch: BatchWriter, _ new: TreeState) throws(StorageError) -> BatchTag? {
    let bound = try state.withLock { state throws(StorageError) -> (any StoreCipher, BatchHeader, BatchTag)? in
      guard let key = state.key else { return nil }
      // Counts every batch, every mark that the file has had, and the marks of its closing.
      guard UInt64(state.figures.batches) &+ state.mark.number < StoreCipherFormat.sealLimit - 16 else {
        throw StorageError(
          .limitExceeded, "\(path) has the maximum number of commits that one key may seal: compact the store")
      }
      let header = BatchHeader(
        flags: 0, tag: state.header.tag, commit: new.version.rawValue, synced: state.synced, length: 0,
        contentChecksum: 0)
      return (key.cipher, header, state.last)
    }
    guard let (cipher, header, last) = bound else { return nil }
    return try batch.seal(header, cipher, after: last)
  }

  private func publish(_ state: inout State, _ new: TreeState, end: Int) {
    state.committedEnd = end
    state.committed = new
    store.publish(new)
  }

  /// Drops what is not committed, and lets nothing be written any more.
  func fail(_ state: inout State, _ error: StorageError) -> StorageError {
    if state.failure == nil {
      state.failure = error
      // A failed batch should not be there when the store is opened again. Where this fails too, it may be.
      if let file = state.file { try? file.truncate(to: state.committedEnd) }
    }
    return error
  }

  private enum Step {
    case done
    case failed(StorageError)
    case wait(DispatchSemaphore)
    case sync(any StoreFile, TreeState, end: Int)
  }

  /// Waits until the commit is on the disk.
  func waitForSync(of version: CommitVersion) throws(StorageError) {
    while true {
      let step = state.withLock { state -> Step in
        if state.committed.version >= version { return .done }
        if let failure = state.failure { return .failed(failure) }
        if state.isSyncing {
          let semaphore = DispatchSemaphore(value: 0)
          state.waiters.append(semaphore)
          return .wait(semaphore)
        }
        guard let file = state.file else { return .failed(.storeClosed) }
        state.isSyncing = true
        return .sync(file, state.written, end: state.end)
      }
      switch step {
      case .done: return
      case .failed(let error): throw error
      case .wait(let semaphore): semaphore.wait()
      case .sync(let file, let written, let end): sync(file, written, end: end)
      }
    }
  }

  /// Syncs for everybody whose batch is before `end`.
  private func sync(_ file: any StoreFile, _ written: TreeState, end: Int) {
    var failure: StorageError?
    do throws(StorageError) { try file.sync() } catch { failure = error }
    let waiters = state.withLock { state in
      state.isSyncing = false
      state.figures.syncs += 1
      if let failure {
        _ = fail(&state, failure)
      } else if state.failure == nil {
        state.synced = written.version.rawValue
        publish(&state, written, end: end)
      }
      let waiters = state.waiters
      state.waiters = []
      return waiters
    }
    for waiter in waiters { waiter.signal() }
  }
}
