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
