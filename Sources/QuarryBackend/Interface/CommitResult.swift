/// What a commit gives back.
public struct CommitResult: Sendable {
  public var version: CommitVersion
  public var changes: ChangeSet

  public init(version: CommitVersion, changes: ChangeSet = .unknown) {
    self.version = version
    self.changes = changes
  }
}
