import Foundation

/// The transactions that are running on one thread, innermost first: how a nested call finds the one to join.
final class TransactionFrame {
  /// The store that the transaction is of.
  let store: ObjectIdentifier
  let transaction: ReadTransaction
  let outer: TransactionFrame?

  init(store: ObjectIdentifier, transaction: ReadTransaction, outer: TransactionFrame?) {
    self.store = store
    self.transaction = transaction
    self.outer = outer
  }

  /// The innermost frame of this thread.
  static var current: TransactionFrame? {
    guard let key = slot, let raw = pthread_getspecific(key) else { return nil }
    return Unmanaged<TransactionFrame>.fromOpaque(raw).takeUnretainedValue()
  }

  /// The innermost transaction of the store on this thread.
  static func transaction(of store: ObjectIdentifier) -> ReadTransaction? {
    var frame = current
    while let candidate = frame {
      if candidate.store == store { return candidate.transaction }
      frame = candidate.outer
    }
    return nil
  }

  /// Runs the body with the transaction as the thread's innermost.
  static func with<R>(_ store: ObjectIdentifier, _ transaction: ReadTransaction, _ body: () throws -> R) rethrows -> R {
    let outer = current
    let frame = TransactionFrame(store: store, transaction: transaction, outer: outer)
    // The frame is kept alive by this call; the thread's slot only points to it.
    if let key = slot { pthread_setspecific(key, Unmanaged.passUnretained(frame).toOpaque()) }
    defer {
      if let key = slot { pthread_setspecific(key, outer.map { Unmanaged.passUnretained($0).toOpaque() }) }
    }
    return try withExtendedLifetime(frame, body)
  }

  /// The thread's slot; nil when the system has none left, and then nothing nests.
  private static let slot: pthread_key_t? = {
    var key = pthread_key_t()
    return pthread_key_create(&key, nil) == 0 ? key : nil
  }()
}
