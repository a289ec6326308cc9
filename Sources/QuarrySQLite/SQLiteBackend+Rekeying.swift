import CSQLite
import Foundation
import QuarryBackend
import QuarrySystem

extension SQLiteBackend: RekeyingBackend {
  /// As the file has it: another process may have wrapped the key again.
  var envelopeSlot: EnvelopeSlot? {
    guard let vfs else { return nil }
    guard !isClosed, let connection = try? pool.take() else { return vfs.keys?.slot }
    defer { pool.give(connection) }
    return (try? SealedDatabase.of(connection.database).header(of: file.path).envelope.slot) ?? vfs.keys?.slot
  }

  func rekey(to new: Encryption, _ extent: RekeyExtent) throws(StorageError) {
    guard !isClosed else { throw .storeClosed }
    guard let vfs else { throw .notEncrypted(file.path) }
    guard !isReadOnly else { throw .openedForReading }
    try writer.take(busyTimeout)
    defer { writer.give() }
    try requireInPlace()
    switch extent {
    case .wrappingOnly: try wrap(with: new, vfs)
    case .full: try seal(with: new, vfs)
    }
  }

  /// Overwrites the slots of the key one after the other, while no other user may write.
  private func wrap(with new: Encryption, _ vfs: SealedVFS) throws(StorageError) {
    let connection = try pool.take()
    defer { pool.give(connection) }
    let database = try SealedDatabase.of(connection.database)
    while true {
      // Deriving a key from a passphrase takes time, for which no other user has to wait.
      let before = try database.header(of: file.path).envelope
      guard let slot = before.slot else { throw StorageError(.corrupt, "the key of \(file.path) is damaged") }
      let next = try new.key.wrap(database.keys.dataKey, for: slot.identity, generation: slot.generation &+ 1)
      try connection.run(SQLiteConnection.Fixed.beginImmediate)
      defer { connection.rollBack() }
      guard try database.header(of: file.path).envelope.slot == slot else { continue }
      var begun: [Int] = []
      var failure: StorageError?
      do throws(StorageError) {
        for place in before.order {
          begun.append(place)
          try database.write(next, at: place)
        }
      } catch {
        failure = error
        // A caller that receives an error has the key as it was.
        if putBack(slot, begun, database) { throw error }
        guard (try? database.header(of: file.path))?.envelope.slot == next else { throw error }
      }
      database.keys.slot = next
      vfs.change(to: new, database.keys)
      if let failure { throw failure }
      return
    }
  }

  /// Writes the old slot to the places of a change that failed, the last one first: one of the two is whole at any moment.
  ///
  /// - Returns: Whether it is on the disk. Where the disk refuses this, too, the file may have the new key.
  private func putBack(_ slot: EnvelopeSlot, _ places: [Int], _ database: SealedDatabase) -> Bool {
    do throws(StorageError) {
      for place in places.reversed() { try database.write(slot, at: place) }
      return true
    } catch {
      return false
    }
  }

  /// Rewrites the store while this process has no connection, and opens it again.
  private func seal(with new: Encryption, _ vfs: SealedVFS) throws(StorageError) {
    let keys = try SealedKeys.make(new)
    guard snapshots.load(ordering: .relaxed) == 0, pool.pause(busyTimeout) else {
      throw .inUse(by: nil, "\(file.path) is being read elsewhere")
    }
    defer { pool.resume() }
    try SQLiteReencryption(file).run(from: vfs, to: keys)
    vfs.change(to: new, keys)
    if let status = try? FileStatus(at: file.path) { writer.add(status.identity) }
    // The log index that was checked here belonged to the old file.
    otherUsers.end()
  }
}

extension SQLiteConnection {
  /// Whether a slot of the key is damaged, or of a change that its process did not finish.
  func hasStaleSlot(_ file: SQLiteFile) throws(StorageError) -> Bool {
    guard vfs != nil else { return false }
    return try !SealedDatabase.of(database).header(of: file.path).envelope.stale.isEmpty
  }

  /// Writes the slot that holds to both places, inside a write transaction.
  func mendSlots(_ file: SQLiteFile) throws(StorageError) {
    let sealed = try SealedDatabase.of(database)
    let envelope = try sealed.header(of: file.path).envelope
    guard let slot = envelope.slot else { return }
    for place in envelope.stale { try sealed.write(slot, at: place) }
  }
}
