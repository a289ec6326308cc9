import Foundation
import QuarryBackend

/// A thread that runs what one other thread gives it, while that one waits.
final class TransactionThread: @unchecked Sendable {
  // Unchecked: the condition guards the fields; the giver waits until its work is done, so that what the work touches
  // is used by one thread at a time.
  private let condition = NSCondition()
  private var work: (() -> Void)?
  private var isFinished = false

  init() {
    let thread = Thread { [self] in
      condition.lock()
      while true {
        if let work {
          condition.unlock()
          work()
          condition.lock()
          self.work = nil
          condition.broadcast()
        } else if isFinished {
          break
        } else {
          condition.wait()
        }
      }
      condition.unlock()
    }
    thread.stackSize = 8 << 20
    thread.start()
  }

  /// Runs the work on the thread and waits for it; after ``finish()`` on the caller's own.
  func run<R>(_ body: @escaping () throws(StorageError) -> R) throws(StorageError) -> R {
    condition.lock()
    guard !isFinished else {
      condition.unlock()
      return try body()
    }
    var result: Result<R, StorageError>?
    work = {
      do throws(StorageError) {
        result = .success(try body())
      } catch {
        result = .failure(error)
      }
    }
    condition.broadcast()
    while work != nil { condition.wait() }
    condition.unlock()
    guard let result else { throw StorageError(.io, "a thread ended without a result") }
    return try result.get()
  }

  /// Lets the thread end.
  func finish() {
    condition.lock()
    isFinished = true
    condition.broadcast()
    condition.unlock()
  }
}
