import QuarryBackend
import Synchronization

// An insert of one object by a thread that has to wait for another writer. Its row is made before, on its own thread, by code
// of the model's that may hold a lock or belong to an actor. To add the row needs no such code, so that whoever has the
// transaction does it: the thread is woken once, when the commit is over, and not for its part as well.
//
// Not where the engine lets the next transaction begin while a commit waits for the disk: who is quickly done with the rows of
// those who wait begins a commit of its own before others have come, and there are more of them.

extension Store {
  /// Whether an insert would wait for a writer that it may share a commit with.
  @usableFromInline
  var makesRowsAhead: Bool {
    sharesCommits && writers.isTaken && !overlapsCommits.load(ordering: .relaxed) && !TransactionFrame.isInside
  }

  /// Adds an object whose row is made before its turn.
  @usableFromInline
  func insertAhead<M: Model>(_ object: M) throws(StorageError) {
    do {
      try insertMade(object)
    } catch {
      throw StorageError.of(error)
    }
  }

  private func insertMade<M: Model>(_ object: M) throws {
    try checkOpen()
    try checkWritable()
    let binding = try context.binding(M.self)
    let insert = RowAhead(binding.model)
    var encoder = RowEncoder(context)
    try TransactionFrame.makingRow(of: identity) { insert.append(try encoder.encode(object, binding)) }
    let admission = try writers.enter(busyTimeout, isOneCall: true) { [self] group in
      insert.result = part(of: group) { transaction in try insert.run(transaction) }
    }
    switch admission {
    case .turn(let left):
      try write(inTurn: left, WriteMode(isOneCall: true, patience: busyTimeout)) { transaction in
        try insert.run(transaction)
      }
    case .part(let group):
      try group.waitForCommit()
      try insert.result.get()
    }
  }
}

/// A row that is to be added.
///
/// Unchecked: one thread makes it, then whoever has its writer's turn or the transaction of its part uses it, then the first
/// thread again; each hands it on under the lock of the line, of the group or of the wait.
private final class RowAhead: @unchecked Sendable {
  private let model: ModelID
  private var rows = RowBatch()
  /// What has become of it, where another thread has added it.
  var result: Result<Void, any Error> = .success(())

  init(_ model: ModelID) {
    self.model = model
  }

  func append(_ row: UnsafeRawBufferPointer) { rows.append(row) }

  func run(_ transaction: WriteTransaction) throws(StorageError) {
    try transaction.checkWrite(model)
    try transaction.insertRows(model, rows)
  }
}
