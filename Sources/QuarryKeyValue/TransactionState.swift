import QuarryBackend

/// What a transaction and its cursors share: whether the transaction goes on, and which models it wrote to.
final class TransactionState {
  let store: StoreState
  /// The snapshot that is read, where it is one.
  private let snapshot: SnapshotState?
  @exclusivity(unchecked) private(set) var isEnded = false
  /// Why the transaction can only be rolled back, when it may hold half a statement.
  @exclusivity(unchecked) private(set) var failure: StorageError?
  /// How often each model was written to, but for the last one, whose count is beside.
  private var writes: [UInt32: Int] = [:]
  @exclusivity(unchecked) private var lastModel: UInt32 = 0
  @exclusivity(unchecked) private var lastWrites = 0
  private var rollbacks = 0
  @exclusivity(unchecked) private var hasWritten = false

  init(_ store: StoreState, _ snapshot: SnapshotState? = nil) {
    self.store = store
    self.snapshot = snapshot
  }

  /// - Throws: `closed`, `transactionEnded`, or the error that left half a statement behind.
  func check() throws(StorageError) {
    if store.isClosed { throw StorageError(.closed, "the store was closed") }
    if let snapshot, snapshot.isClosed { throw StorageError(.closed, "the snapshot was closed") }
    if isEnded { throw StorageError(.transactionEnded, "the transaction has ended") }
    if let failure { throw failure }
  }

  func end() {
    isEnded = true
  }

  /// Lets nothing but a rollback happen from now on.
  func fail(_ error: StorageError) {
    if failure == nil { failure = error }
  }

  /// Notes that rows of the model are changed: cursors over it end.
  func willWrite(_ model: ModelID) {
    hasWritten = true
    if model.rawValue != lastModel {
      writes[lastModel] = lastWrites
      lastModel = model.rawValue
      lastWrites = writes[lastModel] ?? 0
    }
    lastWrites += 1
  }

  /// Notes that a savepoint was rolled back: all cursors end.
  func didRollBack() {
    hasWritten = true
    rollbacks += 1
  }

  /// A number that changes when a cursor over the model ends.
  func stamp(_ model: ModelID) -> Int {
    guard hasWritten else { return 0 }
    return (model.rawValue == lastModel ? lastWrites : writes[model.rawValue] ?? 0) + rollbacks
  }

  /// - Throws: `transactionEnded` when a cursor that was made at this stamp has ended.
  func check(_ model: ModelID, _ stamp: Int) throws(StorageError) {
    try check()
    if hasWritten, self.stamp(model) != stamp {
      throw StorageError(.transactionEnded, "the model was written to while a cursor was open")
    }
  }
}
