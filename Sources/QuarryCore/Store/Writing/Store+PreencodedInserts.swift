import QuarryBackend
import Synchronization

// An insert of one object by a thread that has to wait for another writer. The waiting thread encodes the row first, with code of
// the model that may hold a lock or belong to an actor. Adding the row needs no such code, so the thread that has the transaction
// adds it. The waiting thread is woken once, when the commit is over, and not also for its part.
//
// Off where the engine lets the next transaction begin while a commit waits for the disk. A leader that adds waiting rows quickly
// begins its own commit before other writers have come, so there are more commits.

extension Store {
  /// Whether an insert would wait for a writer that it may share a commit with.
  @usableFromInline
  var preencodesInserts: Bool {
    pipeline.sharesCommits && pipeline.writers.isTaken && !pipeline.overlapsCommits.load(ordering: .relaxed)
      && !TransactionFrame.isInside
  }

  /// Adds an object whose row is encoded before its turn.
  @usableFromInline
  func insertPreencoded<M: Model>(_ object: M) throws(StorageError) {
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
    let insert = PreencodedInsert(binding.model)
    var encoder = RowEncoder(context)
    try TransactionFrame.makingRow(of: identity) { insert.append(try encoder.encode(object, binding)) }
    let admission = try pipeline.writers.enter(busyTimeout, isSingleStatement: true) { [self] group in
      insert.result = part(of: group) { transaction in try insert.run(transaction) }
    }
    switch admission {
    case .turn(let left):
      try write(inTurn: left, WriteMode(isSingleStatement: true, patience: busyTimeout)) { transaction in
        try insert.run(transaction)
      }
    case .part(let group):
      try group.waitForCommit()
      try insert.result.get()
    }
  }
}

/// A row to add.
///
/// Unchecked: one thread makes it. Then the thread that holds its writer's turn, or has the transaction of its part, uses it, and
/// then the first thread again. Each hands it on under the lock of the queue, of the group or of the wait.
private final class PreencodedInsert: @unchecked Sendable {
  private let model: ModelID
  private var rows = RowBatch()
  /// The outcome of the row, if another thread has added it.
  var result: Result<Void, any Error> = .success(())

  init(_ model: ModelID) {
    self.model = model
  }

  func append(_ row: UnsafeRawBufferPointer) { rows.append(row) }

  func run(_ transaction: WriteTransaction) throws(StorageError) {
    try transaction.checkWrite(model)
    try transaction.insertRows(model, &rows)
  }
}
