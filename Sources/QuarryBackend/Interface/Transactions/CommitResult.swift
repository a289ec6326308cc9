/// The result of a commit.
public struct CommitResult: Sendable {
  /// The place of the state that was made.
  public var version: CommitVersion
  /// The changes of the commit, as far as they were captured.
  public var changes: ChangeSet
  /// The place of the state before, which differs from the new one by these changes and nothing else.
  ///
  /// With one writer nil stands for the number before ``version``. With many writers nil means that the engine does not know it:
  /// observers then read their objects again.
  public var previous: CommitVersion?

  /// Creates the result of a commit.
  ///
  /// - Parameters:
  ///   - version: The place of the new state in the order of commits.
  ///   - changes: The captured changes of the commit.
  ///   - previous: The place of the state before; see ``previous`` for nil.
  public init(version: CommitVersion, changes: ChangeSet = .unknown, previous: CommitVersion? = nil) {
    self.version = version
    self.changes = changes
    self.previous = previous
  }
}
