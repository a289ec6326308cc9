import QuarryBackend

/// The state that a transaction and its cursors share: whether the transaction is active, and which models it wrote to.
final class TransactionState {
  let store: StoreState
  /// The snapshot that is read, where it is one.
  private let snapshot: SnapshotState?
  @exclusivity(unchecked) private(set) var isEnded = false
  /// Why the transaction can only be rolled back, when it may hold half a statement.
  @exclusivity(unchecked) private(set) var failure: StorageError?
  /// How many writes and cursors there were, which says of any two which was first.
  @exclusivity(unchecked) private var moment = 0
  /// The moment of the last write to each model, except the most recently written model, whose moment is kept separately.
  ///
  /// A list, because a transaction writes to few models, and changes from one to another of them seldom.
  @exclusivity(unchecked) private var writes: [(model: UInt32, moment: Int)] = []
  @exclusivity(unchecked) private var lastModel: UInt32 = 0
  @exclusivity(unchecked) private var lastWrite = 0
  /// The times that savepoints have undone: cursors of these ended. In their order, apart from each other.
  private var undone: [(after: Int, to: Int)] = []
  @exclusivity(unchecked) private var hasWritten = false

  init(_ store: StoreState, _ snapshot: SnapshotState? = nil) {
    self.store = store
    self.snapshot = snapshot
  }

  /// - Throws: `closed`, `transactionEnded`, or the error that left half a statement behind.
  func check() throws(StorageError) {
    if store.isClosed { throw .storeClosed }
    if let snapshot, snapshot.isClosed { throw .snapshotClosed }
    if isEnded { throw .ended }
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
      if lastWrite > 0 { keepLastWrite() }
      lastModel = model.rawValue
    }
    moment += 1
    lastWrite = moment
  }

  private func keepLastWrite() {
    if let place = writes.firstIndex(where: { $0.model == lastModel }) {
      writes[place].moment = lastWrite
    } else {
      writes.append((lastModel, lastWrite))
    }
  }

  /// The moment of the last write to a model; 0 for none.
  private func lastWrite(to model: ModelID) -> Int {
    if model.rawValue == lastModel { return lastWrite }
    return writes.first { $0.model == model.rawValue }?.moment ?? 0
  }

  /// The moment of a savepoint, for ``didRollBack(to:)``.
  func savepoint() -> Int { moment }

  /// Notes that a savepoint was rolled back: the cursors that were created in it end. Earlier cursors continue if nothing was
  /// written to their models; otherwise they have already ended.
  func didRollBack(to savepoint: Int) {
    guard moment > savepoint else { return }
    hasWritten = true
    while let last = undone.last, last.to > savepoint { undone.removeLast() }
    if let last = undone.last, last.to == savepoint {
      undone[undone.count - 1].to = moment
    } else {
      undone.append((savepoint, moment))
    }
  }

  /// Notes that a cursor is made.
  ///
  /// - Returns: Its moment, for ``check(_:_:)``.
  func makeCursor() -> Int {
    moment += 1
    return moment
  }

  /// - Throws: `transactionEnded` when the cursor that was made at this moment has ended.
  func check(_ model: ModelID, _ cursor: Int) throws(StorageError) {
    try check()
    guard hasWritten else { return }
    if lastWrite(to: model) > cursor {
      throw StorageError(.transactionEnded, "the model was written to while a cursor was open")
    }
    if isUndone(cursor) {
      throw StorageError(.transactionEnded, "the cursor's savepoint was rolled back")
    }
  }

  private func isUndone(_ moment: Int) -> Bool {
    var low = 0
    var high = undone.count
    while low < high {
      let middle = (low + high) / 2
      if undone[middle].to < moment { low = middle + 1 } else { high = middle }
    }
    return low < undone.count && undone[low].after < moment
  }
}
