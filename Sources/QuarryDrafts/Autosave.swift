extension Draft {
  /// When a draft saves itself.
  public struct Autosave: Sendable, Hashable {
    let delay: Duration

    /// The given time after the first edit that is not saved.
    public static func after(_ delay: Duration) -> Autosave { Autosave(delay: delay) }
  }
}

/// Hands the edits of a draft to the task that saves it. The task ends with the draft.
final class Autosaver: Sendable {
  private let continuation: AsyncStream<Void>.Continuation

  init(_ continuation: AsyncStream<Void>.Continuation) {
    self.continuation = continuation
  }

  deinit {
    continuation.finish()
  }

  func noteEdit() { continuation.yield() }
}
