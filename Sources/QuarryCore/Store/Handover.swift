import Synchronization

/// A value that goes from one thread to another and is used by one at a time.
///
/// Unchecked because the value need not be Sendable: it was given up by the sender (`sending`), and only the receiver
/// of the hand-over touches it afterwards.
struct Handover<T>: @unchecked Sendable {
  nonisolated(unsafe) let value: T

  init(_ value: T) {
    self.value = value
  }
}

/// Whether a task was cancelled before its work began.
final class CancellationFlag: Sendable {
  private let flag = Atomic(false)

  var isCancelled: Bool { flag.load(ordering: .acquiring) }

  func cancel() {
    flag.store(true, ordering: .releasing)
  }
}
