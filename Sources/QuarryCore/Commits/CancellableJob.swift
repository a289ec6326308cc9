import Synchronization

/// The work of a task that waits for a thread or its turn: it is begun or given up, whichever comes first. The task continues at
/// once when the work is given up.
///
/// Unchecked because neither work nor result need be Sendable: both go from one holder to the next, under the lock.
final class CancellableJob<Work, Output>: @unchecked Sendable {
  private struct State {
    /// Nil when the work has begun or was given up.
    var work: TransferBox<Work>?
    var continuation: CheckedContinuation<TransferBox<Output>, any Error>?
    var isCancelled = false
    var onCancel: (@Sendable () -> Void)?
  }

  private let state: Mutex<State>

  init(_ work: TransferBox<Work>) {
    state = Mutex(State(work: work))
  }

  /// Waits for the result.
  ///
  /// - Parameters:
  ///   - actor: The actor on which the task has begun and continues afterwards.
  ///   - start: Arranges the call of ``begin(_:)`` or ``giveUp(_:)``.
  /// - Throws: The errors of the work, or the reason why it was given up. `CancellationError` at once when the task is cancelled
  ///   before the work begins.
  func result(
    isolation actor: isolated (any Actor)? = nil, _ start: () -> Void
  ) async throws -> TransferBox<Output> {
    try await withTaskCancellationHandler(
      operation: {
        try await withCheckedThrowingContinuation(isolation: actor) { continuation in
          let isCancelled = state.withLock { state in
            if !state.isCancelled { state.continuation = continuation }
            return state.isCancelled
          }
          if isCancelled { continuation.resume(throwing: CancellationError()) } else { start() }
        }
      },
      onCancel: {
        let waiting = state.withLock { state -> State? in
          guard state.work != nil else { return nil }
          defer { state = State(isCancelled: true) }
          return state
        }
        waiting?.continuation?.resume(throwing: CancellationError())
        waiting?.onCancel?()
      }, isolation: actor)
  }

  /// Does something when the task is cancelled before the work begins; now, when it was.
  func whenCancelled(_ body: @escaping @Sendable () -> Void) {
    let isCancelled = state.withLock { state in
      if !state.isCancelled, state.work != nil { state.onCancel = body }
      return state.isCancelled
    }
    if isCancelled { body() }
  }

  /// Does the work, unless it was given up.
  ///
  /// - Returns: Whether it was done.
  func begin(_ execute: (Work) throws -> Output) -> Bool {
    guard let end = start({ work in Result { try execute(work) } }) else { return false }
    end(nil)
    return true
  }

  /// Does the work, unless it was given up, and leaves the task waiting.
  ///
  /// - Returns: A closure that resumes the task with the result, or with an error that has come in between. Nil when the work was
  ///   given up.
  func start(_ execute: (Work) -> Result<Output, any Error>) -> (@Sendable ((any Error)?) -> Void)? {
    let begun = state.withLock { state -> (TransferBox<Work>, CheckedContinuation<TransferBox<Output>, any Error>)? in
      guard let work = state.work, let continuation = state.continuation else { return nil }
      state = State()
      return (work, continuation)
    }
    guard let (work, continuation) = begun else { return nil }
    let result = TransferBox(execute(work.value))
    return { error in
      if let error { return continuation.resume(throwing: error) }
      continuation.resume(with: result.value.map { TransferBox($0) })
    }
  }

  /// Ends the wait with an error, unless it is over.
  func giveUp(_ error: any Error) {
    let continuation = state.withLock { state in
      defer { state = State() }
      return state.work == nil ? nil : state.continuation
    }
    continuation?.resume(throwing: error)
  }
}
