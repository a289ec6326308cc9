/// The result of a commit.
public struct CommitResult: Sendable {
  /// The place of the state that was made.
  public var version: CommitVersion
  /// The changes of the commit, as far as they were captured.
  public var changes: ChangeSet

  public init(version: CommitVersion, changes: ChangeSet = .unknown) {
    self.version = version
    self.changes = changes
  }
}
