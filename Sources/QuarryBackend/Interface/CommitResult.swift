/// The place of a committed state in the order of commits of one store.
public struct CommitVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
  public let rawValue: UInt64

  public init(_ rawValue: UInt64) {
    self.rawValue = rawValue
  }

  public static func < (left: CommitVersion, right: CommitVersion) -> Bool { left.rawValue < right.rawValue }
  public var description: String { String(rawValue) }
}

/// What one commit changed.
public enum ChangeSet: Sendable {
  public struct Change: Sendable {
    public var model: ModelID
    public var key: Key
    /// The rows before and after, when rows were captured.
    public var old: Row?
    public var new: Row?

    public init(model: ModelID, key: Key, old: Row? = nil, new: Row? = nil) {
      self.model = model
      self.key = key
      self.old = old
      self.new = new
    }
  }

  case changes([Change])
  /// Something changed, but not known what: another process wrote, or nothing was captured.
  case unknown
}

/// What a commit gives back.
public struct CommitResult: Sendable {
  public var version: CommitVersion
  public var changes: ChangeSet

  public init(version: CommitVersion, changes: ChangeSet = .unknown) {
    self.version = version
    self.changes = changes
  }
}
