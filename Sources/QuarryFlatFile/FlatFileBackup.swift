import QuarryBackend
import QuarrySystem
import QuarryTree

/// A copy of one state, as a file that begins with a snapshot of it and was closed properly.
struct FlatFileBackup {
  private let state: TreeState
  private let progress: BackupProgress

  init(_ state: TreeState, _ progress: @escaping BackupProgress) {
    self.state = state
    self.progress = progress
  }

  func write(to destination: BackupDestination, _ files: any FileSystem) throws(StorageError) {
    let file = try destination.create()
    do throws(StorageError) {
      // A store of its own: what is kept aside of the other is not this one's.
      var header = FlatFileHeader.random()
      header.snapshot = state.version.rawValue
      let mark = FlatFileMark.first(isClosed: false)
      try FlatFileOpening.write(header, mark, to: file)
      let total = FlatFileLog.estimatedBytes(state.statistics())
      let progress = progress
      var done = 0
      let writer = SnapshotWriter(file, header) { () throws(StorageError) in
        guard progress(min(done, total), total) else { throw .backupCancelled }
        done += SnapshotWriter.partBytes
      }
      _ = try writer.write(state)
      // Whatever has its name is on the disk: the mark and what it speaks of get there together.
      try mark.next(isClosed: true, end: writer.end, commit: header.snapshot, chain: writer.chain)
        .write(to: file, tag: header.tag)
      try FlatFileOwner.clear(in: file)
      try file.sync()
      guard progress(writer.end, writer.end) else { throw .backupCancelled }
      try destination.place()
    } catch {
      try? files.remove(destination.partialPath)
      throw error
    }
  }
}
