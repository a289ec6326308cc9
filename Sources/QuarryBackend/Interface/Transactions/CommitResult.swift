/// The result of a commit.
public struct CommitResult: Sendable {
  /// The place of the state that was made.
  public var version: CommitVersion
  /// The changes of the commit, as far as they were captured.
  public var changes: ChangeSet {
    get { known ?? Self.merged(captured) }
    set { known = newValue }
  }
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
    known = changes
    self.previous = previous
  }

  /// The changes; nil for those that were captured, of which the value is made when somebody asks for it.
  private var known: ChangeSet?
  /// The captured changes, one after the other.
  var captured: [CapturedChanges] = [] {
    didSet { known = nil }
  }

  /// Changes that follow each other, as one value.
  static func merged(_ captured: [CapturedChanges]) -> ChangeSet {
    guard let first = captured.first else { return ChangeSet() }
    return captured.dropFirst().reduce(into: first.changeSet) { $0.merge($1.changeSet) }
  }
}
