import QuarryBackend
import Synchronization

/// Numbers of sequences that a store has taken in advance, where there are many writers.
///
/// A block is taken in a transaction of its own, so that writers do not conflict on the row of a sequence. The rest of a block is
/// lost when the store is closed.
final class NumberBlocks: NumberSource {
  private struct Block {
    /// The next number, up to the last one of the block.
    var next: UInt64
    var last: UInt64
  }

  private let pipeline: CommitPipeline
  private let timeout: Double
  private let blocks = Mutex<[ModelID: Block]>([:])
  /// Held while a block is taken, so that threads without a number wait for one block.
  private let taking = Mutex(())

  /// The numbers of a block.
  static let size: UInt64 = 64

  init(_ pipeline: CommitPipeline, timeout: Double) {
    self.pipeline = pipeline
    self.timeout = timeout
  }

  /// The next number of a model's sequence.
  ///
  /// - Throws: `limitExceeded` where the sequence is exhausted; the errors of the transaction that takes a block.
  func next(_ key: GeneratedKey) throws(StorageError) -> UInt64 {
    if let number = taken(key) { return number }
    return try taking.withLock { _ throws(StorageError) in
      while true {
        // Another thread may have taken a block meanwhile.
        if let number = taken(key) { return number }
        let block = try reserve(key) { last in
          guard last < key.greatest else { return nil }
          return last + min(Self.size, key.greatest - last)
        }
        guard let block else { throw key.exhausted }
        blocks.withLock { $0[key.model.id] = block }
      }
    }
  }

  /// Moves the sequence past a key that the program has given.
  func note(_ number: UInt64, _ key: GeneratedKey) throws(StorageError) {
    let isKnown = blocks.withLock { blocks -> Bool in
      guard let block = blocks[key.model.id], number <= block.last else { return false }
      // The last number has no next one.
      if number == block.last {
        blocks[key.model.id] = nil
      } else {
        blocks[key.model.id]?.next = max(block.next, number + 1)
      }
      return true
    }
    guard !isKnown else { return }
    _ = try reserve(key) { last in last < number ? number : nil }
  }

  func forget() { blocks.withLock { $0 = [:] } }

  private func taken(_ key: GeneratedKey) -> UInt64? {
    blocks.withLock { blocks in
      guard let block = blocks[key.model.id], block.next <= block.last else { return nil }
      if block.next == block.last { blocks[key.model.id] = nil } else { blocks[key.model.id]?.next += 1 }
      return block.next
    }
  }

  /// Raises the stored number.
  ///
  /// - Parameter raised: The number to store; nil to leave it.
  /// - Returns: The numbers between.
  private func reserve(
    _ key: GeneratedKey, _ raised: (UInt64) -> UInt64?
  ) throws(StorageError) -> Block? {
    do {
      return try pipeline.transaction(WriteOptions(timeout: timeout)) { writer -> CommitPipeline.Ending<Block?> in
        guard let model = writer.schema.model(id: key.model.id) else {
          throw StorageError(.schemaMismatch, "the store no longer has this model", model: key.model.name)
        }
        let last = try SequenceTable.last(of: model, in: writer)
        guard let new = raised(last) else { return .rollback(nil) }
        try SequenceTable.set([(model.id, new)], writer)
        return .commit(Block(next: last + 1, last: new))
      }
    } catch {
      throw (error as? CommitConflict)?.error ?? .of(error)
    }
  }
}
