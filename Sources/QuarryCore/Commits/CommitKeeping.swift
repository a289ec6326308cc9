import QuarryBackend
import Synchronization

/// The place of the participant that keeps the records of a synced store, which joins after the store was opened.
///
/// A store that has records refuses writes until the participant is there: it would lose them for the other stores.
final class CommitKeeping: Sendable {
  private let participant = Mutex<(any CommitParticipant)?>(nil)
  private let hasRecords = Atomic(false)

  /// Whether the store has records to keep: the only thing that a write checks where it has none.
  var isOn: Bool { hasRecords.load(ordering: .relaxed) }

  var joined: (any CommitParticipant)? { participant.withLock { $0 } }

  /// Adds the participant.
  ///
  /// - Returns: The one that is there: another call may have added one before.
  func join(_ new: any CommitParticipant) -> any CommitParticipant {
    participant.withLock { participant in
      let joined = participant ?? new
      participant = joined
      return joined
    }
  }

  func leave() { participant.withLock { $0 = nil } }

  /// Notes whether the store has records. Called for each new version of the schema.
  func look(_ schema: Schema) {
    hasRecords.store(schema.isSynced, ordering: .relaxed)
  }

  var demand: Capture { joined?.demand ?? .none }

  /// - Throws: `unsupported` without the participant.
  func prepare(_ changes: ChangeSet, in transaction: any BackendWriteTransaction) throws(StorageError) {
    guard let joined else {
      // Without a demand nothing was captured, and nothing is known of what was written.
      throw StorageError(
        .unsupported,
        "the store is synced: call enableSync() after opening it, so that its writes are recorded for the other stores")
    }
    try joined.prepare(changes, in: transaction)
  }
}
