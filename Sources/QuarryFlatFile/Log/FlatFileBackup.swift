import QuarryBackend
import QuarrySystem
import QuarryTree

/// A copy of one state, as a file that begins with a snapshot of it and was closed properly.
///
/// The copy of an encrypted store is sealed with a data key of its own, which the same key wraps.
struct FlatFileBackup {
  private let state: TreeState
  private let encryption: Encryption?
  private let progress: BackupProgress

  init(_ state: TreeState, _ encryption: Encryption?, _ progress: @escaping BackupProgress) {
    self.state = state
    self.encryption = encryption
    self.progress = progress
  }

  func write(to destination: BackupDestination, _ files: any FileSystem) throws(StorageError) {
    let figures = state.statistics()
    let total = FlatFileLog.estimatedBytes(figures)
    try files.requireRoom(for: destination.partialPath, about: total) { FlatFileLog.leastBytes(figures) }
    let file = try destination.create()
    do throws(StorageError) {
      // A store of its own: what is kept aside of the other is not this one's.
      let header = FlatFileHeader.random(isSealed: encryption != nil, snapshot: state.version.rawValue)
      let key = try FlatFileKey.made(encryption, for: header.identity)
      let progress = progress
      var done = 0
      let end = try SnapshotWriter.writeClosed(state, to: file, header, key) { () throws(StorageError) in
        guard progress(min(done, total), total) else { throw .backupCancelled }
        done += SnapshotWriter.partBytes
      }
      guard progress(end, end) else { throw .backupCancelled }
      try destination.place()
    } catch {
      try? files.remove(destination.partialPath)
      throw error
    }
  }
}
