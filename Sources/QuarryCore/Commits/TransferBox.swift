/// A value that goes from one thread to another and is used by one at a time.
///
/// Unchecked because the value need not be Sendable: it was given up by the sender (`sending`), and only the receiver
/// of the hand-over touches it afterwards.
struct TransferBox<T>: @unchecked Sendable {
  nonisolated(unsafe) let value: T

  init(_ value: T) {
    self.value = value
  }
}
