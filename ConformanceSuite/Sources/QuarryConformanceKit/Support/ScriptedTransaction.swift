import Foundation
import QuarryBackend
package import QuarryCore

/// A transaction on a thread of its own that does one step after another as a script tells it, so that cases can put the
/// steps of several transactions into one order.
///
/// It rolls back when nothing holds it any more.
package final class ScriptedTransaction: @unchecked Sendable {
  // Unchecked: a step is written before `asked` is signalled and read after, an answer the same with `answered`.

  private enum Step {
    case run((ReadTransaction) throws -> Void)
    case finish(commits: Bool)
  }

  private struct Abandoned: Error {}

  /// What both threads hold: not the transaction itself, so that letting go of it ends its thread.
  private final class Line: @unchecked Sendable {
    // Unchecked for the reason above.
    let asked = DispatchSemaphore(value: 0)
    let answered = DispatchSemaphore(value: 0)
    var step = Step.finish(commits: false)
    var answer: Result<Void, any Error> = .success(())

    /// Answers the steps until the last one.
    func follow(_ transaction: ReadTransaction) throws {
      answer = .success(())
      answered.signal()
      while true {
        asked.wait()
        switch step {
        case .run(let body):
          answer = Result { try body(transaction) }
          answered.signal()
        case .finish(let commits):
          guard commits else { throw Abandoned() }
          return
        }
      }
    }

    func ask(_ next: Step) throws {
      step = next
      asked.signal()
      answered.wait()
      try answer.get()
    }
  }

  private let line = Line()
  private var hasEnded = false

  private init(_ body: @escaping @Sendable ((ReadTransaction) throws -> Void) throws -> Void) throws {
    let line = line
    let thread = Thread {
      do {
        try body { try line.follow($0) }
        line.answer = .success(())
      } catch is Abandoned {
        line.answer = .success(())
      } catch {
        line.answer = .failure(error)
      }
      line.answered.signal()
    }
    thread.stackSize = 8 << 20
    thread.start()
    line.answered.wait()
    do {
      try line.answer.get()
    } catch {
      hasEnded = true
      throw error
    }
  }

  deinit {
    if !hasEnded { abort() }
  }

  /// Begins a read, and gives it back when it has begun.
  package static func read(_ store: Store) throws -> ScriptedTransaction {
    try ScriptedTransaction { follow in try store.read { try follow($0) } }
  }

  /// Begins a write, and gives it back when it has begun. With many writers it does not run again after a conflict, which
  /// its step or its commit throws.
  ///
  /// - Parameter alone: Whether the write has a commit of its own.
  package static func write(_ store: Store, timeout: Double? = nil, alone: Bool = false) throws -> ScriptedTransaction {
    if store.manifest.writers == .many {
      return try ScriptedTransaction { follow in try store.write(retry: 0, timeout: timeout) { try follow($0) } }
    }
    return try ScriptedTransaction { follow in try store.write(timeout: timeout, alone: alone) { try follow($0) } }
  }

  /// Does a step in the transaction, and waits for its end.
  package func run<R>(_ body: @escaping (ReadTransaction) throws -> R) throws -> R {
    var result: R?
    try line.ask(.run { result = try body($0) })
    return try unwrap(result, "the step's value")
  }

  /// Does a step in the transaction, which is a write.
  package func write(_ body: @escaping (WriteTransaction) throws -> Void) throws {
    try line.ask(.run { try body(try unwrap($0 as? WriteTransaction, "the write transaction")) })
  }

  package func commit() throws {
    hasEnded = true
    try line.ask(.finish(commits: true))
  }

  package func abort() {
    hasEnded = true
    try? line.ask(.finish(commits: false))
  }
}
