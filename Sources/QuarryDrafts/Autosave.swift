extension Draft {
  /// When a draft saves itself.
  public struct Autosave: Sendable, Hashable {
    let delay: Duration

    /// The given time after the first edit that is not saved.
    ///
    /// - Parameter delay: The time from the first edit to the save.
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

/// A draft as the task that saves it holds it.
struct AutosavedDraft: @unchecked Sendable {
  // Unchecked because only code on the draft's actor reads the reference.
  weak var draft: Draft?

  /// Saves the draft some time after each edit, until the draft is released.
  func save(
    after delay: Duration, each edits: AsyncStream<Void>, _ policy: DraftConflict, on actor: isolated any Actor
  ) async {
    var edits = edits.makeAsyncIterator()
    while await edits.next(isolation: actor) != nil {
      try? await Task.sleep(for: delay)
      guard let draft else { return }
      await draft.saveAutomatically(policy, actor)
    }
  }
}
