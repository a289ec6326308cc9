import Foundation
import QuarryBackend

/// The transactions that are running on one thread, innermost first: how a nested call finds the one to join.
///
/// A frame lies on the stack of the call that runs the transaction. The thread's slot points to it only during that call: only
/// that thread reads its slot, and inner calls have ended before it.
struct TransactionFrame {
  /// The store that the transaction is of.
  private let store: ObjectIdentifier
  /// Kept alive by the call that created the frame; nil where a row is encoded before its transaction begins.
  private let transaction: Unmanaged<ReadTransaction>?
  private let outer: UnsafePointer<TransactionFrame>?

  /// The innermost frame of this thread.
  @inline(__always)
  private static func current(_ slot: pthread_key_t) -> UnsafePointer<TransactionFrame>? {
    pthread_getspecific(slot).map { UnsafePointer($0.assumingMemoryBound(to: TransactionFrame.self)) }
  }

  /// Whether a transaction of any store runs on this thread.
  static var isInside: Bool { slot.map { pthread_getspecific($0) != nil } ?? false }

  /// The innermost transaction of the store on this thread.
  ///
  /// - Throws: `reentrant` where the thread encodes a row of the store.
  static func transaction(of store: ObjectIdentifier) throws(StorageError) -> ReadTransaction? {
    guard let slot else { return nil }
    var frame = current(slot)
    while let candidate = frame {
      if candidate.pointee.store == store {
        guard let transaction = candidate.pointee.transaction else { throw .whileCoding }
        return transaction.takeUnretainedValue()
      }
      frame = candidate.pointee.outer
    }
    return nil
  }

  /// Runs the body with the transaction as the thread's innermost.
  static func with<R, Failure: Error>(
    _ store: ObjectIdentifier, _ transaction: ReadTransaction, _ body: () throws(Failure) -> R
  ) throws(Failure) -> R {
    try entering(store, .passUnretained(transaction)) { () throws(Failure) in
      try withExtendedLifetime(transaction, body)
    }
  }

  /// Runs code of a model that encodes a row before the row's transaction begins. Calls of the store by that code are
  /// `reentrant`.
  static func makingRow<R, Failure: Error>(
    of store: ObjectIdentifier, _ body: () throws(Failure) -> R
  ) throws(Failure) -> R {
    try entering(store, nil, body)
  }

  private static func entering<R, Failure: Error>(
    _ store: ObjectIdentifier, _ transaction: Unmanaged<ReadTransaction>?, _ body: () throws(Failure) -> R
  ) throws(Failure) -> R {
    guard let slot else { return try body() }
    let outer = current(slot)
    let frame = TransactionFrame(store: store, transaction: transaction, outer: outer)
    return try withUnsafePointer(to: frame) { frame throws(Failure) in
      pthread_setspecific(slot, frame)
      defer { pthread_setspecific(slot, outer) }
      return try body()
    }
  }

  /// The thread's slot; nil when the system has none left, and then nothing nests.
  private static let slot: pthread_key_t? = {
    var key = pthread_key_t()
    return pthread_key_create(&key, nil) == 0 ? key : nil
  }()
}
