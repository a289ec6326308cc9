/// What a commit returns.
public struct CommitResult: Sendable {
  /// The place of the state that was made.
  public var version: CommitVersion
  /// What the commit changed, as far as it was captured.
  public var changes: ChangeSet

  public init(version: CommitVersion, changes: ChangeSet = .unknown) {
    self.version = version
    self.changes = changes
  }
}
